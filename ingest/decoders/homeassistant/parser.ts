import type { ArithmeticOperator, TemplateCondition, TemplateExpression } from './expression.ts';
import type { TemplateToken } from './tokens.ts';

export class UnsupportedTemplateError extends Error {}

/** Maximum depth of brackets; real templates do not nest deeper. */
const MAX_DEPTH = 20;
/**
 * Filters with at most one argument, a default value. The parser reads the default but never uses it, because it does not come from the
 * message.
 */
const DEFAULTED = new Set(['float', 'int', 'default', 'd']);
const BARE = new Set(['abs', 'is_defined', 'string', 'trim']);
const CALCULATING = new Set(['multiply', 'add']);
const COMPARING = ['==', '!=', '<=', '>=', '<', '>'];

/**
 * Variable that a template sets at its start. The parser refuses a second variable: a chain of variables that each use the previous one
 * twice would grow exponentially.
 */
export interface TemplateVariable {
  name: string;
  value: TemplateExpression;
}

/**
 * Parser of Jinja expressions, with Jinja's precedence: a filter binds more tightly than arithmetic, so `a | float / 1000` divides the
 * filtered value.
 */
export class TemplateParser {
  #tokens: TemplateToken[];
  #variable: TemplateVariable | null;
  #at = 0;
  #depth = 0;

  constructor(tokens: TemplateToken[], variable: TemplateVariable | null) {
    this.#tokens = tokens;
    this.#variable = variable;
  }

  ended = (): boolean => this.#at >= this.#tokens.length;

