import { type Selectable, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { createDeviceSecret } from './credentials.ts';
import { GATEWAY_MANAGER_SQL, isLimitedToOwnAccount } from './management.ts';
import { splitSeriesBehindGateway } from './split-series.ts';
import { deleteMappedMessages } from './unrecognised-messages.ts';

const OF_ROW = ['gateway_id', 'user_id', 'name', 'decoder_config', 'created_at'] as const;
const COLUMNS = [...OF_ROW, GATEWAY_MANAGER_SQL] as const;

/** A household's own MQTT broker, whose messages a bridge publishes on `gw/{gateway_id}/…`. */
export type Gateway = Pick<Selectable<Tables['gateways']>, (typeof OF_ROW)[number]> & { managed_by: DeviceManager };

/** A device whose messages arrive through a gateway and that is not paired yet. */
export interface DiscoveredDevice {
  discovery_id: string;
  gateway_id: string;
  family: string;
  native_id: string;
  /** Names of the device's channels, such as `import` or `export/t1`. */
  channels: string[];
  /** Quantities on these channels. `counts`: the direction in which a quantity would contribute to the totals; null if it would not. */
  quantities: { channel: string; kind: string; counts: 'import' | 'export' | null }[];
  /** Topic filter, below the gateway's prefix, for the values that the device has announced. Null as soon as a value has arrived. */
  awaits: string | null;
  first_seen_at: Date;
  last_seen_at: Date;
}

/** Creates a gateway. Only this result contains its secret. */
export async function createGateway(
  db: Database,
  { userId, name }: { userId: string; name: string },
): Promise<{ gateway: Gateway; secret: string }> {
  const { secret, sha256 } = createDeviceSecret();
  const gateway = await db
    .insertInto('gateways')
    .values({ gateway_id: createId('gwy'), user_id: userId, name, mqtt_secret_sha256: sha256 })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { gateway, secret };
}

/** Lists at most `limit` gateways of one account, after `cursor`, in order of their ids. */
export async function listGateways(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Gateway[]> {
  return db
    .selectFrom('gateways')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
    .where('gateway_id', '>', page.cursor ?? '')
    .orderBy('gateway_id')
    .limit(page.limit)
    .execute();
}

/** Returns a gateway. Null if the caller may access no such gateway. */
export async function findGateway(db: Database, reach: AccessibleAccounts, gatewayId: string): Promise<Gateway | null> {
  const row = await db
    .selectFrom('gateways')
    .select(COLUMNS)
    .where('gateway_id', '=', gatewayId)
    .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Updates a gateway. Null if the caller can access no such gateway. If a changed `decoder_config` selects another number in the messages,
 * no energy is counted between the last reading of the previous number and the first of the new one. Throws 403 if an owner changes how
 * messages of a device that a utility manages are decoded.
 */
export async function updateGateway(
  db: Database,
  reach: AccessibleAccounts,
  gatewayId: string,
  patch: Partial<Pick<Gateway, 'name' | 'decoder_config'>>,
): Promise<Gateway | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Writers lock the gateway's row, so all readings that were decoded with the previous mapping are already stored.
    const before = await trx
      .selectFrom('gateways')
      .select('decoder_config')
      .where('gateway_id', '=', gatewayId)
      .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!before) return null;
    if (patch.decoder_config !== undefined) {
      await mustManageGateway(trx, reach, gatewayId);
      await splitSeriesBehindGateway(trx, gatewayId, { before: before.decoder_config, after: patch.decoder_config });
      await deleteMappedMessages(trx, gatewayId, patch.decoder_config);
    }
    return (
      trx
        .updateTable('gateways')
        // With an empty patch, this assignment makes the statement return the row.
        .set((set) => ({ name: set.ref('name'), ...patch }))
        .where('gateway_id', '=', gatewayId)
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
    );
  });
}

/** Throws 403 if the caller is the owner and a utility manages a device of the gateway. */
async function mustManageGateway(db: Database, reach: AccessibleAccounts, gatewayId: string): Promise<void> {
  if (isLimitedToOwnAccount(reach) && (await findGateway(db, reach, gatewayId))?.managed_by === 'utility')
    throw new AppError('deviceOfUtility');
}

/**
 * Deletes a gateway, its discovered devices and its rejected messages, but not its paired devices. Returns false if the caller can access
 * no such gateway. Throws 403 if a utility manages a device of the gateway and the caller is the owner.
 */
export async function deleteGateway(db: Database, reach: AccessibleAccounts, gatewayId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    await mustManageGateway(trx, reach, gatewayId);
    const { numDeletedRows } = await trx
      .deleteFrom('gateways')
      .where('gateway_id', '=', gatewayId)
      .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await trx.deleteFrom('rejected_messages').where('device_id', '=', gatewayId).execute();
    return true;
  });
}

/** SQL condition: a discovered device is listed. It is omitted if another device family lists the same announced device. */
export const isDiscoveredDeviceListedSql = sql<boolean>`discovered_devices.awaits IS DISTINCT FROM ''`;

/** Returns a text with the steps before an announced device can be paired. `awaits`: topic filter of the announced values. */
export const explainUnbridgedTopic = (awaits: string): string =>
  `none of its values has been received yet: bridge ${awaits} first`;

/** Lists devices that were discovered through gateways of one account and are not paired, after `cursor`, in order of their ids. */
export async function listDiscoveredDevices(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<DiscoveredDevice[]> {
  const rows = await db
    .selectFrom('discovered_devices')
    .innerJoin('gateways', 'gateways.gateway_id', 'discovered_devices.gateway_id')
    .select(['discovery_id', 'gateways.gateway_id', 'family', 'native_id', 'channels', 'awaits'])
    .select(['first_seen_at', 'last_seen_at'])
    .where('gateways.user_id', '=', userId)
    .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
    .where('device_id', 'is', null)
    .where(isDiscoveredDeviceListedSql)
    .where('discovery_id', '>', page.cursor ?? '')
    .orderBy('discovery_id')
    .limit(page.limit)
    .execute();
  return rows.map(({ channels, ...row }) => ({
    ...row,
    channels: [...new Set((channels as DiscoveredDevice['quantities']).map(({ channel }) => channel))],
    quantities: (channels as DiscoveredDevice['quantities']).map(({ channel, kind, counts }) => ({
      channel,
      kind,
      counts,
    })),
  }));
}
