import type { TemplateExpression } from './expression.ts';
import { TemplateParser, type TemplateVariable, UnsupportedTemplateError } from './parser.ts';
import { tokenizeTemplate } from './tokens.ts';

const MAX_LENGTH = 500;
/** Matches `{% if a %}{{ b }}{% else %}{{ c }}{% endif %}`, with optional blanks and dashes between the parts. */
const BLOCK =
  /^\{%-?\s*if\s+(.+?)\s*-?%\}\s*\{\{(.+?)\}\}\s*(?:\{%-?\s*else\s*-?%\}\s*\{\{(.+?)\}\}\s*)?\{%-?\s*endif\s*-?%\}$/s;

/** Matches `{% set x = a %}` at the start of a template. */
const SET = /^\{%-?\s*set\s+([A-Za-z_]\w*)\s*=\s*(.+?)\s*-?%\}\s*/s;
/** Names that `{% set %}` must not redefine, because the parser uses them. */
const RESERVED = new Set(['value', 'value_json', 'float', 'int', 'iif', 'if', 'else', 'not', 'and', 'or', 'is', 'in']);

/**
 * Parses a template; returns null if it is outside the subset of Jinja that can be evaluated exactly. The template is parsed by hand and
 * never run as code.
 */
export function parseTemplate(template: string): TemplateExpression | null {
  const trimmed = template.trim();
  if (trimmed.length > MAX_LENGTH) return null;
  try {
    const [statement = '', name = '', given = ''] = SET.exec(trimmed) ?? [];
    if (RESERVED.has(name)) return null;
    const variable = statement === '' ? null : { name, value: whole(given, null, (parser) => parser.expression()) };
    const rest = trimmed.slice(statement.length);
    const expression = rest.startsWith('{%') ? parseBlock(rest, variable) : parseBraces(rest, variable);
    // A template that reads no path is refused, because its result would not come from the message.
    return expression && hasPath(expression) ? expression : null;
  } catch (error) {
    if (error instanceof UnsupportedTemplateError) return null;
    throw error;
  }
}

function parseBlock(template: string, variable: TemplateVariable | null): TemplateExpression | null {
  const [, when, first, otherwise] = BLOCK.exec(template) ?? [];
  if (when === undefined || first === undefined || /\{\{|%\}/.test(first + when)) return null;
  return {
    is: 'choice',
    when: whole(when, variable, (parser) => parser.condition()),
    first: whole(first, variable, (parser) => parser.expression()),
    otherwise: otherwise === undefined ? null : whole(otherwise, variable, (parser) => parser.expression()),
  };
}

const parseBraces = (template: string, variable: TemplateVariable | null): TemplateExpression | null =>
  template.startsWith('{{') && template.endsWith('}}')
    ? whole(template.slice(2, -2), variable, (parser) => parser.expression())
    : null;

/** Parses a whole text by a rule. Throws if the rule leaves a remainder. */
function whole<Read>(text: string, variable: TemplateVariable | null, rule: (parser: TemplateParser) => Read): Read {
  const tokens = tokenizeTemplate(text.replace(/^-/, '').replace(/-$/, ''));
  if (!tokens) throw new UnsupportedTemplateError();
  const parser = new TemplateParser(tokens, variable);
  const read = rule(parser);
  if (!parser.ended()) throw new UnsupportedTemplateError();
  return read;
}

function hasPath(expression: TemplateExpression): boolean {
  switch (expression.is) {
    case 'path':
      return true;
    case 'sum':
      return hasPath(expression.left) || hasPath(expression.right);
    case 'negative':
    case 'filter':
    case 'split':
      return hasPath(expression.of);
    case 'choice':
      // The branches of a choice need no path, because the condition of the choice reads the message.
      return true;
    default:
      return false;
  }
}
