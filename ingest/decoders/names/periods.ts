import type { Json } from '../read/payload.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { lastNameOf, type NumberWithPath } from './members.ts';
import { LIFETIME_TOTAL } from './without-unit.ts';

/** A day without a time: `2026-11-28`, `28.11.2026`. */
const DAY = /^\s*(?:\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4})\s*$/;

/** Whether a body states a day but no time of day. Its energies may then be those of the day. */
export function hasDayWithoutTime(body: Json): boolean {
  const texts = Object.values(body).filter((value) => typeof value === 'string');
  return (
    texts.some((text) => DAY.test(text)) &&
    !Object.keys(body).some((name) => /time|stamp|^(?:ts|t|clock|uhrzeit|hora|heure)$/i.test(name))
  );
}

/** Names that state an interval (`interval_start`, `intervalCost`, `period`), and (below) both ends of one (`from`, `usage_end_time`). */
const INTERVAL = /^(?:[iI]nterval|[pP]eriod)(?![a-z])/;
const START = /(?:^|_)(?:start|from|begin|von|since|desde)(?:_?(?:time|date|at|ts))?$/i;
const END = /(?:^|_)(?:end|to|until|till|bis|hasta)(?:_?(?:time|date|at|ts))?$/i;
/** Words for the price of one unit, or for money saved. Such a number is next to a register, too. */
const PRICE = /pri[csjx]|prez|preis|precio|tari|rate|unit|kwh|sav|curr/i;

/** Whether a name states what the energy next to it has cost. Nobody computes that for a register, only for a period. */
const isCost = (name: string): boolean => {
  const { not, has } = getNameMeaning(name);
  return not === 'cost' && !has('period') && !PRICE.test(name) && !LIFETIME_TOTAL.test(name);
};

/**
 * Finds the objects of a message that describe a period: they state an interval, both of its ends, or what the energy has cost. Returns a
 * function that states whether the energy of a member may be that of a period. Next to a cost, a lifetime total is a register.
 */
export function createPeriodObjectChecker(members: readonly NumberWithPath[]): (path: string) => boolean {
  const intervals = new Set<string>();
  const costs = new Set<string>();
  for (const [object, all] of Map.groupBy(members, ({ path }) => objectOf(path))) {
    const names = all.map(({ path }) => lastNameOf(path));
    const hasBothEnds = names.some((name) => START.test(name)) && names.some((name) => END.test(name));
    if (hasBothEnds || names.some((name) => INTERVAL.test(name))) intervals.add(object);
    if (names.some(isCost)) costs.add(object);
  }
  return (path) => intervals.has(objectOf(path)) || (costs.has(objectOf(path)) && !LIFETIME_TOTAL.test(path));
}

const objectOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
