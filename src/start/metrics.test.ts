import { expect, test } from 'vitest';
import { cacheForDuration } from './metrics.ts';

test('a response is cached for a while, and a failure is not', async () => {
  let nowMs = 0;
  let asked = 0;
  let isAway = true;
  const ask = cacheForDuration(
    async () => {
      if (isAway) throw new Error('away');
      return ++asked;
    },
    1_000,
    () => nowMs,
  );
  await expect(ask()).rejects.toThrow('away');
  isAway = false;
  expect([await ask(), await ask()]).toEqual([1, 1]);
  nowMs = 999;
  expect(await ask()).toBe(1);
  nowMs = 1_000;
  expect(await ask()).toBe(2);
});
