import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager, DeviceStatus, Placement } from '#src/database/enums.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import {
  assertUnambiguousChannels,
  type ChannelSettingPatch,
  type DeviceChannel,
  hasUnknownQuantitySql,
  listChannels,
  lockChannelSettings,
  mergeChannelSettings,
} from './channels.ts';
import { createDeviceSecret } from './credentials.ts';
import { assertMappingsOfDevice } from './decoder-config.ts';
import { explainUnbridgedTopic, isDiscoveredDeviceListedSql } from './gateways.ts';
import { type DecodedDeviceProperties, guessPlacement } from './known-placement.ts';
import { assertMayManageDevice, isChangeReservedForManager } from './management.ts';
import { PREVIOUS_COUNTING_SETTINGS_SQL } from './previous-counting-settings.ts';
import { splitSeriesOfDevice } from './split-series.ts';

const COLUMNS = ['device_id', 'type', 'location', 'placement', 'upstream_device_id'] as const;
/** The columns for a single device, which include its settings. */
const DETAILS = [
  ...COLUMNS,
  'user_id',
  'limit_kw',
  'register_max_kwh',
  'max_gap_minutes',
  'timezone',
  'decoder_config',
  'channels',
  'external_id',
  'certificate_sha256',
  'managed_by',
  'created_at',
] as const;

/** SQL expression for the time of a device's last reading, for SELECT and RETURNING in a statement on `devices`. */
export const LAST_SEEN_AT_SQL =
  sql<Date | null>`(SELECT seen_at FROM device_heads h WHERE h.device_id = devices.device_id)`.as('last_seen_at');

/** A device that is silent for this time is inactive and needs the attention of its owner. */
const SILENT = sql`interval '24 hours'`;

/** SQL condition on a row of `devices`: the device has sent a valid reading in the last day. */
const SENT_WITHIN_DAY = sql<boolean>`EXISTS (SELECT FROM device_heads h WHERE h.device_id = devices.device_id AND h.seen_at > now() - ${SILENT})`;

/** SQL conditions on a row of `devices`, one for each status that a device may have. */
export const STATUS_CONDITIONS: Readonly<Record<DeviceStatus, RawBuilder<boolean>>> = {
  faulty: sql<boolean>`devices.is_faulty`,
  active: sql<boolean>`(NOT devices.is_faulty AND ${SENT_WITHIN_DAY})`,
  inactive: sql<boolean>`(NOT devices.is_faulty AND NOT ${SENT_WITHIN_DAY})`,
};

/** SQL expression for the status of a device, in a statement on `devices`. */
export const STATUS_COLUMN =
  sql<DeviceStatus>`CASE WHEN devices.is_faulty THEN 'faulty' WHEN ${SENT_WITHIN_DAY} THEN 'active' ELSE 'inactive' END`.as(
    'status',
  );

/** SQL condition: the stored consumption of a device is computed with its current settings and edits. */
const IS_COMPUTED = sql<boolean>`devices.computed_with IS NULL`.as('is_computed');

/** SQL condition: electricity of the device contributes to the totals. */
const tellsEnergy = (device: string) =>
  sql.raw(
    `EXISTS (SELECT FROM series s WHERE s.device_id = ${device}.device_id AND (s.counts_import OR s.counts_export))`,
  );

/** Number of days in which an owner is asked whether a meter was replaced. */
const ASKED_DAYS = 30;

/**
 * SQL condition: a reading suggests that a meter was replaced, and the owner has not confirmed it. `devices` is the device, `s` its series,
 * and `n` the note on the first reading that seems to come from another meter. False if a change of settings explains the jump
 * (`split_after`), or while the past of the device is being recomputed.
 */
export const IS_METER_SWAP_SUSPECTED_SQL = sql<boolean>`(devices.computed_with IS NULL AND n.verdict = 'swap' AND n.interval_ms = 0 AND s.kind = 'register'
  AND (s.counts_import OR s.counts_export OR s.meter IS NOT NULL)
  AND NOT EXISTS (SELECT FROM unnest(s.split_after) t WHERE t < n.read_at
    AND NOT EXISTS (SELECT FROM readings r WHERE r.series_id = s.series_id AND r.read_at > t AND r.read_at < n.read_at))
  AND n.read_at > greatest(devices.swaps_confirmed_at, now() - make_interval(days => ${sql.lit(ASKED_DAYS)})))`;

/**
 * For each reason why a device needs the attention of its owner, the SQL condition on `devices`. The measured part of the home needs no
 * confirmation if it was not guessed, or if only one device of the home reports energy.
 */
