import type { Database } from '#src/database/connect.ts';
import { createDeviceSecret, createTemporaryDeviceSecret } from '#src/devices/credentials.ts';

/** Creates a new secret for a device and invalidates the previous secret. Only for devices that exist only in the simulator. */
export async function rotateSecret(db: Database, deviceId: string): Promise<string> {
  const { secret, sha256 } = createDeviceSecret();
  await db.updateTable('devices').set({ mqtt_secret_sha256: sha256 }).where('device_id', '=', deviceId).execute();
  return secret;
}

/**
 * Runs `work` with a temporary secret of a real device, whose own secret remains valid. The temporary secret is removed afterwards, or
 * expires within a day.
 */
export async function runWithTemporarySecret<T>(
  db: Database,
  deviceId: string,
  work: (secret: string) => Promise<T>,
): Promise<T> {
  const temporary = await createTemporaryDeviceSecret(db, deviceId);
  if (!temporary) throw new Error(`There is no device ${deviceId}. Create one with: energy devices create`);
  try {
    return await work(temporary.secret);
  } finally {
    // If the temporary secret cannot be removed now, it expires by itself.
    await temporary.end().catch(() => {});
  }
}
