import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '#src/config/load.ts';
import { isCellName, parseCell, prefixWithCell, setCell } from './cell.ts';
import { createId } from './ids.ts';
import { createMailedToken, verifyMailedToken } from './secrets.ts';

afterEach(() => setCell(undefined));

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const name = fc
  .tuple(fc.constantFrom(...LETTERS), fc.string({ unit: fc.constantFrom(...LETTERS, ...'0123456789'), maxLength: 7 }))
  .map(([first, rest]) => first + rest);

test('identifiers and secrets contain the name of the cell that created them', () => {
  const cells = fc.option(name, { nil: undefined });
  fc.assert(
    fc.property(cells, fc.constantFrom('usr' as const, 'dev' as const, 'gwy' as const), (cell, prefix) => {
      setCell(cell);
      const id = createId(prefix);
      // The name of a cell is shorter than the random part of an identifier, so the two cannot be confused.
      expect(id.split('_')).toEqual([prefix, ...(cell === undefined ? [] : [cell]), expect.stringMatching(/^\w{26}$/)]);
      expect(parseCell(id)).toBe(cell ?? null);
      // The secret is base64url: it may contain `_` and `-`, but no dot.
      expect(parseCell(prefixWithCell('Zm_-9'.repeat(8)))).toBe(cell ?? null);
      const token = createMailedToken('secret', 'unsubscribe', id);
      expect(token.split('.')[0]).toBe(cell ?? id);
      expect(verifyMailedToken('secret', 'unsubscribe', token)).toBe(id);
      // Each cell has a separate secret.
      expect(verifyMailedToken('another', 'unsubscribe', token)).toBeNull();
    }),
  );
});

test('other identifiers contain no cell, and nothing is routed by them', () => {
  setCell('c2');
  for (const prefix of ['evt', 'alr', 'whk', 'key', 'ses'] as const)
    expect(createId(prefix)).toMatch(/^[a-z]{3}_[0-9a-z]{26}$/);
});

test('hostile texts contain no cell name', () => {
  const texts = [
    '',
    'usr_',
    'usr_c2_',
    `usr_C2_${'0'.repeat(26)}`,
    `usr_c2_${'0'.repeat(25)}`,
    `usr_toolongname_${'0'.repeat(26)}`,
  ];
  for (const text of [...texts, `usr_c2_${'0'.repeat(26)}\n`, '.', 'C2.x', `eus_live_${'k'.repeat(42)}`])
    expect(parseCell(text)).toBeNull();
});

test("a cell's name is short and consists of lower-case letters and digits", () => {
  for (const right of ['c', 'c2', 'north123']) expect(isCellName(right)).toBe(true);
  for (const wrong of ['C2', '2c', 'c_2', 'c.2', 'ninechars', 'c 2', 'c2\n']) {
    expect(isCellName(wrong)).toBe(false);
    expect(() => loadConfig({ CELL: wrong })).toThrow(ConfigError);
  }
  loadConfig({ CELL: 'c2' });
  expect(createId('usr')).toMatch(/^usr_c2_/);
  loadConfig({});
  expect(createId('usr')).toMatch(/^usr_[0-9a-z]{26}$/);
});
