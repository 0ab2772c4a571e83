import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { listOffsets, localTimeSql, startOfSubDayUnitSql } from '#src/energy/local-time.ts';
import { type DayRange, isTimeZone, SUB_DAY_UNIT_MINUTES, type SubDayUnit } from '#src/energy/ranges.ts';
import { createWallClock, getStartOfSubDayUnit } from '#src/energy/wall-clock.ts';
import { listSourceFiles } from '#test/contract/imports.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

/**
 * Zones and ranges with unusual clock changes: by half or quarter hours, across midnight, with a skipped day, or with rules that differ
 * each year.
 */
const STRANGE: [string, string, string][] = [
  ['UTC', '2026-01-01', '2026-02-01'],
  ['Europe/Berlin', '2026-03-01', '2026-11-01'],
  ['GMT', '2026-03-01', '2026-04-01'],
  ['Japan', '2026-03-01', '2026-04-01'],
  ['Africa/Casablanca', '2026-01-01', '2026-12-31'],
  ['Africa/Casablanca', '2034-01-01', '2036-12-31'],
  ['Africa/Cairo', '2010-07-01', '2010-10-31'],
  ['Australia/Lord_Howe', '2026-03-01', '2026-11-01'],
  ['Asia/Kathmandu', '1985-12-01', '1986-02-01'],
  ['America/Caracas', '2007-11-01', '2016-06-01'],
  ['Pacific/Apia', '2011-12-01', '2012-05-01'],
  ['America/Havana', '2026-03-01', '2026-12-01'],
  ['Antarctica/Troll', '2026-03-01', '2026-11-01'],
  ['America/St_Johns', '1987-10-01', '2011-11-30'],
  ['Africa/Monrovia', '1971-12-01', '1972-02-01'],
];
const rangeOf = ([zone, start, end]: [string, string, string]): DayRange => ({
  zone,
  start,
  end,
  from: DateTime.fromISO(start, { zone }).toJSDate(),
  to: DateTime.fromISO(end, { zone }).toJSDate(),
});

/** Returns instants in a range: many near each change of the zone's offset, and some on every day. */
function instantsOf(range: DayRange): Date[] {
  const near = listOffsets(range)
    .slice(1)
    .flatMap(({ atMs }) => Array.from({ length: 48 }, (_, index) => atMs + (index - 24) * 300_000));
  const stepMs = Math.max(3_600_000 * 5, (range.to.getTime() - range.from.getTime()) / 2_000);
  const all = [...near];
  for (let ms = range.from.getTime(); ms < range.to.getTime(); ms += stepMs) all.push(Math.round(ms / 1_000) * 1_000);
  return all.filter((ms) => ms >= range.from.getTime() && ms < range.to.getTime()).map((ms) => new Date(ms));
}

test.each(STRANGE)('local times of %s from %s to %s equal Node’s, as text and by the hour', async (...of) => {
  const range = rangeOf(of);
  const instants = instantsOf(range);
  const { rows } = await sql<{ at: Date; local: string; hour: Date }>`
    SELECT at, to_char(${localTimeSql(sql`at`, range)}, 'YYYY-MM-DD HH24:MI:SS') AS local, ${startOfSubDayUnitSql(sql`at`, range)} AS hour
    FROM unnest(${instants}::timestamptz[]) at`.execute(db);
  expect(rows.length).toBe(instants.length);
  const wrong = rows.filter(({ at, local, hour }) => {
    const mine = DateTime.fromJSDate(at, { zone: range.zone });
    const begun = DateTime.fromJSDate(hour, { zone: range.zone });
    const isIn = begun.toFormat('yyyy-MM-dd HH') === mine.toFormat('yyyy-MM-dd HH') && hour <= at;
    // A local hour must begin at minute 0, or at a clock change.
    const before = begun.minus({ milliseconds: 1 });
    const begins = begun.minute === 0 || before.offset !== begun.offset;
    return local !== mine.toFormat('yyyy-MM-dd HH:mm:ss') || !isIn || !begins;
  });
  expect(wrong.slice(0, 3)).toEqual([]);
});

