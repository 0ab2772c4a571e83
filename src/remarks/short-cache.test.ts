import { expect, test } from 'vitest';
import { createShortLivedCache } from './short-cache.ts';

test('computes a result once for all concurrent and later requests with the same key, and does not cache a failure', async () => {
  const shortCache = createShortLivedCache<number>();
  let made = 0;
  const make = async () => ++made;
  expect(await Promise.all([shortCache('a', make), shortCache('a', make), shortCache('b', make)])).toEqual([1, 1, 2]);
  expect(await shortCache('a', make)).toBe(1);
  await expect(shortCache('c', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await shortCache('c', make)).toBe(3);
});
