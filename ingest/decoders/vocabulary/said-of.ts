import { wordsOfName } from './fold.ts';
import type { Concept } from './language.ts';
import { isPhrase, LONGEST_PHRASE, meaningsOf } from './lexicon.ts';
import { type ObisMeaning, readObis } from './obis.ts';
import { readTeleinfoLabel } from './teleinfo.ts';

/** Why a quantity is known not to count. */
export type NotCounted = 'reactive' | 'apparent' | 'cost' | 'balance' | 'period' | 'unmeasured' | 'again';

/** What a name says, of which nothing may be guessed. */
export interface SaidOf {
  /** `both`: it speaks of either, or of one that can be either; null: it does not say. */
  direction: 'import' | 'export' | 'both' | null;
  not: NotCounted | null;
  /** Of a roof, a battery, or what a home uses of its own. */
  own: boolean;
  /** It says that this goes to the grid, and not merely that it is made. */
  fed: boolean;
  /** It speaks of the grid or the house. */
  house: boolean;
  medium: 'gas' | 'heat' | 'water' | '';
  /** `t1`, `l2`. */
  parts: string[];
  /** Words of it, folded, that are in no dictionary. */
  unknown: string[];
  /** Its OBIS code, or a French meter's label, which decides before any word. */
  obis: ObisMeaning | null;
}

const NOTS: readonly Exclude<NotCounted, 'again'>[] = [
  'reactive',
  'apparent',
  'cost',
  'balance',
  'unmeasured',
  'period',
];
/** `f1`: the bands of Italian contracts. */
const TARIFF = /^(?:tariff?|tarief|tier|rate|taryfa|tarifa|fascia|t|f|ht|nt)(\d{1,2})$/;
/** Hours of French contracts, where an index or a counter is spoken of: elsewhere HP is a heat pump. */
const FRENCH = new Map([
  ['hc', 't1'],
  ['hp', 't2'],
]);
const PHASE = /^(?:l([1-3])|(?:phase|ph|fase|fas|faza|vaihe|faze)([1-3abc]))$/;
/** Of whose energy `export` is no word for the grid. */
const STORED = /batter|akku|accu|speicher|storage/;
/** How meters print directions: `+A`, `A-`, `R+`; the sign stands alone. */
const SIGNED = /(?:^|[\s(_])(?:([+-])([AR])|([AR])([+-]))(?=$|[\s)_:T])/;
const MAX_REMEMBERED = 5_000;
const remembered = new Map<string, SaidOf>();

/** What a register's or a power's name says, in any of the languages. Remembered: names come again with each message. */
export function saidOf(name: string): SaidOf {
  const known = remembered.get(name);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const said = read(name);
  remembered.set(name, said);
  return said;
}

function read(name: string): SaidOf {
  const obis = readObis(name) ?? readTeleinfoLabel(name);
  const words = phrasesOf(wordsOfName(name));
  const concepts = words.map(({ meanings }) => meanings);
  const has = (concept: Concept) => concepts.some((one) => one?.has(concept));
  const [, before, letter = '', last = letter, after = before] = SIGNED.exec(name.slice(0, 200)) ?? [];
  const rated = has('tariff');
  const parts = obis && obis.parts.length > 0 ? obis.parts : partsOf(words, rated || has('import') || has('export'));
  const isTariff = parts.some((part) => part.startsWith('t'));
  const day = has('day') && !rated && !isTariff && !has('low');
  const nots = NOTS.filter((one) => has(one) && !(one === 'unmeasured' && (rated || isTariff) && has('high')));
  const isEver = has('lifetime') && nots[0] === 'period';
  if (isEver) nots.shift();
  if (letter === 'R' || last === 'R') nots.unshift('reactive');
  const unknown = words.flatMap(({ text, meanings }) => (meanings === null && isWord(text) ? [text] : []));
  // A day by itself is a day's, or a day tariff's.
  if ((day && nots.length === 0) || isEver) unknown.push('day');
  const signed = last === 'A' ? (after === '-' ? 'export' : 'import') : null;
  return {
    direction: obis?.direction ?? signed ?? directionOf(has),
    not: obis ? obis.not : (nots[0] ?? null),
    own: !obis && has('own'),
    fed: (has('export') || has('toGrid')) && !words.some(({ text }) => STORED.test(text)),
    house: has('house') || has('fromGrid') || has('toGrid'),
    medium: obis ? obis.medium : mediumOf(words),
    parts: [...new Set(parts)].sort().reverse(),
    unknown: obis?.direction ? [] : unknown,
    obis,
  };
}

/** Where it flows to goes before who speaks; a word that can be either says nothing beside one that cannot. */
function directionOf(has: (concept: Concept) => boolean): SaidOf['direction'] {
  const [to, from] = [has('toGrid'), has('fromGrid')];
  if (to || from) return to && from ? 'both' : to ? 'export' : 'import';
  const [exported, imported] = [has('export'), has('import')];
  if (exported || imported) return exported && imported ? 'both' : exported ? 'export' : 'import';
  if (has('produced')) return 'export';
  return has('unclear') ? 'both' : null;
}

interface Phrase {
  text: string;
  meanings: ReadonlySet<Concept> | null;
}

/** Words with what they say, the longest phrases first: `i dag`, `pompe à chaleur`. */
function phrasesOf(words: readonly string[]): Phrase[] {
  const phrases: Phrase[] = [];
  for (let at = 0; at < words.length; ) {
    let length = Math.min(LONGEST_PHRASE, words.length - at);
    while (length > 1 && !isPhrase(words.slice(at, at + length).join(' '))) length--;
    const text = words.slice(at, at + length).join(' ');
    phrases.push({ text, meanings: meaningsOf(text) ?? meaningsOf(text.replace(/\d+$/, '')) });
    at += length;
  }
  return phrases;
}

/** Whether a word could mean something: numbers, ids and single letters do not. */
const isWord = (text: string): boolean => text.length > 2 && !/\d/.test(text);

function mediumOf(words: readonly Phrase[]): SaidOf['medium'] {
  for (const medium of ['gas', 'heat', 'water'] as const) {
    if (words.some(({ meanings }) => meanings?.has(medium))) return medium;
  }
  return '';
}

function partsOf(words: readonly Phrase[], rated: boolean): string[] {
  const isFrench = words.some(({ text }) => text === 'index' || text === 'compteur');
  return words.flatMap(({ text, meanings }, index) => {
    const hours = isFrench ? FRENCH.get(text) : undefined;
    if (hours) return [hours];
    const before = words[index - 1];
    const isNumber = /^\d{1,2}$/.test(text);
    const tariff = TARIFF.exec(text)?.[1] ?? (isNumber && before && tellsTariff(before) ? text : undefined);
    if (tariff !== undefined) return [`t${Number(tariff)}`];
    const [, number, either = number] = PHASE.exec(text) ?? [];
    const phase = either ?? (before?.meanings?.has('phase') && /^[1-3abc]$/.test(text) ? text : undefined);
    if (phase !== undefined) return [`l${'abc'.includes(phase) ? 'abc'.indexOf(phase) + 1 : phase}`];
    if (meanings?.has('low')) return ['t1'];
    return meanings?.has('high') && (rated || !meanings.has('unmeasured')) ? ['t2'] : [];
  });
}

/** `tariff 1`, and `delivered_1` as Dutch meters are read. */
const tellsTariff = ({ text, meanings }: Phrase) => meanings?.has('tariff') || /^(?:delivered|returned)$/.test(text);
