import { expect, test } from 'vitest';
import { createId } from './ids.ts';

test('identifiers of one millisecond are all different', () => {
  const ids = Array.from({ length: 1_000 }, () => createId('evt', Date.UTC(2026, 5, 1)));
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.map((id) => id.slice(0, 14))).size).toBe(1);
});
