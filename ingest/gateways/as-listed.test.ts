import { expect, test } from 'vitest';
import type { Said } from '../decoders/family.ts';
import { asBefore, asListed } from './as-listed.ts';

const kind = 'energy_total_kwh';
const asked: Said = {
  device: 'meter',
  channel: 'unknown/total',
  kind,
  value: 1,
  atMs: null,
  native: 'Total',
  key: 'total',
  asks: { unit: 'kWh' },
  described: { names: ['Total'], unit: 'kWh' },
};

test('keeps a register under the channel of its first listing, by its key', () => {
  expect(asBefore([{ channel: 'import', kind, key: 'total' }], [asked])[0]?.channel).toBe('import');
  expect(asBefore([{ channel: 'import', kind, native: 'Total' }], [asked])[0]?.channel).toBe('import');
  expect(asBefore([{ channel: 'unknown/total', kind }], [asked])[0]?.channel).toBe('unknown/total');
});

test('gives a new register no channel that another one has', () => {
  const listed = [{ channel: 'import', kind, key: 'other' }];
  expect(asBefore(listed, [{ ...asked, channel: 'import' }])[0]?.channel).toBe('total/import');
  expect(asBefore([], [asked])[0]?.channel).toBe('unknown/total');
});

test('keeps only listed ones of the quantities that the owner must classify', () => {
  expect(asListed([], [asked])).toEqual([]);
  expect(asListed([asked], [asked])).toEqual([asked]);
});
