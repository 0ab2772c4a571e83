import { listSpellingsWithoutAccents } from './fold.ts';
import { LANGUAGES, type LanguageVocabulary, type WordMeaning } from './language.ts';

export const MAX_PHRASE_WORDS = 4;
/** Minimum length of the parts of a compound word. Shorter parts occur in almost every word. */
const MIN_PART_CHARACTERS = 3;
const MIN_COMPOUND_CHARACTERS = 6;
/**
 * Maximum length of a compound word. No word for a meter is longer. The time of a search grows with the square of the length, and names can
 * have any length.
 */
const MAX_COMPOUND_CHARACTERS = 40;
const MAX_PARTS = 5;
/** Linking letters between the parts of a compound: `Verbrauch-s-zähler`. */
const LINKS = ['', 's', 'es', 'n', 'en', 'e', 'er'];

type Meanings = ReadonlySet<WordMeaning>;
interface Dictionary {
  words: Map<string, Set<WordMeaning>>;
  stems: Map<string, Set<WordMeaning>>;
}

const note = (into: Map<string, Set<WordMeaning>>, word: string, concept: WordMeaning) =>
  into.set(word, (into.get(word) ?? new Set()).add(concept));

function dictionaryOf(languages: readonly LanguageVocabulary[]): Dictionary {
  const dictionary: Dictionary = { words: new Map(), stems: new Map() };
  for (const { words } of languages) {
    for (const [concept, list] of words) {
      for (const entry of list) {
        for (const word of listSpellingsWithoutAccents(entry.replace('*', '').replaceAll(/[_']+/g, ' '))) {
          note(entry.endsWith('*') ? dictionary.stems : dictionary.words, word, concept);
        }
      }
    }
  }
  return dictionary;
}

const all = dictionaryOf(LANGUAGES);
const isEnglish = ({ code }: LanguageVocabulary) => code === 'en';
/**
 * Dictionaries for compounds, in order of precedence. English comes last: its word `net` means a balance, but the Danish `netimport` means
 * import from the grid.
 */
const compounding = [LANGUAGES.filter((one) => one.compounds && !isEnglish(one)), LANGUAGES.filter(isEnglish)].map(
  (languages) => languages.map((language) => dictionaryOf([language])),
);
/**
 * Meanings that a compound word has even if only one of its possible splits has them; all other meanings must be shared by all splits.
 * Asking the owner is better than a wrong quantity in the totals.
 */
const DOUBTS: readonly WordMeaning[] = ['period', 'reactive', 'apparent', 'cost', 'balance', 'unmeasured', 'own'];

/** Returns the meanings of a word or phrase in all languages; null if no dictionary contains it. */
export const findWordMeanings = (word: string): Meanings | null =>
  all.words.get(word) ?? compoundOf(word) ?? found(all, word);

const inEnglish = dictionaryOf(LANGUAGES.filter(isEnglish));
/**
 * Whether a word has a meaning in another language but none in English, and is not a place. Such a word does not name a circuit (measured
 * part of the home).
 */
export const isNonEnglishTerm = (word: string): boolean =>
  word.length >= MIN_PART_CHARACTERS && !found(inEnglish, word) && findWordMeanings(word)?.has('place') === false;

/** Whether words that are joined by blanks form a phrase in one of the languages. */
export const isKnownPhrase = (words: string): boolean => all.words.has(words);

function found({ words, stems }: Dictionary, word: string): Meanings | null {
  const exact = words.get(word);
  if (exact) return exact;
  for (let length = word.length; length >= 4; length--) {
    const stem = stems.get(word.slice(0, length));
    if (stem) return stem;
  }
  return null;
}

/**
 * Returns the meanings of a compound whose parts all belong to one language: `tagesverbrauch` means a day and a consumption. If the
 * compound can be split in several ways (`nätimport`: from the grid or, without its accent, by night), returns only the meanings that all
 * of them share.
 */
function compoundOf(word: string): Meanings | null {
  if (word.length < MIN_COMPOUND_CHARACTERS || word.length > MAX_COMPOUND_CHARACTERS || word.includes(' ')) return null;
  for (const dictionaries of compounding) {
    const all = dictionaries.flatMap((dictionary) => partsOf(dictionary, word, MAX_PARTS) ?? []);
    const [first, ...others] = all;
    if (!first) continue;
    const common = [...first].filter((concept) => others.every((one) => one.has(concept)));
    return new Set([...common, ...DOUBTS.filter((concept) => all.some((one) => one.has(concept)))]);
  }
  return null;
}

function partsOf(dictionary: Dictionary, word: string, most: number): Set<WordMeaning> | null {
  if (most === 0) return null;
  for (let length = word.length - MIN_PART_CHARACTERS; length >= MIN_PART_CHARACTERS; length--) {
    const first = dictionary.words.get(word.slice(0, length));
    if (!first) continue;
    for (const link of LINKS) {
      if (!word.startsWith(link, length)) continue;
      const rest = word.slice(length + link.length);
      // At the end of a compound, "net" means a network or a company (SolarNet) and not a balance.
      if (rest.length < MIN_PART_CHARACTERS || (rest === 'net' && isBalance(dictionary.words.get(rest)))) continue;
      const others = found(dictionary, rest) ?? partsOf(dictionary, rest, most - 1);
      if (others) return asCompound(first, others);
    }
  }
  return null;
}

const isBalance = (meanings: Meanings | undefined): boolean => meanings?.has('balance') === true;

/**
 * Combines the meanings of the parts of a compound. "Day" before another word means a period (`Tagesverbrauch`), but `Tagtarif` is a
 * tariff.
 */
function asCompound(first: Meanings, others: Meanings): Set<WordMeaning> {
  const both = new Set([...first, ...others]);
  if (both.has('day') && !both.has('tariff')) both.add('period');
  return both;
}
