/** Spellings of letters that are not a plain letter with an accent. */
const LETTERS = new Map([
  ['ø', 'o'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ß', 'ss'],
  ['ł', 'l'],
  ['đ', 'd'],
]);
/** Spellings of accented letters on keyboards without these letters: `Waermezaehler`. */
const SPELT_OUT: readonly (readonly [RegExp, string])[] = [
  [/ä/g, 'ae'],
  [/[öø]/g, 'oe'],
  [/ü/g, 'ue'],
  [/å/g, 'aa'],
];

/** Returns a text in lower case without accents. */
export const foldAccents = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[øæœßłđ]/g, (letter) => LETTERS.get(letter) as string)
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '');

/**
 * Returns a dictionary word without accents. If the word has accented letters, also returns it with these letters spelt out (`ae` for `ä`).
 */
export function listSpellingsWithoutAccents(word: string): string[] {
  const composed = word.normalize('NFC');
  const spelt = SPELT_OUT.reduce((text, [letter, letters]) => text.replaceAll(letter, letters), composed);
  return spelt === composed ? [foldAccents(composed)] : [foldAccents(composed), foldAccents(spelt)];
}

/**
 * Splits a name (`EnergyToday`, `feed-in`, `Énergie_réactive`) into words in lower case without accents. Only the first 200 characters are
 * read.
 */
export const splitFoldedWords = (name: string): string[] =>
  foldAccents(
    name
      .slice(0, 200)
      .normalize('NFC')
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
      .replaceAll(/(\p{Lu}\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1_$2')
      // Splits `importedkwh` before the unit. No other word ends with `kwh`.
      .replaceAll(/(?<=\p{L}{3})kwh(?!\p{L})/giu, '_$&')
      // Splits `7Tage` and `30days`.
      .replaceAll(/(\d)(\p{L}{3})/gu, '$1_$2'),
  )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
