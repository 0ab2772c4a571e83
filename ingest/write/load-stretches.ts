import type { CountingVerdict, SeriesReadingWithVerdict } from '#ingest/normalise/counting-rule.ts';
import { findPendingEditStartMs, getPendingEditEndMs, isSeriesAffectedByEdit } from '#ingest/normalise/edits.ts';
import { hasContributingSeriesRole } from '#ingest/normalise/roles-by-time.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import type { PoolClient } from '#src/database/connect.ts';
import type { CollectedReadings, SeriesBatch } from './collect.ts';
import type { DeviceState, SeriesState } from './device-state.ts';
import type { DeviceHead, DeviceHeadWithPlan } from './head.ts';
import { planDeviceWrites } from './plan.ts';
import type { ReadingStretch, ReadingStretchRequest } from './stretch.ts';
import { findRangesWithOutdatedRoles } from './target-roles.ts';

interface Row {
  n: number;
  is_before: boolean;
  read_at: Date;
  interval_ms: number;
  value: number;
  verdict: CountingVerdict | null;
}

/** Formats a time for SQL, in which infinite times are `infinity` and `-infinity`. */
const timeBound = (ms: number) =>
  Number.isFinite(ms) ? new Date(ms).toISOString() : ms < 0 ? '-infinity' : 'infinity';

/**
 * Loads ranges of stored readings, in the order of `wanted`. Where retention has deleted readings, loads the few that it has kept
 * (`closed_readings`).
 */
async function loadStretches(client: PoolClient, wanted: readonly ReadingStretchRequest[]): Promise<ReadingStretch[]> {
  if (wanted.length === 0) return [];
  // Raw SQL: many batches run this prepared statement, which merges two tables.
  const { rows } = await client.query<Row>(
    `SELECT w.n::integer, p.is_before, p.read_at, p.interval_ms, p.value,
       (SELECT x.verdict FROM reading_notes x
        WHERE x.series_id = w.series_id AND x.read_at = p.read_at AND x.interval_ms = p.interval_ms) AS verdict
     FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::timestamptz[]) WITH ORDINALITY
       w (series_id, first_at, last_at, back, beyond, back_from, beyond_from, n)
     CROSS JOIN LATERAL (
       (SELECT true AS is_before, b.* FROM (
          (SELECT r.read_at, r.interval_ms, r.value FROM readings r
           WHERE r.series_id = w.series_id AND r.read_at < w.back_from
           ORDER BY r.read_at DESC, r.interval_ms DESC LIMIT w.back)
          UNION ALL
          (SELECT k.read_at, k.interval_ms, k.value FROM closed_readings k
           WHERE k.series_id = w.series_id AND k.read_at < w.back_from
           ORDER BY k.read_at DESC, k.interval_ms DESC LIMIT w.back)
          ORDER BY read_at DESC, interval_ms DESC LIMIT w.back) b)
       UNION ALL
       (SELECT true, r.read_at, r.interval_ms, r.value FROM readings r
        WHERE r.series_id = w.series_id AND r.read_at >= w.back_from AND r.read_at < w.first_at
        ORDER BY r.read_at DESC, r.interval_ms DESC LIMIT 1)
       UNION ALL
       (SELECT false, r.read_at, r.interval_ms, r.value FROM readings r
        WHERE r.series_id = w.series_id AND r.read_at >= w.first_at AND r.read_at <= w.last_at)
       UNION ALL
       (SELECT false, k.read_at, k.interval_ms, k.value FROM closed_readings k
        WHERE k.series_id = w.series_id AND k.read_at >= w.first_at AND k.read_at <= w.last_at)
       UNION ALL
       (SELECT false, b.* FROM (
          (SELECT r.read_at, r.interval_ms, r.value FROM readings r
           WHERE r.series_id = w.series_id AND r.read_at >= w.beyond_from ORDER BY r.read_at, r.interval_ms LIMIT w.beyond)
          UNION ALL
          (SELECT k.read_at, k.interval_ms, k.value FROM closed_readings k
           WHERE k.series_id = w.series_id AND k.read_at >= w.beyond_from ORDER BY k.read_at, k.interval_ms LIMIT w.beyond)
          ORDER BY read_at, interval_ms LIMIT w.beyond) b)
     ) p
     ORDER BY w.n, p.read_at, p.interval_ms`,
    [
      wanted.map((w) => w.seriesId),
      wanted.map((w) => timeBound(w.firstMs)),
      wanted.map((w) => timeBound(w.lastMs)),
      wanted.map((w) => w.back),
      wanted.map((w) => w.beyond),
      wanted.map((w) => timeBound(w.backFromMs ?? w.firstMs)),
      wanted.map((w) => timeBound(w.beyondFromMs ?? w.lastMs + 1)),
    ],
  );
  return stretchesOf(wanted, rows);
}

/** Groups the rows of the query by range. `n` in a row is the position of its range in `wanted`, from 1. */
function stretchesOf(wanted: readonly ReadingStretchRequest[], rows: readonly Row[]): ReadingStretch[] {
  const found = wanted.map(() => ({
    before: [] as SeriesReadingWithVerdict[],
    points: [] as SeriesReadingWithVerdict[],
  }));
  for (const { n, is_before, read_at, interval_ms, value, verdict } of rows) {
    const { before, points } = found[n - 1] as (typeof found)[number];
    (is_before ? before : points).push({ readAtMs: read_at.getTime(), intervalMs: interval_ms, value, verdict });
  }
  return found.map(({ before, points }, index) => {
    const { seriesId: _, ...bounds } = wanted[index] as ReadingStretchRequest;
    const { firstMs, lastMs, back, beyond, backFromMs = firstMs } = bounds;
    const earlier = before.filter(({ readAtMs }) => readAtMs < backFromMs).length;
    const found = points.filter(({ readAtMs }) => readAtMs > lastMs).length;
    const isFromStart = firstMs === Number.NEGATIVE_INFINITY || earlier < back;
    const isToEnd = lastMs === Number.POSITIVE_INFINITY || found < beyond;
    return { ...bounds, before, points, isFromStart, isToEnd };
  });
}

