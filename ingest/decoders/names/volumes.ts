import { findUnitSuffix } from '../proposal.ts';
import { readNumber } from '../read/number.ts';
import { findMetricVolumeUnit } from '../sparkplug/units.ts';
import { findVolumeCommodity, METERED_VOLUME_PATTERN } from '../vocabulary/volume-of.ts';
import { getLastNameOfPath } from './members.ts';
import { FUEL_PATTERN, hasUnknownWord, type MemberContext } from './without-unit.ts';

/** Matches a commodity at the beginning of a compound word: `gastotal`, `watercounter`. */
const GLUED_VOLUME = /(gas|water)(?=total|counter|meter|reading|usage|consum)/gi;
/** Matches words in names of gas and water numbers that are not volumes. */
const NO_VOLUME =
  /volt|curr(?!ent[\s_-]?(?:val|read|index|meter|count))|amp|freq|hour|time|temp|percent|flow|rate|press|valve|power|energ|watt|kwh|pulse|impul|imp\d?$|umdreh|uptime|interval|signal|rssi|trigger|limit|min$|max$|id$|(?<!to)(?:state|status)/i;

/**
 * Whether a member without a known unit has the name of a gas or water meter's register: `gastotal`, `gas/counter`, `meter_water`. Excludes
 * 0 and 1, which may be states.
 */
export function isVolumeWithoutUnit(
  path: string,
  value: unknown,
  unit: string | undefined,
  context: MemberContext,
): boolean {
  const name = getLastNameOfPath(path);
  // If the last topic level is a unit (`water/m3`), the number may or may not be a register.
  const isOfUnit = unit !== undefined || findUnitSuffix(name) !== null;
  // A number with a volume unit in the same object (`"gas": {"reading": 12.5, "unit": "m3"}`) is a volume, whatever its name.
  const isVolume = unit !== undefined && unit !== name && findMetricVolumeUnit(unit) !== undefined;
  if (!context.isStrict || (isOfUnit && unit !== name && !isVolume && !PLAIN_VOLUME.test(name))) return false;
  return isAboveOne(value) && areVolumeRegisterNames([path, ...(context.around ?? [])], isVolume);
}

/** Matches names of a meter's volume that state a unit, but neither gas nor water: `current_volume_m3`. Captures the unit. */
const METERED_VOLUME =
  /^(?:(?:total|current|actual|accumulated|cumulative|meter)_?)*volume(?:_?(?:total|reading|index))?_?(m3|m³|l|lit(?:er|re)s?)$/i;
/** Returns the unit of a meter's volume whose commodity is unknown; undefined for every other member. */
export const findUnitOfUnknownVolume = (path: string, value: unknown, { around = [] }: MemberContext) =>
  isAboveOne(value) && ![path, ...around].some((name) => FUEL_PATTERN.test(name))
    ? findMetricVolumeUnit(METERED_VOLUME.exec(getLastNameOfPath(path))?.[1] ?? '')
    : undefined;

const isAboveOne = (value: unknown): boolean => Number(readNumber(value)) > 1;

/** Matches names that mean only a value, a volume or its unit, so that the names of the enclosing objects state the commodity. */
const PLAIN_VOLUME = /^(?:value|val|ch\d)$|volum|(?:^|\/)(?:m3|m³|lit(?:er|re)s?)$/i;

/**
 * Whether these are the names of a gas or water meter's register. The first name is the number's own name. If it contains unknown words
 * (`free_heap_kb`), it must also contain a word for a register or a volume. `isVolume`: whether the number is known to be a volume.
 */
export function areVolumeRegisterNames(names: readonly string[], isVolume = false): boolean {
  const [own = ''] = names;
  if (!isVolume && hasUnknownWord(own) && !METERED_VOLUME_PATTERN.test(own) && !PLAIN_VOLUME.test(own)) return false;
  // In `last/index`, "last" means the latest value of the register, not a period.
  const said = /^index$/i.test(own) ? names.filter((name) => name !== 'last') : names;
  const written = said.map((name) => name.replaceAll(GLUED_VOLUME, '$1 '));
  const commodity = NO_VOLUME.test(own)
    ? null
    : findVolumeCommodity(written, { isTotal: isVolume || PLAIN_VOLUME.test(own) });
  return commodity === 'gas' || commodity === 'water';
}