export const ATTENTION_CONDITIONS: Readonly<Record<AttentionKind, RawBuilder<boolean>>> = {
  unknown_quantity: hasUnknownQuantitySql,
  faulty: STATUS_CONDITIONS.faulty,
  silent: sql`(devices.created_at < now() - ${SILENT} AND NOT ${SENT_WITHIN_DAY})`,
  placement_guessed: sql`(devices.placement_by <> 'owner' AND EXISTS (SELECT FROM discovered_devices f WHERE f.device_id = devices.device_id) AND ${tellsEnergy('devices')} AND EXISTS (SELECT FROM devices o
      WHERE o.user_id = devices.user_id AND o.device_id <> devices.device_id AND o.deleted_at IS NULL AND ${tellsEnergy('o')}))`,
  swap_guessed: sql`EXISTS (SELECT FROM series s JOIN reading_notes n ON n.series_id = s.series_id WHERE s.device_id = devices.device_id AND ${IS_METER_SWAP_SUSPECTED_SQL})`,
};

/** Reasons why a device may need the attention of its owner, in the order in which they are listed. */
export const ATTENTION_KINDS = ['unknown_quantity', 'faulty', 'silent', 'placement_guessed', 'swap_guessed'] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** SQL array of all reasons why a device needs attention. */
export const ATTENTION_COLUMN = sql<AttentionKind[]>`array_remove(ARRAY[${sql.join(
  ATTENTION_KINDS.map((name) => sql`CASE WHEN ${ATTENTION_CONDITIONS[name]} THEN ${sql.lit(name)} END`),
)}], NULL)`.as('attention');

interface Heard {
  status: DeviceStatus;
  last_seen_at: Date | null;
  attention: AttentionKind[];
}
export type Device = Pick<Selectable<Tables['devices']>, (typeof COLUMNS)[number]> & Heard;
type DetailsRow = Pick<Selectable<Tables['devices']>, (typeof DETAILS)[number]> & Heard & { is_computed: boolean };
export type DeviceDetails = Omit<DetailsRow, 'channels'> & { channels: DeviceChannel[] };

/** Columns that an owner can set. */
export type DeviceSettings = Pick<
  Insertable<Tables['devices']>,
  | 'type'
  | 'location'
  | 'limit_kw'
  | 'register_max_kwh'
  | 'max_gap_minutes'
  | 'timezone'
  | 'decoder_config'
  | 'placement'
  | 'upstream_device_id'
  | 'external_id'
  | 'certificate_sha256'
>;

export interface NewDevice extends DeviceSettings {
  userId: string;
  /** Id that the caller has chosen. Default: a new id. */
  deviceId?: string;
  /** Facts about a device behind a gateway that the decoder has found. */
  heardAs?: DecodedDeviceProperties;
  /** The owner's settings for the quantities of the device. */
  channels?: readonly ChannelSettingPatch[];
  /** Who manages the device (management.ts). Default: its owner. */
  managedBy?: DeviceManager;
}

/** Returns the row of a new device, and its secret, which is not stored. Throws 422 if the device has settings for too many quantities. */
export function createDeviceRow({
  userId,
  deviceId = createId('dev'),
  heardAs,
  channels = [],
  managedBy = 'owner',
  ...settings
}: NewDevice) {
  const { secret, sha256 } = createDeviceSecret();
  const { placement } = settings;
  const placed = placement ? { placement, placement_by: 'owner' as const } : guessPlacement(settings.type, heardAs);
  const row = {
    ...settings,
    ...placed,
    channels: mergeChannelSettings({}, channels),
    device_id: deviceId,
    user_id: userId,
    mqtt_secret_sha256: sha256,
    managed_by: managedBy,
  };
  return { row, secret };
}

/** The expression `PREVIOUS_COUNTING_SETTINGS_SQL` for typed queries. */
export const PREVIOUS_COUNTING_SETTINGS = sql.raw(PREVIOUS_COUNTING_SETTINGS_SQL);

/** Pairs a device. Only this result contains its secret. Throws 409 if the account already has a device with this `external_id`. */
export async function createDevice(db: Database, wanted: NewDevice): Promise<{ device: Device; secret: string }> {
  const { row, secret } = createDeviceRow(wanted);
  const above = row.upstream_device_id ?? null;
  if (above !== null) await mustBeUpstream(db, row.user_id, row.device_id, above);
  const device = await namedTwice(
    db
      .insertInto('devices')
      .values(row)
      .returning([...COLUMNS, STATUS_COLUMN, LAST_SEEN_AT_SQL, ATTENTION_COLUMN])
      .executeTakeFirstOrThrow(),
  );
  return { device, secret };
}

