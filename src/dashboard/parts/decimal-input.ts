import { useEffect, useRef } from 'preact/hooks';
import { html } from '../html.ts';
import { numberFormat } from '../words/locale.ts';
import { words } from '../words/words.ts';
import { readDecimal, toType } from './decimal.ts';

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
