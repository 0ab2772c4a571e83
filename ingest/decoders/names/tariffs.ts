import { readNumber } from '../read/number.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { lastNameOf, type NumberWithPath } from './members.ts';

/** Whether a name consists of known words, and states both a tariff and a direction. "In" and "out" may be sides of a heat exchanger. */
export function isTariffWithDirection(path: string): boolean {
  const { direction, parts, unknown, not, isSide } = getNameMeaning(lastNameOf(path));
  const isDirected = (direction === 'import' || direction === 'export') && !isSide;
  return isDirected && not === null && unknown.length === 0 && parts.some((part) => part.startsWith('t'));
}

/** Words for the index of a meter next to a tariff: `index_heures_creuses`. */
const INDEX = /index|compteur|teller|stand|z(?:ä|ae)hler/i;

/**
 * Whether a member is the register of a tariff whose name states no direction: `laag` next to `laagterug`, or a name that also means an
 * index.
 */
export function isTariffRegister(path: string, value: unknown, members: readonly NumberWithPath[]): boolean {
  const { direction, parts, unknown, not } = getNameMeaning(lastNameOf(path));
  const isTariff = parts.length === 1 && parts[0]?.startsWith('t') === true;
  if (!isTariff || direction !== null || not !== null || unknown.length > 0) return false;
  if (typeof readNumber(value) !== 'number' || Number(value) <= 1) return false;
  return INDEX.test(lastNameOf(path)) || members.some((other) => isTariffWithDirection(other.path));
}
