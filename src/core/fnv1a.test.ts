import { expect, test } from 'vitest';
import { hashFnv1a } from './fnv1a.ts';

test('returns the published 32-bit FNV-1a hashes', () => {
  // Test vectors of draft-eastlake-fnv.
  expect(['', 'a', 'foobar'].map((text) => hashFnv1a(text))).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

test('returns another 32-bit hash for another start value', () => {
  const hash = hashFnv1a('foobar', 2 ** 32 - 1);
  expect(hash).not.toBe(hashFnv1a('foobar'));
  expect([hash >= 0, hash < 2 ** 32, Number.isInteger(hash)]).toEqual([true, true, true]);
});
