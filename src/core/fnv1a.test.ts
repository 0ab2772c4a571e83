import { expect, test } from 'vitest';
import { fnv1a } from './fnv1a.ts';

test('it is FNV-1a of 32 bits, as its authors publish it', () => {
  // draft-eastlake-fnv, test vectors.
  expect(['', 'a', 'foobar'].map((text) => fnv1a(text))).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
});

test('another basis gives another hash, of 32 bits, too', () => {
  const hash = fnv1a('foobar', 2 ** 32 - 1);
  expect(hash).not.toBe(fnv1a('foobar'));
  expect([hash >= 0, hash < 2 ** 32, Number.isInteger(hash)]).toEqual([true, true, true]);
});