test.each(STRANGE)(
  'quarter-hours of %s from %s to %s are in the same hour and shorter unit in SQL and in the process',
  async (...of) => {
    const range = rangeOf(of);
    const quarters = [...new Set(instantsOf(range).map((at) => Math.ceil(at.getTime() / 900_000) * 900_000))].filter(
      (ms) => ms < range.to.getTime(),
    );
    const ordered = quarters.toSorted((a, b) => a - b);
    const clockOf = createWallClock(range.from.getTime(), range.to.getTime(), range.zone);
    const clocks = ordered.map((ms) => clockOf(ms));
    for (const unit of Object.keys(SUB_DAY_UNIT_MINUTES) as SubDayUnit[]) {
      const { rows } = await sql<{ start: Date }>`
      SELECT ${startOfSubDayUnitSql(sql`at`, range, unit)} AS start FROM unnest(${ordered.map((ms) => new Date(ms))}::timestamptz[]) at ORDER BY at`.execute(
        db,
      );
      const mine = ordered.map((ms, index) => getStartOfSubDayUnit(ms, clocks[index] as (typeof clocks)[number], unit));
      expect(rows.map(({ start }) => start.getTime())).toEqual(mine);
      // Each period (hour, half-hour or quarter-hour) must begin at a multiple of its length, or at a clock change.
      const begins = mine.filter((ms) => {
        const begun = DateTime.fromMillis(ms, { zone: range.zone });
        return begun.minute % SUB_DAY_UNIT_MINUTES[unit] !== 0 && begun.minus(1).offset === begun.offset;
      });
      expect(begins).toEqual([]);
    }
  },
);

test('offset changes are found to the millisecond', () => {
  const changes = (zone: string, start: string, end: string) =>
    listOffsets(rangeOf([zone, start, end]))
      .slice(1)
      .map(({ atMs }) => new Date(atMs).toISOString());
  expect(changes('Europe/Berlin', '2026-01-01', '2026-12-31')).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-10-25T01:00:00.000Z',
  ]);
  expect(changes('Pacific/Apia', '2011-12-01', '2012-01-31')).toEqual(['2011-12-30T10:00:00.000Z']);
  expect(changes('Asia/Tokyo', '1970-01-01', '2026-12-31')).toEqual([]);
  // Even for a range of thousands of years, the clock changes must be computed within the time limit.
  const startedAt = performance.now();
  expect(changes('America/New_York', '1970-01-01', '9999-12-31').length).toBeGreaterThan(250);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});

test('exactly the names of the IANA database, including links, are valid zones', async () => {
  const { rows } = await database.pool.query('SELECT name FROM pg_timezone_names');
  const names: string[] = rows.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(400);
  // Matches names in PostgreSQL's list that are files, not time zones.
  const files = /^(posix|right)\/|^(Factory|localtime|posixrules)$/;
  expect(names.filter((name) => !files.test(name) && !isTimeZone(name))).toEqual([]);
  for (const name of ['GMT', 'Japan', 'EST5EDT', 'Etc/GMT+12', 'America/Argentina/Buenos_Aires', 'US/Pacific'])
    expect({ name, is: isTimeZone(name) }).toEqual({ name, is: true });
  const none = [
    'JST',
    'IST',
    'PST',
    'CEST',
    '+02:00',
    'UTC+2',
    'local',
    'system',
    'Factory',
    'SystemV/PST8',
    'Etc/Unknown',
  ];
  for (const name of [...none, '', ' UTC', 'Europe/Nowhere', 'Europe/Berlin\0', '../etc/localtime', 'posix/UTC'])
    expect({ name, is: isTimeZone(name) }).toEqual({ name, is: false });
});

test('no statement uses the database server’s zones except UTC', () => {
  const zoneFiles = listSourceFiles(['src', 'ingest']).filter((file) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    return /AT TIME ZONE (?!'UTC')|date_trunc\('?[^()]*,[^()]*,\s*\$\{/.test(source);
  });
  expect(zoneFiles).toEqual([]);
});
