import { sql } from 'kysely';
import { z } from 'zod';
import { getAccessibleAccountsOfRole } from '#src/auth/access.ts';
import { getNetworkOfAddress, type RequestCounter } from '#src/auth/request-counter.ts';
import { AppError } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import {
  type AccessibleAccounts,
  type AccountsForRole,
  accessibleAccountsSql,
  isAccountAccessibleSql,
} from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { createDeviceSecret, hashSecret } from '#src/devices/credentials.ts';
import { assertMayManageDevice } from '#src/devices/management.ts';
import { createDeviceRow } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { recordAuditedAction } from '#src/users/audit.ts';

interface Claim {
  serial: string;
  /** Random value that the meter stores. With the same nonce, it may repeat a claim whose answer was lost. */
  nonce: string | undefined;
}

/** A device that may belong to the meter with a given serial number. */
export interface MeterClaimCandidate {
  isDeleted: boolean;
  /** The claim with which a meter took over this device. Null if no meter has claimed it. */
  claim: { nonceSha256: Buffer | null } | null;
  hasReported: boolean;
  /** Whether the device has a password. A released device has no password. */
  hasSecret: boolean;
}

/**
 * Decides whether a meter's claim is granted. A meter may claim the one device with its serial number, once. A claim with the same nonce
 * may be repeated before the device has reported. If no device matches and the batch names an owner, a device is created, but not in place
 * of a claimed device that was deleted.
 */
export function decideMeterClaim(
  candidates: readonly MeterClaimCandidate[],
  nonceSha256: Buffer | null,
): { is: 'claim' | 'repeat'; which: number } | { is: 'create' } | null {
  const live = candidates.flatMap((one, index) => (one.isDeleted ? [] : [{ ...one, index }]));
  const [only] = live;
  if (live.length > 1) return null;
  if (!only) return candidates.some(({ claim }) => claim !== null) ? null : { is: 'create' };
  if (!only.claim) return only.hasReported && only.hasSecret ? null : { is: 'claim', which: only.index };
  const isSame = nonceSha256 !== null && only.claim.nonceSha256?.equals(nonceSha256) === true;
  return isSame && !only.hasReported ? { is: 'repeat', which: only.index } : null;
}

/**
 * Assigns a device to a meter of a batch and returns the device's new secret. The caller has already checked the batch's secret. Null if
 * the batch has ended or the claim is refused. `address`: IP address of the meter.
 */
async function claimDevice(
  db: Database,
  batchId: string,
  { serial, nonce }: Claim,
  { now, address }: { now: Date; address: string },
): Promise<{ deviceId: string; secret: string } | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Locks the batch, so that its claims run one after another and cannot exceed its maximum.
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
    // The account that created the batch may have lost its role or its access.
    if (!batch || batch.role === 'homeowner') return null;
    const reach = getAccessibleAccountsOfRole({ role: batch.role, userId: batch.user_id });
    if (batch.owner_user_id !== null && !(await isWithin(trx, reach, batch.owner_user_id))) return null;
    const candidates = await candidatesOf(trx, reach, batch.owner_user_id, serial);
    const nonceSha256 = nonce === undefined ? null : hashSecret(nonce);
    const decided = decideMeterClaim(candidates, nonceSha256);
    if (!decided || (decided.is !== 'repeat' && batch.claimed >= batch.max_devices)) return null;
    if (decided.is === 'create' && batch.owner_user_id === null) return null;
    const made =
      decided.is === 'create'
        ? await create(trx, { ...batch, owner: batch.owner_user_id as string, serial })
        : await renewSecret(trx, candidates[decided.which]?.device_id as string);
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
    await recordAuditedAction(trx, { actor: null, address, action: 'device.claimed', target: made.deviceId, details });
    return made;
  });
}

async function isWithin(trx: Database, reach: AccountsForRole, userId: string): Promise<boolean> {
  const found = trx.selectFrom('users').select('user_id').where('user_id', '=', userId);
  return (await found.where(accessibleAccountsSql(reach)).executeTakeFirst()) !== undefined;
}

async function candidatesOf(trx: Database, reach: AccountsForRole, ownerId: string | null, serial: string) {
  const rows = await trx
    .selectFrom('devices as d')
    .leftJoin('device_claims as c', 'c.device_id', 'd.device_id')
    .innerJoin('device_heads as h', 'h.device_id', 'd.device_id')
    .select(['d.device_id', 'd.deleted_at', 'c.claimed_at', 'c.nonce_sha256', 'h.seen_at', 'd.mqtt_secret_sha256'])
    .where('d.external_id', '=', serial)
    .where(({ eb, or }) => or([isAccountAccessibleSql(reach, 'd.user_id'), eb('d.user_id', '=', ownerId ?? '')]))
    .orderBy('d.device_id')
    .forUpdate('d')
    .execute();
  return rows.map((row) => ({
    device_id: row.device_id,
    isDeleted: row.deleted_at !== null,
    claim: row.claimed_at === null ? null : { nonceSha256: row.nonce_sha256 },
    // For a device that was released and claimed again, only later messages count as reports.
    hasReported: row.seen_at !== null && (row.claimed_at === null || row.seen_at > row.claimed_at),
    hasSecret: row.mqtt_secret_sha256.length > 0,
  }));
}