  /** Parses `a`, `a if b`, `a if b else c`. */
  expression(): TemplateExpression {
    if (++this.#depth > MAX_DEPTH) throw new UnsupportedTemplateError();
    const first = this.#sum();
    let read: TemplateExpression = first;
    if (this.#word('if')) {
      const when = this.condition();
      read = { is: 'choice', when, first, otherwise: this.#word('else') ? this.expression() : null };
    }
    this.#depth--;
    return read;
  }

  condition(): TemplateCondition {
    if (++this.#depth > MAX_DEPTH) throw new UnsupportedTemplateError();
    let left = this.#allOf();
    while (this.#word('or')) left = { is: 'any', left, right: this.#allOf() };
    this.#depth--;
    return left;
  }

  #allOf(): TemplateCondition {
    let left = this.#test();
    while (this.#word('and')) left = { is: 'all', left, right: this.#test() };
    return left;
  }

  #test(): TemplateCondition {
    if (this.#word('not')) return { is: 'not', of: this.#test() };
    const start = this.#at;
    if (this.#skip('(')) {
      // An opening bracket can begin a condition or an arithmetic operand, so the parser tries both.
      try {
        const inner = this.condition();
        this.#expect(')');
        if (!this.#continuesSum()) return inner;
      } catch (error) {
        if (!(error instanceof UnsupportedTemplateError)) throw error;
      }
      this.#at = start;
    }
    const left = this.#sum();
    const sign = COMPARING.find((one) => this.#skip(one));
    if (sign) return { is: 'compared', sign, left, right: this.#sum() };
    const isNot = this.#peek('not') && this.#word('not');
    if (this.#word('in')) return this.#memberOf(left, isNot);
    if (isNot) throw new UnsupportedTemplateError();
    if (!this.#word('is')) return { is: 'test', name: 'true', of: left };
    const isNegated = this.#word('not');
    const { is, text } = this.#take();
    const name = is === 'name' ? text.toLowerCase() : '';
    if (name !== 'defined' && name !== 'none' && name !== 'number') throw new UnsupportedTemplateError();
    const test: TemplateCondition = { is: 'test', name, of: left };
    return isNegated ? { is: 'not', of: test } : test;
  }

  #memberOf(left: TemplateExpression, isNot: boolean): TemplateCondition {
    if (left.is !== 'text') throw new UnsupportedTemplateError();
    const member: TemplateCondition = { is: 'member', name: left.value, of: this.#sum() };
    return isNot ? { is: 'not', of: member } : member;
  }

  #sum(): TemplateExpression {
    const power = () => this.#chain(['**'], () => this.#unary(true));
    return this.#chain(['+', '-'], () => this.#chain(['*', '/'], power));
  }

  #chain(signs: readonly ArithmeticOperator[], next: () => TemplateExpression): TemplateExpression {
    let left = next();
    for (;;) {
      const sign = signs.find((one) => this.#skip(one));
      if (!sign) return left;
      left = { is: 'sum', sign, left, right: next() };
    }
  }

  #unary(filtered: boolean): TemplateExpression {
    let expression: TemplateExpression = this.#skip('-') ? { is: 'negative', of: this.#unary(false) } : this.#primary();
    while (filtered && this.#skip('|')) expression = this.#filter(expression);
    return expression;
  }

  #primary(): TemplateExpression {
    if (this.#skip('(')) {
      const inner = this.expression();
      this.#expect(')');
      return inner;
    }
    const token = this.#take();
    if (token.is === 'number') return { is: 'number', value: Number(token.text) };
    if (token.is === 'text') return { is: 'text', value: token.text };
    if (token.is === 'name' && (token.text === 'float' || token.text === 'int')) return this.#call(token.text);
    if (token.is === 'name' && token.text === 'iif') return this.#immediateIf();
    if (token.is === 'name' && token.text === this.#variable?.name) return this.#variable.value;
    if (token.is !== 'name' || (token.text !== 'value' && token.text !== 'value_json'))
      throw new UnsupportedTemplateError();
    if (token.text === 'value_json') return { is: 'path', root: token.text, keys: this.#keys() };
    const value: TemplateExpression = { is: 'path', root: token.text, keys: [] };
    return this.#skip('.') ? this.#split(value) : value;
  }

  /** Parses `iif(a, b, c)`, which means `b if a else c`. Refuses `iif(a, b)`, because Jinja would print the word False if `a` is false. */
  #immediateIf(): TemplateExpression {
    this.#expect('(');
    const when = this.condition();
    this.#expect(',');
    const first = this.expression();
    this.#expect(',');
    const otherwise = this.expression();
    this.#expect(')');
    return { is: 'choice', when, first, otherwise };
  }

  /** Parses `split(';')[0]`. */
  #split(of: TemplateExpression): TemplateExpression {
    if (!this.#word('split')) throw new UnsupportedTemplateError();
    this.#expect('(');
    const separator = this.#take();
    this.#expect(')');
    this.#expect('[');
    const at = this.#take();
    this.#expect(']');
    if (separator.is !== 'text' || separator.text === '' || !/^\d+$/.test(at.text))
      throw new UnsupportedTemplateError();
    return { is: 'split', separator: separator.text, at: Number(at.text), of };
  }

  /** Parses `float(value)` and `float(value, 0)`. They mean the same as `value | float` and `value | float(0)`. */
  #call(name: string): TemplateExpression {
    this.#expect('(');
    const of = this.expression();
    if (this.#skip(',')) this.#literal();
    this.#expect(')');
    return { is: 'filter', name, argument: null, of };
  }

  #keys(): (string | number)[] {
    const keys: (string | number)[] = [];
    for (;;) {
      const dotted = this.#skip('.');
      if (!dotted && !this.#skip('[')) return keys;
      const { is, text } = this.#take();
      if (dotted && text === 'get' && this.#skip('(')) {
        keys.push(this.#got());
        continue;
      }
      if (is !== (dotted ? 'name' : 'text') && (dotted || !/^\d+$/.test(text))) throw new UnsupportedTemplateError();
      keys.push(is === 'number' ? Number(text) : text);
      if (!dotted) this.#expect(']');
    }
  }

  /** Parses the key in `.get('x')` or `.get('x', 0)`. The default is never used. */
  #got(): string {
    const { is, text } = this.#take();
    if (is !== 'text') throw new UnsupportedTemplateError();
    if (this.#skip(',')) this.#literal();
    this.#expect(')');
    return text;
  }

  #filter(of: TemplateExpression): TemplateExpression {
    const { is, text: name } = this.#take();
    if (is !== 'name') throw new UnsupportedTemplateError();
    if (name === 'format') return this.#formatted(of);
    const argument = this.#skip('(') ? this.#argument() : null;
    if (DEFAULTED.has(name) || (BARE.has(name) && argument === null)) return { is: 'filter', name, argument: null, of };
    if (CALCULATING.has(name) && typeof argument === 'number') return { is: 'filter', name, argument, of };
    const isWhole =
      argument === null || (Number.isInteger(argument) && Number(argument) >= 0 && Number(argument) <= 15);
    if (name === 'round' && isWhole) return { is: 'filter', name, argument: Number(argument ?? 0), of };
    throw new UnsupportedTemplateError();
  }

  /** Parses `'%0.2f' | format(x)` as rounding of x. */
  #formatted(format: TemplateExpression): TemplateExpression {
    const places = format.is === 'text' ? /^%\d*\.?(\d{0,2})f$/.exec(format.value)?.[1] : undefined;
    if (places === undefined || Number(places) > 15) throw new UnsupportedTemplateError();
    this.#expect('(');
    const of = this.expression();
    this.#expect(')');
    return { is: 'filter', name: 'round', argument: places === '' ? 6 : Number(places), of };
  }

  /** Parses the parenthesised argument of a filter: at most one number, text or name, and a named default, which is never used. */
  #argument(): number | string | null {
    if (this.#skip(')')) return null;
    const argument = this.#default() ? null : this.#literal();
    if (this.#skip(',') && !this.#default()) throw new UnsupportedTemplateError();
    this.#expect(')');
    return argument;
  }

  /** Parses `default=0`. Returns false if the next argument is not a default. */
  #default(): boolean {
    const next = this.#tokens[this.#at + 1];
    if (!this.#peek('default') || next?.is !== 'mark' || next.text !== '=') return false;
    this.#literal();
    return true;
  }

  #literal(): number | string {
    let negative = this.#skip('-');
    let token = this.#take();
    if (token.is === 'name' && this.#skip('=')) [negative, token] = [this.#skip('-'), this.#take()];
    if (token.is === 'mark') throw new UnsupportedTemplateError();
    return token.is === 'number' ? Number(token.text) * (negative ? -1 : 1) : token.text;
  }

  #take(): TemplateToken {
    const token = this.#tokens[this.#at++];
    if (!token) throw new UnsupportedTemplateError();
    return token;
  }

  #skip(mark: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.is !== 'mark' || token.text !== mark) return false;
    this.#at += 1;
    return true;
  }

  #peek(word: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.is === 'name' && token.text === word;
  }

  #word(word: string): boolean {
    if (!this.#peek(word)) return false;
    this.#at += 1;
    return true;
  }

  /** Whether an operator follows the closing bracket. If so, the brackets contained the first operand of a sum, a comparison or a test. */
  #continuesSum(): boolean {
    const token = this.#tokens[this.#at];
    if (token?.is === 'mark') return token.text !== ')';
    return token?.is === 'name' && (token.text === 'is' || token.text === 'in');
  }

  #expect(mark: string): void {
    if (!this.#skip(mark)) throw new UnsupportedTemplateError();
  }
}
