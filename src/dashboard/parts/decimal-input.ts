import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';

/** From when to when a number is taken. */
interface Limits {
  least?: number;
  most?: number;
  isWhole?: boolean;
}

const shown = (value: string | number) => numberFormat({ maximumFractionDigits: 9 }).format(Number(value));

/** What is wrong with what was typed, in a sentence; '' where nothing is. */
export function mistakeIn(text: string, { least, most, isWhole = false }: Limits): string {
  const w = words().common.numbers;
  const typed = readDecimal(text);
  if (typed.kind === 'empty') return '';
  // Both written out, without marks between thousands: that is how it is typed clearly.
  if (typed.kind === 'unclear') return w.unclear({ as: toType(typed.values[0]), or: typed.values[1] });
  if (typed.kind !== 'number') return w.none({ example: shown(12.5) });
  const value = Number(typed.value);
  if (value < (least ?? value) || value > (most ?? value))
    return w.between({ least: shown(least ?? 0), most: shown(most ?? value) });
  return isWhole && !Number.isInteger(value) ? w.whole : '';
}

/**
 * An input for a number as people write it where they live. The browser's own knows only its own language's comma, and drops the
 * other one while it is typed: 12,5 would be 125. `value`: for who keeps what is typed; else `defaultValue`. `limits`: null
 * where the service itself says what is wrong with a number.
 */
export function DecimalInput(props: {
  attributes: object;
  name: string;
  value?: string;
  defaultValue?: string;
  limits: Limits | null;
  isRequired?: boolean;
  onInput?: (text: string) => void;
  onFocus?: () => void;
  onBlur?: () => void;
}) {
  const { attributes, limits, isRequired, onInput, ...rest } = props;
  const ref = useRef<HTMLInputElement>(null);
  const check = () => {
    const text = ref.current?.value ?? '';
    const isAsked = limits !== null || readDecimal(text).kind === 'unclear';
    ref.current?.setCustomValidity(isAsked ? mistakeIn(text, limits ?? {}) : '');
  };
  // What it is filled with by others is looked at, too.
  useEffect(check);
  return html`<input
    ...${attributes}
    ...${rest}
    ref=${ref}
    type="text"
    inputmode="decimal"
    autocomplete="off"
    required=${isRequired ?? false}
    onInput=${() => {
      check();
      onInput?.(ref.current?.value ?? '');
    }}
  />`;
}

/** What somebody typed where a number is asked for. */
type Typed =
  /** `value`: digits with a point, as the service takes them. */
  | { kind: 'number'; value: string }
  | { kind: 'empty' | 'none' }
  /** It may be one number and a thousand times as much: both, as the service takes them. */
  | { kind: 'unclear'; values: [string, string] };

/** A blank or an apostrophe divides thousands wherever it is used. */
const DIVIDERS = /[\s'’]/g;

/** What stands before the decimals in the chosen locale. */
const pointHere = (): string =>
  numberFormat()
    .formatToParts(1.5)
    .find(({ type }) => type === 'decimal')?.value ?? '.';

/**
 * Reads a number as people write it, with a point or a comma, and thousands divided or not. `1.234` where decimals follow a
 * comma (and `1,234` where they follow a point) is unclear rather than wrong by a thousand. Pure but for the locale.
 */
export function readDecimal(text: string, point = pointHere()): Typed {
  const whole = text.trim();
  if (whole === '') return { kind: 'empty' };
  const { sign = '', body = '' } = /^(?<sign>[-+−]?)(?<body>\d[\d.,\s'’]*|[.,]\d+)$/.exec(whole)?.groups ?? {};
  if (body === '') return { kind: 'none' };
  const minus = sign === '' || sign === '+' ? '' : '-';
  const mark = decimalMark(body);
  const [before = '', after = ''] = mark === null ? [body] : [body.slice(0, mark), body.slice(mark + 1)];
  if (!/^\d*$/.test(after) || !isDivided(before)) return { kind: 'none' };
  const digits = before.replace(/\D/g, '') || '0';
  const value = `${minus}${digits}${after === '' ? '' : `.${after}`}`;
  // One mark with three digits behind it: of decimals, or of thousands?
  const isEither = mark !== null && /^[1-9]\d{0,2}$/.test(before) && after.length === 3 && body[mark] !== point;
  return isEither ? { kind: 'unclear', values: [value, `${minus}${digits}${after}`] } : { kind: 'number', value };
}

/** Where the decimals begin: at the last of two kinds of marks, or at the only mark. Null: there are none. */
function decimalMark(body: string): number | null {
  const [point, comma] = [body.lastIndexOf('.'), body.lastIndexOf(',')];
  const last = Math.max(point, comma);
  if (last < 0 || (Math.min(point, comma) < 0 && body.indexOf(body[last] ?? '') !== last)) return null;
  return last;
}

/** Plain digits, or thousands divided by one mark throughout. */
function isDivided(text: string): boolean {
  const plain = text.replace(DIVIDERS, ' ');
  return /^\d*$/.test(plain) || /^\d{1,3}([ .,])\d{3}(\1\d{3})*$/.test(plain);
}

/** A number of the service as it is typed here: with the locale's point, and nothing between thousands. */
export const toType = (value: string | number | null | undefined, point = pointHere()): string =>
  value === null || value === undefined ? '' : String(value).replace('.', point);

/** What was typed as a number; NaN where it is none, or not clear; null where nothing was. */
export function numberOf(text: string): number | null {
  const typed = readDecimal(text);
  if (typed.kind === 'empty') return null;
  return typed.kind === 'number' ? Number(typed.value) : Number.NaN;
}
