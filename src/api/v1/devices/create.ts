import { z } from 'zod';
import { id, text, zone } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { reachUser } from '#src/auth/access.ts';
import { createDevice as create, readingsTopic } from '#src/devices/store.ts';

const body = z.strictObject({
  user_id: id.optional(),
  type: text(64),
  location: text(200),
  limit_kw: z.number().positive().max(1_000_000).optional(),
  register_max_kwh: z.number().positive().max(9_000_000_000).optional(),
  max_gap_minutes: z.number().positive().max(1_440).optional(),
  timezone: zone.optional(),
});

/** Pairs a device; its MQTT password is shown here and never again. */
export const createDevice = operation({
  method: 'POST',
  path: '/v1/devices',
  scope: 'devices:write',
  body,
  async handle({ context, caller, body: { user_id, type, location, ...settings } }) {
    const user = await reachUser(context.db, caller, user_id);
    const { device, secret } = await create(context.db, {
      userId: user.user_id,
      type,
      location,
      ...(settings.limit_kw === undefined ? {} : { limitKw: settings.limit_kw }),
      ...(settings.register_max_kwh === undefined ? {} : { registerMaxKwh: settings.register_max_kwh }),
      ...(settings.max_gap_minutes === undefined ? {} : { maxGapMinutes: settings.max_gap_minutes }),
      ...(settings.timezone === undefined ? {} : { timezone: settings.timezone }),
    });
    const mqtt = { username: device.device_id, password: secret, topic: readingsTopic(device.device_id) };
    return { ...device, mqtt };
  },
});
