import type { Metrics } from '#src/core/metrics.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { withTimeout } from '#src/core/timeout.ts';
import { createQueryFunctionOnConnection, type Pool } from '#src/database/connect.ts';
import { readBacklogs } from '#src/database/inventory.ts';

const CERTIFICATE = 'energy_certificate_expires_timestamp_seconds';

/** Registers the metric of the time at which the certificate in use expires. */
export const registerCertificateMetric = (metrics: Metrics, served: { expiresAt(): Date }): void =>
  metrics.valuesOf({ [CERTIFICATE]: 'End of the served certificate, in Unix time' }, async () => ({
    [CERTIFICATE]: served.expiresAt().getTime() / 1_000,
  }));

/** Metrics of the database's response time for this process. */
export const DATABASE_METRICS = {
  energy_database_up: '1 if the database answers this process within 2 s',
  energy_database_answer_seconds: 'Duration of the simplest query, including the wait for a free connection',
  energy_database_connections_busy: 'Busy connections of this process',
  energy_database_requests_waiting: 'Requests of this process that wait for a free connection',
};

/** Maximum time for the query in ms, shorter than the time limit of a scrape. */
const ANSWER_MS = 2_000;

/** Measures the response time of a minimal query. If the database is unreachable, the response time is missing. */
export async function readDatabaseMetrics(pool: Pool): Promise<Record<string, number>> {
  // The counts are read first, because the query below takes a connection.
  const counts = {
    energy_database_connections_busy: pool.totalCount - pool.idleCount,
    energy_database_requests_waiting: pool.waitingCount,
  };
  const startedAt = performance.now();
  // Raw SQL: reads no table, only checks that the database answers.
  const isUp = await withTimeout(pool.query('SELECT 1'), ANSWER_MS, 'no answer').then(
    () => true,
    () => false,
  );
  if (!isUp) return { ...counts, energy_database_up: 0 };
  return { ...counts, energy_database_up: 1, energy_database_answer_seconds: (performance.now() - startedAt) / 1_000 };
}

/** Metrics of the number of devices, by the time of their last message. */
export const DEVICE_COUNT_METRICS = {
  energy_devices_heard_in_day: 'Devices with a valid reading in the last 24 hours',
  energy_devices_heard_in_hour: 'Devices with a valid reading in the last hour',
  energy_devices_faulty: 'Devices that report a fault, or most of whose last readings were rejected',
};

/** Counts devices by the time of their last message. Reads `device_heads`, which has one row per device and is updated by each reading. */
export async function readDeviceCounts(pool: Pool): Promise<Record<string, number>> {
  // Raw SQL: one statement counts the rows of two relations.
  const { rows } = await pool.query<Record<string, number>>(
    `SELECT count(*) FILTER (WHERE seen_at > now() - interval '24 hours')::int AS energy_devices_heard_in_day,
       count(*) FILTER (WHERE seen_at > now() - interval '1 hour')::int AS energy_devices_heard_in_hour,
       (SELECT count(*) FROM devices WHERE is_faulty AND deleted_at IS NULL)::int AS energy_devices_faulty
     FROM device_heads JOIN devices USING (device_id) WHERE deleted_at IS NULL`,
  );
  return rows[0] ?? {};
}

/** Metrics of the queues in the database. */
export const QUEUE_METRICS: Record<string, string> = {
  energy_ingest_lag_seconds: 'Age of the newest reading of any device',
  energy_late_differences_waiting: 'Late differences that the aggregates do not contain yet',
  energy_stale_days: 'Days whose aggregates must be recomputed',
  energy_usage_changes_waiting: 'Changed hours whose alerts have not been evaluated yet',
  energy_deliveries_waiting: 'Deliveries that have neither succeeded nor been given up',
};

/** Returns the queue metrics. The lag is missing if no reading is stored. */
export async function readQueueMetrics(pool: Pool): Promise<Record<string, number>> {
  const { lagSeconds, lateDifferences, staleDays, usageChanges, deliveries } = await readBacklogs(
    createQueryFunctionOnConnection(pool),
    new Date(),
  );
  return {
    ...omitUndefined({ energy_ingest_lag_seconds: lagSeconds ?? undefined }),
    energy_late_differences_waiting: lateDifferences,
    energy_stale_days: staleDays,
    energy_usage_changes_waiting: usageChanges,
    energy_deliveries_waiting: deliveries,
  };
}

/** Metric of the time that due deliveries have waited for a worker. */
export const OUTBOX_METRICS = {
  energy_delivery_overdue_seconds:
    'Longest delay of a due delivery, except for subscriptions that fail, catch up or are paused',
};

/**
 * Returns how long in seconds the oldest due delivery has waited; 0 if none is due. A delivery to a failing receiver is not due before its
 * next attempt.
 */
export async function readOutboxMetrics(pool: Pool): Promise<Record<string, number>> {
  // Raw SQL: reads only columns of the index of pending deliveries.
  const { rows } = await pool.query<{ overdue: number | null }>(
    `SELECT extract(epoch FROM now() - min(d.next_attempt_at))::float8 AS overdue
     FROM deliveries d LEFT JOIN webhooks w ON w.webhook_id = d.webhook_id
     WHERE d.status = 'pending' AND d.next_attempt_at < now()
       AND (d.leased_until IS NULL OR d.leased_until < now()) AND (w.webhook_id IS NULL
         OR (w.status = 'active' AND w.failing_since IS NULL AND d.place > coalesce(w.catching_up_to, 0)))`,
  );
  return { energy_delivery_overdue_seconds: rows[0]?.overdue ?? 0 };
}

/** Returns a function that caches the result of `read` for `forMs`. Failures are not cached. */
export function cacheForDuration<T>(
  read: () => Promise<T>,
  forMs: number,
  nowMs: () => number = Date.now,
): () => Promise<T> {
  let last: { atMs: number; answer: Promise<T> } | undefined;
  return () => {
    if (last && nowMs() - last.atMs < forMs) return last.answer;
    const made = { atMs: nowMs(), answer: read() };
    last = made;
    made.answer.catch(() => {
      if (last === made) last = undefined;
    });
    return made.answer;
  };
}

export const STANDBY_METRICS = {
  energy_standby_up: '1 if the standby of DATABASE_READ_URL answers reads; no value without a standby',
  energy_standby_lag_seconds: 'Maximum age of the standby’s data; no value while it is unreachable',
};

/** Returns the metrics of the standby server. `isWanted`: whether one is configured; `lagSeconds`: null while it is unreachable. */
export function readStandbyMetrics(isWanted: boolean, lagSeconds: number | null): Record<string, number> {
  if (!isWanted) return {};
  if (lagSeconds === null) return { energy_standby_up: 0 };
  return { energy_standby_up: 1, energy_standby_lag_seconds: lagSeconds };
}
