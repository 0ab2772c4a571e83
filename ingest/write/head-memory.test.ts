import { expect, test } from 'vitest';
import type { Head } from './head.ts';
import { headMemory } from './head-memory.ts';
import { seriesName } from './standing.ts';

const head = (deviceId: string, isSettled = true): Head => ({
  deviceId,
  userId: 'usr_1',
  settings: { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 },
  computedWith: null,
  series: new Map([
    [
      seriesName('import', 'register'),
      {
        seriesId: 7,
        channel: 'import',
        kind: 'register',
        roles: { import: true, export: false },
        lastReadAtMs: 1_790_000_000_000,
        tail: { good: { readAtMs: 1_790_000_000_000, valueMilliwattHours: 123_456_789 } },
        closedUntilMs: null,
      },
    ],
  ]),
  version: 2 ** 47 + 1,
  open: '497222,1,2,3,4',
  isSettled,
});
const id = (index: number) => `dev_${String(index).padStart(24, '0')}`;

test('gives back what it was given, and forgets what is not settled', () => {
  const memory = headMemory();
  memory.set(head('dev_1'));
  expect(memory.get('dev_1')).toEqual(head('dev_1'));
  memory.set(head('dev_1', false));
  expect(memory.get('dev_1')).toBe(null);
});

test('keeps the meters of half its bytes, and of more those that were written last', () => {
  const memory = headMemory();
  for (let index = 0; index < 250_000; index++) memory.set(head(id(index)));
  expect(memory.get(id(249_999))).not.toBe(null);
  expect(memory.get(id(170_000))).not.toBe(null);
  expect(memory.get(id(0))).toBe(null);
  // Written again, it is among the last.
  memory.set(head(id(170_000)));
  for (let index = 250_000; index < 330_000; index++) memory.set(head(id(index)));
  expect(memory.get(id(170_000))).not.toBe(null);
});

test('remembers nothing for a while after others wrote the same devices', () => {
  let now = 0;
  const memory = headMemory({ now: () => now });
  memory.set(head('dev_1'));
  memory.stayAway();
  memory.set(head('dev_2'));
  expect([memory.get('dev_1'), memory.get('dev_2')]).toEqual([null, null]);
  now = 10_000;
  memory.set(head('dev_2'));
  expect(memory.get('dev_2')).not.toBe(null);
});
