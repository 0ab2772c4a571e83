import { expect, test } from 'vitest';
import type { Mapped } from './mapping.ts';
import { notItsOwn } from './own-mapping.ts';

const TOTAL = { path: '$.total', unit: 'kWh', meaning: 'import' } as const;

test.each<[string, Partial<Mapped> & { topic: string }]>([
  ['b1', { topic: 'home/+/energy' }],
  ['b1', { topic: 'home/b1/energy', device: 'b1' }],
  ['boiler-b1', { topic: 'home/+/energy', device: 'boiler-+' }],
  ['home/b1/energy', { topic: 'home/b1/energy' }],
])('%s may have a mapping of its own of %j', (nativeId, entry) => {
  expect(notItsOwn([{ ...TOTAL, ...entry }], nativeId)).toEqual([]);
});

test.each<[Partial<Mapped> & { topic: string }, RegExp]>([
  // The topic is the one that it sends on, and names another device all the same.
  [{ topic: 'home/b1/energy' }, /^is home\/b1\/energy, and this device is heard as b1: .* Say "device": "b1"$/],
  [{ topic: 'home/b2/energy', device: 'b2' }, /^is b2, /],
  [{ topic: 'home/+/energy', device: 'boiler-+' }, /Leave device out/],
])('b1 has no use for %j', (entry, said) => {
  const mapped = [
    { ...TOTAL, topic: 'home/+/energy' },
    { ...TOTAL, meaning: 'export', ...entry },
  ];
  expect(notItsOwn(mapped, 'b1')).toEqual([
    { field: 'decoder_config.mapping.1.device', message: expect.stringMatching(said) },
  ]);
});
