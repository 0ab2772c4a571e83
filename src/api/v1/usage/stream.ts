import { z } from 'zod';
import { id, ofUser } from '#src/api/fields.ts';
import { STREAM_SCOPE } from '#src/api/live/live.ts';
import { operation } from '#src/api/operation.ts';
import { holdable, reachOf, reachUser } from '#src/auth/access.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import * as shapes from './shape.ts';

const query = z.object({
  user_id: ofUser.optional(),
  device_id: id
    .optional()
    .describe('Id of a device: only its readings are told. Default: all devices of the home, and its usage.'),
});

export const streamUsage = operation({
  summary: 'Live readings of a home, and its hours as they change, as server-sent events.',
  method: 'GET',
  path: '/v1/usage/stream',
  scope: STREAM_SCOPE,
  produces: 'text/event-stream',
  answer: shapes.stream,
  query,
  async handle({ context: { db, live }, caller, query: { user_id, device_id }, reply }) {
    if (!live) throw new AppError('unavailable');
    const { user_id: named } = await reachUser(db, caller, user_id);
    const device =
      device_id === undefined ? undefined : orNotFound(await findDevice(db, reachOf(caller), holdable(device_id)));
    // Of a device the home is the device's; where both are named it must be that.
    if (device && user_id !== undefined && device.user_id !== named) throw new AppError('notFound');
    const { 'last-event-id': lastEventId } = reply.request.headers;
    const stream = await live.open({
      caller,
      userId: device?.user_id ?? named,
      deviceId: device?.device_id,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    });
    // Proxies that gather an answer before they pass it on are told not to.
    reply.header('X-Accel-Buffering', 'no').header('Cache-Control', 'no-store, no-transform');
    reply.type('text/event-stream; charset=utf-8');
    return stream;
  },
});
