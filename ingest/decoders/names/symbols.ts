import { readNumber } from '../read/number.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';

/**
 * Returns the kind of a number whose name is a symbol: `P` is a power and `E` an energy if the same object also contains a power, a voltage
 * (`V` or `U`) and a current (`I`). Returns null for every other number, and for 0 and 1, which may be states.
 */
export function findQuantityKindBySymbol(
  path: string,
  value: unknown,
  members: readonly NumberWithPath[],
): 'energy_total_kwh' | 'power_w' | null {
  const number = readNumber(value);
  const name = getLastNameOfPath(path);
  if (!(name === 'P' || name === 'E') || typeof number !== 'number' || number === 0 || number === 1) return null;
  const object = path.slice(0, -1);
  const isBeside = (symbol: string) => members.some((other) => other.path === object + symbol);
  if (!isBeside('P') || !isBeside('I') || !(isBeside('V') || isBeside('U'))) return null;
  return name === 'P' ? 'power_w' : 'energy_total_kwh';
}
