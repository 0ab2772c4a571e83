import { expect, test } from 'vitest';
import { placeAsText, placeOf } from './sort.ts';

const AT = { sort: 'location', isSilent: false, deviceId: 'dev_1' } as const;

test('a place is read again as it was written, whatever a location is called', () => {
  for (const key of ['cellar', '\\u0000', '"]', ''])
    expect(placeOf(placeAsText({ ...AT, key }), 'location')).toEqual({ ...AT, key });
});

test('what is no place of the order, or what the database cannot hold, is refused', () => {
  for (const text of ['', '{}', '["location",false,"x"]', placeAsText({ ...AT, key: 'a\0' })])
    expect(() => placeOf(text, 'location')).toThrow();
  expect(() => placeOf(placeAsText({ ...AT, key: 'x' }), '-location')).toThrow();
});
