import { expect, test } from 'vitest';
import { createLocalTimeParser } from './local-time-parser.ts';

const read = (zone: string, stamps: string[]) => {
  const at = createLocalTimeParser(zone);
  return stamps.map((stamp) => {
    const ms = at(stamp);
    return ms === null ? null : new Date(ms).toISOString().slice(11, 16);
  });
};

const NIGHT = ['01:30', '02:00', '02:30', '02:00', '02:30', '03:00'].map((time) => `2026-10-25T${time}`);

test('distinguishes the repeated hour by the order of the rows, in either direction', () => {
  const utc = ['23:30', '00:00', '00:30', '01:00', '01:30', '02:00'];
  expect(read('Europe/Berlin', NIGHT)).toEqual(utc);
  expect(read('Europe/Berlin', ['2026-10-25T04:00', ...NIGHT.toReversed()])).toEqual(['03:00', ...utc.toReversed()]);
});

test('takes a single row in the repeated hour as the first of the two hours', () => {
  expect(read('Europe/Berlin', ['2026-10-25T01:30', '2026-10-25T02:30', '2026-10-25T03:30'])).toEqual([
    '23:30',
    '00:30',
    '02:30',
  ]);
});

test('returns null for a local time that the clock change skipped', () => {
  expect(read('Europe/Berlin', ['2026-03-29T01:59:59', '2026-03-29T02:30', '2026-03-29T03:00:00.5'])).toEqual([
    '00:59',
    null,
    '01:00',
  ]);
});
