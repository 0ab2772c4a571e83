import { classifySingleRegister } from './registers-of-a-device/classify-single.ts';
import { findVolumeCommodity } from './vocabulary/volume-of.ts';

/** Proposed meaning of a number, with the members of an entry in `mapping`. */
export interface MappingProposal {
  unit: 'kWh' | 'Wh' | 'MWh' | 'W' | 'kW' | 'm3' | 'l' | 'C';
  meaning: string;
}

/** Units by their spellings at the end of a name. Excludes `mw`, `mwh` and `MW`, because the m may mean milli or mega. */
const WRITTEN: Readonly<Record<string, MappingProposal['unit']>> = {
  ...{ kWh: 'kWh', KWh: 'kWh', Kwh: 'kWh', KWH: 'kWh', kwh: 'kWh', MWh: 'MWh', Wh: 'Wh', WH: 'Wh', wh: 'Wh' },
  ...{ kW: 'kW', KW: 'kW', Kw: 'kW', kw: 'kW', W: 'W', w: 'W', watt: 'W', Watt: 'W', watts: 'W', Watts: 'W' },
  ...{ m3: 'm3', M3: 'm3', 'm³': 'm3', l: 'l', L: 'l', liter: 'l', liters: 'l', litre: 'l', litres: 'l' },
  ...{ '°C': 'C', C: 'C', c: 'C', celsius: 'C', Celsius: 'C' },
};
const LONGEST_FIRST = Object.keys(WRITTEN).sort((one, other) => other.length - one.length);
const ENDING = new RegExp(`(${LONGEST_FIRST.join('|')})[)\\]]?$`, 'u');
/** Matches a unit prefix that is written as a word: `consumedDeciWatt`. */
const PREFIX = /(?:kilo|mega|giga|milli|micro|deci|centi|hecto)[\s_-]*$/i;
/** Matches names such as `value` that do not describe their number. The names of the enclosing members are used instead. */
const PLAIN = /^(?:value|val|v|state|now|current|\d*)$/i;

/** Splits a name into its unit and the text before the unit; returns null if the name does not end with a unit. */
function splitUnit(name: string): { rest: string; unit: MappingProposal['unit'] } | null {
  const [, written = ''] = ENDING.exec(name) ?? [];
  const unit = WRITTEN[written];
  const rest = name.slice(0, name.lastIndexOf(written));
  if (unit === undefined || PREFIX.test(rest)) return null;
  const last = rest.at(-1) ?? '';
  // The unit must be a separate word, as in `totalKWh` and `powerW`: `flow` does not end with the unit W. In `PowermW` and `pulse_mWh`, the
  // m is a prefix of the unit. `kwh` needs no separation, because no other word ends with it.
  const isWord =
    /\P{L}/u.test(last) ||
    (written === 'kwh' && /\p{Ll}{3}$/u.test(rest)) ||
    (/\p{Ll}/u.test(last) && /^(?:kW|[A-Z])/.test(written) && !/[mkg]/.test(last));
  return last === '' || isWord ? { rest: rest.replace(/[\s_.([-]+$/, ''), unit } : null;
}

export const findUnitSuffix = (name: string): MappingProposal['unit'] | null => splitUnit(name)?.unit ?? null;

/**
 * Returns the probable meaning of a number by the unit at the end of its name. Returns null if the name has no unit or contains unknown
 * words, or if the number is not a consumption or belongs to an inverter or a battery. `names`: the names of the number and its ancestors,
 * innermost first. Pure.
 */
export function proposeMapping(names: readonly string[]): MappingProposal | null {
  const at = Math.max(
    0,
    names.findIndex((name) => !PLAIN.test(name)),
  );
  const [name = '', ...around] = names.slice(at);
  const found = splitUnit(name);
  if (!found) return null;
  const { rest, unit } = found;
  if (unit === 'C')
    return /temp/i.test(rest) && !/set|target|soll/i.test(rest) ? { unit, meaning: 'temperature' } : null;
  const said = [rest, ...around];
  const isVolume = unit === 'm3' || unit === 'l';
  const commodity = findVolumeCommodity(said, { isTotal: true });
  if (isVolume) return commodity && { unit, meaning: commodity };
  const isPower = unit === 'W' || unit === 'kW';
  const alone = classifySingleRegister({ names: said, understood: [rest], unit: isPower ? 'W' : 'kWh' });
  if (alone.is !== 'counted') return null;
  // For an inverter or a battery, nothing is proposed, because the owner must choose its circuit (measured part of the home).
  const [, medium, direction, part = ''] =
    /^(?:grid\/)?(?:(gas|heat)(?:\/import)?|(import|export)(\/[tl]\d+)?)$/.exec(alone.channel) ?? [];
  if (medium !== undefined) return isPower ? null : { unit, meaning: medium };
  if (direction === undefined) return null;
  const meaning = isPower && part.startsWith('/t') ? direction : direction + part;
  return { unit, meaning: isPower && meaning === 'import' ? 'power' : meaning };
}
