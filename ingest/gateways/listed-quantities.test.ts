import { expect, test } from 'vitest';
import type { DecodedValue } from '../decoders/family.ts';
import { assignChannelsToListedQuantities, filterStorableQuantities } from './listed-quantities.ts';

const kind = 'energy_total_kwh';
const asked: DecodedValue = {
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

test('keeps a register on the channel under which it was first listed, identified by its key', () => {
  expect(assignChannelsToListedQuantities([{ channel: 'import', kind, key: 'total' }], [asked])[0]?.channel).toBe(
    'import',
  );
  expect(assignChannelsToListedQuantities([{ channel: 'import', kind, native: 'Total' }], [asked])[0]?.channel).toBe(
    'import',
  );
  expect(assignChannelsToListedQuantities([{ channel: 'unknown/total', kind }], [asked])[0]?.channel).toBe(
    'unknown/total',
  );
});

test('gives a new register a channel name that no other register uses', () => {
  const listed = [{ channel: 'import', kind, key: 'other' }];
  expect(assignChannelsToListedQuantities(listed, [{ ...asked, channel: 'import' }])[0]?.channel).toBe('total/import');
  expect(assignChannelsToListedQuantities([], [asked])[0]?.channel).toBe('unknown/total');
});

test('lists a quantity that the owner must classify only if it was listed before', () => {
  expect(filterStorableQuantities([], [asked])).toEqual([]);
  expect(filterStorableQuantities([asked], [asked])).toEqual([asked]);
});
