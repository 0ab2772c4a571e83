import { expect, test } from 'vitest';
import { parseLocalInputTime } from './create-edit.ts';

test.each([
  ['Europe/Berlin', '2026-07-01T12:30', '2026-07-01T10:30:00.000Z'],
  ['Europe/Berlin', '2026-01-01T00:00', '2025-12-31T23:00:00.000Z'],
  // This local time does not exist, because the clocks change from 2:00 to 3:00 on this day.
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  // This local time occurs twice, because the clocks are set back. The first occurrence counts.
  ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00:00.000Z'],
  ['America/New_York', '2026-11-01T01:15:20', '2026-11-01T05:15:20.000Z'],
  ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
  ['Asia/Kathmandu', '2026-06-01T05:45', '2026-06-01T00:00:00.000Z'],
  // Samoa (Pacific/Apia) moved across the date line and skipped this day.
  ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00:00.000Z'],
  ['UTC', '', ''],
  ['UTC', 'soon', ''],
])('for a clock change in %s, the form shows %s at %s', (zone, local, instant) => {
  expect(parseLocalInputTime(zone, local)).toBe(instant);
});
