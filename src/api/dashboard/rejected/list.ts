import { z } from 'zod';
import type { RejectedRow } from '#src/api/context.ts';
import { adminOnly } from '#src/api/dashboard/admin-only.ts';
import * as shapes from '#src/api/dashboard/shapes.ts';
import { idField, pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { fetchPage } from '#src/api/pages.ts';
import { toIdOrNotFound } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/** Maximum number of characters of a payload that are returned. */
const SHOWN = 2_000;

export const listRejected = defineOperation({
  summary:
    'Messages and elements of messages that could not be used, the youngest first, page by page. For administrators.',
  method: 'GET',
  path: '/v1/rejected',
  scope: 'devices:read',
  answer: z.array(shapes.rejected),
  query: z.object({ device_id: idField.describe('Id of a device. Default: all.').optional(), ...pageFields }),
  async handle({ context: { rejected }, caller, query: { device_id, ...asked }, reply, url }) {
    adminOnly(caller);
    if (!rejected) throw new AppError('unavailable');
    const which = omitUndefined({ deviceId: device_id === undefined ? undefined : toIdOrNotFound(device_id) });
    const find = ({ limit, cursor }: { limit: number; cursor?: string }) =>
      rejected.list(which, omitUndefined({ limit, before: cursor === undefined ? undefined : Number(cursor) }));
    return (await fetchPage(reply, url, asked, find, (one) => String(one.rejected_id))).map(shown);
  },
});

const shown = ({ payload, payload_b64, ...row }: RejectedRow): RejectedRow =>
  omitUndefined({ ...row, payload: payload?.slice(0, SHOWN), payload_b64: payload_b64?.slice(0, SHOWN) });
