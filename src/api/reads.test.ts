import { expect, test } from 'vitest';
import type { Database } from '#src/database/connect.ts';
import { createReadDatabaseRouter, getAgeHeaderSeconds, hasStandbyReplayedTransactions } from './reads.ts';

test.each([
  ['an account that changed nothing', [], true],
  ['all is there', [98, 99], true],
  ['the last is not yet', [98, 100], false],
  ['an earlier one of several at once is not yet', [101, 99], false],
])('whether a standby can answer: %s', (_, transactions, expected) => {
  expect(hasStandbyReplayedTransactions({ ageMs: 0, horizon: 100 }, transactions)).toBe(expected);
});

test.each([
  [0, null],
  [5_000, null],
  [5_001, 5],
  [61_999, 61],
])('with a standby that lags %i ms, the answer reports %s', (ageMs, seconds) => {
  expect(getAgeHeaderSeconds({ ageMs, horizon: 1 })).toBe(seconds);
});

test('while the standby is unavailable, the primary answers, without extra queries', async () => {
  const [primary, standby] = [{} as Database, {} as Database];
  const reads = createReadDatabaseRouter(primary, standby, { state: () => null, failed: () => {}, stop: () => {} });
  const { db, ageSeconds } = await reads.from('usr_1');
  expect(db).toBe(primary);
  expect(ageSeconds).toBeNull();
});
