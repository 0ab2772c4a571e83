import type { Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import type { Pool } from '#src/database/connect.ts';
import { createEmptyMessage } from '../message.ts';
import type { ReadingBatchWriter } from './writer.ts';

/** Interval in ms of the search for devices whose settings have changed. A change must take effect within 30 s. */
const LOOK_MS = 5_000;
const MAX_DEVICES = 20;
/** Wait before the first retry of a failed recomputation, and maximum wait, in ms. Each failure doubles the wait. */
const [FIRST_WAIT_MS, MAX_WAIT_MS] = [LOOK_MS, 600_000];

/** Devices whose recomputation failed: the number of consecutive failures, and the time of the next attempt. */
export type FailedRecomputations = Map<string, { failures: number; againAtMs: number }>;

/**
 * Recomputes the consumption of devices whose owners have changed a setting or edited readings, without waiting for the device's next
 * message. Deleted devices are included, because their consumption remains in the owners' history.
 */
export function watchChangedDevices(pool: Pool, writer: ReadingBatchWriter, log: Logger) {
  const failing: FailedRecomputations = new Map();
  const look = () => recomputeChangedDevices(pool, writer, { log, failing });
  const { stop } = startLoop('changed devices', look, LOOK_MS, log);
  return {
    failing: () => failing.size,
    stop,
  };
}

/**
 * Recomputes some of the changed devices, each in its own transaction. Returns their number. A long history is recomputed in chunks, so the
 * caller must repeat the call until it returns 0. If `failing` is given, a failure only delays the next attempt of its device; otherwise
 * the error is thrown.
 */
export async function recomputeChangedDevices(
  pool: Pool,
  writer: ReadingBatchWriter,
  { log, failing }: { log?: Logger; failing?: FailedRecomputations } = {},
): Promise<number> {
  // Raw SQL: message intake uses no typed queries.
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
      const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
      failing.set(deviceId, { failures, againAtMs: performance.now() + waitMs });
      const facts = { err: error, device_id: deviceId, failures, again_in_s: waitMs / 1_000 };
      log?.error(facts, 'a changed device could not be recomputed: its consumption does not contain the change yet');
    }
  }
  return computed;
}

const waiting = (failing: FailedRecomputations = new Map()): string[] =>
  [...failing].flatMap(([deviceId, { againAtMs }]) => (againAtMs > performance.now() ? deviceId : []));
