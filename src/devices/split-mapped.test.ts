import { expect, test } from 'vitest';
import type { Mapped } from './mapping.ts';
import { isReadOtherwise as isOther, sourcesOf } from './split-mapped.ts';

const total: Mapped = { topic: 'boiler/+/state', path: '$.total', unit: 'kWh', meaning: 'import' };
const isReadOtherwise = (
  before: readonly Mapped[],
  after: readonly Mapped[],
  ...of: [string, { channel: string; kind: string }]
) => isOther(sourcesOf(before), sourcesOf(after), ...of);
const register = { channel: 'import', kind: 'register' };

test.each<[string, Mapped[], Mapped[], boolean]>([
  ['another unit', [total], [{ ...total, unit: 'Wh' }], true],
  ['another scale', [total], [{ ...total, scale: 0.1 }], true],
  ['another place', [total], [{ ...total, path: '$.sum' }], true],
  ['another topic', [total], [{ ...total, topic: 'boiler/+/status' }], true],
  ['nothing, as it means something else: nothing comes', [total], [{ ...total, meaning: 'export' }], false],
  ['nothing, as it is no longer mapped: nothing comes', [total], [], false],
  ['mapped from now on', [], [total], true],
  ['the same number in other words', [total], [{ ...total, unit: 'MWh', scale: 0.001 }], false],
  ['another time', [total], [{ ...total, time_path: '$.at' }], false],
  ['a number more', [total], [{ ...total, path: '$.out', meaning: 'export' }, total], false],
  [
    'another device changes',
    [total, { ...total, device: 'roof-+' }],
    [total, { ...total, device: 'roof-+', unit: 'Wh' }],
    false,
  ],
  ['one that may be it changes', [total], [total, { ...total, topic: '+/b1/x', device: '+b1' }], true],
])('a register is another number with %s: %#', (_, before, after, is) => {
  expect(isReadOtherwise(before, after, 'b1', register)).toBe(is);
});

test('a power that is mapped otherwise leaves the register of its channel as it is', () => {
  const power: Mapped = { ...total, path: '$.now', unit: 'W', meaning: 'power' };
  const changed = [total, { ...power, scale: -1 }];
  expect(isReadOtherwise([total, power], changed, 'b1', register)).toBe(false);
  expect(isReadOtherwise([total, power], changed, 'b1', { channel: 'import', kind: 'power' })).toBe(true);
});