async function create(
  trx: Database,
  { owner, type, location, serial }: { owner: string; type: string; location: string; serial: string },
): Promise<{ deviceId: string; secret: string }> {
  const { row, secret } = createDeviceRow({
    userId: owner,
    type,
    location,
    external_id: serial,
    managedBy: 'utility',
  });
  await trx.insertInto('devices').values(row).execute();
  return { deviceId: row.device_id, secret };
}

/** Gives a device a new secret, with which a meter of a batch logs in. The utility of the batch then manages the device. */
async function renewSecret(trx: Database, deviceId: string): Promise<{ deviceId: string; secret: string }> {
  const { secret, sha256 } = createDeviceSecret();
  const renewed = { mqtt_secret_sha256: sha256, managed_by: 'utility' as const };
  await trx.updateTable('devices').set(renewed).where('device_id', '=', deviceId).execute();
  return { deviceId, secret };
}

/**
 * Releases a device so that a meter can claim it again. Its password expires. Returns false if the caller can access no such device. Throws
 * 403 if an owner releases a device that a utility manages.
 */
export async function releaseDevice(db: Database, reach: AccessibleAccounts, deviceId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    await assertMayManageDevice(trx, reach, deviceId);
    const { numUpdatedRows } = await trx
      .updateTable('devices')
      .set({ mqtt_secret_sha256: Buffer.alloc(0) })
      .where('device_id', '=', deviceId)
      .where('deleted_at', 'is', null)
      .where(isAccountAccessibleSql(reach, 'devices.user_id'))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await trx.deleteFrom('device_claims').where('device_id', '=', deviceId).execute();
    return true;
  });
}

/** MQTT topic on which a meter publishes its claim. */
export const METER_CLAIM_TOPIC = 'energy/v1/claim';
export const METER_CLAIM_REPLY_TOPIC = 'energy/v1/claim/reply';

export const meterClaimMessageSchema = z.strictObject({
  serial: z.string().regex(/^[\x20-\x7e]{1,200}$/, 'must be 1 to 200 printable ASCII characters'),
  nonce: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 printable ASCII characters, random, and kept by the meter')
    .optional(),
});

/** Carries out a meter's claim and returns the answer; null if it is refused. */
export async function processMeterClaim(
  db: Database,
  batchId: string,
  { serial, nonce }: z.output<typeof meterClaimMessageSchema>,
  about: { now: Date; address: string },
): Promise<Record<'device_id' | 'username' | 'password' | 'topic', string> | null> {
  const claimed = await claimDevice(db, batchId, { serial, nonce }, about);
  if (!claimed) return null;
  const { deviceId, secret } = claimed;
  return { device_id: deviceId, username: deviceId, password: secret, topic: getReadingsTopic(deviceId) };
}

/** Decides a claim that arrives from an IP address. Resolves to null if the claim is refused. */
type ClaimGate = <Answer>(address: string, decide: () => Promise<Answer | null>) => Promise<Answer | null>;

/**
 * Returns a function that limits the number of refused claims per network (IPv6: a /64), so that serial numbers cannot be guessed. Claims
 * of one network run one after another. Rejects with 429 beyond the limit.
 */
export function createMeterClaimLimiter(counter: Pick<RequestCounter, 'take' | 'giveBack'>): ClaimGate {
  const lasts = new Map<string, Promise<unknown>>();

  async function decided<Answer>(network: string, decide: () => Promise<Answer | null>): Promise<Answer | null> {
    const counted = `addr:claim ${network}`;
    const { allowed, retryAfterSeconds } = await counter.take(counted);
    if (!allowed) throw new AppError('tooManyRequests', { retryAfterSeconds });
    const answer = await decide();
    if (answer !== null) await counter.giveBack(counted);
    return answer;
  }

  return (address, decide) => {
    const network = getNetworkOfAddress(address);
    const turn = (lasts.get(network) ?? Promise.resolve()).then(() => decided(network, decide));
    const last = turn.then(
      () => {},
      () => {},
    );
    lasts.set(network, last);
    void last.then(() => {
      if (lasts.get(network) === last) lasts.delete(network);
    });
    return turn;
  };
}
