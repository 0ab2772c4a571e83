import { operation } from '#src/api/operation.ts';
import { checkIdentities, holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { orNotFound } from '#src/core/errors.ts';
import { managersOf } from '#src/devices/management.ts';
import { createDevice as create, pairDiscovered } from '#src/devices/store.ts';
import { readingsTopic } from '#src/devices/topics.ts';
import { newDevice, pairedDevice, toWire } from './shape.ts';

export const createDevice = operation({
  summary:
    'Pairs a device; its MQTT password is shown here and never again. One that was discovered through a gateway goes on with the gateway’s credentials.',
  method: 'POST',
  path: '/v1/devices',
  audit: { action: 'device.paired', target: 'device_id' },
  scope: 'devices:write',
  answer: pairedDevice,
  body: newDevice,
  async handle({ context, caller, body: { user_id, discovery_id, ...settings } }) {
    const user = await reachUser(context.db, caller, user_id);
    checkIdentities(caller, [settings]);
    const managedBy = (await managersOf(context.db, reachOf(caller), [user.user_id]))(user.user_id);
    const wanted = { userId: user.user_id, managedBy, ...defined(settings) };
    if (discovery_id !== undefined) {
      return toWire(orNotFound(await pairDiscovered(context.db, reachOf(caller), holdable(discovery_id), wanted)));
    }
    const { device, secret } = await create(context.db, wanted);
    const mqtt = { username: device.device_id, password: secret, topic: readingsTopic(device.device_id) };
    return { ...toWire(device), mqtt };
  },
});
