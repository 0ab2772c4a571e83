import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

const sha256Of = (secret: string) => createHash('sha256').update(secret).digest();

/** A device's MQTT password, of 192 random bits: shown once, stored as its SHA-256. */
export function newDeviceSecret(): { secret: string; sha256: Buffer } {
  const secret = randomBytes(24).toString('base64url');
  return { secret, sha256: sha256Of(secret) };
}

/** Which of these devices are deleted, or were erased with their owner. */
export async function endedLogins(db: Database, deviceIds: readonly string[]): Promise<string[]> {
  const asked = JSON.stringify(deviceIds);
  const { rows } = await sql<{ device_id: string }>`
    SELECT a.device_id FROM jsonb_array_elements_text(${asked}::jsonb) a (device_id)
    WHERE NOT EXISTS (SELECT FROM devices d WHERE d.device_id = a.device_id AND d.deleted_at IS NULL)`.execute(db);
  return rows.map((row) => row.device_id);
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
