import { expect, test } from 'vitest';
import type { Said } from '../decoders/family.ts';
import { asBefore, asListed } from './as-listed.ts';

const asked: Said = {
  device: 'meter',
  channel: 'unknown/foobar_energy',
  kind: 'energy_total_kwh',
  value: 1,
  atMs: null,
  native: 'Foobar energy',
  asks: { unit: 'kWh' },
  was: 'foobar/import',
};

test('what an earlier version counted stays where it was, and is not asked about', () => {
  const [kept] = asBefore([{ channel: 'foobar/import', kind: 'energy_total_kwh' }], [asked]);
  expect(kept?.channel).toBe('foobar/import');
  expect(kept?.asks).toBeUndefined();
});

test('what was never counted is asked about, also where the guess of old is listed beside it', () => {
  expect(asBefore([], [asked])[0]?.channel).toBe('unknown/foobar_energy');
  const listed = ['foobar/import', 'unknown/foobar_energy'].map((channel) => ({ channel, kind: 'energy_total_kwh' }));
  expect(asBefore(listed, [asked])[0]?.channel).toBe('unknown/foobar_energy');
});

test('of what is asked about only that is kept which is listed', () => {
  expect(asListed([], [asked])).toEqual([]);
  expect(asListed([asked], [asked])).toEqual([asked]);
});
