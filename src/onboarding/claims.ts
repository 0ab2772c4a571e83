import { sql } from 'kysely';
import { reachOfRole } from '#src/auth/access.ts';
import type { Database } from '#src/database/connect.ts';
import { accountsWithin, type Reach, type RoleReach, within } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { newDeviceSecret, secretDigest } from '#src/devices/credentials.ts';
import { mustManage } from '#src/devices/management.ts';
import { newDeviceRow } from '#src/devices/store.ts';
import { recordAct } from '#src/users/audit.ts';

/** What a meter says of itself. */
export interface Claim {
  serial: string;
  /** A number that it made and keeps: with it the same claim may be repeated, where the answer was lost. */
  nonce: string | undefined;
}

/** A device that could be the one of a serial. */
export interface Candidate {
  isDeleted: boolean;
  /** Its claim; null where nobody claimed it, or it was released. */
  claim: { nonceSha256: Buffer | null } | null;
  wasHeard: boolean;
  /** Whether it has a password: one that was released has none. */
  hasSecret: boolean;
}

/**
 * What a claim comes to. Pure. A serial that names one device claims it once: not one that was claimed (unless by the same number, before it was
 * heard), and not one that is in use. One that names none makes a device, where the batch says whose; but not in the place of a deleted
 * one that was claimed: what its owner removed does not come back by itself.
 */
export function decideClaim(
  candidates: readonly Candidate[],
  nonceSha256: Buffer | null,
): { is: 'claim' | 'repeat'; which: number } | { is: 'create' } | null {
  const live = candidates.flatMap((one, index) => (one.isDeleted ? [] : [{ ...one, index }]));
  const [only] = live;
  if (live.length > 1) return null;
  if (!only) return candidates.some(({ claim }) => claim !== null) ? null : { is: 'create' };
  if (!only.claim) return only.wasHeard && only.hasSecret ? null : { is: 'claim', which: only.index };
  const isSame = nonceSha256 !== null && only.claim.nonceSha256?.equals(nonceSha256) === true;
  return isSame && !only.wasHeard ? { is: 'repeat', which: only.index } : null;
}

/**
 * Gives a meter of a batch its device, and a secret that is in this answer and nowhere else; whoever asks has shown the batch's. Null where it
 * may not have one: the batch has ended or is used up, or the serial does not wait (decideClaim). `address`: for the audit log.
 */
export async function claimDevice(
  db: Database,
  batchId: string,
  { serial, nonce }: Claim,
  { now, address }: { now: Date; address: string },
): Promise<{ deviceId: string; secret: string } | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Held: claims of a batch follow each other, and no two get the same device, or more than there may be.
    const batch = await trx
      .selectFrom('provisioning_batches as b')
      .innerJoin('users as u', 'u.user_id', 'b.user_id')
      .select(['b.user_id', 'u.role', 'b.owner_user_id', 'b.type', 'b.location', 'b.claimed', 'b.max_devices'])
      .where('batch_id', '=', batchId)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .where(sql<boolean>`(b.serials IS NULL OR ${serial} = ANY (b.serials))`)
      .forUpdate('b')
      .executeTakeFirst();
    // Who made it may have lost what a batch needs, or whom it gives meters to.
    if (!batch || batch.role === 'homeowner') return null;
    const reach = reachOfRole({ role: batch.role, userId: batch.user_id });
    if (batch.owner_user_id !== null && !(await isWithin(trx, reach, batch.owner_user_id))) return null;
    const candidates = await candidatesOf(trx, reach, batch.owner_user_id, serial);
    const nonceSha256 = nonce === undefined ? null : secretDigest(nonce);
    const decided = decideClaim(candidates, nonceSha256);
    if (!decided || (decided.is !== 'repeat' && batch.claimed >= batch.max_devices)) return null;
    if (decided.is === 'create' && batch.owner_user_id === null) return null;
    const made =
      decided.is === 'create'
        ? await create(trx, { ...batch, owner: batch.owner_user_id as string, serial })
        : await renew(trx, candidates[decided.which]?.device_id as string);
    if (decided.is !== 'repeat') {
      await trx
        .insertInto('device_claims')
        .values({ device_id: made.deviceId, batch_id: batchId, nonce_sha256: nonceSha256, claimed_at: now })
        .execute();
      await trx
        .updateTable('provisioning_batches')
        .set({ claimed: sql`claimed + 1` })
        .where('batch_id', '=', batchId)
        .execute();
    }
    const details = { batch_id: batchId, repeated: decided.is === 'repeat' };
    await recordAct(trx, { actor: null, address, action: 'device.claimed', target: made.deviceId, details });
    return made;
  });
}

async function isWithin(trx: Database, reach: RoleReach, userId: string): Promise<boolean> {
  const found = trx.selectFrom('users').select('user_id').where('user_id', '=', userId);
  return (await found.where(accountsWithin(reach)).executeTakeFirst()) !== undefined;
}

async function candidatesOf(trx: Database, reach: RoleReach, ownerId: string | null, serial: string) {
  const rows = await trx
    .selectFrom('devices as d')
    .leftJoin('device_claims as c', 'c.device_id', 'd.device_id')
    .innerJoin('device_heads as h', 'h.device_id', 'd.device_id')
    .select(['d.device_id', 'd.deleted_at', 'c.claimed_at', 'c.nonce_sha256', 'h.seen_at', 'd.mqtt_secret_sha256'])
    .where('d.external_id', '=', serial)
    .where(({ eb, or }) => or([within(reach, 'd.user_id'), eb('d.user_id', '=', ownerId ?? '')]))
    .orderBy('d.device_id')
    .forUpdate('d')
    .execute();
  return rows.map((row) => ({
    device_id: row.device_id,
    isDeleted: row.deleted_at !== null,
    claim: row.claimed_at === null ? null : { nonceSha256: row.nonce_sha256 },
    // Of one that was released and claimed again: since then.
    wasHeard: row.seen_at !== null && (row.claimed_at === null || row.seen_at > row.claimed_at),
    hasSecret: row.mqtt_secret_sha256.length > 0,
  }));
}

async function create(
  trx: Database,
  { owner, type, location, serial }: { owner: string; type: string; location: string; serial: string },
): Promise<{ deviceId: string; secret: string }> {
  const { row, secret } = newDeviceRow({
    userId: owner,
    type,
    location,
    external_id: serial,
    managedBy: 'utility',
  });
  await trx.insertInto('devices').values(row).execute();
  return { deviceId: row.device_id, secret };
}

/** What logs in as the device from now on is a meter of the batch: the utility's, whoever paired the device. */
async function renew(trx: Database, deviceId: string): Promise<{ deviceId: string; secret: string }> {
  const { secret, sha256 } = newDeviceSecret();
  const renewed = { mqtt_secret_sha256: sha256, managed_by: 'utility' as const };
  await trx.updateTable('devices').set(renewed).where('device_id', '=', deviceId).execute();
  return { deviceId, secret };
}

/**
 * Lets a device be claimed again: its password ends, and connections with it to the embedded broker within 10 s. False where there is no such
 * device within the reach; 403 where an owner releases what the utility manages.
 */
export async function releaseDevice(db: Database, reach: Reach, deviceId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    await mustManage(trx, reach, deviceId);
    const { numUpdatedRows } = await trx
      .updateTable('devices')
      .set({ mqtt_secret_sha256: Buffer.alloc(0) })
      .where('device_id', '=', deviceId)
      .where('deleted_at', 'is', null)
      .where(within(reach, 'devices.user_id'))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await trx.deleteFrom('device_claims').where('device_id', '=', deviceId).execute();
    return true;
  });
}
