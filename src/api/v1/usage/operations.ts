import { z } from 'zod';
import { idField, userIdField } from '#src/api/fields.ts';
import { STREAM_SCOPE } from '#src/api/live/live.ts';
import { defineOperation } from '#src/api/operation.ts';
import { loadAccessibleUser, requireStorableId } from '#src/auth/access.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { findDevice } from '#src/devices/store.ts';
import { device_id, type Examples, user_id } from '../example-ids.ts';

const usageEvents = z
  .string()
  .describe(
    'Server-sent events. `ready` is sent once: `{user_id, device_id, resumed}`; `resumed` is true if the stream continues after `Last-Event-ID`, false if it cannot (fetch the hours again with `GET /v1/energy-insights`), null if the header was not sent. `reading`: `{device_id, user_id, seen_at, power_w, power_at, channels}`, the latest values of a device, at the start and then at most once a second for each device; values in between are skipped, and none is repeated after an interruption. `power`: `{user_id, power_w, power_at}`, the measured power of the home in W, at the start and at each change, if each counted device sent its power within the last 60 s. `usage`: the `data` of `usage.updated`, with an `id`; no change is skipped. Lines that begin with a colon keep the connection open.',
  );

const query = z.object({
  user_id: userIdField.optional(),
  device_id: idField
    .optional()
    .describe(
      'Id of a device: restricts the stream to its readings. Default: all devices of the home, and the home’s usage.',
    ),
});

export const streamUsage = defineOperation('GET /v1/usage/stream', {
  summary: 'Streams live readings of a home and its changed hours as server-sent events.',
  scope: STREAM_SCOPE,
  produces: 'text/event-stream',
  answer: usageEvents,
  query,
  async handle({ context: { live }, db, caller, reach, query: { user_id, device_id }, reply }) {
    if (!live) throw new AppError('unavailable');
    const { user_id: named } = await loadAccessibleUser(db, caller, user_id);
    const device =
      device_id === undefined ? undefined : requireFound(await findDevice(db, reach, requireStorableId(device_id)));
    // If the request names a device, the stream is about the device's home, which must be the home of the named user.
    if (device && user_id !== undefined && device.user_id !== named) throw new AppError('notFound');
    const { 'last-event-id': lastEventId } = reply.request.headers;
    const stream = await live.open({
      caller,
      userId: device?.user_id ?? named,
      deviceId: device?.device_id,
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
    });
    // With these headers, proxies do not buffer the response.
    reply.header('X-Accel-Buffering', 'no').header('Cache-Control', 'no-store, no-transform');
    reply.type('text/event-stream; charset=utf-8');
    return stream;
  },
});

const data = (value: object) => JSON.stringify(value);
const channels = [
  {
    native_name: 'import energy_total_kwh',
    unit: 'kWh',
    last_value: 14_622.388,
    last_at: '2026-06-15T11:59:58.000Z',
    counts_as: 'import',
    asked: false,
    counted: true,
    placement: null,
  },
];

export const USAGE_EXAMPLES = {
  streamUsage: {
    answer: `retry: 2718

id: mbvx3k00.evt_01k8xqcn4s7t2v9x1fw6zb3hmd
event: ready
data: ${data({ user_id, device_id: null, resumed: null })}

event: reading
data: ${data({ device_id, user_id, seen_at: '2026-06-15T11:59:58.310Z', power_w: 431, power_at: '2026-06-15T11:59:58.000Z', channels })}

event: power
data: ${data({ user_id, power_w: 431, power_at: '2026-06-15T11:59:58.000Z' })}

id: mbvx3k00.evt_01k8xqdv6m9p3r5t7gy2kc4wna
event: usage
data: ${data({ user_id, hours: [{ date: '2026-06-15', hour: '11:00', kwh_used: 0.412 }], updated_at: '2026-06-15T11:59:59.000Z' })}

: heartbeat

`,
  },
} satisfies Examples;
