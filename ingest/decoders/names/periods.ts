import type { Json } from '../read/payload.ts';
import { getNameMeaning, LIFETIME_TOTAL_PATTERN } from '../vocabulary/name-facts.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';

/** Matches a date without a time of day: `2026-11-28`, `28.11.2026`. */
const DAY = /^\s*(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4})\s*$/;

/** Whether a body states a date without a time of day. Its energies may then be the energies of that day. */
export function hasDayWithoutTime(body: Json): boolean {
  const texts = Object.values(body).filter((value) => typeof value === 'string');
  return (
    texts.some((text) => DAY.test(text)) &&
    !Object.keys(body).some((name) => /time|stamp|^(?:ts|t|clock|uhrzeit|hora|heure)$/i.test(name))
  );
}

/** Matches names that state an interval: `interval_start`, `intervalCost`, `period`. */
const INTERVAL = /^(?:[iI]nterval|[pP]eriod)(?![a-z])/;
/** Matches names that state the start of an interval: `from`, `start_time`. */
const START = /(?:^|_)(?:start|from|begin|von|since|desde)(?:_?(?:time|date|at|ts))?$/i;
/** Matches names that state the end of an interval: `until`, `usage_end_time`. */
const END = /(?:^|_)(?:end|to|until|till|bis|hasta)(?:_?(?:time|date|at|ts))?$/i;
/** Matches words for the price of one unit, or for money saved. Unlike a cost, such a number also occurs next to a register. */
const PRICE = /pri[csjx]|prez|preis|precio|tari|rate|unit|kwh|sav|curr/i;

/**
 * Whether a name states the cost of an energy in the same object. Programs compute a cost for the energy of a period, not for a register.
 */
const isCost = (name: string): boolean => {
  const { not, has } = getNameMeaning(name);
  return not === 'cost' && !has('period') && !PRICE.test(name) && !LIFETIME_TOTAL_PATTERN.test(name);
};

/**
 * Finds the objects of a message that describe a period: they contain an interval, or a start and an end, or a cost. Returns a function
 * that returns whether the energy of a member may be the energy of a period. In an object with a cost, a lifetime total is a register
 * nevertheless.
 */
export function createPeriodEnergyChecker(members: readonly NumberWithPath[]): (path: string) => boolean {
  const intervals = new Set<string>();
  const costs = new Set<string>();
  for (const [object, all] of Map.groupBy(members, ({ path }) => objectOf(path))) {
    const names = all.map(({ path }) => getLastNameOfPath(path));
    const hasBothEnds = names.some((name) => START.test(name)) && names.some((name) => END.test(name));
    if (hasBothEnds || names.some((name) => INTERVAL.test(name))) intervals.add(object);
    if (names.some(isCost)) costs.add(object);
  }
  return (path) => intervals.has(objectOf(path)) || (costs.has(objectOf(path)) && !LIFETIME_TOTAL_PATTERN.test(path));
}

/** Matches words for the reading of a meter, which is a lifetime total. The meter itself (`gaszaehler`) may also report other values. */
const METER_READING = /read|count|register|(?<![a-z])ind(?:ex|ice)|stand|teller|compteur|contador|contatore/i;

/**
 * Whether a name means a consumption without a word for a lifetime total or a meter reading. If it is the only number of its topic, it may
 * be the consumption of the last hour: `gaszaehler/verbrauch-kwh`.
 */
export const isConsumptionOfUnknownTime = (name: string): boolean =>
  !LIFETIME_TOTAL_PATTERN.test(name) && !METER_READING.test(name) && getNameMeaning(name).has('consumed');

const objectOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Matches names of registers. */
const REGISTER = /counter|total|index|z(?:ä|ae)hler|teller|compteur/i;
/** Matches the end of a name for the value of the present day. */
const OF_TODAY = /_?today$/i;

/** Adds the unit of a day's value to the register with the same name: `Counter` next to `CounterToday` with the value `3.4 kWh`. */
export function copyUnitsFromTodayValues(members: readonly NumberWithPath[]): readonly NumberWithPath[] {
  const units = new Map(
    members.flatMap(({ path, unit }) =>
      unit !== undefined && OF_TODAY.test(path) ? [[path.replace(OF_TODAY, ''), unit] as const] : [],
    ),
  );
  if (units.size === 0) return members;
  return members.map((member) => {
    const unit = member.unit ?? (REGISTER.test(getLastNameOfPath(member.path)) ? units.get(member.path) : undefined);
    return unit === undefined ? member : { ...member, unit };
  });
}
