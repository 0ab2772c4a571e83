import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import type { Writer } from './writer.ts';

/** How often devices are looked for whose owners have changed them: a change is to hold within 30 s. */
const LOOK_MS = 5_000;
/** Most of them that are looked for at once. */
const MAX_DEVICES = 20;

/**
 * Computes devices anew whose owners have changed a setting of the law or what their quantities count as, without waiting for
 * their next message. Answers how to end it; what is under way then is done or left to the next worker.
 */
export function watchChangedDevices(pool: Pool, writer: Writer, log: Logger): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const look = async () => {
    try {
      while (!isStopped && (await computeChanged(pool, writer, log)) === MAX_DEVICES);
    } catch (error) {
      log.debug({ err: error }, 'changed devices not looked for, tried again');
    }
    if (!isStopped) timer = setTimeout(look, LOOK_MS);
  };
  timer = setTimeout(look, LOOK_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/**
 * Computes some of the changed devices anew, each in a transaction of its own, as it can be the whole past; answers of how many. One
 * that cannot be computed keeps none of the others from it.
 */
export async function computeChanged(pool: Pool, writer: Writer, log?: Logger): Promise<number> {
  // Raw SQL: as all of ingest: it has no typed queries.
  const { rows } = await pool.query(
    `SELECT device_id FROM devices WHERE computed_with IS NOT NULL AND deleted_at IS NULL ORDER BY device_id LIMIT $1`,
    [MAX_DEVICES],
  );
  let computed = 0;
  for (const { device_id: deviceId } of rows) {
    const decoded = { deviceId, readings: [], rejections: [] };
    try {
      await writer.write([{ topic: '', payload: Buffer.alloc(0), receivedAtMs: Date.now(), decoded }]);
      computed++;
    } catch (error) {
      if (!log) throw error;
      log.warn({ err: error, device_id: deviceId }, 'a changed device was not computed anew, tried again');
    }
  }
  return computed;
}
