/** An expression of a template that can be evaluated exactly: a path, numbers, arithmetic and a few filters. */
export type Expression =
  | { is: 'number'; value: number }
  | { is: 'path'; root: 'value' | 'value_json'; keys: (string | number)[] }
  | { is: 'negative'; of: Expression }
  | { is: 'sum'; sign: '+' | '-' | '*' | '/'; left: Expression; right: Expression }
  | { is: 'filter'; name: string; argument: number | null; of: Expression };

class Unsupported extends Error {}

type Token = { is: 'number' | 'name' | 'text' | 'mark'; text: string };

const MAX_LENGTH = 500;
const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)(?!\w)|([A-Za-z_]\w*)|'([^'\\]*)'|"([^"\\]*)"|([|()[\].,*/+=-]))/y;
/** Filters with at most one argument. A default is taken in and never used: it is no number of the message. */
const DEFAULTED = new Set(['float', 'int', 'default', 'd']);
const BARE = new Set(['abs', 'is_defined']);
const CALCULATING = new Set(['multiply', 'add']);

/**
 * Reads a Jinja template, of which only what can be computed exactly is known; null for the rest. It is parsed by hand and
 * never run as code.
 */
export function parseTemplate(template: string): Expression | null {
  const trimmed = template.trim();
  if (trimmed.length > MAX_LENGTH || !trimmed.startsWith('{{') || !trimmed.endsWith('}}')) return null;
  const tokens = tokensOf(trimmed.slice(2, -2).replace(/^-/, '').replace(/-$/, ''));
  if (!tokens) return null;
  try {
    const parser = new Parser(tokens);
    const expression = parser.sum();
    // Without a path it would say a number that no message said.
    const hasPath = tokens.some(({ is, text }) => is === 'name' && text.startsWith('value'));
    return parser.ended() && hasPath ? expression : null;
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

function tokensOf(text: string): Token[] | null {
  const end = text.trimEnd().length;
  const tokens: Token[] = [];
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

/** Precedence as in Jinja: a filter binds more tightly than arithmetic, so `a | float / 1000` divides the filtered value. */
class Parser {
  #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  ended = (): boolean => this.#at >= this.#tokens.length;

  sum(): Expression {
    return this.#chain(['+', '-'], () => this.#chain(['*', '/'], () => this.#unary(true)));
  }

  #chain(signs: readonly ('+' | '-' | '*' | '/')[], next: () => Expression): Expression {
    let left = next();
    for (;;) {
      const sign = signs.find((one) => this.#skip(one));
      if (!sign) return left;
      left = { is: 'sum', sign, left, right: next() };
    }
  }

  #unary(filtered: boolean): Expression {
    let expression: Expression = this.#skip('-') ? { is: 'negative', of: this.#unary(false) } : this.#primary();
    while (filtered && this.#skip('|')) expression = this.#filter(expression);
    return expression;
  }

  #primary(): Expression {
    if (this.#skip('(')) {
      const inner = this.sum();
      this.#expect(')');
      return inner;
    }
    const token = this.#take();
    if (token.is === 'number') return { is: 'number', value: Number(token.text) };
    if (token.is !== 'name' || (token.text !== 'value' && token.text !== 'value_json')) throw new Unsupported();
    return { is: 'path', root: token.text, keys: token.text === 'value_json' ? this.#keys() : [] };
  }

  #keys(): (string | number)[] {
    const keys: (string | number)[] = [];
    for (;;) {
      const dotted = this.#skip('.');
      if (!dotted && !this.#skip('[')) return keys;
      const { is, text } = this.#take();
      if (is !== (dotted ? 'name' : 'text') && (dotted || !/^\d+$/.test(text))) throw new Unsupported();
      keys.push(is === 'number' ? Number(text) : text);
      if (!dotted) this.#expect(']');
    }
  }

  #filter(of: Expression): Expression {
    const { is, text: name } = this.#take();
    if (is !== 'name') throw new Unsupported();
    const argument = this.#skip('(') ? this.#argument() : null;
    if (DEFAULTED.has(name) || (BARE.has(name) && argument === null)) return { is: 'filter', name, argument: null, of };
    if (CALCULATING.has(name) && typeof argument === 'number') return { is: 'filter', name, argument, of };
    const whole = argument === null || (Number.isInteger(argument) && Number(argument) >= 0 && Number(argument) <= 15);
    if (name === 'round' && whole) return { is: 'filter', name, argument: Number(argument ?? 0), of };
    throw new Unsupported();
  }

  /** One number, text or name in parentheses, or nothing; `default=0` counts as `0`. */
  #argument(): number | string | null {
    if (this.#skip(')')) return null;
    let negative = this.#skip('-');
    let token = this.#take();
    if (token.is === 'name' && this.#skip('=')) [negative, token] = [this.#skip('-'), this.#take()];
    this.#expect(')');
    if (token.is === 'mark') throw new Unsupported();
    return token.is === 'number' ? Number(token.text) * (negative ? -1 : 1) : token.text;
  }

  #take(): Token {
    const token = this.#tokens[this.#at++];
    if (!token) throw new Unsupported();
    return token;
  }

  #skip(mark: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.is !== 'mark' || token.text !== mark) return false;
    this.#at += 1;
    return true;
  }

  #expect(mark: string): void {
    if (!this.#skip(mark)) throw new Unsupported();
  }
}
