import { spellings } from './fold.ts';
import type { Concept, Language } from './language.ts';
import { czech } from './words/czech.ts';
import { danish } from './words/danish.ts';
import { dutch } from './words/dutch.ts';
import { english } from './words/english.ts';
import { finnish } from './words/finnish.ts';
import { french } from './words/french.ts';
import { german } from './words/german.ts';
import { italian } from './words/italian.ts';
import { norwegian } from './words/norwegian.ts';
import { polish } from './words/polish.ts';
import { portuguese } from './words/portuguese.ts';
import { spanish } from './words/spanish.ts';
import { swedish } from './words/swedish.ts';

/** All languages in which names are understood. */
export const LANGUAGES: readonly Language[] = [
  english,
  german,
  dutch,
  french,
  italian,
  spanish,
  swedish,
  norwegian,
  danish,
  polish,
  czech,
  portuguese,
  finnish,
];

/** Words said after each other are one at most so long. */
export const LONGEST_PHRASE = 4;
/** Shorter parts of a compound word are found in everything. */
const SHORTEST_PART = 3;
const SHORTEST_COMPOUND = 6;
const MOST_PARTS = 5;
/** What stands between the parts: `Verbrauch-s-zähler`. */
const LINKS = ['', 's', 'es', 'n', 'en', 'e', 'er'];

type Meanings = ReadonlySet<Concept>;
interface Dictionary {
  words: Map<string, Set<Concept>>;
  stems: Map<string, Set<Concept>>;
}

const note = (into: Map<string, Set<Concept>>, word: string, concept: Concept) =>
  into.set(word, (into.get(word) ?? new Set()).add(concept));

function dictionaryOf(languages: readonly Language[]): Dictionary {
  const dictionary: Dictionary = { words: new Map(), stems: new Map() };
  for (const { words } of languages) {
    for (const [concept, , list] of words) {
      for (const entry of list.split(/\s+/)) {
        for (const word of spellings(entry.replace('*', '').replaceAll(/[_']+/g, ' '))) {
          note(entry.endsWith('*') ? dictionary.stems : dictionary.words, word, concept);
        }
      }
    }
  }
  return dictionary;
}

const all = dictionaryOf(LANGUAGES);
const isCompounding = ({ compounds }: Language) => compounds;
/** English by itself, asked last: its `net` is a balance, where `netimport` is Danish, from the grid. */
const compounding = [LANGUAGES.filter((one) => isCompounding(one) && one !== english), [english]].map((languages) =>
  languages.map((language) => dictionaryOf([language])),
);
/** Said by one language is enough: what does not count in it is better asked about than counted. */
const DOUBTS: readonly Concept[] = ['period', 'reactive', 'apparent', 'cost', 'balance', 'unmeasured', 'own'];

/** What a word, or words joined by blanks, say in any of the languages; null: in none. */
export const meaningsOf = (word: string): Meanings | null =>
  all.words.get(word) ?? compoundOf(word) ?? found(all, word);

const inEnglish = dictionaryOf([english]);
/** Whether a word says something, but not in English, and is no place's: circuits are not called by such words. */
export const isForeignTerm = (word: string): boolean =>
  word.length >= SHORTEST_PART && !found(inEnglish, word) && meaningsOf(word)?.has('place') === false;

/** Whether words joined by blanks are one in a language. */
export const isPhrase = (words: string): boolean => all.words.has(words);

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
 * `tagesverbrauch` is of a day and a consumption; all of its parts are words of one language. Where it can be taken apart in
 * several (`nätimport`: from the grid, and, without its accent, by night), it says what all of them say.
 */
function compoundOf(word: string): Meanings | null {
  if (word.length < SHORTEST_COMPOUND || word.includes(' ')) return null;
  for (const dictionaries of compounding) {
    const all = dictionaries.flatMap((dictionary) => partsOf(dictionary, word, MOST_PARTS) ?? []);
    const [first, ...others] = all;
    if (!first) continue;
    const common = [...first].filter((concept) => others.every((one) => one.has(concept)));
    return new Set([...common, ...DOUBTS.filter((concept) => all.some((one) => one.has(concept)))]);
  }
  return null;
}

function partsOf(dictionary: Dictionary, word: string, most: number): Set<Concept> | null {
  if (most === 0) return null;
  for (let length = word.length - SHORTEST_PART; length >= SHORTEST_PART; length--) {
    const first = dictionary.words.get(word.slice(0, length));
    if (!first) continue;
    for (const link of LINKS) {
      if (!word.startsWith(link, length)) continue;
      const rest = word.slice(length + link.length);
      if (rest.length < SHORTEST_PART) continue;
      const others = found(dictionary, rest) ?? partsOf(dictionary, rest, most - 1);
      if (others) return asCompound(first, others);
    }
  }
  return null;
}

/** A day before another word is a day's: `Tagesverbrauch`, where a `Tagtarif` is a tariff. */
function asCompound(first: Meanings, others: Meanings): Set<Concept> {
  const both = new Set([...first, ...others]);
  if (both.has('day') && !both.has('tariff')) both.add('period');
  return both;
}
