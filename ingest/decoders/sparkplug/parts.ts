import { fold } from '../vocabulary/fold.ts';
import { isForeignTerm } from '../vocabulary/lexicon.ts';
import { saidOf } from '../vocabulary/said-of.ts';

/** Said by every metric of a kind: of these words no circuit is made. */
const COMMON =
  /^(energy|power|load|active|real|total|totals|sum|cumulative|lifetime|accumulated|register|reading|value|consumption|consumed|usage|used|current|present|instantaneous|actual|now|electricity|electric|electrical|grid|mains|net|measurement|measurements|data|tag|tags|gas|heat|thermal|water|energie|leistung|gesamt)$/;
/** Any name's channel stays within what a channel may be long. */
const MAX_CIRCUIT = 40;

/** Whether a word speaks of electricity, its direction or its part, so that a W beside it is its unit. */
export function isElectric(word: string): boolean {
  const { direction, parts } = saidOf(word);
  return COMMON.test(word) || direction !== null || parts.length > 0 || saidOf(word).has('produced');
}

/** The circuit of a volume, by its words: `meter` names none by itself, but `meter 2` does. */
export const circuitOf = (words: readonly string[]): string =>
  joined(
    words.filter(
      (word, index) =>
        !COMMON.test(word) &&
        !isForeignTerm(fold(word)) &&
        saidOf(word).direction === null &&
        (word !== 'meter' || /^\d/.test(words[index + 1] ?? '')),
    ),
  );

/** Words as one word of a channel; of a long name the beginning, which others can share. */
export const joined = (words: readonly string[]): string =>
  words
    .join('_')
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_CIRCUIT);
