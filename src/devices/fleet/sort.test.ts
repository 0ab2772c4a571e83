import { expect, test } from 'vitest';
import { decodeFleetListPosition, encodeFleetListPosition } from './sort.ts';

const AT = { sort: 'location', isSilent: false, deviceId: 'dev_1' } as const;

test('parses the position that it wrote, for any location', () => {
  for (const key of ['cellar', '\\u0000', '"]', ''])
    expect(decodeFleetListPosition(encodeFleetListPosition({ ...AT, key }), 'location')).toEqual({ ...AT, key });
});

test('rejects a position of another order, and text that the database cannot hold', () => {
  for (const text of ['', '{}', '["location",false,"x"]', encodeFleetListPosition({ ...AT, key: 'a\0' })])
    expect(() => decodeFleetListPosition(text, 'location')).toThrow();
  expect(() => decodeFleetListPosition(encodeFleetListPosition({ ...AT, key: 'x' }), '-location')).toThrow();
});
