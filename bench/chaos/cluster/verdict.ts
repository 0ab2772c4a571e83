import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Pool } from '#src/database/connect.ts';
import { computeReferenceConsumption, getStartOfHour as hourOf } from '../../../test/reference/consumption.ts';
import {
  type ChaosRunDifference,
  type ChaosRunRecords,
  compareChaosRunRecords,
  type DeliveryAttemptRecord,
  DIFFERENCE_KINDS,
  listDeliveryRetries,
} from './compare.ts';
import type { PublishingHome } from './homes.ts';
import { ALERT_THRESHOLD_MILLIWATT_HOURS } from './homes.ts';
import { type Cluster, WEBHOOK_SECRET } from './installation.ts';

/** Final state of a run, compared with the acknowledged readings. */
export interface FinalStateVerdict {
  acknowledged: number;
  stored: number;
  alerts: number;
  /** Number of differences of each kind; each must be 0. */
  faults: Record<keyof typeof DIFFERENCE_KINDS, number>;
  differences: ChaosRunDifference[];
  /** One line for each delivery attempt that failed and was repeated. Such attempts are no error, but a sign of a slow machine. */
  retries: string[];
}

/**
 * Waits until no more webhook calls are expected, and then compares the stored state with the acknowledged readings. `pools`: databases of
 * the homes. `cutOff`: periods in which deliveries may have been interrupted. `withinMs`: maximum time to wait.
 */
export async function compareFinalState(
  { pools, receiver }: { pools: readonly Pool[]; receiver: Cluster['receiver'] },
  homes: readonly PublishingHome[],
  { cutOff, withinMs }: { cutOff: ChaosRunRecords['cutOff']; withinMs: number },
): Promise<FinalStateVerdict> {
  const untilMs = Date.now() + withinMs;
  const published = new Set(homes.flatMap(({ readings }) => readings.map(lineOf)));
  const acknowledged = homes.flatMap(({ readings, publisher }) =>
    [...publisher.acknowledged.keys()].flatMap((index) => readings.slice(index, index + 1).map(lineOf)),
  );
  const ask = async (text: string, values: unknown[] = []) =>
    (await Promise.all(pools.map((pool) => pool.query(text, values)))).flatMap(({ rows }) => rows);
  let lines: string[];
  let stored: Set<string>;
  do {
    lines = await storedLines(ask);
    stored = new Set(lines);
  } while (acknowledged.some((line) => !stored.has(line)) && Date.now() < untilMs && (await pause(500, true)));

  const expectedHours = new Map<string, number>();
  const reportedHours = new Map<string, number>();
  for (const home of homes) {
    const name = (ms: number) => `${home.userId} ${new Date(ms).toISOString()}`;
    for (const [ms, energy] of await hoursOf(ask, home, stored)) expectedHours.set(name(ms), energy);
    const rows = await ask(
      'SELECT (extract(epoch FROM hour) * 1000)::bigint AS ms, energy_milliwatt_hours AS energy FROM user_hourly WHERE user_id = $1',
      [home.userId],
    );
    // The hours of all databases are added up, so that the comparison detects an account that is in two databases.
    for (const { ms, energy } of rows) {
      const hour = name(Number(ms));
      reportedHours.set(hour, (reportedHours.get(hour) ?? 0) + Number(energy));
    }
  }
  const above = [...expectedHours].filter(([, energy]) => energy > ALERT_THRESHOLD_MILLIWATT_HOURS);
  const alerts = new Set(above.map(([hour]) => hour));
  const calls = () => receiver.calls.map((call) => ({ ...parseWebhookCall(call), atMs: call.atMs }));
  const areAllReported = () => [...alerts].every((hour) => calls().some((call) => call.hour === hour));
  while (!areAllReported() && Date.now() < untilMs) await pause(250);
  // Duplicate webhook calls would arrive later than the first calls, so the comparison waits for them.
  await pause(2_000);
  const rejected = await ask('SELECT count(*)::int AS count FROM rejected_messages');
  const evidence = {
    published,
    acknowledged,
    stored: lines,
    rejected: rejected.reduce((sum, { count }) => sum + count, 0),
    expectedHours,
    reportedHours,
    alerts,
    calls: calls(),
    cutOff,
    attempts: await loadAttempts(ask),
  };
  const differences = compareChaosRunRecords(evidence);
  const counted = { acknowledged: acknowledged.length, stored: lines.length, alerts: alerts.size };
  return { ...counted, faults: countByKind(differences), differences, retries: listDeliveryRetries(evidence) };
}

