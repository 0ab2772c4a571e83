import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import { getVolumeChannel } from '../read/volume.ts';
import { getRegisterProperties, type RegisterDescription } from '../registers-of-a-device/register.ts';
import { findVolumeCommodity } from '../vocabulary/volume-of.ts';
import { getCircuitFromNameWords, isElectricityWord } from './parts.ts';
import { findMetricUnit, findMetricVolumeUnit, isTherm, MEGAJOULES_PER_KWH, type MetricUnit } from './units.ts';

/**
 * Matches a word in the name of a metric. Names are split at blanks, slashes, dots and changes of case. `kWh` and `L1` are not split, and
 * `kWh` is also recognised after a small letter (`lifetimekWh`, `importedkwh`). `mW` is matched as a unit, but ignored.
 */
const WORD =
  /[kKMGm]?W[hH]r(?![A-Za-z])|[kKMGm]?Wh(?![a-z])|[kKMGm]?W[hH]?(?![A-Za-z])|\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?\p{Ll}+?(?=[km]Wh(?![a-z])|[km]W(?![A-Za-z])|(?<=[a-z]{3})kwh(?![A-Za-z]))|\p{Lu}?\p{Ll}+\d*|\d+[a-z]*/gu;
/** Matches a unit in words: `kilo watt hours`, `WattHours`. Units with a prefix other than kilo, mega and giga are ignored. */
const SPELT_UNIT =
  /(?:(kilo|mega|giga|milli|micro|deci|centi|hecto)[\s_-]*)?watts?(?:[\s_-]*(h|hours?))?(?-i:(?![a-z]))/gi;
const PREFIXES: Readonly<Record<string, string>> = { kilo: 'k', mega: 'M', giga: 'G' };

/** Replaces a unit in words by its letters: `kilo watt hours` becomes `kWh`. */
const abbreviateUnit = (name: string): string =>
  /watt/i.test(name)
    ? name.replace(SPELT_UNIT, (word: string, prefix: string | undefined, hours: string | undefined) =>
        prefix || hours ? ` ${prefix ? (PREFIXES[prefix.toLowerCase()] ?? 'm') : ''}W${hours ? 'h' : ''} ` : word,
      )
    : name;

/** Matches a text in brackets at the end of a name, usually a unit: `Energy (kWh)`, `Price [EUR/kWh]`. */
const BRACKETS = /[([]([^()[\]]*)[)\]]\s*$/;
/** Units with one letter. They are recognised only at the end of a name, not in `Phase C` or `Zone F/Power`. */
const SHORT = new Set(['w', 'c', 'f']);

interface NamedWords {
  /** Lower-case words of the metric's name, without the unit. */
  words: string[];
  unit: MetricUnit | undefined;
  /** Whether the unit is a single letter that may have another meaning: `Valve W`. */
  doubtful: boolean;
}

/** Splits the name of a metric into its words and its unit: `Energy/Total (kWh)`, `power_w`, `totalKWh`. */
function splitName(written: string): NamedWords {
  const name = abbreviateUnit(written);
  const bracketed = BRACKETS.exec(name)?.[1];
  const found = (bracketed === undefined ? name : name.replace(BRACKETS, '')).match(WORD) ?? [];
  const lower = found.map((word) => word.toLowerCase());
  const none = { words: lower, unit: undefined, doubtful: false };
  if (bracketed !== undefined) {
    const unit = findMetricUnit(bracketed) ?? findMetricVolumeUnit(bracketed);
    // The brackets of `Energy (L1)` contain words instead of a unit. An unknown unit in brackets such as `(kVArh)` is treated as words,
    // too, which does no harm.
    if (unit) return { words: lower, unit, doubtful: false };
    lower.push(...(bracketed.match(WORD) ?? []).map((word) => word.toLowerCase()));
    if (/[a-z]/i.test(bracketed) && /w/i.test(bracketed)) return none;
  }
  for (let index = found.length - 1; index >= 0; index--) {
    const unit = findMetricUnit(found[index] as string);
    // In a name, `therm` may be a thermometer.
    if (!unit || lower[index] === 'therm' || (SHORT.has(lower[index] as string) && index < found.length - 1)) continue;
    // `degC` was split into `deg` and `C`, so both are removed.
    const deg = index > 0 && lower[index - 1] === 'deg' ? 1 : 0;
    return { words: lower.toSpliced(index - deg, 1 + deg), unit, doubtful: SHORT.has(lower[index] as string) };
  }
  const last = found.at(-1) ?? '';
  const volume = /^(?:m3|ft3|lit(?:er|re)s)$/.test(last) ? findMetricVolumeUnit(last) : undefined;
  return volume ? { words: lower.slice(0, -1), unit: volume, doubtful: false } : none;
}

