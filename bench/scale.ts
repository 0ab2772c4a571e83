import { createDb } from '#src/database/connect.ts';
import { compressHistory } from '#src/database/history.ts';
import { insights } from '#src/energy/insights.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { settleRollups } from '#src/rollups/refresh.ts';
import type { Answer } from './run.ts';
import { median, quantile } from './support.ts';
import { onEveryTier, type TierDatabase } from './tier-databases.ts';

/** A home's year at a reading every five minutes. */
const READINGS_A_HOME = 105_120;
const SIZES = (process.argv.find((flag) => flag.startsWith('--sizes='))?.slice(8) ?? '1,10,100').split(',').map(Number);
const QUERIES = 500;
const ROUNDS = 5;
const YEAR = { start: '2025-10-01', end: '2026-09-30' };

/** p50 and p99 of a year's daily insight at 1, 10 and 100 million readings, on every tier: does the cost stay flat? */
export async function bench(): Promise<Answer> {
  const { results, missing } = await onEveryTier(measure, { alsoPlain: false });
  const lines = [
    `a year by day: p50 / p99 in ms at ${SIZES.join(', ')} million readings`,
    ...results.map(({ name, on, answer }) => {
      const cells = answer.map(({ p50_ms, p99_ms }) => `${p50_ms} / ${p99_ms}`.padStart(16));
      const p99s = answer.map(({ p99_ms }) => p99_ms);
      return `${`${name} on ${on}`.padEnd(32)}${cells.join('')}   largest / smallest p99 ${(Math.max(...p99s) / Math.min(...p99s)).toFixed(2)}`;
    }),
    ...missing,
  ];
  return { lines, json: { sizes_million: SIZES, results, missing } };
}

async function measure(database: TierDatabase) {
  const answers: { million: number; p50_ms: number; p99_ms: number }[] = [];
  let homes = 0;
  for (const million of SIZES) {
    const wanted = Math.ceil((million * 1e6) / READINGS_A_HOME);
    await addHomes(database, homes + 1, wanted);
    homes = wanted;
    answers.push({ million, ...(await ask(database, homes)) });
    process.stderr.write(`  ${million} million: ${JSON.stringify(answers.at(-1))}\n`);
  }
  return answers;
}

/** Straight into the tables: what is asked is what reading costs, not writing (that is bench ingest and tiers). */
async function addHomes({ pool, found }: TierDatabase, first: number, last: number): Promise<void> {
  const to = new Date(Date.parse(YEAR.end) + 86_400_000);
  await pool.query('SELECT make_room($1, $2)', [YEAR.start, YEAR.end]);
  for (let home = first; home <= last; home += 50) {
    const until = Math.min(last, home + 49);
    await pool.query(
      `INSERT INTO readings SELECT h, t, 0, extract(epoch FROM t)::bigint / 100 * 1000 + h
       FROM generate_series($1::int, $2::int) h, generate_series($3::timestamptz, $4::timestamptz - interval '1 s', interval '5 min') t`,
      [home, until, YEAR.start, to],
    );
    await pool.query(
      `INSERT INTO device_intervals SELECT 'dev_' || h, t, 'usr_' || h, 1000 * (1 + (h * 7 + extract(epoch FROM t)::bigint / 900) % 97), 0, 0, 3, 900000, 0
       FROM generate_series($1::int, $2::int) h, generate_series($3::timestamptz, $4::timestamptz - interval '1 s', interval '15 min') t`,
      [home, until, YEAR.start, to],
    );
  }
  if (found.capabilities.continuousAggregates) {
    // Computed as a first pass computes them; the border lies behind the year.
    await pool.query(`UPDATE rollup_progress SET materialised_to = '-infinity'`);
    await settleRollups(pool, new Date(to.getTime() + 10 * 86_400_000));
  } else {
    for (const relation of ['device_hourly', 'user_hourly', 'user_daily', 'user_monthly_by_hour']) {
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
  }
  await pool.query('VACUUM ANALYZE');
  await compressHistory(pool, new Date(), new Date());
}

async function ask({ pool }: TierDatabase, homes: number): Promise<{ p50_ms: number; p99_ms: number }> {
  const db = createDb(pool);
  const range = dayRange(YEAR.start, YEAR.end, 'UTC');
  const rounds: { p50: number; p99: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const times: number[] = [];
    for (let index = 0; index < QUERIES; index++) {
      const startedAt = performance.now();
      const rows = await insights(db, { userId: `usr_${1 + ((index * 37) % homes)}` }, range, 'day');
      if (rows.length !== 365) throw new Error(`a year has ${rows.length} days`);
      times.push(performance.now() - startedAt);
    }
    rounds.push({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) });
  }
  const of = (which: 'p50' | 'p99') => Math.round(100 * median(rounds.map((round) => round[which]))) / 100;
  return { p50_ms: of('p50'), p99_ms: of('p99') };
}
