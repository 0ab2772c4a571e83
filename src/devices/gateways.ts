import { sql } from 'kysely';
import { newId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type Reach, within } from '#src/database/reach.ts';
import { together } from '#src/database/transaction.ts';
import { newDeviceSecret } from './credentials.ts';

/** A household's own broker, bridged to `gw/{gateway_id}/…`. */
export interface Gateway {
  gateway_id: string;
  user_id: string;
  name: string;
  decoder_config: unknown;
  created_at: string;
}

/** A device that was heard through a gateway and is not paired. */
export interface Discovered {
  discovery_id: string;
  gateway_id: string;
  family: string;
  native_id: string;
  /** Names of its channels: `import`, `export/t1`. */
  channels: string[];
  /** What it tells on them, and what of it counts as its owner's import or export. */
  quantities: { channel: string; kind: string; counts: 'import' | 'export' | null }[];
  first_seen_at: string;
  last_seen_at: string;
}

const COLUMNS = ['gateway_id', 'user_id', 'name', 'decoder_config', 'created_at'] as const;

/** MQTT topics that a gateway publishes below. */
export const gatewayPrefix = (gatewayId: string): string => `gw/${gatewayId}/`;

/** Makes a gateway. Its secret is in this answer and nowhere else. */
export async function createGateway(
  db: Database,
  gateway: { userId: string; name: string },
): Promise<{ gateway: Gateway; secret: string }> {
  const { secret, sha256 } = newDeviceSecret();
  const row = await db
    .insertInto('gateways')
    .values({ gateway_id: newId('gwy'), user_id: gateway.userId, name: gateway.name, mqtt_secret_sha256: sha256 })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  return { gateway: shown(row), secret };
}

/** Gateways of one account, in order of their ids, after `cursor`; at most `limit`. */
export async function listGateways(
  db: Database,
  reach: Reach,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<Gateway[]> {
  const rows = await db
    .selectFrom('gateways')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(within(reach, 'gateways.user_id'))
    .where('gateway_id', '>', page.cursor ?? '')
    .orderBy('gateway_id')
    .limit(page.limit)
    .execute();
  return rows.map(shown);
}

/** Changes a gateway within the reach; null where there is none. */
export async function updateGateway(
  db: Database,
  reach: Reach,
  gatewayId: string,
  patch: { name?: string; decoderConfig?: Record<string, unknown> },
): Promise<Gateway | null> {
  const row = await db
    .updateTable('gateways')
    .set((set) => ({
      name: patch.name ?? set.ref('name'),
      ...(patch.decoderConfig === undefined ? {} : { decoder_config: JSON.stringify(patch.decoderConfig) }),
    }))
    .where('gateway_id', '=', gatewayId)
    .where(within(reach, 'gateways.user_id'))
    .returning(COLUMNS)
    .executeTakeFirst();
  return row ? shown(row) : null;
}

/** Ends a gateway within the reach, and forgets what was discovered through it and what of it was rejected; false where there is none. */
export async function deleteGateway(db: Database, reach: Reach, gatewayId: string): Promise<boolean> {
  return together(db, async (trx) => {
    const { numDeletedRows } = await trx
      .deleteFrom('gateways')
      .where('gateway_id', '=', gatewayId)
      .where(within(reach, 'gateways.user_id'))
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await sql`DELETE FROM rejected_messages WHERE device_id = ${gatewayId}`.execute(trx);
    return true;
  });
}

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
    .select(['discovery_id', 'gateways.gateway_id', 'family', 'native_id', 'channels', 'first_seen_at', 'last_seen_at'])
    .where('gateways.user_id', '=', userId)
    .where(within(reach, 'gateways.user_id'))
    .where('device_id', 'is', null)
    .where('discovery_id', '>', page.cursor ?? '')
    .orderBy('discovery_id')
    .limit(page.limit)
    .execute();
  return rows.map(({ channels, ...row }) => ({
    ...row,
    channels: [...new Set((channels as Discovered['quantities']).map(({ channel }) => channel))],
    quantities: channels as Discovered['quantities'],
    first_seen_at: row.first_seen_at.toISOString(),
    last_seen_at: row.last_seen_at.toISOString(),
  }));
}

const shown = (row: Omit<Gateway, 'created_at'> & { created_at: Date }): Gateway => ({
  ...row,
  created_at: row.created_at.toISOString(),
});
