import { readNumber } from '../read/number.ts';
import { convertUnixTimeToMs, discardImplausibleTime } from '../read/time.ts';
import { findMetricMeaning } from '../sparkplug/meaning.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';
import { isPowerName } from './without-unit.ts';

/** Matches names of the time at which a program read or published a value: `updated`, `last_update`, `energy_timestamp`. */
const TIME = /(?:^|[_\s-])(?:last[_\s-]?)?(?:updated?|changed|seen)(?:[_\s-]?(?:at|ts|time))?$|time[_\s-]?stamp$/i;

/** Whether a number without a unit is a time: by its name, or because its value is a plausible Unix time in s or ms. */
function isTime({ path, value, unit }: NumberWithPath, receivedAtMs: number): boolean {
  const number = readNumber(value);
  if (unit !== undefined || typeof number !== 'number') return false;
  const isUnixTime = discardImplausibleTime(convertUnixTimeToMs(number), receivedAtMs) !== null;
  return (isUnixTime || TIME.test(getLastNameOfPath(path))) && findMetricMeaning(path, undefined) === null;
}

/** Matches kWh at the end of a name. */
const KWH = /[_\s-]?kwh$/i;
/** Maximum difference between a power and the same power in kW, which programs round to 10 W. */
const MAX_ROUNDING_KW = 0.005;

/**
 * Returns the paths of powers in kW whose names end with kWh by mistake: `powerKwh` 0.123 next to `power` 123. As registers, they would
 * count each rise of the power.
 */
function findPowersNamedKwh(members: readonly NumberWithPath[]): ReadonlySet<string> {
  const named = members.filter(({ path }) => KWH.test(path) && isPowerName(getLastNameOfPath(path).replace(KWH, '')));
  if (named.length === 0) return new Set();
  const values = new Map(members.map(({ path, value }) => [path, readNumber(value)]));
  const isPower = ({ path, value }: NumberWithPath) =>
    ['', '_w', 'W', '_watt', '_watts'].some((end) => {
      const watts = values.get(path.replace(KWH, '') + end);
      return typeof watts === 'number' && Math.abs(watts / 1_000 - Number(readNumber(value))) < MAX_ROUNDING_KW;
    });
  return new Set(named.filter(isPower).map(({ path }) => path));
}

/** Returns the members of a message without times, and without powers whose names state kWh. */
export function removeTimesAndPowersNamedKwh(
  members: readonly NumberWithPath[],
  receivedAtMs: number,
): readonly NumberWithPath[] {
  const powers = findPowersNamedKwh(members);
  return members.filter((member) => !powers.has(member.path) && !isTime(member, receivedAtMs));
}
