import { readNumber } from '../read/number.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';

/**
 * Whether a name consists of known words, and states a tariff as well as a direction or production. (Production with a tariff is an
 * export.) Excludes "in" and "out" if they may be the sides of a heat exchanger.
 */
export function isTariffNameWithDirection(path: string): boolean {
  const { direction, parts, unknown, not, isSide, has } = getNameMeaning(getLastNameOfPath(path));
  const isDirected = ((direction === 'import' || direction === 'export') && !isSide) || has('produced');
  return isDirected && not === null && unknown.length === 0 && parts.some((part) => part.startsWith('t'));
}

/**
 * Whether a path ends with a tariff whose name, or the name around it, states a flow: `returned/t2`, `delivered/t1`. "Delivered" and
 * "received" are a flow without a known direction.
 */
export function isTariffOfFlow(path: string): boolean {
  const [name = '', before = ''] = path.split('/').toReversed();
  const own = getNameMeaning(name);
  const flow = own.direction === null ? getNameMeaning(before) : own;
  const isFlow = flow.direction === 'both' ? flow.has('unclear') : flow.direction !== null && !flow.isSide;
  const isTariff = own.parts.length === 1 && own.parts[0]?.startsWith('t') === true && own.unknown.length === 0;
  return isTariff && isFlow && getNameMeaning(path).not === null;
}

/** Matches words for a meter index, as in the name of a tariff's register: `index_heures_creuses`. */
const INDEX = /index|compteur|teller|stand|z(?:ä|ae)hler/i;

/**
 * Whether a member is the register of a tariff although its name states no direction: `laag` next to `laagterug`,
 * `ElectricityDeliveredT1` next to `ElectricityUsedT1`, a name that contains a word for a meter index, or a tariff of a flow.
 */
export function isTariffRegisterWithoutDirection(
  path: string,
  value: unknown,
  members: readonly NumberWithPath[],
): boolean {
  const { direction, parts, unknown, not, has } = getNameMeaning(getLastNameOfPath(path));
  const isTariff = parts.length === 1 && parts[0]?.startsWith('t') === true;
  const isOpen = direction === null || (direction === 'both' && has('unclear'));
  if (!isTariff || !isOpen || not !== null || unknown.length > 0) return false;
  if (typeof readNumber(value) !== 'number' || Number(value) <= 1) return false;
  return (
    isTariffOfFlow(path) ||
    INDEX.test(getLastNameOfPath(path)) ||
    members.some((other) => isTariffNameWithDirection(other.path))
  );
}