/** Meaning of a single metric, before it is classified with the other metrics of its device. */
export interface MetricMeaning {
  unit: Omit<MetricUnit, 'kind'> & { kind: MetricUnit['kind'] | 'setpoint_c' };
  /** Channel of a temperature or a volume. */
  channel: string;
  /** Description of an energy or power, which is classified together with the other registers of the device. */
  described?: RegisterDescription;
  /** All words of the name except the unit. */
  words: string[];
}

/** Matches words for a volume that resets or covers a limited period. Such a volume is not a lifetime total. */
const RESETS =
  /^(today|yesterday|day|daily|week|weekly|month|monthly|year|yearly|annual|hour|hourly|minute|quarter|session|trip|shift|batch|interval|period|delta|difference|diff|last|previous|resettable|partial|\d+(s|sec|min|h|hr|d))$/;
/** Matches words for a metric that is not measured, is not a consumption, or is another quantity than its unit suggests. */
const NEVER =
  /^(price|cost|costs|eur|euro|usd|gbp|chf|ct|cent|cents|per|co2|carbon|emission|emissions|pulse|pulses|apparent|reactive|forecast|predicted|prediction|estimate|estimated|budget|limit|rated|nominal|threshold|max|maximum|min|minimum|avg|average|mean|alarm|offset|scale|irradiance|m2)$/;
/** Matches a meter's constant: the number of pulses per kWh or Wh. */
const PULSES = /(?:^|[^a-z])imp(?:ulses?)?\s*(?:\/|per|_per_)\s*k?wh/i;
/** Matches words for a period in names of energy registers. In names of powers, these words have other meanings. */
const SPANS = /^(shift|batch|interval|period|delta|difference|diff|trip|session)$/;
const PEAK_POWER = /^(peak|demand|setpoint|target)$/;
const TEMPERATURE = /^(temperature|temperatures|temp|temperatur)\d*$/;
const SETPOINT = /^(setpoint|target|desired)$/;

export function findMetricMeaning(name: string, property: string | undefined): MetricMeaning | null {
  const { words, unit: named, doubtful } = splitName(name);
  // The unit property takes precedence over a unit in the name, even if the decoder cannot convert the property's unit.
  const unit = property === undefined ? named : (findMetricUnit(property) ?? findMetricVolumeUnit(property));
  if (!unit || PULSES.test(name) || words.some((word) => NEVER.test(word))) return null;
  if (unit.kind === 'temperature_c') return temperature(words, unit, property !== undefined || !doubtful);
  if (unit.kind === 'volume_total_m3') return volume(words, name, unit);
  const unfit = unit.kind === 'power_w' ? PEAK_POWER : SPANS;
  if (words.some((word) => unfit.test(word))) return null;
  if (property === undefined && doubtful && !words.some(isElectricityWord)) return null;
  const of = unit.kind === 'power_w' ? 'W' : 'kWh';
  const described: RegisterDescription = {
    names: [name],
    unit: of,
    // An energy in joules is heat, because electricity meters never count in joules.
    ...(unit.per === MEGAJOULES_PER_KWH && { commodity: 'heat' }),
    // Gas is also measured in therms.
    ...(isTherm(unit) && (/heat/i.test(name) ? { commodity: 'heat' } : { isUncertain: true })),
  };
  return getRegisterProperties(described).not === null ? { unit, channel: '', described, words } : null;
}

/** Returns the meaning of a volume; null if the volume is not a register of gas, heat or water. */
function volume(words: string[], name: string, unit: MetricUnit): MetricMeaning | null {
  const commodity = findVolumeCommodity([name]);
  if (commodity === null || words.some((word) => RESETS.test(word))) return null;
  const named = words.filter((word) => !/^(volume|volumen|counter|index|m3|ft3|l)$/.test(word));
  return { unit, channel: getVolumeChannel(commodity, getCircuitFromNameWords(named)), words: named };
}

/**
 * Returns the meaning of a temperature; null if its name means something else. `certain`: whether the unit is unambiguous. A single letter
 * is ambiguous, because it may name a component (`Setpoint C`).
 */
function temperature(words: string[], unit: MetricUnit, certain: boolean): MetricMeaning | null {
  const isTemperature = words.some((word) => TEMPERATURE.test(word) || (certain && SETPOINT.test(word)));
  if (!isTemperature || words.some((word) => RESETS.test(word))) return null;
  const rest = words.filter((word) => !/^(temperature|temperatures|temp|temperatur|room|current|actual)$/.test(word));
  const where = rest.filter((word) => !SETPOINT.test(word) && word !== 'set' && word !== 'point');
  const wanted = where.length < rest.length;
  const circuit = where.length === 0 ? 'room' : normaliseChannelWord(where.join('_'));
  return {
    unit: { ...unit, kind: wanted ? 'setpoint_c' : 'temperature_c' },
    channel: circuit,
    words: rest,
  };
}
