import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDeviceSecret } from '#src/devices/credentials.ts';
import { createGateway, updateGateway } from '#src/devices/gateways.ts';
import { type NewDevice, pairDiscoveredDevice } from '#src/devices/store.ts';
import type { DemoDevice } from './demo-device.ts';
import type { MeterState } from './home-clock.ts';

const NAME = 'Meters in the cellar';
/** Topic of the meters' SenML packs, below the gateway's topic prefix. */
const TOPIC = 'senml/meters';
/** Heat of burning a cubic metre of natural gas, in kWh. */
const KWH_PER_CUBIC_METRE_OF_GAS = 10.55;

/** Login and secret of a gateway, and the topic on which it publishes for the devices behind it. */
export type GatewayLogin = Pick<DemoDevice, 'login' | 'secret' | 'topic'>;

/** Finds or creates the gateway of a demo home, and creates a new secret for it. Gas and water meters need a gateway. */
export async function ensureDemoGateway(db: Database, userId: string): Promise<GatewayLogin> {
  const known = await db
    .selectFrom('gateways')
    .select('gateway_id')
    .where('user_id', '=', userId)
    .where('name', '=', NAME)
    .executeTakeFirst();
  const gatewayId = known?.gateway_id ?? (await createGateway(db, { userId, name: NAME })).gateway.gateway_id;
  if (!known) await updateGateway(db, ALL_ACCOUNTS, gatewayId, { decoder_config: { senml: { topics: [TOPIC] } } });
  const { secret, sha256 } = createDeviceSecret();
  await db.updateTable('gateways').set({ mqtt_secret_sha256: sha256 }).where('gateway_id', '=', gatewayId).execute();
  return { login: gatewayId, secret, topic: `gw/${gatewayId}/${TOPIC}` };
}

/** Pairs a meter behind the gateway. The meter is paired before it has sent any message, because its first messages are its history. */
export async function pairDeviceBehindGateway(
  db: Database,
  { login: gateway_id }: GatewayLogin,
  meterName: string,
  device: NewDevice,
): Promise<void> {
  const discovery_id = createId('dsc');
  const { discovery_id: discoveryId } = await db
    .insertInto('discovered_devices')
    .values({
      discovery_id,
      gateway_id,
      family: 'senml',
      native_id: meterName,
      channels: JSON.stringify([]),
    })
    .onConflict((known) => known.columns(['gateway_id', 'family', 'native_id']).doUpdateSet({ device_id: null }))
    .returning('discovery_id')
    .executeTakeFirstOrThrow();
  await pairDiscoveredDevice(db, ALL_ACCOUNTS, discoveryId, device);
}

/** Returns the SenML record (RFC 8428) of a meter's volume in whole litres, the unit in which gas and water meters count. */
export function createSenmlVolumeRecord(
  kind: string,
  meterName: string,
  { registerMilliwattHours }: MeterState,
  atMs: number,
): object {
  const cubicMetres = registerMilliwattHours / 1e6 / (kind === 'gas' ? KWH_PER_CUBIC_METRE_OF_GAS : 1);
  return { n: `${meterName}/volume`, u: 'm3', v: Math.floor(cubicMetres * 1000) / 1000, t: atMs / 1000 };
}
