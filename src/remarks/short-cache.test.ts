import { expect, test } from 'vitest';
import { createShortCache } from './short-cache.ts';

test('computes a result once for all concurrent and later requests with the same key, and does not cache a failure', async () => {
  const kept = createShortCache<number>();
  let made = 0;
  const make = async () => ++made;
  expect(await Promise.all([kept('a', make), kept('a', make), kept('b', make)])).toEqual([1, 1, 2]);
  expect(await kept('a', make)).toBe(1);
  await expect(kept('c', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await kept('c', make)).toBe(3);
});
