import type { Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import type { Pool } from '#src/database/connect.ts';
import { createEmptyMessage } from '../message.ts';
import type { Writer } from './writer.ts';

/** Interval of the search for changed devices. A change must take effect within 30 s. */
const LOOK_MS = 5_000;
/** Maximum number of changed devices per query. */
const MAX_DEVICES = 20;
/**
 * Wait before the first retry of a failed recomputation, and maximum wait, in ms. The wait doubles with each failure, because failing
 * attempts load the database.
 */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [LOOK_MS, 600_000];

/** Devices whose recomputation failed: the number of failures, and the time of the next attempt. */
export type FailedRecomputations = Map<string, { failures: number; againAtMs: number }>;

/**
 * Recomputes devices whose owners have changed a setting of the counting rules, the meaning of a quantity, or an edit by hand. The
 * recomputation does not wait for the devices' next messages. Recently deleted devices are included, because their past remains in their
 * owners' history.
 */
export function watchChangedDevices(pool: Pool, writer: Writer, log: Logger) {
  const failing: FailedRecomputations = new Map();
  const look = () => recomputeChangedDevices(pool, writer, { log, failing });
  const { stop } = startLoop('changed devices', look, LOOK_MS, log);
  return {
    /** Returns the number of devices whose last recomputation failed. */
    failing: () => failing.size,
    /** Ends the search. A recomputation in progress is completed, or the next worker completes it. */
    stop,
  };
}

/**
 * Recomputes some of the changed devices. Each device has a transaction of its own, because its whole past may be recomputed. A long past
 * is recomputed in chunks (load-stretches.ts), so the caller must repeat the call until it returns 0. Returns the number of devices that
 * were processed. If the recomputation of a device fails, the device is added to `failing`, which delays its next attempt, and the other
 * devices are still processed. Without `failing`, the error is thrown.
 */
export async function recomputeChangedDevices(
  pool: Pool,
  writer: Writer,
  { log, failing }: { log?: Logger; failing?: FailedRecomputations } = {},
): Promise<number> {
  // Raw SQL: ingest does not use typed queries.
  const { rows } = await pool.query(
    `SELECT device_id, device_id = ANY ($2) AS waits FROM devices WHERE computed_with IS NOT NULL
     ORDER BY waits, device_id LIMIT $1`,
    [MAX_DEVICES, waiting(failing)],
  );
  const isThere = new Set(rows.map((row) => row.device_id));
  if (rows.length < MAX_DEVICES)
    for (const deviceId of failing?.keys() ?? []) if (!isThere.has(deviceId)) failing?.delete(deviceId);
  let computed = 0;
  for (const { device_id: deviceId, waits } of rows) {
    if (waits) continue;
    try {
      await writer.write([createEmptyMessage(deviceId)]);
      failing?.delete(deviceId);
      computed++;
    } catch (error) {
      if (!failing) throw error;
      const failures = (failing.get(deviceId)?.failures ?? 0) + 1;
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
      failing.set(deviceId, { failures, againAtMs: performance.now() + waitMs });
      const facts = { err: error, device_id: deviceId, failures, again_in_s: waitMs / 1_000 };
      log?.error(facts, 'a changed device could not be recomputed: its consumption does not contain the change yet');
    }
  }
  return computed;
}

/** Returns the failed devices whose next attempt is not due yet. */
const waiting = (failing: FailedRecomputations = new Map()): string[] =>
  [...failing].flatMap(([deviceId, { againAtMs }]) => (againAtMs > performance.now() ? deviceId : []));
