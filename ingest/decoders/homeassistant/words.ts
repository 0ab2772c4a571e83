import { channelWord } from '../read/heard.ts';
import {
  EXPORT,
  FED,
  HEAT,
  HOUSE,
  IMPORT,
  OBIS,
  OWN,
  PHASE,
  PLAIN,
  RATE,
  RESETS,
  SOLAR,
  TAKEN,
  TARIFF,
  UNMEASURED,
} from './vocabulary.ts';

/** What the names of an entity say of it. */
export interface Meaning {
  direction: 'import' | 'export';
  /** `t1`, `l2`. */
  parts: string[];
  medium: 'gas' | 'heat' | '';
  /** What its names leave when all that is understood is taken away: `plug1` of `plug1_energy_total`. */
  circuit: string;
  /** Starts again by itself (`today`), or is no measured value (`forecast`, `limit`). */
  ignored: boolean;
  /** Of a solar inverter or a battery: neither taken from the grid nor fed to it. */
  own: boolean;
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
 * What an entity's names mean. `names`: the one that tells most first (path in the message, object id, name), a unique id
 * last, which only tells direction and part; `object`: what its circuit is called by, the better first;
 * `device`: words of the device's id, which are no circuit, and of its name, which may be an inverter's.
 */
export function meaningOf(
  { names, uniqueId = '' }: { names: readonly string[]; uniqueId?: string },
  objects: readonly string[],
  device: { idWords: ReadonlySet<string>; nameWords: readonly string[] },
): Meaning {
  const strong = names.map((name) => wordsOf(name).filter((word) => !device.idWords.has(word)));
  const all = [...strong, wordsOf(uniqueId).filter((word) => !device.idWords.has(word))];
  const words = strong.flat();
  const obis = names.map((name) => OBIS.exec(name.slice(0, 200))).find((found) => found !== null);
  const rated = words.some((word) => RATE.has(word));
  const parts = new Set(obis?.[2] === '8' && obis[3] !== '0' ? [`t${obis[3]}`] : []);
  for (const name of all) if (parts.size === 0) for (const part of partsOf(name, rated)) parts.add(part);
  const inverter = device.nameWords.some((word) => SOLAR.has(word)) && !words.some((word) => HOUSE.has(word));
  return {
    direction: obis ? (obis[1] === '2' ? 'export' : 'import') : directionOf(all),
    parts: [...parts].sort().reverse(),
    medium: words.includes('gas') ? 'gas' : strong.some(isHeat) ? 'heat' : '',
    circuit: obis ? '' : circuitOf(objects, device.idWords, rated),
    ignored: strong.some((name) => isIgnored(name, rated)),
    own: (inverter || words.some((word) => OWN.has(word))) && !words.some((word) => FED.has(word)),
  };
}

/** `day` and `peak` are tariffs where a rate is spoken of, and a kilowatt hour is no hour. */
const isIgnored = (words: readonly string[], rated: boolean): boolean =>
  words.some((word, index) => {
    if (rated && (word === 'day' || word === 'peak')) return false;
    if (word === 'hour' && words[index - 1]?.endsWith('watt')) return false;
    return UNMEASURED.has(word) || RESETS.has(word);
  });

/** What the first name leaves over of which something is understood; an id like `x17` tells nothing, and is taken whole. */
function circuitOf(objects: readonly string[], idWords: ReadonlySet<string>, rated: boolean): string {
  const rests = objects.map((object) => {
    const words = wordsOf(object).filter((word) => !idWords.has(word));
    return { words, rest: circuitWords(words, rated) };
  });
  const { rest } = rests.find((one) => one.rest.length < one.words.length) ?? rests[0] ?? { rest: [] };
  return rest.length === 0 ? '' : circuitWord(rest.join('_'));
}

/** The first name that speaks of a direction has the say, and in it the last word. */
function directionOf(all: readonly string[][]): 'import' | 'export' {
  for (const words of all) {
    const said = words.flatMap((word, index): ('import' | 'export')[] => {
      const before = words[index - 1];
      const fed = (word === 'in' && before === 'feed') || (word === 'grid' && before === 'to');
      return fed || EXPORT.has(word) ? ['export'] : IMPORT.has(word) ? ['import'] : [];
    });
    if (said.length > 0) return said.at(-1) as 'import' | 'export';
  }
  return 'import';
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

function circuitWords(words: readonly string[], rated: boolean): string[] {
  return words.filter((word, index) => {
    if (EXPORT.has(word) || IMPORT.has(word) || PLAIN.has(word) || HEAT.has(word) || TAKEN.test(word)) return false;
    const before = words[index - 1] ?? '';
    return partsOf([before, word], rated).length === 0;
  });
}

/** Heat, as a heat meter has it: a heat pump and a water heater are electric. */
const isHeat = (words: readonly string[]): boolean =>
  words.some((word, index) => HEAT.has(word) && words[index + 1] !== 'pump');

/** One word for a circuit; long names keep a mark of what is cut off, so that two of them stay two. */
export function circuitWord(text: string): string {
  const word = channelWord(text);
  const safe = TAKEN.test(word) ? `x-${word}` : word;
  const whole = text.length <= 32 && channelWord(text) === text.toLowerCase();
  return whole ? safe : `${safe.slice(0, 25)}-${mark(text)}`;
}

/** FNV-1a, six hex digits of it. */
function mark(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0').slice(0, 6);
}