/** Approximate maximum number of a device's readings that one transaction recomputes. This takes one or two seconds. */
const MAX_READINGS = 100_000;
/**
 * Minimum number of readings per series in a chunk. Smaller chunks would be inefficient, because each chunk also loads readings before and
 * after it.
 */
const MIN_READINGS_OF_SERIES = 500;

/**
 * Returns the time (Unix ms, exclusive) up to which the next transaction applies changes of settings and edits. Infinity if it can apply
 * all of them.
 */
export async function findRecomputationEndMs(
  client: PoolClient,
  device: Pick<DeviceState, 'settings' | 'computedWith' | 'channelSettings' | 'edits'>,
  series: readonly SeriesState[],
  maxReadings = MAX_READINGS,
): Promise<number> {
  const { settings, computedWith, edits = [] } = device;
  const otherwise = computedWith && findRangeComputedWithOtherSettings(computedWith, settings);
  const open = edits.filter((edit) => findPendingEditStartMs(edit) !== null);
  const roles = findRangesWithOutdatedRoles(device, series);
  const about = series.flatMap((one) => {
    const { seriesId, channel, kind } = one;
    const isJudged = roles.has(one) || (otherwise !== null && hasContributingSeriesRole(one));
    return seriesId !== null && (isJudged || open.some((edit) => isSeriesAffectedByEdit(edit, channel, kind)))
      ? seriesId
      : [];
  });
  if (about.length === 0) return Number.POSITIVE_INFINITY;
  const times = [...roles.values(), ...(otherwise ? [otherwise] : [])];
  const fromMs = Math.min(
    ...open.map((edit) => findPendingEditStartMs(edit) as number),
    ...times.map((one) => one.fromMs),
  );
  const toMs = Math.max(...open.map(getPendingEditEndMs), ...times.map((one) => one.toMs));
  const ofEach = Math.max(Math.min(MIN_READINGS_OF_SERIES, maxReadings), Math.floor(maxReadings / about.length));
  // Raw SQL: message intake uses no typed queries.
  const { rows } = await client.query<{ ends_at: Date | null }>(
    `SELECT min(r.read_at) AS ends_at FROM unnest($1::bigint[]) s (series_id) CROSS JOIN LATERAL (
       SELECT read_at FROM readings WHERE series_id = s.series_id AND read_at >= $2 AND read_at < $3
       ORDER BY read_at OFFSET $4 LIMIT 1) r`,
    [about, timeBound(fromMs), timeBound(toMs), ofEach],
  );
  const endsAt = rows[0]?.ends_at;
  // A chunk must be at least 1 ms long, even if many intervals have the same end.
  return endsAt ? Math.max(endsAt.getTime(), fromMs + 1) : Number.POSITIVE_INFINITY;
}

interface Open {
  head: DeviceHead;
  arrived: ReadonlyMap<string, SeriesBatch>;
  stretches: Map<number, ReadingStretch[]>;
}

/**
 * Determines the changes that a batch makes to its devices. If stored readings are needed, loads them with one query for all devices, and
 * repeats this until nothing is missing.
 */
export async function loadReadingsAndPlanBatch(
  client: PoolClient,
  devices: ReadonlyMap<string, DeviceHead>,
  collected: CollectedReadings['series'],
): Promise<DeviceHeadWithPlan[]> {
  const plans: DeviceHeadWithPlan[] = [];
  let open: Open[] = [];
  for (const [deviceId, arrived] of collected) {
    const head = devices.get(deviceId);
    // Skips devices whose readings were all rejected and whose settings are unchanged.
    if (head && (arrived.size > 0 || head.computedWith !== null)) open.push({ head, arrived, stretches: new Map() });
  }
  while (open.length > 0) {
    const wanted: { of: Open; stretch: ReadingStretchRequest }[] = [];
    open = open.filter((of) => {
      const planned = planDeviceWrites(of.head, of.arrived, of.stretches);
      if ('wanted' in planned) for (const stretch of planned.wanted) wanted.push({ of, stretch });
      else plans.push({ head: of.head, plan: planned });
      return 'wanted' in planned;
    });
    const loaded = await loadStretches(
      client,
      wanted.map(({ stretch }) => stretch),
    );
    await allowTimeToPlan(client, loaded);
    for (const [index, { of, stretch }] of wanted.entries()) {
      const known = of.stretches.get(stretch.seriesId) ?? [];
      of.stretches.set(stretch.seriesId, [...known, loaded[index] as ReadingStretch]);
    }
  }
  return plans;
}

/** Number of loaded readings for which the idle timeout of the transaction is extended by one second. */
const READINGS_A_SECOND = 50_000;

/** Extends the idle timeout of the transaction, because it sends no statement while the loaded readings are recomputed. */
async function allowTimeToPlan(client: PoolClient, loaded: readonly ReadingStretch[]): Promise<void> {
  const readings = loaded.reduce((sum, { before, points }) => sum + before.length + points.length, 0);
  const seconds = Math.floor(readings / READINGS_A_SECOND);
  if (seconds === 0) return;
  // Raw SQL: sets the timeout for this transaction only.
  await client.query(
    `SELECT set_config(name, (setting::integer + 1000 * $1)::text, true) FROM pg_settings
     WHERE name = 'idle_in_transaction_session_timeout' AND setting <> '0'`,
    [seconds],
  );
}
