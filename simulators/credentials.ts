import type { Database } from '#src/database/connect.ts';
import { newDeviceSecret } from '#src/devices/credentials.ts';

/** Gives a device a new secret; the old one is void. For devices that nothing but the simulator plays. */
export async function rotateSecret(db: Database, deviceId: string): Promise<string> {
  const { secret, sha256 } = newDeviceSecret();
  await storeSecret(db, deviceId, sha256);
  return secret;
}

/**
 * Runs `work` with a temporary secret of a real device and puts the device's own secret back, whatever happens.
 * The device itself stays connected meanwhile, but could not log in anew.
 */
export async function withTemporarySecret<T>(
  db: Database,
  deviceId: string,
  work: (secret: string) => Promise<T>,
): Promise<T> {
  const device = await db
    .selectFrom('devices')
    .select('mqtt_secret_sha256')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (!device) throw new Error(`There is no device ${deviceId}. Create one with: energy devices create`);
  const secret = await rotateSecret(db, deviceId);
  try {
    return await work(secret);
  } finally {
    await storeSecret(db, deviceId, device.mqtt_secret_sha256);
  }
}

async function storeSecret(db: Database, deviceId: string, sha256: Buffer): Promise<void> {
  await db.updateTable('devices').set({ mqtt_secret_sha256: sha256 }).where('device_id', '=', deviceId).execute();
}
