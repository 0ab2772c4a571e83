import { expect, test } from 'vitest';
import { sumPowers } from './live.ts';

const at = '2026-06-15T12:00:00.000Z';
const power = (counts_as: string | null, last_value: number, last_at = at) => ({ counts_as, last_value, last_at });

test.each([
  ['one', [power('import', 431.2)], 431.2],
  ['what flows in less what flows out', [power('import', 0), power('export', 1_500.5)], -1_500.5],
  ['three phases', [power('import/l1', 0.1), power('import/l2', 0.2), power('import/l3', -5)], -4.7],
  ['a total beside its phases', [power('import', 300), power('import/l1', 100), power('import/l2', 200)], 300],
  ['one that is not counted', [power('import', 7), power('ignored', 9), power(null, 9)], 7],
])('adds the powers of a device: %s', (_, powers, watts) => {
  expect(sumPowers(powers)).toEqual({ power_w: watts, power_at: at });
});

test('returns the time of the oldest power in the sum', () => {
  const earlier = '2026-06-15T11:58:00.000Z';
  expect(sumPowers([power('import', 1), power('export', 2, earlier)]).power_at).toBe(earlier);
});

test.each([
  ['none', []],
  ['two sockets', [power('import', 1), power('import', 2)]],
  ['the same phase twice', [power('import/l1', 1), power('import/l1', 2)]],
  ['what nobody knows', [power(null, 1)]],
])('returns no power if the sum is unknown: %s', (_, powers) => {
  expect(sumPowers(powers)).toEqual({ power_w: null, power_at: null });
});
