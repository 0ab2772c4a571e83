import { createDatabase } from '#src/database/connect.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import type { BenchmarkResult } from './answer.ts';
import { insertHistory, READINGS_PER_HOME_YEAR } from './history.ts';
import { computeMedian, computeQuantile } from './support.ts';
import { runOnEveryTier, type TierDatabase } from './tier-databases.ts';

const SIZES = (process.argv.find((flag) => flag.startsWith('--sizes='))?.slice(8) ?? '1,10,100').split(',').map(Number);
const QUERIES = 500;
const ROUNDS = 5;
const YEAR = { start: '2025-10-01', end: '2026-09-30' };

/**
 * Measures p50 and p99 of a request for a year's daily insights with 1, 10 and 100 million stored readings, on every database tier (kind of
 * database server).
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const { results, missing } = await runOnEveryTier(measure, { alsoPlain: false });
  const lines = [
    `a year by day: p50 / p99 in ms at ${SIZES.join(', ')} million readings`,
    ...results.map(({ name, on, answer }) => {
      const cells = answer.map(({ p50_ms, p99_ms }) => `${p50_ms} / ${p99_ms}`.padStart(16));
      const p99s = answer.map(({ p99_ms }) => p99_ms);
      return `${`${name} on ${on}`.padEnd(32)}${cells.join('')}   largest / smallest p99 ${(Math.max(...p99s) / Math.min(...p99s)).toFixed(2)}`;
    }),
    ...missing,
  ];
  return {
    lines,
    json: { sizes_million: SIZES, results, missing },
    goals: results.map(({ name, on, answer }) => {
      const p99s = answer.map(({ p99_ms }) => p99_ms);
      const measured = Math.round((100 * Math.max(...p99s)) / Math.min(...p99s)) / 100;
      return { what: `Largest ÷ smallest p99 of the sizes, ${name} on ${on}`, measured, goal: null };
    }),
  };
}

async function measure(database: TierDatabase) {
  const answers: { million: number; p50_ms: number; p99_ms: number }[] = [];
  let homes = 0;
  for (const million of SIZES) {
    const wanted = Math.ceil((million * 1e6) / READINGS_PER_HOME_YEAR);
    await insertHistory(database, YEAR, homes + 1, wanted);
    homes = wanted;
    answers.push({ million, ...(await ask(database, homes)) });
    process.stderr.write(`  ${million} million: ${JSON.stringify(answers.at(-1))}\n`);
  }
  return answers;
}

async function ask({ pool }: TierDatabase, homes: number): Promise<{ p50_ms: number; p99_ms: number }> {
  const db = createDatabase(pool);
  const range = createDayRange(YEAR.start, YEAR.end, 'UTC');
  const rounds: { p50: number; p99: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const times: number[] = [];
    for (let index = 0; index < QUERIES; index++) {
      const startedAt = performance.now();
      const rows = await loadUsageInsights(db, `usr_${1 + ((index * 37) % homes)}`, range, 'day');
      if (rows.length !== 365) throw new Error(`a year has ${rows.length} days`);
      times.push(performance.now() - startedAt);
    }
    rounds.push({ p50: computeQuantile(times, 0.5), p99: computeQuantile(times, 0.99) });
  }
  const of = (which: 'p50' | 'p99') => Math.round(100 * computeMedian(rounds.map((round) => round[which]))) / 100;
  return { p50_ms: of('p50'), p99_ms: of('p99') };
}
