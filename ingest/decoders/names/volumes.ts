import { findUnitSuffix } from '../proposal.ts';
import { readNumber } from '../read/number.ts';
import { US_GALLON_SCALE } from '../read/volume.ts';
import { findMetricVolumeUnit, type MetricUnit } from '../sparkplug/units.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { findVolumeCommodity, hasRainWord, METERED_VOLUME_PATTERN } from '../vocabulary/volume-of.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';
import { FUEL_PATTERN, hasUnknownWord, isCode, type MemberContext } from './without-unit.ts';

/** Matches a commodity at the beginning of a compound word: `gastotal`, `watercounter`. */
const GLUED_VOLUME = /(gas|water)(?=total|counter|meter|reading|usage|consum)/gi;
/** Matches names of a counter of pulses. If the topic names gas or water, each pulse stands for the same volume. */
const PULSES = /^(?:im)?puls(?:e|es|en)?(?:[_-]?count(?:er)?)?$/i;
/** Matches words in names of values that gas and water meters send and that are not volumes, such as flow, temperature and pulses. */
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
  if (context.isVolume && isCode(path, value, context)) return true;
  const name = getLastNameOfPath(path);
  // If the last topic level is a unit (`water/m3`), the number may or may not be a register.
  const isOfUnit = unit !== undefined || findUnitSuffix(name) !== null;
  // A number with a volume unit in the same object (`"gas": {"reading": 12.5, "unit": "m3"}`) is a volume, whatever its name.
  const isStated = unit !== undefined && unit !== name && findMetricVolumeUnit(unit) !== undefined;
  const isVolume = isStated || context.isVolume === true;
  if (!context.isStrict || GALLONS.test(name) || (isOfUnit && unit !== name && !isVolume && !PLAIN_VOLUME.test(name)))
    return false;
  return isAboveOne(value) && areVolumeRegisterNames([path, ...(context.around ?? [])], isVolume);
}

/** Matches names of a meter's volume that state neither gas nor water: `current_volume_m3`. Captures words for a register, and the unit. */
const METERED_VOLUME =
  /^((?:(?:read|total|current|actual|accumulated|cumulative|meter|latest)_?)*)volume(?:_?(?:total|reading|index))?(?:_?(m3|m³|l|lit(?:er|re)s?))?$/i;

/** Matches names that are only a unit of volume: `liters`, `m3`. Captures the unit. */
const BARE_VOLUME = /^(?:m3|m³|lit(?:er|re|ro)s?)$/i;

/** Matches names of a register in gallons, the unit of water meters in North America: `gallons`, `total_gallons`. */
const GALLONS =
  /^(?:(?:read|total|accumulated|cumulative|meter|lifetime)_?)*gal(?:lon)?s?(?:_?(?:total|reading|used))?$/i;
/** The American gallon. The owner is asked, because an imperial gallon is larger. */
const GALLON: MetricUnit = { kind: 'volume_total_m3', ...US_GALLON_SCALE };

/** Matches names that mean only a meter's register. With a volume unit in the message, such a number is a volume: `Counter` in m³. */
const REGISTER_ITSELF =
  /^(?:(?:meter_?)?(?:counter|index|total|reading)|(?:z(?:ä|ae)hler|meter)stand|compteur|contador)$/i;

/** Matches the word "absolute" in the name of a meter's count since its installation: `CountAbs`. */
const ABSOLUTE = /(?:(?<![a-z])abs|(?<=[a-z])Abs)(?:olut[aeo]?)?(?![a-z])/;

/** Matches words for a register. The current volume may be the volume of a loudspeaker. */
const OF_REGISTER = /read|total|accum|cumul|meter|latest/i;

/**
 * Returns the volumes of a message whose commodity is unknown, with their units. If the name contains no unit, another member must state
 * it, or the name must contain a word for a register (`latestVolume`; the unit is then undefined). Such names are ignored if the message
 * contains another quantity (`isAlone`), because a heat meter also reports the volume of its heating water.
 */
