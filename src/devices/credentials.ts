import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '#src/database/connect.ts';

const sha256Of = (secret: string) => createHash('sha256').update(secret).digest();

/** A device's MQTT password, of 192 random bits: shown once, stored as its SHA-256. */
export function newDeviceSecret(): { secret: string; sha256: Buffer } {
  const secret = randomBytes(24).toString('base64url');
  return { secret, sha256: sha256Of(secret) };
}

/** Whether the secret is the device's. False for unknown and for deleted devices. */
export async function checkDeviceLogin(db: Database, deviceId: string, secret: string): Promise<boolean> {
  if (deviceId.includes('\0')) return false;
  const device = await db
    .selectFrom('devices')
    .select('mqtt_secret_sha256')
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const expected = device?.mqtt_secret_sha256 ?? Buffer.alloc(32);
  return expected.length === 32 && timingSafeEqual(expected, sha256Of(secret)) && device !== undefined;
}