const TAKEN: Readonly<Record<string, 'externalIdInUse' | 'certificateInUse'>> = {
  devices_external_id: 'externalIdInUse',
  devices_certificate: 'certificateInUse',
};

/** Throws 409 if an identifier that must be unique already belongs to another device. */
async function namedTwice<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const taken = TAKEN[(error as { constraint?: string }).constraint ?? ''];
    if (taken) throw new AppError(taken);
    throw error;
  }
}

/**
 * Pairs a device that was discovered through a gateway of the same account, without credentials. Returns null if the caller can access no
 * such unpaired device. Throws 409 if none of its values has arrived.
 */
export async function pairDiscoveredDevice(
  db: Database,
  reach: AccessibleAccounts,
  discoveryId: string,
  device: NewDevice,
): Promise<Device | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const discovered = await trx
      .selectFrom('discovered_devices')
      .innerJoin('gateways', 'gateways.gateway_id', 'discovered_devices.gateway_id')
      .select(['discovery_id', 'family', 'native_id', 'channels', 'awaits'])
      .where('discovery_id', '=', discoveryId)
      .where('device_id', 'is', null)
      .where(isDiscoveredDeviceListedSql)
      .where('gateways.user_id', '=', device.userId)
      .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
      .forUpdate('discovered_devices')
      .executeTakeFirst();
    if (!discovered) return null;
    if (discovered.awaits !== null) {
      const message = explainUnbridgedTopic(discovered.awaits);
      throw new AppError('valueNeeded', { details: [{ field: 'discovery_id', message }] });
    }
    const { family, native_id: nativeId } = discovered;
    const channels = (discovered.channels as { channel: string }[]).map(({ channel }) => channel);
    const { device: paired } = await createDevice(trx, { ...device, heardAs: { family, nativeId, channels } });
    await trx
      .updateTable('discovered_devices')
      .set({ device_id: paired.device_id })
      .where('discovery_id', '=', discoveryId)
      .execute();
    return paired;
  });
}

/** Returns a device. Null if the caller may access no such device or it was deleted. */
export async function findDevice(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
): Promise<DeviceDetails | null> {
  const row = await db
    .selectFrom('devices')
    .select([...DETAILS, STATUS_COLUMN, LAST_SEEN_AT_SQL, ATTENTION_COLUMN, IS_COMPUTED])
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .executeTakeFirst();
  return row ? withChannels(db, row) : null;
}

/** Returns the owner of a device, also of a deleted device. Null if the caller can access no such device. */
export async function findDeviceOwner(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
): Promise<{ device_id: string; user_id: string } | null> {
  const row = await db
    .selectFrom('devices')
    .select(['device_id', 'user_id'])
    .where('device_id', '=', deviceId)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

const withChannels = async (db: Database, { channels, ...row }: DetailsRow): Promise<DeviceDetails> => ({
  ...row,
  channels: await listChannels(db, row.device_id, channels),
});

/**
 * Updates a device. Null if the caller can access no such device. Settings and meanings of quantities also apply to the past, which ingest
 * recomputes within seconds. A changed `decoder_config` applies only to later messages. Throws 403 if an owner changes what only the
 * managing utility may change. The caller must check a change of `managed_by`.
 */
export async function updateDevice(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  {
    channels: said,
    ...patch
  }: Partial<DeviceSettings> & { channels?: readonly ChannelSettingPatch[]; managed_by?: DeviceManager | undefined },
): Promise<DeviceDetails | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    if (said !== undefined || isChangeReservedForManager(Object.keys(patch)))
      await assertMayManageDevice(trx, reach, deviceId);
    const { decoder_config: config, upstream_device_id: above = null } = patch;
    if (above !== null || config !== undefined) {
      const owner = await trx
        .selectFrom('devices')
        .select('user_id')
        .where('device_id', '=', deviceId)
        .where('deleted_at', 'is', null)
        .where(isAccountAccessibleSql(reach, 'devices.user_id'))
        .executeTakeFirst();
      if (!owner) return null;
      if (above !== null) await mustBeUpstream(trx, owner.user_id, deviceId, above);
      if (config !== undefined) {
        await assertMappingsOfDevice(trx, deviceId, config);
        await splitSeriesOfDevice(trx, deviceId, config);
      }
    }
    const words = said && (await lockChannelSettings(trx, reach, deviceId));
    if (words === null) return null;
    const channels = words && mergeChannelSettings(words, said);
    if (channels) await assertUnambiguousChannels(trx, deviceId, channels);
    const affectsCounting =
      channels !== undefined || 'limit_kw' in patch || 'register_max_kwh' in patch || 'max_gap_minutes' in patch;
    const guess = patch.type === undefined ? null : guessPlacement(patch.type).placement;
    const placed = patch.placement
      ? { placement_by: 'owner' as const }
      : guess && { placement: sql<Placement>`CASE WHEN placement_by = 'type' THEN ${guess} ELSE placement END` };
    const changing = trx
      .updateTable('devices')
      .set((set) => ({
        // With an empty patch, this assignment makes the statement return the row.
        device_id: set.ref('device_id'),
        ...patch,
        ...placed,
        ...(channels ? { channels } : {}),
        ...(affectsCounting ? { computed_with: PREVIOUS_COUNTING_SETTINGS } : {}),
      }))
      .where('device_id', '=', deviceId)
      .where('deleted_at', 'is', null)
      .where(isAccountAccessibleSql(reach, 'devices.user_id'))
      .returning([...DETAILS, STATUS_COLUMN, LAST_SEEN_AT_SQL, ATTENTION_COLUMN, IS_COMPUTED])
      .executeTakeFirst();
    const row = await namedTwice(changing);
    return row ? withChannels(trx, row) : null;
  });
}

