import type { Database } from '#src/database/connect.ts';
import { createDeviceSecret, createTemporarySecret } from '#src/devices/credentials.ts';

/** Gives a device a new secret and invalidates the old one. Only for devices that exist only in the simulator. */
export async function rotateSecret(db: Database, deviceId: string): Promise<string> {
  const { secret, sha256 } = createDeviceSecret();
  await db.updateTable('devices').set({ mqtt_secret_sha256: sha256 }).where('device_id', '=', deviceId).execute();
  return secret;
}

/**
 * Runs `work` with a temporary secret of a real device. The device keeps its own secret and may log in meanwhile. The temporary secret ends
 * with the work. If this process is killed or the database is then unavailable, it expires within a day.
 */
export async function withTemporarySecret<T>(
  db: Database,
  deviceId: string,
  work: (secret: string) => Promise<T>,
): Promise<T> {
  const temporary = await createTemporarySecret(db, deviceId);
  if (!temporary) throw new Error(`There is no device ${deviceId}. Create one with: energy devices create`);
  try {
    return await work(temporary.secret);
  } finally {
    // If this fails, too, the secret expires by itself.
    await temporary.end().catch(() => {});
  }
}
