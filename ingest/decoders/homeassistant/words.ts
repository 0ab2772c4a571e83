import { channelWord } from '#src/devices/channel-name.ts';
import { fold } from '../vocabulary/fold.ts';
import { meaningsOf as inDictionary, isForeignTerm } from '../vocabulary/lexicon.ts';
import { saidOf } from '../vocabulary/said-of.ts';
import { whatItIs } from '../vocabulary/what-it-is.ts';
import { EXPORT, HEAT, IMPORT, PHASE, PLAIN, RATE, SOLAR, TAKEN, TARIFF } from './vocabulary.ts';

/** What the names of an entity say of it. */
export interface Meaning {
  direction: 'import' | 'export';
  /** `t1`, `l2`. */
  parts: string[];
  medium: 'gas' | 'heat' | '';
  /** What its names leave when all that is understood is taken away: `plug1` of `plug1_energy_total`. */
  circuit: string;
  /** The circuit when names were understood in English, German and Dutch alone. */
  oldCircuit: string;
  /** Known not to count: starts again by itself (`today`), is reactive, a cost, or no measured value (`forecast`). */
  ignored: boolean;
  /** Of a solar inverter or a battery: neither taken from the grid nor fed to it. Its owner must say what it is. */
  own: boolean;
  /** A name with words that nobody knows: its owner must say what it is. */
  unknown: boolean;
}

/** Words of a name: `EnergyToday`, `feed-in`, `tariff 1` at their seams, in lower case. */
export const wordsOf = (name: string): string[] =>
  name
    .slice(0, 200)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/**
 * What an entity's names mean. `names`: the one that tells most first (path in the message, object id, name); of `understood`
 * one must have no word that nobody knows; a unique id only tells direction and part; `objects`: what its circuit is called by,
 * the better first; `device`: words of the device's id, which are no circuit, and of its name, which may be an inverter's.
 */
export function meaningOf(
  {
    names,
    understood = names,
    uniqueId = '',
  }: { names: readonly string[]; understood?: readonly string[]; uniqueId?: string },
  objects: readonly string[],
  device: { idWords: ReadonlySet<string>; nameWords: readonly string[] },
): Meaning {
  const ignored = new Set([...device.idWords, ...device.nameWords].map(fold));
  const isInverter = device.nameWords.some((word) => SOLAR.has(word));
  const what = whatItIs(withoutDevice(names, device.idWords), {
    ignored,
    understood: withoutDevice(understood, device.idWords),
    isInverter,
  });
  const coded = names.some((name) => saidOf(name).obis !== null);
  const rated = names.some((name) => wordsOf(name).some((word) => RATE.has(word)));
  const circuit = (edition: Edition) => (coded ? '' : circuitOf(objects, device.idWords, { rated, edition }));
  const byId = what.is === 'counted' && uniqueId !== '' && !names.some((name) => saidOf(name).direction !== null);
  const ids = saidOf(withoutWords(uniqueId, device.idWords));
  const isExported = byId ? ids.direction === 'export' : what.is === 'counted' && what.direction === 'export';
  const parts = what.is === 'counted' ? (what.parts.length > 0 ? what.parts : ids.parts) : [];
  const medium = what.is === 'counted' ? what.medium : '';
  return {
    direction: isExported ? 'export' : 'import',
    parts,
    medium: medium === 'water' ? '' : medium,
    circuit: circuit(what.is === 'unknown' ? 'known' : 'now'),
    oldCircuit: circuit('old'),
    ignored: what.is === 'not counted',
    own: what.is === 'own',
    unknown: what.is === 'unknown',
  };
}

const withoutWords = (name: string, idWords: ReadonlySet<string>): string =>
  idWords.size === 0
    ? name
    : name
        .split(/(?<=[^\p{L}\p{N}])|(?=[^\p{L}\p{N}])/u)
        .filter((word) => !idWords.has(word.toLowerCase()))
        .join('');

const VOLUME_WORD = /^(?:count|index|volume|volumen|volym|m3|m|l|lit(?:er|re)s?|ft3|ft|cf|ccf|gal|gallons?)$/;
/** A name without what only says that it is a volume: no circuit is called so. */
export const withoutVolume = (name: string): string =>
  wordsOf(name)
    .filter((word) => !VOLUME_WORD.test(word))
    .join('_');

/** Names without the words of the device's id. */
export const withoutDevice = (names: readonly string[], idWords: ReadonlySet<string>): string[] =>
  names.map((name) => withoutWords(name, idWords));

/** What a circuit is called by: all words that say nothing else; as it was before there were dictionaries; without unknown words. */
type Edition = 'now' | 'old' | 'known';

/** What the first name leaves over of which something is understood; an id like `x17` tells nothing, and is taken whole. */
function circuitOf(
  objects: readonly string[],
  idWords: ReadonlySet<string>,
  how: { rated: boolean; edition: Edition },
): string {
  const rests = objects.map((object) => {
    const words = wordsOf(object).filter((word) => !idWords.has(word));
    return { words, rest: circuitWords(words, how) };
  });
  const { rest } = rests.find((one) => one.rest.length < one.words.length) ?? rests[0] ?? { rest: [] };
  return rest.length === 0 ? '' : circuitWord(rest.join('_'));
}

function partsOf(words: readonly string[], rated: boolean): string[] {
  return words.flatMap((word, index) => {
    const before = words[index - 1] ?? '';
    const number = TARIFF.exec(word)?.[1] ?? (/^\d{1,2}$/.test(word) && tellsTariff(before) ? word : undefined);
    if (number !== undefined) return [`t${Number(number)}`];
    const phase = PHASE.exec(word)?.[1] ?? (before === 'phase' && /^[1-3abc]$/.test(word) ? word : undefined);
    if (phase !== undefined) return [`l${'abc'.includes(phase) ? 'abc'.indexOf(phase) + 1 : phase}`];
    if (!rated) return [];
    return /^(?:low|night|offpeak)$/.test(word) ? ['t1'] : /^(?:high|normal|day)$/.test(word) ? ['t2'] : [];
  });
}

/** `tariff 1`, and `delivered_1` as Dutch meters are read. */
const tellsTariff = (word: string) => RATE.has(word) || /^(?:delivered|returned)$/.test(word);

function circuitWords(words: readonly string[], { rated, edition }: { rated: boolean; edition: Edition }): string[] {
  return words.filter((word, index) => {
    if (EXPORT.has(word) || IMPORT.has(word) || PLAIN.has(word) || HEAT.has(word) || TAKEN.test(word)) return false;
    const before = words[index - 1] ?? '';
    if (partsOf([before, word], rated).length > 0) return false;
    if (edition === 'old') return true;
    const folded = fold(word);
    if (isForeignTerm(folded)) return false;
    return edition === 'now' || /\d/.test(word) || inDictionary(folded) !== null;
  });
}

/** One word for a circuit; long names keep a mark of what is cut off, so that two of them stay two. */
export function circuitWord(text: string): string {
  const word = channelWord(text);
  const safe = TAKEN.test(word) ? `x-${word}` : word;
  const whole = text.length <= 32 && channelWord(text) === text.toLowerCase();
  return whole ? safe : `${safe.slice(0, 25)}-${mark(text)}`;
}

/** FNV-1a over code points, six hex digits of it. Stored channels are named by it, so it stays as it is. */
function mark(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0').slice(0, 6);
}
