import { createHash } from 'node:crypto';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/migrate.ts';
import { formatDayNumber } from '#src/remarks/calendar.ts';
import { findRemarksOfProfile } from '#src/remarks/decide.ts';
import { loadHomeRemarks } from '#src/remarks/home-remarks.ts';
import { loadMonthForecast } from '#src/remarks/month-forecast.ts';
import { QUARTER_HOURS_PER_DAY, type QuarterHourWatts } from '#src/remarks/profile.ts';
import { PACKED_DAYS_TABLE } from '#src/rollups/levels.ts';
import type { BenchmarkResult } from './answer.ts';
import { type MeasuredHome, type RegisterReadings, readHomes, USAGE_COLUMN_FACTORS } from './forecast/homes.ts';
import { computeQuantile, startBenchmarkDatabase } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A quarter-hour is usable if the gap between its register readings is at most this long, in ms. */
const MAX_GAP_MS = 2 * HOUR_MS;
const SEEN_DAYS = 70;
const APART_DAYS = 3;
const HOURS_OF_A_DAY = 24;

const YEARS = 3;
const PLUGS = 8;
const HOMES = 10;
const ROUNDS = 12;
const END = new Date('2026-01-01T00:00:00Z');

/**
 * With files in the formats of the benchmark `forecast`, lists the remarks (notices about unusual usage) that these real homes would have
 * received. Without files, measures the time to compute a home's remarks and forecast.
 */
export async function runBenchmark(files: readonly string[] = []): Promise<BenchmarkResult> {
  return files.length > 0 ? listRealRemarks(files.flatMap(readHomes)) : time();
}

function listRealRemarks(homes: readonly MeasuredHome[]): BenchmarkResult {
  const rows = homes.flatMap((home) => {
    const seen = seenOf(home);
    return seen ? [rowOf(home, seen)] : [];
  });
  const lines = rows.flatMap(({ name, months, messages }) => [
    '',
    `${name}: ${messages.length} messages in ${months.toFixed(1)} months`,
    ...messages.map((one) => `  ${one}`),
  ]);
  const months = rows.reduce((sum, one) => sum + one.months, 0);
  const messages = rows.reduce((sum, one) => sum + one.messages.length, 0);
  const perMonth = Math.round((100 * messages) / months) / 100;
  return {
    lines,
    json: { homes: rows },
    goals: [{ what: 'Remarks a month and home', measured: perMonth, goal: null }],
  };
}

interface Seen {
  fromMs: number;
  used: QuarterHourWatts;
  production: QuarterHourWatts | null;
  devices: { deviceId: string; used: QuarterHourWatts }[];
}

function rowOf({ name, used: daily }: MeasuredHome, seen: Seen) {
  const messages: string[] = [];
  const lastDay = new Map<string, number>();
  const first = Math.ceil((daily.firstDay * DAY_MS - seen.fromMs) / QUARTER_HOUR_MS) + 35 * QUARTER_HOURS_PER_DAY;
  // The hour of the daily check is derived from the home's name, so that homes are checked at different hours.
  const hour = (createHash('sha256').update(name).digest()[0] ?? 0) % HOURS_OF_A_DAY;
  for (let at = first + hour * 4; at < seen.used.length; at += QUARTER_HOURS_PER_DAY) {
    const from = Math.max(0, at - SEEN_DAYS * QUARTER_HOURS_PER_DAY);
    const cut = (watts: QuarterHourWatts) => watts.subarray(from, at);
    const today = Math.floor((seen.fromMs + at * QUARTER_HOUR_MS) / DAY_MS);
    const remarks = findRemarksOfProfile({
      fromMs: seen.fromMs + from * QUARTER_HOUR_MS,
      used: cut(seen.used),
      production: seen.production && cut(seen.production),
      devices: seen.devices.map(({ deviceId, used }) => ({ deviceId, used: cut(used) })),
      daily: { firstDay: daily.firstDay, kwh: daily.kwh.slice(0, Math.max(0, today - daily.firstDay)) },
      today,
    });
    for (const remark of remarks) {
      const key = remark.kind === 'device_uses_more' ? `${remark.kind} ${remark.deviceId}` : remark.kind;
      const before = lastDay.get(key);
      lastDay.set(key, today);
      if (before === undefined || today - before > APART_DAYS)
        messages.push(`${formatDayNumber(today)} ${key} ${JSON.stringify(remark, leavingOut)}`);
    }
  }
  return { name, months: ((seen.used.length - first) / QUARTER_HOURS_PER_DAY / 365) * 12, messages };
}

const leavingOut = (key: string, value: unknown) => {
  if (key === 'compared' || key === 'kind' || key.endsWith('Ms')) return undefined;
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
};