export function findVolumesOfUnknownCommodity(
  members: readonly NumberWithPath[],
  { around = [], described }: MemberContext,
  isAlone: boolean,
): ReadonlyMap<string, MetricUnit | undefined> {
  const bare = isAlone ? findOnlyBareVolume(members, [...around, described?.device ?? '']) : undefined;
  if (bare) return bare;
  const found = members.flatMap(({ path, value, unit }) => {
    const name = getLastNameOfPath(path);
    const isPlain = unit !== undefined && REGISTER_ITSELF.test(name);
    const [whole, words = '', named] = isPlain ? [name] : (METERED_VOLUME.exec(name) ?? GALLONS.exec(name) ?? []);
    if (whole === undefined || [path, ...around, described?.device ?? ''].some((one) => FUEL_PATTERN.test(one)))
      return [];
    if (unit === undefined && GALLONS.test(name)) {
      const isTotal = [path, ...around].every((one) => getNameMeaning(one).not === null);
      return isAlone && isTotal && isAboveOne(value) ? [[path, GALLON] as const] : [];
    }
    const stated = findMetricVolumeUnit(named ?? unit ?? '');
    const isRegister = stated ? Number(readNumber(value)) > (named === undefined ? 0 : 1) : isAboveOne(value);
    const isKnown = named !== undefined || (isAlone && (stated ?? (OF_REGISTER.test(words) && unit === undefined)));
    return isRegister && isKnown ? [[path, stated] as const] : [];
  });
  const withUnit = found.filter(([, unit]) => unit !== undefined);
  // If any volume has a unit, only volumes with a unit are returned: a volume without a unit may repeat one of them.
  return new Map(withUnit.length > 0 ? withUnit : found);
}

/**
 * Returns the only volume whose name is its unit, by its path; undefined if there are several, or if another name describes a tank, rain or
 * a period.
 */
function findOnlyBareVolume(
  members: readonly NumberWithPath[],
  around: readonly string[],
): ReadonlyMap<string, MetricUnit> | undefined {
  const [only, ...others] = members.filter(({ path }) => BARE_VOLUME.test(getLastNameOfPath(path)));
  if (!only || others.length > 0 || only.unit !== undefined || !isAboveOne(only.value)) return undefined;
  const isFuel = [...around, ...members.map(({ path }) => path)].some((name) => FUEL_PATTERN.test(name));
  const unit = findMetricVolumeUnit(getLastNameOfPath(only.path));
  const isCounted = findVolumeCommodity([only.path, ...around], { commodity: 'water', isTotal: true }) !== null;
  return unit && isCounted && !isFuel ? new Map([[only.path, unit]]) : undefined;
}

const isAboveOne = (value: unknown): boolean => Number(readNumber(value)) > 1;

/** Matches names that mean only a value, a volume or its unit. The names of the enclosing objects then state the commodity. */
const PLAIN_VOLUME = /^(?:value|val|ch\d)$|volum|(?:^|\/)(?:m3|m³|lit(?:er|re)s?|gallons?)$/i;

/**
 * Whether these are the names of a gas or water meter's register. The first name is the number's own name. If it contains unknown words
 * (`free_heap_kb`), it must also contain a word for a register or a volume. `isVolume`: whether the number is known to be a volume.
 */
export function areVolumeRegisterNames(names: readonly string[], isVolume = false): boolean {
  const [own = ''] = names;
  if (
    !isVolume &&
    hasUnknownWord(own.replace(ABSOLUTE, '')) &&
    !METERED_VOLUME_PATTERN.test(own) &&
    !PLAIN_VOLUME.test(own)
  )
    return false;
  // In `last/index`, "last" means the latest value of the register, not a period.
  const said = /^index$/i.test(own) ? names.filter((name) => name !== 'last') : names;
  const written = said.map((name) => name.replaceAll(GLUED_VOLUME, '$1 '));
  const commodity = NO_VOLUME.test(isVolume ? own.replace(PULSES, '') : own)
    ? null
    : findVolumeCommodity(written, { isTotal: isVolume || PLAIN_VOLUME.test(own) });
  return commodity === 'gas' || commodity === 'water';
}

/** Whether the topic of a device, or a text in its message that describes the device, names a rain gauge. */
export const isRainGauge = (device: string, members: readonly NumberWithPath[]): boolean =>
  hasRainWord(device) ||
  members.some(
    ({ path, value }) => /model|device|name|type/i.test(path) && typeof value === 'string' && hasRainWord(value),
  );

/**
 * Matches a topic that ends with a kind of water before `Out`, the level on which some programs publish: `WaterMeter/HotWater/Out`.
 */
export const WATER_TOPIC_BEFORE_OUT_PATTERN = /water.*\/(?:hot|warm|cold)[_-]?water\/out$/i;
/** Whether a topic states only the commodity of a meter, so that its number is the meter's register: `smart-meter/gas`, `gas/pulses`. */
export function isVolumeTopic(topic: string): boolean {
  const [name = '', before = ''] = topic.split('/').toReversed();
  const mayBeMeter = /^(?:gas|water|wasser)$/i.test(name) && getNameMeaning(before).has('meter');
  const isOfPulses = PULSES.test(name) && /gas|water/.test(findVolumeCommodity([topic], { isTotal: true }) ?? '');
  return mayBeMeter || isOfPulses || WATER_TOPIC_BEFORE_OUT_PATTERN.test(topic);
}