function countByKind(differences: readonly ChaosRunDifference[]): FinalStateVerdict['faults'] {
  const kinds = Object.keys(DIFFERENCE_KINDS) as (keyof typeof DIFFERENCE_KINDS)[];
  return Object.fromEntries(
    kinds.map((kind) => [kind, differences.filter((one) => one.kind === kind).length]),
  ) as FinalStateVerdict['faults'];
}

/** Loads the recorded delivery attempts of all events, by event. */
async function loadAttempts(ask: Ask): Promise<Map<string, DeliveryAttemptRecord[]>> {
  const rows = await ask('SELECT event_id, delivery_id, attempts FROM deliveries WHERE webhook_id IS NOT NULL');
  type Recorded = { at: string; duration_ms: number; error: string | null };
  const all = rows.flatMap(({ event_id: event, delivery_id: delivery, attempts }) =>
    (attempts as Recorded[]).map(({ at, duration_ms: durationMs, error }) => {
      const fromMs = Date.parse(at);
      return { event: event as string, delivery: delivery as string, fromMs, toMs: fromMs + durationMs, error };
    }),
  );
  return Map.groupBy(all, ({ event }) => event);
}

/** Parses a webhook call. Returns its event, and the account and the hour that it reports. */
export function parseWebhookCall({ body, headers }: Cluster['receiver']['calls'][number]): {
  event: string;
  hour: string;
} {
  const { id, data } = JSON.parse(body) as { id: string; data: { user_id: string; period_start: string } };
  // Throws if the signature is not valid. Older calls are not verified, because the library rejects signatures older than five minutes.
  if (Date.now() / 1_000 - Number(headers['webhook-timestamp']) < 240)
    new Webhook(WEBHOOK_SECRET).verify(body, headers);
  return { event: id, hour: `${data.user_id} ${new Date(data.period_start).toISOString()}` };
}

const lineOf = ({ deviceId, readAtMs, value }: PublishingHome['readings'][number]) =>
  `${deviceId} ${readAtMs} ${value}`;

/** Runs a query in each database. Returns the rows of all databases. */
// biome-ignore lint/suspicious/noExplicitAny: the columns of the rows depend on the query
type Ask = (text: string, values?: unknown[]) => Promise<any[]>;

async function storedLines(ask: Ask): Promise<string[]> {
  const rows = await ask(
    'SELECT device_id, (extract(epoch FROM read_at) * 1000)::bigint AS ms, value FROM readings JOIN series USING (series_id)',
  );
  return rows.map(({ device_id, ms, value }) => `${device_id} ${ms} ${value}`);
}

/** Returns the energy of each hour of a home in mWh, computed by the reference implementation. */
async function hoursOf(ask: Ask, home: PublishingHome, stored: ReadonlySet<string>): Promise<Map<number, number>> {
  const rows = await ask(
    'SELECT limit_kw AS "limitKw", register_max_kwh AS "registerMaxKwh", max_gap_minutes AS "maxGapMinutes" FROM devices WHERE device_id = $1',
    [home.deviceId],
  );
  // The readings that were acknowledged, or that were stored although their acknowledgement was lost.
  const readings = home.readings.filter(
    (reading, index) => home.publisher.acknowledged.has(index) || stored.has(lineOf(reading)),
  );
  return new Map(
    [...computeReferenceConsumption(readings, rows[0], hourOf)].map(([at, { energy }]) => [Number(at), Number(energy)]),
  );
}

/** Returns the number of readings that were stored in a later transaction than a newer reading of the same home. */
export async function countOutOfOrderReadings(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `WITH batches AS (SELECT series_id, readings.xmin::text::bigint AS batch, min(read_at) AS oldest, max(read_at) AS newest, array_agg(read_at) AS times
       FROM readings GROUP BY 1, 2),
     each AS (SELECT times, max(newest) OVER (PARTITION BY series_id ORDER BY batch ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM batches)
     SELECT count(*)::int AS count FROM each, unnest(times) AS time WHERE time < before`,
  );
  return rows[0].count;
}
