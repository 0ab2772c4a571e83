import { type Unit, unitOf, volumeUnitOf } from './units.ts';

/** Words as they stand between blanks, slashes, dots and changes of case; kWh stays together, and L1 does. */
const WORD = /[kKMG]?W[hH]?(?![A-Za-z])|\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?\p{Ll}+\d*|\d+[a-z]*/gu;
/** `Energy (kWh)`, `Price [EUR/kWh]`: the unit at the end in brackets, whatever it is. */
const BRACKETS = /[([]([^()[\]]*)[)\]]\s*$/;
/** Too short to be a unit anywhere but at the end: `Phase C`, `Zone F/Power`. */
const SHORT = new Set(['w', 'c', 'f']);

export interface NamedWords {
  /** In lower case, without the unit. */
  words: string[];
  /** The unit that the name tells; undefined where it tells none. */
  unit: Unit | undefined;
  /** The unit is a single letter, which could be just a letter: `Valve W`. */
  doubtful: boolean;
}

/** The words of a metric's name, and the unit that stands among them: `Energy/Total (kWh)`, `power_w`, `totalKWh`. */
export function splitName(name: string): NamedWords {
  const bracketed = BRACKETS.exec(name)?.[1];
  const found = (bracketed === undefined ? name : name.replace(BRACKETS, '')).match(WORD) ?? [];
  const lower = found.map((word) => word.toLowerCase());
  const none = { words: lower, unit: undefined, doubtful: false };
  if (bracketed !== undefined) {
    const unit = unitOf(bracketed) ?? volumeUnitOf(bracketed);
    // `Energy (L1)` has no unit in its brackets, but words; of `(kVArh)` they do no harm.
    if (unit) return { words: lower, unit, doubtful: false };
    lower.push(...(bracketed.match(WORD) ?? []).map((word) => word.toLowerCase()));
    if (/[a-z]/i.test(bracketed) && /w/i.test(bracketed)) return none;
  }
  for (let index = found.length - 1; index >= 0; index--) {
    const unit = unitOf(found[index] as string);
    if (!unit || (SHORT.has(lower[index] as string) && index < found.length - 1)) continue;
    // `degC` is two words.
    const deg = index > 0 && lower[index - 1] === 'deg' ? 1 : 0;
    return { words: lower.toSpliced(index - deg, 1 + deg), unit, doubtful: SHORT.has(lower[index] as string) };
  }
  const last = found.at(-1) ?? '';
  const volume = /^(?:m3|ft3|lit(?:er|re)s)$/.test(last) ? volumeUnitOf(last) : undefined;
  return volume ? { words: lower.slice(0, -1), unit: volume, doubtful: false } : none;
}
