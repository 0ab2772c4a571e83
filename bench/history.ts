import { compressOldChunks } from '#src/database/migrate.ts';
import {
  COLUMN_BY_MEASURE,
  getQuarterHourColumn,
  MEASURE_COLUMNS,
  type Measure,
  QUARTER_HOURS_WITH_OWN_COLUMN,
} from '#src/rollups/levels.ts';
import { packHoursIntoDays } from '#src/rollups/pack.ts';
import { refreshUntilComplete } from '#src/rollups/refresh.ts';
import type { TierDatabase } from './tier-databases.ts';

/** Number of readings of a home in a year, one every five minutes. */
export const READINGS_PER_HOME_YEAR = 105_120;

const later = (measure: Measure) =>
  QUARTER_HOURS_WITH_OWN_COLUMN.map((quarter) => getQuarterHourColumn(COLUMN_BY_MEASURE[measure], quarter)).join(', ');
/** SQL lists of the columns for quarter-hours 2 to 4 of an hour. There is a list for each measure that has data. */
const LATER = { energy: later('energyMilliwattHours'), count: later('readingCount'), covered: later('coveredMs') };

/** First and last day of a year of data, as ISO dates in UTC. */
interface HistoryDateRange {
  start: string;
  end: string;
}

/** Adds a year of readings, load profile and aggregates for the homes numbered `first` to `last`, directly into the tables. */
export async function insertHistory(
  { pool, found }: Pick<TierDatabase, 'pool' | 'found'>,
  year: HistoryDateRange,
  first: number,
  last: number,
): Promise<void> {
  const to = new Date(Date.parse(year.end) + 86_400_000);
  await pool.query('SELECT make_room($1, $2)', [year.start, year.end]);
  for (let home = first; home <= last; home += 50) {
    const until = Math.min(last, home + 49);
    await pool.query(
      `INSERT INTO readings SELECT h, t, 0, extract(epoch FROM t)::bigint / 100 * 1000 + h
       FROM generate_series($1::int, $2::int) h, generate_series($3::timestamptz, $4::timestamptz - interval '1 s', interval '5 min') t`,
      [home, until, year.start, to],
    );
    await pool.query(
      `INSERT INTO device_hours (device_id, user_id, starts_at, ${MEASURE_COLUMNS.join(', ')}, ${LATER.energy}, ${LATER.count}, ${LATER.covered})
       SELECT 'dev_' || h, 'usr_' || h, t, q[1] + q[2] + q[3] + q[4], 0, 0, 12, 3600000, 0, q[2], q[3], q[4], 3, 3, 3, 900000, 900000, 900000
       FROM generate_series($1::int, $2::int) h, generate_series($3::timestamptz, $4::timestamptz - interval '1 s', interval '1 h') t,
         LATERAL (SELECT array_agg(1000 * (1 + (h * 7 + extract(epoch FROM t)::bigint / 900 + place) % 97) ORDER BY place) AS q FROM generate_series(0, 3) place) quarters`,
      [home, until, year.start, to],
    );
  }
  if (found.capabilities.continuousAggregates) {
    // Computes all aggregates from the beginning, and marks the time up to the end of the year as computed.
    await pool.query(`UPDATE rollup_progress SET materialised_to = '-infinity'`);
    await refreshUntilComplete(pool, new Date(to.getTime() + 10 * 86_400_000));
  } else {
    for (const relation of ['closed_user_hourly', 'closed_user_daily', 'closed_user_monthly_by_hour']) {
      const { rows } = await pool.query(
        `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
        [relation],
      );
      const whose = Array.from({ length: last - first + 1 }, (_, index) => `usr_${first + index}`);
      await pool.query(
        `INSERT INTO ${relation} (${rows[0].columns}) SELECT ${rows[0].columns} FROM ${relation}_expected WHERE user_id = ANY ($1)`,
        [whose],
      );
    }
    if (!found.capabilities.compression)
      await packHoursIntoDays(pool, new Date(to.getTime() + 10 * 86_400_000), { rest: 0 });
  }
  await pool.query('VACUUM ANALYZE');
  await compressOldChunks(pool, new Date(), new Date());
}
