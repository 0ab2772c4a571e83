import { z } from 'zod';

export const stream = z
  .string()
  .describe(
    'Server-sent events. `ready`: `{user_id, device_id, resumed}`, once; `resumed` is true where the stream goes on after `Last-Event-ID`, false where that was not possible (read the hours anew with `GET /v1/energy-insights`), null where none was sent. `reading`: `{device_id, user_id, seen_at, power_w, power_at, channels}`, what a device told last, at the beginning and at most once a second each; those between two are left out, and none is repeated after a break. `power`: `{user_id, power_w, power_at}`, the measured power of the home in W, at the beginning and when it changes, while each device that counts sent a power within the last 60 s. `usage`: the `data` of `usage.updated`, with an `id`; nothing that changed is left out. Lines that begin with a colon keep the connection open.',
  );
