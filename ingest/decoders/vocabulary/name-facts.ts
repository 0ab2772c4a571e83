import { splitFoldedWords } from './fold.ts';
import type { WordMeaning } from './language.ts';
import { findWordMeanings, isKnownPhrase, MAX_PHRASE_WORDS } from './lexicon.ts';
import { type ObisMeaning, parseObisCode } from './obis.ts';
import { readTeleinfoLabel } from './teleinfo.ts';

/** Reason why a quantity contributes to no total. */
export type TotalsExclusionReason = 'reactive' | 'apparent' | 'cost' | 'balance' | 'period' | 'unmeasured' | 'again';

/** A word that means a tariff only if another register has its sibling word: `hp` and `hc`, "day" and "night". */
export interface TariffWordPair {
  part: string;
  sibling: string;
  /** Meaning of the word if its sibling does not exist. */
  else: 'period' | 'place' | 'nothing';
}

/** Facts that a name states explicitly. */
export interface NameMeaning {
  /**
   * `both`: the name contains words for both directions, or an ambiguous word. Null: the name contains no direction. Words for production
   * have no direction, because the device's other registers decide it.
   */
  direction: 'import' | 'export' | 'both' | null;
  /** Whether a word for consumption is the only evidence of the direction. */
  isConsumed: boolean;
  /**
   * Whether "in" or "out" is the only evidence of the direction. On a meter, the word means the direction at the grid. On any other device,
   * it means a side of the device.
   */
  isSide: boolean;
  not: TotalsExclusionReason | null;
  /** Whether the name contains a number with an ambiguous unit: weeks or watts (`1w`, `lamp_60w`), or seconds or battery cells (`16s`). */
  hasRating: boolean;
  medium: 'gas' | 'heat' | 'water' | '';
  /** Tariffs and phases, such as `t1`, `l2`. */
  parts: string[];
  bySibling: TariffWordPair | null;
  /** Words of the name that may be the sibling of a word in another register's name: `hc`, `night`, `t2`. */
  siblings: readonly string[];
  /** Words of the name that no dictionary contains, in lower case without accents. */
  unknown: string[];
  /** OBIS code or label of a French meter in the name. It takes precedence over all words. */
  obis: ObisMeaning | null;
  has(concept: WordMeaning): boolean;
  /**
   * Words and phrases of the name, in lower case without accents. The next two members contain only the words for places and appliances,
   * and the words that mean "returned".
   */
  words: readonly string[];
  places: readonly string[];
  returned: readonly string[];
  /** Number in the name, with the word to which the number belongs: `plug 1`, `ct1`, `Energy 2`. Null if the name has no number. */
  index: { noun: string; number: string; isNamed: boolean; switches: boolean } | null;
}

const NOTS: readonly Exclude<TotalsExclusionReason, 'again'>[] = [
  'reactive',
  'apparent',
  'cost',
  'balance',
  'unmeasured',
  'period',
];
/** Matches a word for a tariff, followed by the tariff's number. `f1` is a band of an Italian contract. */
const TARIFF = /^(?:tariff?|tarief|tier|rate|taryfa|tarifa|fascia|strefa|t|f|ht|nt)(\d{1,2})$/;
/**
 * Tariffs of French contracts. They are recognised only next to the words "index" or "compteur", because HP means a heat pump elsewhere.
 */
const FRENCH = new Map([
  ['hc', 't1'],
  ['hp', 't2'],
]);
const PHASE = /^(?:l([1-3])|(?:phase|ph|fase|fas|faza|vaihe|faze)([1-3abc]))$/;
/**
 * Words that mean a tariff if another register has a tariff of the same kind: hours of French contracts, and periods of Spanish contracts.
 */
const BY_SIBLING: readonly (readonly [RegExp, (word: string) => TariffWordPair])[] = [
  [/^hc$/, () => ({ part: 't1', sibling: 'hp', else: 'nothing' })],
  [/^hp$/, () => ({ part: 't2', sibling: 'hc', else: 'place' })],
  [/^p[1-6]$/, (word) => ({ part: `t${word.slice(1)}`, sibling: word === 'p1' ? 'p2' : 'p1', else: 'nothing' })],
];
/** Matches the length of a period: `7d`, `24h`. Does not match `w` and `s`, which may also mean watts and battery cells (`hasRating`). */
const SPAN = /^\d{1,3}(?:sec|min|h|hr|hrs|d|wk|mo|y|yr)$/;
/**
 * Matches words that name a circuit (measured part of the home) together with a number or letter. Words for appliances are in the
 * dictionaries instead.
 */
