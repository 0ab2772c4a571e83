import { splitFoldedWords } from '../vocabulary/fold.ts';
import { getNameMeaning, type TotalsExclusionReason } from '../vocabulary/name-facts.ts';
import { parseObisCode } from '../vocabulary/obis.ts';

/**
 * Meaning of a name in a meter script. `other`: a quantity such as volts or amperes, a plain number, or an energy that contributes to no
 * total.
 */
export type MeterNameMeaning =
  | { is: 'register' | 'power'; channel: string }
  | { is: 'other'; because: TotalsExclusionReason | null }
  | { is: 'unknown' };

/** Names of powers that are in W in all public scripts, with their channels. Powers with other names are as often in kW. */
const POWERS = new Map([
  ['power_curr', 'import'],
  ['power', 'import'],
  ['leistung', 'import'],
  ['power_l1', 'import/l1'],
  ['power_l2', 'import/l2'],
  ['power_l3', 'import/l3'],
]);
const SHORT = new Map([
  ['imp', 'import'],
  ['exp', 'export'],
  ['pos', 'import'],
  ['neg', 'export'],
  ['in', 'import'],
  ['out', 'export'],
  ['einsp', 'einspeisung'],
  ['verb', 'verbrauch'],
  ['verbr', 'verbrauch'],
  ['ges', 'gesamt'],
  ['tot', 'total'],
  ['enrg', 'energy'],
  ['en', 'energy'],
  ['e', 'energy'],
  ['wirk', 'wirkenergie'],
  ['ht', 't1'],
  ['nt', 't2'],
  ['bl', 'blind'],
  ['tariflos', 'total'],
]);
/** Matches words for an energy that is in kWh in all public scripts. */
const ENERGY = /^(?:wh|kwh|energy|energie|energia|nrg|total|counter|zaehler\w*|zahler\w*|wirkenergie|active|gesamt)$/;
/** Matches German words that name a register without any other word: `Bezug`, `Gesamtverbrauch`. */
const REGISTER_ITSELF = /verbrauch|bezug|einspeisung/;
const POWER = /^(?:power|pwr|pow|leistung|wirkleistung|watt|w|kw|p[io]?|prms|demand|use)$|leistung|watt/;
const NOW = /^(?:akt|aktuell\w*|momentan\w*|current|curr|now|actual|act)$|^momentan/;
/**
 * Matches names that are in Wh in some public scripts and in kWh in others, and names with `delivered` or `supply`, whose direction is
 * ambiguous.
 */
const EITHER_UNIT =
  /^(?:total_?consumption|real_?energy.*|(?:input|output).*|(?:import|export)(?:ht|nt)?)$|delivered|supply/;
const PERIOD = /^(?:\d+(?:d|h|m|w|y|tage?|days?)|reset|par|partial|saison|letzt\w*)$/;
/**
 * Matches names in the block METER of the Teleinfo firmware for Tasmota: number of phases, contract (A, VA), the contract's limit (VA),
 * power factors, and current production.
 */
const TELEINFO_METER = /^(?:ph|isub|psub|pmax|c[1-3]?|p[cpw])$/i;
const ELECTRICAL =
  /volt|spannung|amp|curr|strom_?l?\d|freq|hz|phas|angle|winkel|cos|factor|faktor|thd|temp|time|uhr|date|year|month|serial|nummer|number|volum|flow|fluss|rssi|wifi|limit|^(?:pf|sf|u|i|ul|il|v|a|q|s|t|st|qt)_?(?:l?\d|n)?$|(?:^|_)(?:sm)?id$|^(?:hh|mm|ss|day|ver|unknown|factor|tariff|f\.f)$|m3|[kK]?var|(?:^|_)k?va(?:$|_)/i;

/**
 * Returns the meaning of a name in the block of a meter script. The message contains no units. The meaning is therefore known only if the
 * name states the direction and all public scripts use the name with the same unit. Otherwise the owner is asked.
 */
export function readMeterName(name: string): MeterNameMeaning {
  const known = remembered.get(name);
  if (known) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const what = read(name);
  remembered.set(name, what);
  return what;
}

/** Maximum number of cached names. Each message repeats its names, so their meanings are cached. */
const MAX_REMEMBERED = 5_000;
const remembered = new Map<string, MeterNameMeaning>();

/** Replaces abbreviations in a name by full words, so that the name can be classified with the meter's other names. */
export const expandAbbreviations = (name: string): string =>
  splitFoldedWords(name)
    .map((word) => SHORT.get(word) ?? word)
    .join(' ');

function read(name: string): MeterNameMeaning {
  const power = POWERS.get(name.toLowerCase());
  if (power) return { is: 'power', channel: power };
  const dotted = name.replaceAll(/(?<=\d)-(?=\d)/g, '.').replace(/(?<!\d)([12])8([0-4])$/, '.$1.8.$2');
  const obis = parseObisCode(dotted.replace(/^\D+(?=[12]\.8\.)/, ' '));
  if (obis) {
    if (obis.not) return { is: 'other', because: obis.not };
    if (obis.direction === null) return { is: 'unknown' };
    // OBIS codes of powers are ignored, because scripts use them for kW as often as for W.
    if (obis.quantity !== 'register') return { is: 'other', because: null };
    return { is: 'register', channel: [obis.direction, ...obis.parts].join('/') };
  }
  if (/^[1-9]\d?[._-]\d{1,2}[._-]\d{1,2}$/.test(name)) return { is: 'other', because: null };
  const said = getNameMeaning(expandAbbreviations(name));
  const words = expandAbbreviations(name).split(' ');
  const sign = /^[+-]A$/i.test(name) ? name[0] : null;
  if (sign) return { is: 'register', channel: sign === '+' ? 'import' : 'export' };
  if (said.not) return { is: 'other', because: said.not };
  if (words.some((word) => PERIOD.test(word))) return { is: 'other', because: 'period' };
  if (ELECTRICAL.test(name) || TELEINFO_METER.test(name)) return { is: 'other', because: null };
  const isEnergy = words.some((word) => ENERGY.test(word)) || REGISTER_ITSELF.test(words.join(' '));
  // In `Import Act. Energy`, `Act` means active and not actual.
  const isNow = words.some((word) => NOW.test(word) && !(word === 'act' && isEnergy));
  if (isNow && !/kwh/i.test(name)) return { is: 'other', because: null };
  // In public scripts, `Power_total_in` is a register as often as a power.
  if (words.some((word) => POWER.test(word))) return isEnergy ? { is: 'unknown' } : { is: 'other', because: null };
  const isDirected = said.direction === 'import' || said.direction === 'export';
  const isPlainKwh = /kwh/i.test(name) && words.every((word) => /^(?:k|wh|kwh|total|energy|sum|summe)$/.test(word));
  const isClear = isEnergy && said.unknown.length === 0 && said.medium === '' && !said.has('own');
  if (!isClear || !(isDirected || isPlainKwh) || EITHER_UNIT.test(name.toLowerCase())) return { is: 'unknown' };
  return { is: 'register', channel: [isDirected ? said.direction : 'import', ...said.parts].join('/') };
}
