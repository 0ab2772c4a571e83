import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { parseCell, setCell } from '#src/core/cell.ts';
import { isApiKeyFormat } from '#src/core/secrets.ts';
import { createApiKey, getShownKeyPrefix } from './key-format.ts';

afterEach(() => setCell(undefined));

test('a key contains its environment and its cell, and ends with a checksum of everything before it', () => {
  const cells = fc.constantFrom(undefined, 'c', 'c2', 'north123');
  fc.assert(
    fc.property(cells, fc.constantFrom('live' as const, 'sandbox' as const), (cell, environment) => {
      setCell(cell);
      const key = createApiKey(environment);
      const start = `eus_${environment === 'live' ? 'live' : 'test'}_${cell === undefined ? '' : `${cell}_`}`;
      expect(key).toMatch(new RegExp(`^${start}[0-9A-Za-z]{42}$`));
      expect(isApiKeyFormat(key, environment)).toBe(true);
      expect(parseCell(key)).toBe(cell ?? null);
      expect(getShownKeyPrefix(key)).toBe(key.slice(0, start.length + 4));
      const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
      let number = createHash('sha256').update(key.slice(0, -6)).digest().readUIntBE(0, 6);
      for (const character of key.slice(-6)) {
        expect(character).toBe(digits[number % 62]);
        number = Math.floor(number / 62);
      }
    }),
  );
});