const INDEXED =
  /^(?:ct|ch|channel|chan|clamp|input|circuit|meter|port|s0|string|mppt|pv|zone|unit|kanal|canal|canale)$/;
const NUMBERED = /^(\p{L}+?)0*(\d{1,2})$/u;
/** Matches a plus or minus before or after A (active) or R (reactive). Meters print directions in this form: `+A`, `A-`, `R+`. */
const SIGNED = /(?:^|[\s(_])(?:([+-])([AR])|([AR])([+-]))(?=$|[\s)_:T])/;
const MAX_REMEMBERED = 5_000;
const remembered = new Map<string, NameMeaning>();

/**
 * Returns the facts that the name of a register or power states, in any of the languages. The results are cached, because each message
 * repeats its names.
 */
export function getNameMeaning(name: string): NameMeaning {
  const known = remembered.get(name);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const said = read(name);
  remembered.set(name, said);
  return said;
}

function read(name: string): NameMeaning {
  const obis = parseObisCode(name) ?? readTeleinfoLabel(name);
  const words = phrasesOf(splitFoldedWords(name));
  const has = (concept: WordMeaning) => words.some(({ meanings }) => meanings?.has(concept));
  const [, before, letter = '', last = letter, after = before] = SIGNED.exec(name.slice(0, 200)) ?? [];
  const rated = has('tariff');
  const parts = obis && obis.parts.length > 0 ? obis.parts : partsOf(words, rated || has('import') || has('export'));
  const isTariff = parts.some((part) => part.startsWith('t'));
  const isDay = has('day') && !rated && !isTariff && !has('low');
  // "Peak" means a maximum. In a tariff, it means the expensive hours; but "peak limit" is a limit even in a tariff.
  const isMeasured =
    (rated || isTariff) && words.every(({ meanings }) => !meanings?.has('unmeasured') || meanings.has('high'));
  const nots = NOTS.filter((one) => has(one) && !(one === 'unmeasured' && isMeasured));
  const isEver = has('lifetime') && nots[0] === 'period';
  if (isEver) nots.shift();
  if (words.some(({ text }) => SPAN.test(text))) nots.push('period');
  if (letter === 'R' || last === 'R') nots.unshift('reactive');
  const unknown = words.flatMap(({ text, meanings }) => (meanings === null && isWord(text) ? [text] : []));
  if (isEver) unknown.push('day');
  if (has('sinceReset')) unknown.push('reset');
  const flow = last === 'A' ? (after === '-' ? 'export' : 'import') : null;
  const signed = flow ?? inAtEnd(words);
  const worded = directionOf(words);
  return {
    direction: obis?.direction ?? signed ?? worded.direction,
    isConsumed: !obis?.direction && signed === null && worded.isConsumed,
    isSide: !obis?.direction && flow === null && (signed !== null || (worded.direction === 'export' && isOut(words))),
    not: obis ? obis.not : (nots[0] ?? null),
    hasRating: words.some(({ text }) => /^\d{1,3}[sw]$/.test(text)),
    medium: obis ? obis.medium : mediumOf(words),
    parts: [...new Set(parts)].sort().reverse(),
    bySibling: isDay ? { part: 't2', sibling: 'night', else: 'period' } : bySiblingOf(words),
    siblings: [...words.map(({ text }) => text), ...(has('low') ? ['night'] : [])],
    unknown: obis?.direction ? [] : unknown,
    obis,
    has,
    words: words.map(({ text }) => text),
    places: words.flatMap(({ text, meanings }) =>
      meanings?.has('place') && !meanings.has('switches') && !INDEXED.test(text.replace(/\d+$/, '')) ? [text] : [],
    ),
    returned: words.flatMap(({ text, meanings }) => (meanings?.has('returned') ? [text] : [])),
    index: parts.length > 0 ? null : indexOf(words),
  };
}

const bySiblingOf = (words: readonly Phrase[]): TariffWordPair | null =>
  words.flatMap(({ text }) => BY_SIBLING.flatMap(([form, of]) => (form.test(text) ? [of(text)] : [])))[0] ?? null;

/** "in" at the end of a name (`E_in`, `Total in`) is a direction, not a preposition. */
const inAtEnd = (words: readonly Phrase[]): 'import' | null =>
  words.length > 1 && words.at(-1)?.text === 'in' ? 'import' : null;

/** Whether "out" is the only word that means export, and no word names a destination such as the grid: `AC_Out_Watt`. */
const isOut = (words: readonly Phrase[]): boolean =>
  words.every(({ text, meanings }) => text === 'out' || !(meanings?.has('export') || meanings?.has('toGrid')));

