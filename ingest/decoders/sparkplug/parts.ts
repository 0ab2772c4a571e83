import { foldAccents } from '../vocabulary/fold.ts';
import { isNonEnglishTerm } from '../vocabulary/lexicon.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';

/** Matches words that occur in names of many metrics and therefore do not name a circuit (measured part of the home). */
const COMMON =
  /^(energy|power|load|active|real|total|totals|sum|cumulative|lifetime|accumulated|register|reading|value|consumption|consumed|usage|used|current|present|instantaneous|actual|now|electricity|electric|electrical|grid|mains|net|measurement|measurements|data|tag|tags|gas|heat|thermal|water|energie|leistung|gesamt)$/;
/** Maximum length of a circuit. It keeps each channel within the maximum length of channels. */
const MAX_CIRCUIT = 40;

/** Whether a word means electricity, a direction, a tariff or a phase. If a name contains such a word, a `W` in it means watts. */
export function isElectricityWord(word: string): boolean {
  const { direction, parts } = getNameMeaning(word);
  return COMMON.test(word) || direction !== null || parts.length > 0 || getNameMeaning(word).has('produced');
}

/** Returns the circuit of a volume from the words of its name. `meter` alone is not a circuit, but `meter 2` is. */
export const getCircuitFromNameWords = (words: readonly string[]): string =>
  joinWordsToChannelWord(
    words.filter(
      (word, index) =>
        !COMMON.test(word) &&
        !isNonEnglishTerm(foldAccents(word)) &&
        getNameMeaning(word).direction === null &&
        (word !== 'meter' || /^\d/.test(words[index + 1] ?? '')),
    ),
  );

/** Joins words into one part of a channel’s name (between two slashes). A long result is cut, so it may not be unique. */
export const joinWordsToChannelWord = (words: readonly string[]): string =>
  words
    .join('_')
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|(?<!_)_+$/g, '')
    .slice(0, MAX_CIRCUIT);
