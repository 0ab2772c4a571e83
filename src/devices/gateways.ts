import { type Selectable, sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import type { ManagedBy } from '#src/database/enums.ts';
import { type Reach, within } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { newDeviceSecret } from './credentials.ts';
import { GATEWAY_MANAGED_BY, isOwner } from './management.ts';
import { splitBehind } from './split-series.ts';

const OF_ROW = ['gateway_id', 'user_id', 'name', 'decoder_config', 'created_at'] as const;
const COLUMNS = [...OF_ROW, GATEWAY_MANAGED_BY] as const;

/** A household's own broker, bridged to `gw/{gateway_id}/…`. */
export type Gateway = Pick<Selectable<Tables['gateways']>, (typeof OF_ROW)[number]> & { managed_by: ManagedBy };

/** A device that was heard through a gateway and is not paired. */
export interface Discovered {
  discovery_id: string;
  gateway_id: string;
  family: string;
  native_id: string;
  /** Names of its channels: `import`, `export/t1`. */
  channels: string[];
  /** The quantities on them, and which of them count as its owner's import or export. */
  quantities: { channel: string; kind: string; counts: 'import' | 'export' | null }[];
  /** Filter of topics, below the gateway's prefix, on which its values were announced and none was received yet. */
  awaits: string | null;
  first_seen_at: Date;
  last_seen_at: Date;
}

/** Makes a gateway. Its secret is in this answer and nowhere else. */
export async function createGateway(
  db: Database,
  { userId, name }: { userId: string; name: string },
): Promise<{ gateway: Gateway; secret: string }> {
  const { secret, sha256 } = newDeviceSecret();
  const gateway = await db
    .insertInto('gateways')
    .values({ gateway_id: newId('gwy'), user_id: userId, name, mqtt_secret_sha256: sha256 })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { gateway, secret };
}

/** Gateways of one account, in order of their ids, after `cursor`; at most `limit`. */
export async function listGateways(
  db: Database,
  reach: Reach,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Gateway[]> {
  return db
    .selectFrom('gateways')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'gateways.user_id'))
    .where('gateway_id', '>', page.cursor ?? '')
    .orderBy('gateway_id')
    .limit(page.limit)
    .execute();
}

/** One gateway within the reach; null where there is none. */
export async function findGateway(db: Database, reach: Reach, gatewayId: string): Promise<Gateway | null> {
  const row = await db
    .selectFrom('gateways')
    .select(COLUMNS)
    .where('gateway_id', '=', gatewayId)
    .where(within(reach, 'gateways.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Changes a gateway within the reach; null where there is none. What a changed `decoder_config` reads of a device is another number from then on, and
 * nothing is counted from the former to the first of it. 403 where an owner changes how a device is read that the utility manages.
 */
export async function updateGateway(
  db: Database,
  reach: Reach,
  gatewayId: string,
  patch: Partial<Pick<Gateway, 'name' | 'decoder_config'>>,
): Promise<Gateway | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Whoever writes what comes through it locks it first: all that was read by the former mapping is stored.
    const before = await trx
      .selectFrom('gateways')
      .select('decoder_config')
      .where('gateway_id', '=', gatewayId)
      .where(within(reach, 'gateways.user_id'))
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!before) return null;
    if (patch.decoder_config !== undefined) {
      await mustManageGateway(trx, reach, gatewayId);
      await splitBehind(trx, gatewayId, { before: before.decoder_config, after: patch.decoder_config });
    }
    return (
      trx
        .updateTable('gateways')
        // Without a change the row is written as it is, and answered.
        .set((set) => ({ name: set.ref('name'), ...patch }))
        .where('gateway_id', '=', gatewayId)
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
    );
  });
}

/** 403 where an owner is about to change a gateway through which a device comes that the utility manages. */
async function mustManageGateway(db: Database, reach: Reach, gatewayId: string): Promise<void> {
  if (isOwner(reach) && (await findGateway(db, reach, gatewayId))?.managed_by === 'utility')
    throw new AppError('deviceOfUtility');
}

/**
 * Ends a gateway within the reach, and forgets what was discovered through it and what of it was rejected; false where there is none. Its
 * devices stay, and what was said of them is still worked in. 403 as for `updateGateway`.
 */
export async function deleteGateway(db: Database, reach: Reach, gatewayId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    await mustManageGateway(trx, reach, gatewayId);
    const { numDeletedRows } = await trx
      .deleteFrom('gateways')
      .where('gateway_id', '=', gatewayId)
      .where(within(reach, 'gateways.user_id'))
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await trx.deleteFrom('rejected_messages').where('device_id', '=', gatewayId).execute();
    return true;
  });
}

/** Whether a discovery is shown. An announced device of which another family reads the topics is listed by that family. */
export const isShown = sql<boolean>`discovered_devices.awaits IS DISTINCT FROM ''`;

/** What to do before such a device can be paired. `awaits`: of the discovery. */
export const bridgeFirst = (awaits: string): string => `none of its values was received yet: bridge ${awaits} first`;

/** Devices heard through the gateways of one account that are not paired, in order of their ids, after `cursor`. */
export async function listDiscovered(
  db: Database,
  reach: Reach,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Discovered[]> {
  const rows = await db
    .selectFrom('discovered_devices')
    .innerJoin('gateways', 'gateways.gateway_id', 'discovered_devices.gateway_id')
    .select(['discovery_id', 'gateways.gateway_id', 'family', 'native_id', 'channels', 'awaits'])
    .select(['first_seen_at', 'last_seen_at'])
    .where('gateways.user_id', '=', userId)
    .where(within(reach, 'gateways.user_id'))
    .where('device_id', 'is', null)
    .where(isShown)
    .where('discovery_id', '>', page.cursor ?? '')
    .orderBy('discovery_id')
    .limit(page.limit)
    .execute();
  return rows.map(({ channels, ...row }) => ({
    ...row,
    channels: [...new Set((channels as Discovered['quantities']).map(({ channel }) => channel))],
    quantities: (channels as Discovered['quantities']).map(({ channel, kind, counts }) => ({ channel, kind, counts })),
  }));
}
