import { castToBillionths } from '#src/core/decimal.ts';
import { createCalculator } from '#src/cost/calculator.ts';
import { compareOffers } from '#src/cost/compare.ts';
import { loadWhatIfResult } from '#src/cost/home-what-if.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { loadUsageInsights } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { readImportedEnergy } from '#src/energy/usage/imports.ts';
import { PACKED_DAYS_TABLE } from '#src/rollups/levels.ts';
import { parseTariff } from '#src/tariffs/terms.ts';
import type { BenchmarkResult } from './answer.ts';
import { COST_RANGE_END, COST_RANGE_START, COST_RANGE_ZONE, createHomesWithTariffs } from './costs.ts';
import { computeQuantile, startBenchmarkDatabase } from './support.ts';

const QUERIES = 120;
/** Id of a home with import and export prices that change every quarter-hour. The costs of such a home take longest to compute. */
const USER_ID = 'usr_3';
/** Id of a home with a grid meter only. One SQL statement reads all rows of the home. */
const SIMPLE_USER_ID = 'usr_simple';
/** A month of 31 days: 2,976 quarter-hours. */
const MONTH = createDayRange('2025-05-01', '2025-05-31', 'UTC');
const NOW = new Date('2026-06-01');
const SERIES = { series_id: 'prs_bench' };
const OFFERS = [
  { import: { per_kwh: '0.31' } },
  { import: { periods: [{ per_kwh: '0.35', from: '06:00', to: '22:00' }, { per_kwh: '0.22' }] } },
  { import: { ...SERIES, multiply: '1.19', add: '0.15' }, export: SERIES },
].map((terms, index) =>
  parseTariff({
    tariff_id: '',
    user_id: USER_ID,
    name: `offer ${index}`,
    currency: 'EUR',
    valid_from: COST_RANGE_START,
    terms: { standing_per_day: '0.41', ...terms },
  }),
);
const billionths = (value: number) => castToBillionths(BigInt(value * 1e9));
const CHANGE = {
  battery: {
    capacityKwh: billionths(10),
    chargeKw: billionths(5),
    dischargeKw: billionths(5),
    roundTripEfficiency: billionths(0.9),
    initialKwh: billionths(0),
  },
  productionScale: billionths(1.5),
};

interface Times {
  p50_ms: number;
  p99_ms: number;
}

/**
 * Measures two ratios of durations. First: computing three tariffs and a battery over a year, compared with reading the year's daily rows.
 * Second: computing a month, compared with the SQL statement that reads it.
 */
export async function runBenchmark(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  const calculator = createCalculator();
  try {
    const { pool } = database;
    await createHomesWithTariffs(pool);
    await pool.query(
      `INSERT INTO users (user_id, email, role, timezone) VALUES ($1, 'simple@example.com', 'homeowner', 'UTC')`,
      [SIMPLE_USER_ID],
    );
    await pool.query(`UPDATE devices SET user_id = $1 WHERE device_id = 'dev_gridusr_2'`, [SIMPLE_USER_ID]);
    await pool.query(`UPDATE ${PACKED_DAYS_TABLE.relation} SET user_id = $1 WHERE device_id = 'dev_gridusr_2'`, [
      SIMPLE_USER_ID,
    ]);
    await pool.query('VACUUM ANALYZE');
    const db = createDatabase(pool);
    const asked = {
      userId: USER_ID,
      zone: COST_RANGE_ZONE,
      range: createDayRange(COST_RANGE_START, COST_RANGE_END, COST_RANGE_ZONE),
      now: NOW,
    };
    const run = <T>(work: (signal: AbortSignal) => Promise<T>) => calculator.run(USER_ID, work);
    const times = await alternate({
      year: () => loadUsageInsights(db, USER_ID, asked.range, 'day'),
      compare: () => run((signal) => compareOffers(db, calculator, { ...asked, offers: OFFERS }, signal)),
      what_if: () => run((signal) => loadWhatIfResult(db, calculator, { ...asked, change: CHANGE }, signal)),
      statement: () => statementOfQuarterHours(db),
      quarters: () => loadUsageInsights(db, SIMPLE_USER_ID, MONTH, 'quarter_hour'),
    });
    const ratio = (a: keyof typeof times, b: keyof typeof times) =>
      Math.round((100 * times[a].p50_ms) / times[b].p50_ms) / 100;
    const ratios = {
      compare_to_year: ratio('compare', 'year'),
      what_if_to_year: ratio('what_if', 'year'),
      quarters_to_statement: ratio('quarters', 'statement'),
    };
    const of = (name: keyof typeof times) => `p50 ${times[name].p50_ms} p99 ${times[name].p99_ms} ms`;
    const lines = [
      `a year by day                    ${of('year')}`,
      `three tariffs compared, a year   ${of('compare')}   ${ratios.compare_to_year} × the year by day`,
      `a battery and more panels        ${of('what_if')}   ${ratios.what_if_to_year} × the year by day`,
      `2,976 quarter-hours              ${of('quarters')}   ${ratios.quarters_to_statement} × their statement`,
    ];
    const [compare, whatIf] = [times.compare.p99_ms, times.what_if.p99_ms];
    return {
      lines,
      json: { times, ratios },
      goals: [
        {
          what: 'A comparison of three tariffs over a year, p99',
          measured: compare,
          unit: ' ms',
          goal: { atMost: 300 },
        },
        { what: 'A battery and more panels over a year, p99', measured: whatIf, unit: ' ms', goal: { atMost: 300 } },
        {
          what: '2,976 quarter-hours ÷ their statement',
          measured: ratios.quarters_to_statement,
          goal: { atMost: 1.5 },
        },
      ],
    };
  } finally {
    await calculator.close();
    await database.remove();
  }
}

/** Runs the statement that reads the quarter-hours of the month. Throws if the number of rows is not the number of quarter-hours. */
async function statementOfQuarterHours(db: Database): Promise<void> {
  const found = await readImportedEnergy(db, { userId: SIMPLE_USER_ID }, MONTH, 'quarter_hour');
  if (found?.at.length !== 2_976) throw new Error(`${found?.at.length} quarter-hours instead of 2,976`);
}

/** Runs the measured functions alternately. Returns the durations of each function, without the first tenth of its runs. */
async function alternate<Name extends string>(
  questions: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, Times>> {
  const names = Object.keys(questions) as Name[];
  const all = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let query = 0; query < QUERIES; query++)
    for (const name of names) {
      const fromMs = performance.now();
      await questions[name]();
      all.get(name)?.push(performance.now() - fromMs);
    }
  const at = (name: Name, share: number) =>
    Math.round(10 * computeQuantile((all.get(name) ?? []).slice(QUERIES / 10), share)) / 10;
  return Object.fromEntries(names.map((name) => [name, { p50_ms: at(name, 0.5), p99_ms: at(name, 0.99) }])) as Record<
    Name,
    Times
  >;
}