/**
 * Throws 422 if the upstream device has another owner, or if this device is upstream of it, directly or through other devices. Locks the
 * account, so that two concurrent changes cannot form a cycle.
 */
async function mustBeUpstream(db: Database, userId: string, deviceId: string, upstreamId: string): Promise<void> {
  // Raw SQL: an advisory lock. Concurrent requests share a lock on the account's row, so an exclusive lock on it would cause deadlocks.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('upstreams of', userId)}::bigint)`.execute(db);
  const rows = await db
    .selectFrom('devices')
    .select(['device_id', 'upstream_device_id', 'deleted_at'])
    .where('user_id', '=', userId)
    .execute();
  const byId = new Map(rows.map((row) => [row.device_id, row]));
  const wrong = (message: string) => createUnprocessableError({ field: 'upstream_device_id', message });
  if (byId.get(upstreamId)?.deleted_at !== null) throw wrong('must be another device of the same user');
  for (let above: string | null | undefined = upstreamId; above; above = byId.get(above)?.upstream_device_id) {
    if (above === deviceId) throw wrong('must not lie behind the device itself');
  }
}

/**
 * Deletes a device: it can no longer log in, and its messages are rejected. Its consumption remains in its owner's history. A device behind
 * a gateway can be paired again. Returns false if the caller can access no such device.
 */
export async function deleteDevice(db: Database, reach: AccessibleAccounts, deviceId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    // The owner could otherwise pair the device again and manage it instead of the utility.
    await assertMayManageDevice(trx, reach, deviceId);
    // Locks the discovered device before the paired device, like writers.
    const discovered = await trx
      .selectFrom('discovered_devices')
      .select('discovery_id')
      .where('device_id', '=', deviceId)
      .orderBy('discovery_id')
      .forUpdate()
      .execute();
    const { numUpdatedRows } = await trx
      .updateTable('devices')
      .set({ deleted_at: new Date(), mqtt_secret_sha256: Buffer.alloc(0) })
      .where('device_id', '=', deviceId)
      .where('deleted_at', 'is', null)
      .where(isAccountAccessibleSql(reach, 'devices.user_id'))
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const now = new Date();
    await trx
      .updateTable('api_keys')
      .set({ revoked_at: now })
      .where('device_id', '=', deviceId)
      .where('revoked_at', 'is', null)
      .execute();
    const ids = discovered.map(({ discovery_id }) => discovery_id);
    if (ids.length > 0) {
      await trx.updateTable('discovered_devices').set({ device_id: null }).where('discovery_id', 'in', ids).execute();
    }
    return true;
  });
}

/** Lists at most `limit` devices of one user, after `cursor`, in order of their ids. */
export async function listDevices(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Device[]> {
  return db
    .selectFrom('devices')
    .select([...COLUMNS, STATUS_COLUMN, LAST_SEEN_AT_SQL, ATTENTION_COLUMN])
    .where('user_id', '=', userId)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .where('deleted_at', 'is', null)
    .where('device_id', '>', page.cursor ?? '')
    .orderBy('device_id')
    .limit(page.limit)
    .execute();
}
