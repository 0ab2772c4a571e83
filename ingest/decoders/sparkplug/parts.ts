import { fold } from '../vocabulary/fold.ts';
import { isForeignTerm } from '../vocabulary/lexicon.ts';

/** A channel in two: which circuit, and what of it. */
export interface Parts {
  /** Empty for the device as a whole. */
  circuit: string;
  direction: 'import' | 'export';
  /** `import`, `gas/import`, `export/t1`, `import/l2`. */
  suffix: string;
}

/** Said by every metric of a kind: of these words no circuit is made, so that power stands beside its own register. */
const COMMON =
  /^(energy|power|load|active|real|total|totals|sum|cumulative|lifetime|accumulated|register|reading|value|consumption|consumed|usage|used|current|present|instantaneous|actual|now|electricity|electric|electrical|grid|mains|net|measurement|measurements|data|tag|tags|energie|leistung|gesamt)$/;
const EXPORT =
  /^(export|exported|exports|exporting|return|returned|feedin|injected|injection|production|produced|sold|reverse|negative|einspeisung)$/;
const IMPORT = /^(import|imported|imports|importing|delivered|purchased|bought|forward|positive|bezug)$/;
const MEDIA = new Map([
  ['gas', 'gas'],
  ['heat', 'heat'],
  ['thermal', 'heat'],
  ['water', 'water'],
]);
/** A heat pump and a water heater take electricity. */
const APPLIANCE = /^(pump|pumps|heater|heaters|boiler)$/;
/** `1.8.0`, `1-0:2.8.1`: how meters number their registers (8) and powers (7), 1 for import and 2 for export. */
const OBIS = /(?:^|[^\d.])([12])\.[78]\.(\d)(?![\d.])/;
/** Any name's channel stays within what a channel may be long. */
const MAX_CIRCUIT = 40;

/** Whether a word speaks of electricity, its direction or its part, so that a W beside it is its unit. */
export const isElectric = (word: string): boolean =>
  COMMON.test(word) || EXPORT.test(word) || IMPORT.test(word) || tariffOrPhase(word) !== undefined;

/** Takes direction, tariff, phase and medium out of a name's words. `others`: those that remain, with the common ones. */
export function isolateParts(words: readonly string[], name: string): { parts: Parts; others: string[] } {
  let direction: Parts['direction'] = 'import';
  let medium = '';
  let part = '';
  const others: string[] = [];
  const obis = OBIS.exec(name);
  if (obis) {
    if (obis[1] === '2') direction = 'export';
    if (obis[2] !== '0') part = `/t${obis[2]}`;
  }
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    const next = words[index + 1] ?? '';
    const two = tariffOrPhase(word + next);
    if (EXPORT.test(word)) direction = 'export';
    else if (word === 'feed' && next === 'in') {
      direction = 'export';
      index++;
    } else if (tariffOrPhase(word) && part === '') part = `/${tariffOrPhase(word)}`;
    else if (/^(l|ph|phase|t|tariff|rate)$/.test(word) && two && part === '') {
      part = `/${two}`;
      index++;
    } else if (MEDIA.has(word) && !APPLIANCE.test(next)) medium = `${MEDIA.get(word)}/`;
    else if (!IMPORT.test(word)) others.push(word);
  }
  return { parts: { circuit: circuitOf(obis ? [] : others), direction, suffix: medium + direction + part }, others };
}

/** `t1`, `tariff1`, `rate2`; `l1`, `ph1`, `phase1`, `phasea`. */
function tariffOrPhase(text: string): string | undefined {
  const tariff = /^(?:t|tariff|rate)0?([1-9])$/.exec(text)?.[1];
  if (tariff) return `t${tariff}`;
  const phase = /^(?:l([1-3])|ph(?:ase)?([1-3a-c]))$/.exec(text);
  const which = phase?.[1] ?? phase?.[2];
  return which && `l${'abc'.includes(which) ? 'abc'.indexOf(which) + 1 : which}`;
}

/** The circuit's word: `meter` names none by itself, but `meter 2` does. */
function circuitOf(words: readonly string[]): string {
  const named = words.filter(
    (word, index) =>
      !COMMON.test(word) && !saysNoPlace(word) && (word !== 'meter' || /^\d/.test(words[index + 1] ?? '')),
  );
  return joined(named);
}

/** A word of another language that says a direction, or only that it is energy. */
const saysNoPlace = (word: string): boolean => isForeignTerm(fold(word));

/** Words as one word of a channel; of a long name the beginning, which others can share. */
export const joined = (words: readonly string[]): string =>
  words
    .join('_')
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, MAX_CIRCUIT);
