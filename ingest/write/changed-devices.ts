import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import type { Writer } from './writer.ts';

/** How often devices are looked for whose owners have changed them: a change is to hold within 30 s. */
const LOOK_MS = 5_000;
/** Most of them in one transaction: the whole past of each is computed anew. */
const MAX_DEVICES = 20;

/**
 * Computes devices anew whose owners have changed a setting of the law or what their quantities count as, without waiting for
 * their next message. Answers how to end it.
 */
export function watchChangedDevices(pool: Pool, writer: Writer, log: Logger): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let looking = Promise.resolve();
  const look = async () => {
    try {
      while (!stopped && (await computeChanged(pool, writer)) === MAX_DEVICES);
    } catch (error) {
      log.debug({ err: error }, 'changed devices not computed anew, tried again');
    }
    if (!stopped) next();
  };
  const next = () => {
    timer = setTimeout(() => {
      looking = look();
    }, LOOK_MS);
  };
  next();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await looking;
  };
}

/** Computes some of the changed devices anew, and answers how many. */
export async function computeChanged(pool: Pool, writer: Writer): Promise<number> {
  // Raw SQL: as all of ingest: it has no typed queries.
  const { rows } = await pool.query(
    `SELECT device_id FROM devices WHERE computed_with IS NOT NULL AND deleted_at IS NULL ORDER BY device_id LIMIT $1`,
    [MAX_DEVICES],
  );
  if (rows.length === 0) return 0;
  const batch = rows.map(({ device_id: deviceId }: { device_id: string }) => ({
    topic: '',
    payload: Buffer.alloc(0),
    receivedAtMs: Date.now(),
    decoded: { deviceId, readings: [], rejections: [] },
  }));
  await writer.write(batch);
  return rows.length;
}
