import { channelWord } from '#src/devices/channel-name.ts';
import { volumeChannel } from '../read/volume.ts';
import { commodityOf } from '../vocabulary/volume-of.ts';
import { whatItIs } from '../vocabulary/what-it-is.ts';
import { isElectric, isolateParts, joined, type Parts } from './parts.ts';
import { type Unit, unitOf, volumeUnitOf } from './units.ts';
import { splitName } from './words.ts';

/** What a metric is of, before it is known what else its device has. */
export interface Meaning {
  unit: Omit<Unit, 'kind'> & { kind: Unit['kind'] | 'setpoint_c' };
  parts: Parts;
  /** All words of its name but those of direction, tariff, phase and unit. */
  words: string[];
  /** Nobody can tell what it is: where it was put when this was guessed, if it was read at all. */
  asks?: { was: Parts | null };
}

/** Registers that start again by themselves, or that are of a span of time: no lifetime totals. */
const RESETS =
  /^(today|yesterday|day|daily|week|weekly|month|monthly|year|yearly|annual|hour|hourly|minute|quarter|session|trip|shift|batch|interval|period|delta|difference|diff|last|previous|resettable|partial|\d+(s|sec|min|h|hr|d))$/;
/** Not measured, not of consumption, or not the quantity that its unit says. */
const NEVER =
  /^(price|cost|costs|eur|euro|usd|gbp|chf|ct|cent|cents|per|co2|carbon|emission|emissions|imp|pulse|pulses|apparent|reactive|forecast|predicted|prediction|estimate|estimated|budget|limit|rated|nominal|capacity|threshold|max|maximum|min|minimum|avg|average|mean|alarm|offset|scale|irradiance|m2)$/;
/** Which way these flow cannot be told from the name: of the sun, of a store, and `received` of whom. */
const UNKNOWN_WAY = /^(pv|solar|generation|generated|generator|yield|battery|discharge|discharged|received)$/;
const PEAK_POWER = /^(peak|demand|setpoint|target)$/;
const TEMPERATURE = /^(temperature|temperatures|temp|temperatur)\d*$/;
const SETPOINT = /^(setpoint|target|desired)$/;

/** What a metric means by its name and the unit of its property; null: nothing that is stored. */
export function meaningOf(name: string, property: string | undefined): Meaning | null {
  const { words, unit: named, doubtful } = splitName(name);
  // What the property says holds, also where it is a unit that is not read.
  const unit = property === undefined ? named : (unitOf(property) ?? volumeUnitOf(property));
  if (!unit || words.some((word) => NEVER.test(word))) return null;
  if (unit.kind === 'temperature_c') return temperature(words, unit, property !== undefined || !doubtful);
  if (unit.kind === 'volume_total_m3') return volume(words, name, unit);
  const unfit = unit.kind === 'power_w' ? PEAK_POWER : RESETS;
  if (words.some((word) => unfit.test(word))) return null;
  if (property === undefined && doubtful && !words.some(isElectric)) return null;
  const what = whatItIs([name]);
  if (what.is === 'not counted') return null;
  const { parts, others } = isolateParts(words, name);
  if (what.is === 'counted') {
    const { direction, circuit, suffix } = parts;
    const directed = what.direction === direction ? suffix : suffix.replace(direction, what.direction);
    const told = what.medium === '' || directed.startsWith(what.medium) ? directed : `${what.medium}/${directed}`;
    return { unit, parts: { ...parts, circuit, suffix: told }, words: others };
  }
  const guessed = words.some((word) => UNKNOWN_WAY.test(word)) ? null : parts;
  return {
    unit,
    parts: { ...parts, suffix: `unknown/${joined(others) || channelWord(name)}` },
    words: others,
    asks: { was: guessed },
  };
}

/** A register of a meter of gas, heat or water. */
function volume(words: string[], name: string, unit: Unit): Meaning | null {
  const commodity = commodityOf([name]);
  if (commodity === null || words.some((word) => RESETS.test(word))) return null;
  const { parts, others } = isolateParts(
    words.filter((word) => !/^(volume|volumen|counter|index|m3|ft3|l)$/.test(word)),
    name,
  );
  return { unit, parts: { ...parts, suffix: volumeChannel(commodity) }, words: others };
}

/** `certain`: the unit is one, and no letter that could be a part's (`Setpoint C`). */
function temperature(words: string[], unit: Unit, certain: boolean): Meaning | null {
  const isTemperature = words.some((word) => TEMPERATURE.test(word) || (certain && SETPOINT.test(word)));
  if (!isTemperature || words.some((word) => RESETS.test(word))) return null;
  const rest = words.filter((word) => !/^(temperature|temperatures|temp|temperatur|room|current|actual)$/.test(word));
  const where = rest.filter((word) => !SETPOINT.test(word) && word !== 'set' && word !== 'point');
  const wanted = where.length < rest.length;
  const circuit = where.length === 0 ? 'room' : channelWord(where.join('_'));
  return {
    unit: { ...unit, kind: wanted ? 'setpoint_c' : 'temperature_c' },
    parts: { circuit: '', direction: 'import', suffix: circuit },
    words: rest,
  };
}
