import { expect, test } from 'vitest';
import { decodeFleetPosition, encodeFleetPosition } from './sort.ts';

const AT = { sort: 'location', isSilent: false, deviceId: 'dev_1' } as const;

test('parses the position that it wrote, for any location', () => {
  for (const key of ['cellar', '\\u0000', '"]', ''])
    expect(decodeFleetPosition(encodeFleetPosition({ ...AT, key }), 'location')).toEqual({ ...AT, key });
});

test('rejects a position of another order, and text that the database cannot hold', () => {
  for (const text of ['', '{}', '["location",false,"x"]', encodeFleetPosition({ ...AT, key: 'a\0' })])
    expect(() => decodeFleetPosition(text, 'location')).toThrow();
  expect(() => decodeFleetPosition(encodeFleetPosition({ ...AT, key: 'x' }), '-location')).toThrow();
});
