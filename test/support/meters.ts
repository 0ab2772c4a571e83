import { type BatchWriteResult, createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import type { TestDatabase } from './database.ts';

/** A meter in its own home. Its readings go directly to the writer, without a broker. */
export interface TestMeter {
  userId: string;
  deviceId: string;
  /**
   * Writes readings as one batch. Each is a time with a register value in kWh or, with an interval length, the interval's energy. `now`:
   * current time.
   */
  read(
    readings: readonly (readonly [string | Date, number])[],
    now?: Date,
    of?: { deviceId?: string; channel?: string; intervalMs?: number },
  ): Promise<BatchWriteResult>;
}

let made = 0;

export async function createTestMeter(
  database: TestDatabase,
  options: { retentionMonths?: number; pieceReadings?: number } = {},
): Promise<TestMeter> {
  const db = createDatabase(database.pool);
  const { user_id: userId } = await createUser(db, { email: `meter${++made}@example.com`, role: 'homeowner' });
  const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'test' });
  const { device_id: deviceId } = device;
  return {
    userId,
    deviceId,
    async read(readings, now = new Date(), { deviceId: id = deviceId, channel = 'import', intervalMs = 0 } = {}) {
      const messages: IncomingMessage[] = readings.map(([at, kwh]) => ({
        topic: `energy/v1/${id}/readings`,
        payload: Buffer.from(JSON.stringify({ ts: at, energy_total_kwh: kwh })),
        receivedAtMs: now.getTime(),
        decoded: {
          deviceId: id,
          readings: [
            {
              deviceId: id,
              channel,
              kind: intervalMs > 0 ? 'interval' : 'register',
              readAtMs: new Date(at).getTime(),
              intervalMs,
              value: Math.round(kwh * 1e6),
              element: 0,
            },
          ],
          rejections: [],
        },
      }));
      return createReadingBatchWriter(database.pool, { ...options, now: () => now.getTime() }).write(messages);
    },
  };
}

/** Returns the total imported energy of a user in a relation, in mWh. */
export async function sumImportedMilliwattHours(
  database: TestDatabase,
  relation: string,
  userId: string,
): Promise<number> {
  const { rows } = await database.pool.query(
    `SELECT coalesce(sum(energy_milliwatt_hours), 0)::bigint AS total FROM ${relation} WHERE user_id = $1`,
    [userId],
  );
  return rows[0].total;
}
