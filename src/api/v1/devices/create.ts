import { z } from 'zod';
import { id } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { createDevice as create, pairDiscovered, readingsTopic } from '#src/devices/store.ts';
import { deviceSettings } from './settings.ts';

const { type, location, ...optional } = deviceSettings;
const body = z.strictObject({
  user_id: id.optional(),
  type,
  location,
  ...z.object(optional).partial().shape,
  discovery_id: id.optional(),
});

export const createDevice = operation({
  summary:
    'Pairs a device; its MQTT password is shown here and never again. One that was discovered through a gateway goes on with the gateway’s credentials.',
  method: 'POST',
  path: '/v1/devices',
  scope: 'devices:write',
  answer: shapes.pairedDevice,
  body,
  async handle({ context, caller, body: { user_id, type, location, discovery_id, ...settings } }) {
    const user = await reachUser(context.db, caller, user_id);
    const wanted = {
      userId: user.user_id,
      type,
      location,
      ...(settings.limit_kw === undefined ? {} : { limitKw: settings.limit_kw }),
      ...(settings.register_max_kwh === undefined ? {} : { registerMaxKwh: settings.register_max_kwh }),
      ...(settings.max_gap_minutes === undefined ? {} : { maxGapMinutes: settings.max_gap_minutes }),
      ...(settings.timezone === undefined ? {} : { timezone: settings.timezone }),
    };
    if (discovery_id !== undefined) {
      const paired = await pairDiscovered(context.db, reachOf(caller), holdable(discovery_id), wanted);
      if (!paired) throw new AppError('notFound');
      return paired;
    }
    const { device, secret } = await create(context.db, wanted);
    const mqtt = { username: device.device_id, password: secret, topic: readingsTopic(device.device_id) };
    return { ...device, mqtt };
  },
});
