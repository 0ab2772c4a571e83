import { type RawBuilder, sql } from 'kysely';
import { COLUMN, LOAD_PROFILE } from '#src/rollups/levels.ts';
import { partsWithin } from '#src/rollups/parts.ts';
import { hourlyOf, ownerOf, type Whose } from './consumption.ts';

/** Months of a zone that follow upon each other. */
export interface Months {
  /** YYYY-MM, in order. */
  names: string[];
  /** Where each begins. */
  starts: Date[];
  /** Where the last one ends. */
  end: Date;
}

const ENERGY = sql.ref(COLUMN.energyMilliwattHours);
const ESTIMATED = sql.ref(COLUMN.estimatedMilliwattHours);
const COVERED = sql.ref(COLUMN.coveredMs);
const READ = [COLUMN.energyMilliwattHours, COLUMN.estimatedMilliwattHours, COLUMN.coveredMs];

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
const DAY_MS = 24 * HOUR_MS;

/**
 * Totals of months about which something is known, in SQL: from UTC hours, and from quarter-hours where a month begins amid
 * one. A year of a half-hour zone is so made of a twentieth of the rows that its clock hours take, and none needs a calendar.
 * Columns: name, milliwattHours, estimated_milliwatt_hours.
 */
export function wholeMonths(whose: Whose, { names, starts, end }: Months): RawBuilder<unknown> {
  const owner = ownerOf(whose);
  const cut = [...starts, end].map((time) => time.getTime()).filter((ms) => ms % HOUR_MS !== 0);
  const cutHours = cut.map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS);
  const quarters = cutHours.flatMap((ms) => [0, 1, 2, 3].map((place) => new Date(ms + place * QUARTER_MS)));
  const range = { from: starts[0] ?? end, to: end };
  // Of a whole year one row a month: the packed days and stored hours (or quarter-hours) that these lie in.
  const rows = [...quarters, ...cutHours.map((ms) => new Date(Math.floor(ms / DAY_MS) * DAY_MS))];
  // Raw SQL: the hot path of long ranges; which relations are read is decided per question.
  const amid = sql`UNION ALL SELECT starts_at, ${ENERGY}, ${ESTIMATED}, ${COVERED}
    FROM ${partsWithin(LOAD_PROFILE, owner, range, READ, rows)} q WHERE starts_at = ANY (${quarters}::timestamptz[])`;
  return sql`
    SELECT (${names}::text[])[width_bucket(at, ${starts}::timestamptz[])] AS name,
      sum(${ENERGY}) AS "milliwattHours", sum(${ESTIMATED}) AS estimated_milliwatt_hours
    FROM (
      SELECT hour AS at, ${ENERGY}, ${ESTIMATED}, ${COVERED} FROM ${partsWithin(hourlyOf(whose), owner, range, READ)} h
      WHERE hour <> ALL (${cutHours.map((ms) => new Date(ms))}::timestamptz[])
      ${cut.length === 0 ? sql`` : amid}
    ) pieces GROUP BY 1 HAVING sum(${COVERED}) > 0`;
}
