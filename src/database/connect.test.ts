import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import {
  createCachedStatement,
  createDatabaseOnConnection,
  parseBigintsWithNulls,
  parseTimestamp,
  TIMESTAMPTZ_TYPE_ID,
} from './connect.ts';

const driver = pg.types.getTypeParser(TIMESTAMPTZ_TYPE_ID) as (text: string) => Date;

test('parses a timestamp to the millisecond, however many decimals PostgreSQL prints', () => {
  const ms = fc.integer({ min: Date.parse('1000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') });
  fc.assert(
    fc.property(ms, fc.nat(999), (time, microseconds) => {
      const [date, clock] = new Date(time).toISOString().slice(0, -1).split('T') as [string, string];
      const decimals = `${clock.slice(8)}${String(microseconds).padStart(3, '0')}`.replace(/\.?0+$/, '');
      assert.equal(parseTimestamp(`${date} ${clock.slice(0, 8)}${decimals}+00`).getTime(), time);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  'infinity',
  '-infinity',
  '0099-02-03 04:05:06+00',
  '0001-01-01 00:00:00+00 BC',
  '12026-11-22 23:17:00+00',
  '2026-11-22 23:17:00+05:30',
  '2026-11-22 23:17:00.25-03',
  '2026-11-22 23:17:00.25+01',
])('parses %s as the driver does', (text) => {
  expect(parseTimestamp(text)).toEqual(driver(text));
});

test('a statement that is built once runs with the values of each call, and may have no other parameters', async () => {
  const seen: unknown[] = [];
  const query = async (statement: unknown) => {
    seen.push(statement);
    return { rows: [], rowCount: 0, command: 'SELECT' };
  };
  const db = createDatabaseOnConnection(Object.assign(Object.create(pg.Client.prototype), { query }));
  let builds = 0;
  const run = createCachedStatement((first: string, second: Date) => {
    builds++;
    return sql`SELECT ${second}, ${first}, ${second}`;
  });
  const [early, late] = [new Date(1), new Date(2)];
  await run(db, 'a', early);
  await run(db, 'b', late);
  const text = 'SELECT $1, $2, $3';
  expect(seen).toEqual([
    { text, values: [early, 'a', early] },
    { text, values: [late, 'b', late] },
  ]);
  expect(builds).toBe(1);
  expect(() => createCachedStatement((one: string) => sql`SELECT ${`${one}!`}`)(db, 'a')).toThrow(
    'exactly one of the values',
  );
  expect(() => createCachedStatement((one: string, two: string) => sql`SELECT ${one}, ${two}`)(db, 'a', 'a')).toThrow();
});

test('a list of bigints is parsed with its nulls; an integer that a number cannot represent is refused', () => {
  expect(parseBigintsWithNulls(null)).toEqual([]);
  expect(parseBigintsWithNulls('{}')).toEqual([]);
  expect(parseBigintsWithNulls('{0,NULL,-12,9007199254740991}')).toEqual([0, null, -12, Number.MAX_SAFE_INTEGER]);
  expect(() => parseBigintsWithNulls('{1,9007199254740993}')).toThrow(RangeError);
});
