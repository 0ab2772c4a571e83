import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { listBuckets } from './group/buckets.ts';
import { createDayRange } from './ranges.ts';

/** Days with clock changes, and the lengths in minutes of the hours that they shorten. */
const CUT: [zone: string, date: string, minutes: number[]][] = [
  ['Australia/Lord_Howe', '2026-04-05', [30]],
  ['Australia/Lord_Howe', '2026-10-04', [30]],
  ['Pacific/Chatham', '2026-04-05', [45, 15]],
  ['Pacific/Chatham', '2026-09-27', [45, 15]],
  ['Europe/Berlin', '2026-03-29', []],
  ['Europe/Berlin', '2026-10-25', []],
  ['America/Havana', '2026-03-08', []],
  ['Asia/Kathmandu', '2026-03-08', []],
];

describe('hours and shorter units of a day with a clock change', () => {
  test.each(CUT)('have their real lengths in %s on %s', (zone, date, minutes) => {
    const range = createDayRange(date, date, zone);
    const hours = listBuckets(range, 'hour');
    expect(hours.map(({ toMs }) => toMs)).toEqual([...hours.slice(1).map(({ fromMs }) => fromMs), range.to.getTime()]);
    expect(hours.map(({ fromMs, toMs }) => (toMs - fromMs) / 60_000).filter((length) => length !== 60)).toEqual(
      minutes,
    );
  });

  test.each(CUT)('begin at whole quarters of the clock in %s on %s', (zone, date, minutes) => {
    const range = createDayRange(date, date, zone);
    for (const [unit, length] of [
      ['half_hour', 30],
      ['quarter_hour', 15],
    ] as const) {
      const rows = listBuckets(range, unit);
      expect(rows.map(({ toMs }) => toMs)).toEqual([...rows.slice(1).map(({ fromMs }) => fromMs), range.to.getTime()]);
      const clock = rows.map(({ fromMs }) => DateTime.fromMillis(fromMs, { zone }).minute % length);
      // In the Chatham Islands, the clock changes at 02:45 and 03:45.
      const cut = unit === 'half_hour' && minutes.includes(45) ? 1 : 0;
      expect(clock.filter((minute) => minute !== 0)).toHaveLength(cut);
      expect(rows.filter(({ fromMs, toMs }) => toMs - fromMs !== length * 60_000)).toHaveLength(2 * cut);
    }
  });
});
