import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';

/** Minimum and maximum of the number that the user may enter. */
interface Limits {
  least?: number;
  most?: number;
  isWhole?: boolean;
}

const shown = (value: string | number) => numberFormat({ maximumFractionDigits: 9 }).format(Number(value));

/** Returns the error message for a number that the user has typed; '' if the number is valid. */
export function findDecimalError(text: string, { least, most, isWhole = false }: Limits): string {
  const w = words().common.numbers;
  const typed = parseLocalDecimal(text);
  if (typed.kind === 'empty') return '';
  // For an ambiguous number, the message contains both possible numbers.
  if (typed.kind === 'unclear') return w.unclear({ as: formatNumberForInput(typed.values[0]), or: typed.values[1] });
  if (typed.kind !== 'number') return w.none({ example: shown(12.5) });
  const value = Number(typed.value);
  if (value < (least ?? value) || value > (most ?? value))
    return w.between({ least: shown(least ?? 0), most: shown(most ?? value) });
  return isWhole && !Number.isInteger(value) ? w.whole : '';
}

/**
 * Input for a number with the decimal mark of the user's country. A browser's number input drops other marks, so that 12,5 would become
 * 125. `value`: set if the caller controls the input, otherwise `defaultValue`. `limits`: null if the service checks the number.
 */
export function DecimalInput(props: {
  name: string;
  value?: string;
  defaultValue?: string;
  limits: Limits | null;
  isRequired?: boolean;
  onInput?: (text: string) => void;
  onFocus?: () => void;
  onBlur?: () => void;
}) {
  const { limits, isRequired, onInput, ...rest } = props;
  const ref = useRef<HTMLInputElement>(null);
  const check = () => {
    const text = ref.current?.value ?? '';
    const isAsked = limits !== null || parseLocalDecimal(text).kind === 'unclear';
    ref.current?.setCustomValidity(isAsked ? findDecimalError(text, limits ?? {}) : '');
  };
  // Checks after each render, because the value may also change without typing.
  useEffect(check);
  return html`<input
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

/** Result of parsing a typed number. */
type Typed =
  /** A valid number. `value` has a decimal point, as in the service's format. */
  | { kind: 'number'; value: string }
  | { kind: 'empty' | 'none' }
  /** An ambiguous text: `1.234` may mean 1.234 or 1,234. `values` are both numbers in the service's format. */
  | { kind: 'unclear'; values: [string, string] };

/** Matches spaces and apostrophes, which separate thousands in every locale. */
const DIVIDERS = /[\s'’]/g;

/** Returns the decimal mark of the selected locale. */
const pointHere = (): string =>
  numberFormat()
    .formatToParts(1.5)
    .find(({ type }) => type === 'decimal')?.value ?? '.';

/**
 * Parses a number with a decimal point or comma, with or without thousands separators. `1.234` is ambiguous in a locale with a decimal
 * comma, and `1,234` in a locale with a decimal point.
 */
export function parseLocalDecimal(text: string, point = pointHere()): Typed {
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
  // A single mark that three digits follow may be a decimal mark or a thousands separator.
  const isEither = mark !== null && /^[1-9]\d{0,2}$/.test(before) && after.length === 3 && body[mark] !== point;
  return isEither ? { kind: 'unclear', values: [value, `${minus}${digits}${after}`] } : { kind: 'number', value };
}

/**
 * Returns the index of the decimal mark (point or comma). If the text contains both, the last one is the decimal mark. Null if there is
 * none.
 */
function decimalMark(body: string): number | null {
  const [point, comma] = [body.lastIndexOf('.'), body.lastIndexOf(',')];
  const last = Math.max(point, comma);
  if (last < 0 || (Math.min(point, comma) < 0 && body.indexOf(body[last] ?? '') !== last)) return null;
  return last;
}

/** Returns whether a text has only digits, possibly in groups of three with one kind of separator. */
function isDivided(text: string): boolean {
  const plain = text.replace(DIVIDERS, ' ');
  return /^\d*$/.test(plain) || /^\d{1,3}([ .,])\d{3}(\1\d{3})*$/.test(plain);
}

/** Formats a number for an input field: with the locale's decimal mark, without thousands separators. */
export const formatNumberForInput = (value: string | number | null | undefined, point = pointHere()): string =>
  value === null || value === undefined ? '' : String(value).replace('.', point);

/** Returns the typed number. NaN if the text is invalid or ambiguous; null if it is empty. */
export function parseDecimalInput(text: string): number | null {
  const typed = parseLocalDecimal(text);
  if (typed.kind === 'empty') return null;
  return typed.kind === 'number' ? Number(typed.value) : Number.NaN;
}
