export type TemplateToken = { is: 'number' | 'name' | 'text' | 'mark'; text: string };

const TOKEN =
  /\s*(?:(\d+(?:\.\d+)?|\.\d+)(?!\w)|([A-Za-z_]\w*)|'([^'\\]*)'|"([^"\\]*)"|(==|!=|<=|>=|\*\*|[<>|()[\].,*/+=-]))/y;

/** Splits a Jinja expression into tokens; returns null if a part of it is not a token. */
export function tokenizeTemplate(text: string): TemplateToken[] | null {
  const end = text.trimEnd().length;
  const tokens: TemplateToken[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found) return null;
    const [, number, name, single, double, mark] = found;
    if (number !== undefined) tokens.push({ is: 'number', text: number });
    else if (name !== undefined) tokens.push({ is: 'name', text: name });
    else if (mark !== undefined) tokens.push({ is: 'mark', text: mark });
    else tokens.push({ is: 'text', text: single ?? double ?? '' });
  }
  return tokens;
}
