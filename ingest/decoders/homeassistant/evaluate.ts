import { readNumber } from '../read/number.ts';
import { asObjectOrNull } from '../read/payload.ts';
import type { ArithmeticOperator, TemplateCondition, TemplateExpression } from './expression.ts';

/** Message to which a template is applied. */
export interface TemplateMessage {
  text: string;
  /** Payload as JSON; undefined if it is not JSON. */
  json: unknown;
}

/** Result of an expression that cannot be computed. The result is not a number, so that the decoder refuses the value. */
const BROKEN: unknown = Object.freeze({});

/**
 * Evaluates a template for a message. Returns null if the template yields no value: a missing member means that the value has not changed.
 */
export function evaluateTemplate(expression: TemplateExpression, state: TemplateMessage): unknown {
  switch (expression.is) {
    case 'number':
    case 'text':
      return expression.value;
    case 'choice':
      return chosen(holds(expression.when, state) ? expression.first : expression.otherwise, state);
    case 'path':
      return expression.root === 'value' ? state.text : follow(state.json, expression.keys);
    case 'negative': {
      const value = evaluateTemplate(expression.of, state);
      return typeof value === 'number' ? -value : value === null ? null : BROKEN;
    }
    case 'sum':
      return calculate(
        expression.sign,
        evaluateTemplate(expression.left, state),
        evaluateTemplate(expression.right, state),
      );
    case 'split': {
      const text = evaluateTemplate(expression.of, state);
      // Jinja returns an undefined value if the list has no element at this index.
      return typeof text === 'string' ? (text.split(expression.separator)[expression.at] ?? null) : BROKEN;
    }
    case 'filter':
      return filtered(expression.name, expression.argument, evaluateTemplate(expression.of, state));
  }
}

/**
 * Evaluates the chosen branch of a condition. Returns null for a literal number, because the number comes from the template and not from
 * the message.
 */
function chosen(branch: TemplateExpression | null, state: TemplateMessage): unknown {
  if (branch === null || branch.is === 'number') return null;
  if (branch.is === 'text' && typeof readNumber(branch.value) === 'number') return null;
  if (branch.is === 'negative' && branch.of.is === 'number') return null;
  return evaluateTemplate(branch, state);
}

function holds(condition: TemplateCondition, state: TemplateMessage): boolean {
  switch (condition.is) {
    case 'all':
      return holds(condition.left, state) && holds(condition.right, state);
    case 'any':
      return holds(condition.left, state) || holds(condition.right, state);
    case 'not':
      return !holds(condition.of, state);
    case 'member': {
      const object = asObjectOrNull(evaluateTemplate(condition.of, state));
      return object !== null && Object.hasOwn(object, condition.name);
    }
    case 'compared':
      return compared(
        condition.sign,
        evaluateTemplate(condition.left, state),
        evaluateTemplate(condition.right, state),
      );
    case 'test':
      return tested(condition.name, evaluateTemplate(condition.of, state));
  }
}

function tested(name: 'defined' | 'none' | 'number' | 'true', value: unknown): boolean {
  if (name === 'defined') return value !== null;
  if (name === 'none') return value === null;
  if (name === 'number') return typeof value === 'number';
  return value !== BROKEN && Boolean(value);
}

function compared(sign: string, left: unknown, right: unknown): boolean {
  if (sign === '==') return left === right;
  if (sign === '!=') return left !== right;
  if (typeof left !== 'number' || typeof right !== 'number') return false;
  if (sign === '<') return left < right;
  if (sign === '>') return left > right;
  return sign === '<=' ? left <= right : left >= right;
}

/** Returns the member names of the path that a template reads, last name first; empty if the template has no path. */
export function listMemberNamesInTemplate(expression: TemplateExpression | null): string[] {
  if (expression === null || expression.is === 'number' || expression.is === 'text') return [];
  if (expression.is === 'path') return expression.keys.map(String).reverse();
  if (expression.is === 'choice')
    return [...listMemberNamesInTemplate(expression.first), ...listMemberNamesInTemplate(expression.otherwise)];
  if (expression.is === 'sum')
    return [...listMemberNamesInTemplate(expression.left), ...listMemberNamesInTemplate(expression.right)];
  return listMemberNamesInTemplate(expression.of);
}

export function isJsonTemplate(expression: TemplateExpression | null): boolean {
  if (expression === null || expression.is === 'number' || expression.is === 'text') return false;
  if (expression.is === 'path') return expression.root === 'value_json';
  if (expression.is === 'choice') {
    return (
      isJsonTemplate(expression.first) || isJsonTemplate(expression.otherwise) || conditionNeedsJson(expression.when)
    );
  }
  return expression.is === 'sum'
    ? isJsonTemplate(expression.left) || isJsonTemplate(expression.right)
    : isJsonTemplate(expression.of);
}

function conditionNeedsJson(condition: TemplateCondition): boolean {
  switch (condition.is) {
    case 'all':
    case 'any':
      return conditionNeedsJson(condition.left) || conditionNeedsJson(condition.right);
    case 'not':
      return conditionNeedsJson(condition.of);
    case 'compared':
      return isJsonTemplate(condition.left) || isJsonTemplate(condition.right);
    default:
      return isJsonTemplate(condition.of);
  }
}

function follow(json: unknown, keys: readonly (string | number)[]): unknown {
  let value = json;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value ?? null;
}

const CALCULATIONS: Readonly<Record<ArithmeticOperator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '**': (left, right) => left ** right,
};

// Calculates with numbers only: in Jinja, multiplying a text by 1000 repeats the text 1000 times.
function calculate(sign: ArithmeticOperator, left: unknown, right: unknown): unknown {
  if (left === null || right === null) return null;
  if (typeof left !== 'number' || typeof right !== 'number') return BROKEN;
  const value = CALCULATIONS[sign](left, right);
  return Number.isFinite(value) ? value : BROKEN;
}

function filtered(name: string, argument: number | null, value: unknown): unknown {
  const isKept = name === 'is_defined' || name === 'default' || name === 'd' || name === 'string' || name === 'trim';
  if (isKept || value === null) return value;
  if (name === 'abs') return typeof value === 'number' ? Math.abs(value) : BROKEN;
  // The remaining filters convert a text to a number first (Home Assistant: helpers/template, `forgiving_round`, `multiply`, `add`).
  const read = readNumber(value);
  // A value that is not a number is refused. The default in the template is not used, because it is not a reading.
  if (read === undefined) return BROKEN;
  if (read === null || name === 'float') return read;
  if (name === 'int') return Math.trunc(read);
  if (name === 'round') return rounded(read, argument ?? 0);
  return calculate(name === 'add' ? '+' : '*', read, argument);
}

/** Rounds as Python does: halves to even. A value is exactly half-way only if it has at most `places + 1` binary digits after the point. */
function rounded(value: number, places: number): number {
  const scaled = value * 10 ** places;
  if (Number.isInteger(value * 2 ** (places + 1)) && Math.abs(scaled % 1) === 0.5) {
    const below = Math.floor(scaled);
    return (below % 2 === 0 ? below : below + 1) / 10 ** places;
  }
  return Math.abs(value) < 1e21 ? Number(value.toFixed(places)) : value;
}
