import type { Database } from '#src/database/connect.ts';
import { makeTemporarySecret, newDeviceSecret } from '#src/devices/credentials.ts';

/** Gives a device a new secret; the old one is void. For devices that nothing but the simulator plays. */
export async function rotateSecret(db: Database, deviceId: string): Promise<string> {
  const { secret, sha256 } = newDeviceSecret();
  await db.updateTable('devices').set({ mqtt_secret_sha256: sha256 }).where('device_id', '=', deviceId).execute();
  return secret;
}

/**
 * Runs `work` with a temporary secret of a real device, which keeps its own and may log in meanwhile. The secret ends with the
 * work or, where this process is killed or the database is away then, by itself within a day.
 */
export async function withTemporarySecret<T>(
  db: Database,
  deviceId: string,
  work: (secret: string) => Promise<T>,
): Promise<T> {
  const temporary = await makeTemporarySecret(db, deviceId);
  if (!temporary) throw new Error(`There is no device ${deviceId}. Create one with: energy devices create`);
  try {
    return await work(temporary.secret);
  } finally {
    // Where this fails, too, it ends by itself.
    await temporary.end().catch(() => {});
  }
}
