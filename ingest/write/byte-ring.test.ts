import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteRing } from './byte-ring.ts';

const MAX_BYTES = 1_300;
const KEYS = 12;

const operation = fc.oneof(
  { weight: 20, arbitrary: fc.record({ key: fc.nat(KEYS - 1), length: fc.nat(400) }) },
  { weight: 3, arbitrary: fc.record({ deleted: fc.nat(KEYS - 1) }) },
  { weight: 1, arbitrary: fc.constant('clear' as const) },
);
const nameOf = (key: number) => `dev_${'x'.repeat(key)}${key}`;

test('returns the last record written for a key, always retains the newest record, and evicts the oldest', () => {
  let evictedCount = 0;
  fc.assert(
    fc.property(fc.array(operation, { minLength: 30, maxLength: 60, size: 'max' }), (operations) => {
      const ring = new ByteRing(MAX_BYTES);
      const faults: string[] = [];
      const written = new Map<string, { content: string; length: number }>();
      for (const [turn, one] of operations.entries()) {
        if (one === 'clear') {
          ring.clear();
          written.clear();
        } else if ('deleted' in one) {
          ring.delete(nameOf(one.deleted));
          written.delete(nameOf(one.deleted));
        } else {
          const key = nameOf(one.key);
          const offset = ring.reserve(key, one.length);
          const content = `${turn % 10}`.repeat(one.length);
          ring.bytes.write(content, offset, 'latin1');
          written.set(key, { content, length: one.length });
        }
        for (const [key, { content, length }] of written) {
          const offset = ring.offsetOf(key);
          if (offset !== -1) {
            if (ring.bytes.toString('latin1', offset, offset + length) !== content) faults.push(`${key} is another’s`);
            continue;
          }
          evictedCount++;
          written.delete(key);
        }
        for (let key = 0; key < KEYS; key++)
          if (!written.has(nameOf(key)) && ring.offsetOf(nameOf(key)) !== -1) faults.push(`${nameOf(key)} was gone`);
        if (one !== 'clear' && 'key' in one && !written.has(nameOf(one.key))) faults.push('the latest is not there');
      }
      expect(faults).toEqual([]);
    }),
    { numRuns: 200 },
  );
  expect(evictedCount).toBeGreaterThan(1_000);
});

test('stores no record that is too long, and drops the key’s earlier one', () => {
  const ring = new ByteRing(1_000);
  expect(ring.reserve('dev_1', 100)).toBeGreaterThan(0);
  expect([ring.reserve('dev_1', 1_000), ring.offsetOf('dev_1')]).toEqual([-1, -1]);
  expect([new ByteRing(0).reserve('dev_1', 0), ring.reserve('x'.repeat(300), 1)]).toEqual([-1, -1]);
});
