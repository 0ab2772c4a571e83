import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { nothingOf } from '../message.ts';
import type { Writer } from './writer.ts';

/** How often devices are looked for whose owners have changed them: a change is to hold within 30 s. */
const LOOK_MS = 5_000;
/** Most of them that are looked for at once. */
const MAX_DEVICES = 20;
/** One that could not be computed is tried again after so long, each time after twice as long: it costs the database each time. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [LOOK_MS, 600_000];

/** Devices that could not be computed anew, how often, and when they are tried again. */
export type Failing = Map<string, { failures: number; againAtMs: number }>;

/** Looks for changed devices until it is stopped. */
export interface ChangedDevices {
  /** How many of them could not be computed when that was last tried. */
  failing(): number;
  /** Ends it; what is under way then is done or left to the next worker. */
  stop(): void;
}

/**
 * Computes devices anew whose owners have changed a setting of the law, what their quantities count as, or an edit by hand, without
 * waiting for their next message. Devices that were deleted since are among them: their past stays in their owner's history.
 */
export function watchChangedDevices(pool: Pool, writer: Writer, log: Logger): ChangedDevices {
  const failing: Failing = new Map();
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async () => {
    try {
      while (!isStopped && (await computeChanged(pool, writer, { log, failing })) > 0);
    } catch (error) {
      log.debug({ err: error }, 'changed devices not looked for, tried again');
    }
    if (!isStopped) timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, LOOK_MS);
  return {
    failing: () => failing.size,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Computes some of the changed devices anew, each in a transaction of its own, as it can be the whole past; of long times one
 * piece (load-stretches.ts), so that it is called until it answers 0: of how many it went on with. One that cannot be computed keeps none
 * of the others from it: it is `failing`, and waits. Without that an error is thrown on.
 */
export async function computeChanged(
  pool: Pool,
  writer: Writer,
  { log, failing }: { log?: Logger; failing?: Failing } = {},
): Promise<number> {
  // Raw SQL: as all of ingest: it has no typed queries.
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
      await writer.write([nothingOf(deviceId)]);
      failing?.delete(deviceId);
      computed++;
    } catch (error) {
      if (!failing) throw error;
      const failures = (failing.get(deviceId)?.failures ?? 0) + 1;
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
      failing.set(deviceId, { failures, againAtMs: performance.now() + waitMs });
      const told = { err: error, device_id: deviceId, failures, again_in_s: waitMs / 1_000 };
      log?.error(
        told,
        'a changed device could not be computed anew: what it consumed is told as before its change until it can',
      );
    }
  }
  return computed;
}

/** Which of those that failed are not to be tried yet. */
const waiting = (failing: Failing = new Map()): string[] =>
  [...failing].flatMap(([deviceId, { againAtMs }]) => (againAtMs > performance.now() ? deviceId : []));