/** Returns the quarter-hours of a home, interpolated linearly between register readings; null if the home has only daily values. */
function seenOf({ registers }: MeasuredHome): Seen | null {
  const known = [...registers].filter(([name]) => USAGE_COLUMN_FACTORS.some(([pattern]) => pattern.test(name)));
  if (known.length === 0) return null;
  const starts = known.map(([, register]) => Math.min(...register.map(([ms]) => ms)));
  const ends = known.map(([, register]) => register.reduce((last, [ms]) => Math.max(last, ms), 0));
  const fromMs = Math.ceil(Math.max(...starts) / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const count = Math.floor((Math.min(...ends) - fromMs) / QUARTER_HOUR_MS);
  const sum = (wanted: (name: string) => number | undefined): QuarterHourWatts | null => {
    const found = [...registers].flatMap(([name, register]) => {
      const sign = wanted(name);
      return sign === undefined ? [] : [{ sign, watts: wattsOf(register, fromMs, count) }];
    });
    if (found.length === 0) return null;
    return new Float64Array(count).map((_, at) =>
      found.reduce((all, { sign, watts }) => all + sign * (watts[at] as number), 0),
    );
  };
  const signOf = (name: string) => USAGE_COLUMN_FACTORS.find(([pattern]) => pattern.test(name))?.[1];
  const used = sum(signOf) as QuarterHourWatts;
  return {
    fromMs,
    used: used.map((watts) => (watts < 0 ? 0 : watts)),
    production: sum((name) => (/^(solar|pv)$/.test(name) ? 1 : undefined)),
    devices: [...registers.keys()]
      .filter((name) => signOf(name) === undefined && !name.startsWith('derived'))
      .map((name) => ({ deviceId: name, used: sum((one) => (one === name ? 1 : undefined)) as QuarterHourWatts })),
  };
}

function wattsOf(register: RegisterReadings, fromMs: number, count: number): QuarterHourWatts {
  const watts = new Float64Array(count).fill(Number.NaN);
  const sorted = register.toSorted(([a], [b]) => a - b);
  for (const [index, [toMs, kwh]] of sorted.entries()) {
    const [beforeMs, before] = sorted[index - 1] ?? [toMs, kwh];
    if (toMs <= beforeMs || toMs - beforeMs > MAX_GAP_MS || kwh < before) continue;
    const mean = ((kwh - before) * 3.6e9) / (toMs - beforeMs);
    const first = Math.max(0, Math.ceil((beforeMs - fromMs) / QUARTER_HOUR_MS));
    const end = Math.min(count, Math.ceil((toMs - fromMs) / QUARTER_HOUR_MS));
    watts.fill(mean, first, Math.max(first, end));
  }
  return watts;
}

/** Measures the times for homes with random quarter-hours, which are packed like the days of past years. */
async function time(): Promise<BenchmarkResult> {
  const database = await startBenchmarkDatabase();
  try {
    const { pool } = database;
    const from = new Date(END.getTime() - YEARS * 365 * DAY_MS);
    await ensurePartitions(pool, { from, to: END });
    await pool.query(
      `INSERT INTO users (user_id, email, role, timezone) SELECT 'usr_' || u, u || '@example.com', 'homeowner', 'Europe/Berlin' FROM generate_series(1, $1::int) u`,
      [HOMES],
    );
    await pool.query(
      `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256, placement)
       SELECT 'dev_' || n || user_id, user_id, 'meter', 'bench', '', CASE n WHEN 1 THEN 'grid' WHEN 2 THEN 'production' ELSE 'consumption' END
       FROM users, generate_series(1, $1::int) n`,
      [PLUGS + 2],
    );
    await pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export)
       SELECT device_id, c, 'register', c = 'import', c = 'export' FROM devices, unnest('{import,export}'::text[]) c
       WHERE c = 'import' OR placement <> 'consumption'`,
    );
    const quarters = `(SELECT array_agg((random() * 4e5)::int) FROM generate_series(1, 96) WHERE d.day IS NOT NULL AND device_id IS NOT NULL)`;
    await pool.query(
      `INSERT INTO ${PACKED_DAYS_TABLE.relation} (device_id, day, user_id, energy_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms)
       SELECT device_id, d.day, user_id, ${quarters}, CASE placement WHEN 'consumption' THEN NULL ELSE ${quarters} END, '{1}', '{900000}',
         CASE placement WHEN 'consumption' THEN NULL ELSE '{900000}'::int[] END
       FROM devices, generate_series($1::timestamptz, $2::timestamptz - interval '1 day', interval '1 day') d (day)`,
      [from, END],
    );
    await pool.query('VACUUM ANALYZE');
    const db = createDatabase(pool);
    const asked = (turn: number) => ({
      userId: `usr_${(turn % HOMES) + 1}`,
      zone: 'Europe/Berlin',
      // Each turn has a different current time, in minutes, so that no result comes from a cache.
      now: new Date(END.getTime() + (1 + Math.floor(turn / HOMES)) * 60_000),
    });
    const measure = async (ask: (turn: number) => Promise<unknown>): Promise<number[]> => {
      const times: number[] = [];
      for (let turn = 0; turn < HOMES * ROUNDS; turn++) {
        const startedAt = performance.now();
        await ask(turn);
        times.push(performance.now() - startedAt);
      }
      return times;
    };
    // The results of the first calls are not measured, because the code is compiled during these calls.
    const remarks = (await measure((turn) => loadHomeRemarks(db, asked(turn)))).slice(HOMES);
    const forecast = (await measure((turn) => loadMonthForecast(db, asked(turn)))).slice(HOMES);
    const again = await measure((turn) => loadMonthForecast(db, asked(turn)));
    const shown = (times: number[]) =>
      `p50 ${computeQuantile(times, 0.5).toFixed(1)} ms, p99 ${computeQuantile(times, 0.99).toFixed(1)} ms`;
    return {
      lines: [
        `${YEARS} years × ${PLUGS + 2} devices: what is worth knowing ${shown(remarks)}`,
        `the forecast ${shown(forecast)}, again within a minute ${shown(again)}`,
      ],
      json: { remarks, forecast, again },
      goals: [
        {
          what: "A home's remarks, p99",
          measured: Math.round(computeQuantile(remarks, 0.99)),
          unit: ' ms',
          goal: null,
        },
      ],
    };
  } finally {
    await database.remove();
  }
}
