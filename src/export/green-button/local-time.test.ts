import { expect, test } from 'vitest';
import { computeLocalTimeParameters } from './local-time.ts';

test.each([
  // Rules as published. New York: second Sunday of March and first Sunday of November, at 2:00. Berlin: last Sundays of March and October,
  // at 2:00 and 3:00.
  ['America/New_York', { dstStartRule: '360E2000', dstEndRule: 'B40E2000', dstOffset: 3_600, tzOffset: -18_000 }],
  ['Europe/Berlin', { dstStartRule: '3E0E2000', dstEndRule: 'AE0E3000', dstOffset: 3_600, tzOffset: 3_600 }],
  ['Australia/Lord_Howe', { dstStartRule: 'A40E2000', dstEndRule: '440E2000', dstOffset: 1_800, tzOffset: 37_800 }],
  ['Asia/Kolkata', { dstStartRule: '00000000', dstEndRule: '00000000', dstOffset: 0, tzOffset: 19_800 }],
  ['UTC', { dstStartRule: '00000000', dstEndRule: '00000000', dstOffset: 0, tzOffset: 0 }],
  // Morocco's clock changes follow the lunar calendar (Ramadan).
  ['Africa/Casablanca', { dstStartRule: '00000000', dstEndRule: '00000000', dstOffset: 0 }],
])('returns the clock changes of %s', (zone, expected) => {
  expect(computeLocalTimeParameters(zone, '2026-03-01')).toMatchObject(expected);
});