/**
 * Returns the direction that a name states. A word for the source or destination takes precedence over words such as "delivered". An
 * ambiguous word is ignored if another word is clear.
 */
function directionOf(words: readonly Phrase[]): Pick<NameMeaning, 'direction' | 'isConsumed'> {
  const has = (concept: WordMeaning) => words.some(({ meanings }) => meanings?.has(concept));
  const end = prepositionAtEnd(words);
  if (end !== null && !has('grid')) return { direction: 'both', isConsumed: false };
  const [to, from] = [has('toGrid') || end === 'to', has('fromGrid') || end === 'from'];
  const isConsumed =
    !from && has('consumed') && !words.some(({ meanings }) => meanings?.has('import') && !meanings.has('consumed'));
  if (to || from) return { direction: to && from ? 'both' : to ? 'export' : 'import', isConsumed: false };
  const [exported, imported] = [has('export'), has('import')];
  if (exported || imported)
    return { direction: exported && imported ? 'both' : exported ? 'export' : 'import', isConsumed };
  return { direction: has('unclear') ? 'both' : null, isConsumed: false };
}

/** Matches words that may follow "to" or "from" at the end of a name: `Grid_Energy_To_kWh`. */
const BEHIND_PREPOSITION = /^(?:[kmg]|[km]?wh?|total|sum)$/;

/**
 * Returns "to" or "from" if it ends a name: `Grid Energy To` is the energy to the grid. (Without a word for the grid, it is unknown between
 * which places the energy flows.)
 */
function prepositionAtEnd(words: readonly Phrase[]): 'to' | 'from' | null {
  const last = words.findLast(({ text }) => !BEHIND_PREPOSITION.test(text));
  return words.length > 1 && (last?.text === 'to' || last?.text === 'from') ? last.text : null;
}

interface Phrase {
  text: string;
  meanings: ReadonlySet<WordMeaning> | null;
}

/** Groups words into phrases with their meanings, longest phrases first: `i dag`, `pompe à chaleur`. */
function phrasesOf(words: readonly string[]): Phrase[] {
  const phrases: Phrase[] = [];
  for (let at = 0; at < words.length; ) {
    let length = Math.min(MAX_PHRASE_WORDS, words.length - at);
    while (length > 1 && !isKnownPhrase(words.slice(at, at + length).join(' '))) length--;
    const text = words.slice(at, at + length).join(' ');
    const noun = text.replace(/\d+$/, '');
    phrases.push({ text, meanings: findWordMeanings(text) ?? (noun === text ? null : findWordMeanings(noun)) });
    at += length;
  }
  return phrases;
}

/** Whether a text is a word that can have a meaning. Numbers, ids and short texts are not. */
const isWord = (text: string): boolean => text.length > 2 && !/\d/.test(text);

function mediumOf(words: readonly Phrase[]): NameMeaning['medium'] {
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

/** Whether a number after this word means a tariff: `tariff 1`, or `delivered_1` of Dutch meters. */
const tellsTariff = ({ text, meanings }: Phrase) => meanings?.has('tariff') || /^(?:delivered|returned)$/.test(text);

/**
 * Returns the number in a name, with the word before it. A word for a switch takes precedence over other words: `strip 1 relay 2` is a
 * relay.
 */
function indexOf(words: readonly Phrase[]): NameMeaning['index'] {
  const found = words.flatMap(({ text, meanings }, at) => {
    const [, ownNoun, ownNumber] = NUMBERED.exec(text) ?? [];
    const before = words[at - 1];
    const isNumber = /^0*\d{1,2}$/.test(text) || (/^[a-h]$/.test(text) && before && INDEXED.test(before.text));
    const [noun, number, said] =
      ownNoun !== undefined
        ? [ownNoun, ownNumber, meanings]
        : isNumber
          ? [before?.text ?? '', text.replace(/^0+(?=.)/, ''), before?.meanings]
          : [];
    if (noun === undefined || number === undefined || said?.has('tariff') || said?.has('phase')) return [];
    const switches = said?.has('switches') === true;
    const isNamed = switches || INDEXED.test(noun) || said?.has('place') === true || said?.has('store') === true;
    return [{ noun, number, isNamed, switches }];
  });
  return found.find(({ switches }) => switches) ?? found.find(({ isNamed }) => isNamed) ?? found[0] ?? null;
}

/** Matches words for a lifetime total in names of registers, in the languages of public projects. */
export const LIFETIME_TOTAL_PATTERN =
  /totaa?l|lifetime|[ck]umul|gesamt|celk[eo]|yhteens|razem|[lł][aą]cz|samle|ialt|(?:^|[^a-z])(?:all|sum|tot|cum)$/i;
