import { z } from 'zod';
import { id, page, text, wholeNumber } from '#src/api/fields.ts';
import { operation } from '#src/api/operation.ts';
import { pageOf } from '#src/api/pages.ts';
import { reachOf, reachUserId } from '#src/auth/access.ts';
import { defined } from '#src/core/defined.ts';
import { DEVICE_STATUSES, PLACEMENTS } from '#src/database/enums.ts';
import { listFleet } from '#src/devices/fleet/list.ts';
import { FLEET_SORTS, placeOf } from '#src/devices/fleet/sort.ts';
import { ATTENTIONS } from '#src/devices/store.ts';
import { fleetDevice, fleetDeviceToWire } from './shape.ts';

/** A leap year. */
const MOST_HOURS = 8_784;

export const listFleetDevices = operation({
  summary:
    'The devices of every account that the caller reaches, page by page: filtered, and in an order. Owners’ e-mail addresses need `users:read`, too.',
  method: 'GET',
  path: '/v1/fleet/devices',
  scope: 'devices:read',
  answer: z.array(fleetDevice),
  query: z.object({
    user_id: id
      .optional()
      .describe('Only devices of this user. Default: of all in reach. A homeowner can name only itself.'),
    status: z.enum(DEVICE_STATUSES).optional().describe('Only devices in this state. Default: in any.'),
    silent_for_hours: wholeNumber(1, MOST_HOURS)
      .optional()
      .describe(
        'Only devices that were not heard for so many hours, or never since they were paired so long ago. A silence is known within a minute. Default: all.',
      ),
    placement: z.enum(PLACEMENTS).optional().describe('Only devices that sit there in their homes. Default: all.'),
    family: text(64)
      .optional()
      .describe('Only devices that send these messages, such as `tasmota`, or `native`. Default: all.'),
    attention: z.enum(ATTENTIONS).optional().describe('Only devices that want this of their owners. Default: all.'),
    text: text(254)
      .optional()
      .describe(
        'Only devices whose location has words that begin so, or whose id begins so; with `users:read` also those whose owner’s e-mail address does. In any case. Default: all.',
      ),
    sort: z
      .enum(FLEET_SORTS)
      .default('created_at')
      .describe(
        'Order; with a minus the other way round. `last_seen_at`: the longest silent first, and those that were heard within the last hour after them, as equals.',
      ),
    ...page,
    cursor: text(2_000)
      .optional()
      .describe(page.cursor.description ?? ''),
  }),
  async handle({ context, caller, query, reply, url }) {
    const { user_id, limit, cursor, sort, silent_for_hours: silentForHours, text, ...filters } = query;
    const userId = user_id === undefined ? undefined : await reachUserId(context.db, caller, user_id);
    const withEmails = caller.scopes.has('users:read');
    const trimmed = text?.trim();
    const rows = await pageOf(
      reply,
      url,
      { limit, cursor },
      ({ limit, cursor }) =>
        listFleet(
          context.db,
          reachOf(caller),
          defined({ userId, silentForHours, ...filters, text: trimmed === '' ? undefined : trimmed }),
          {
            limit,
            sort,
            after: cursor === undefined ? null : placeOf(cursor, sort),
            now: context.clock(),
            withEmails,
          },
        ),
      (one) => one.place,
    );
    return rows.map((row) => fleetDeviceToWire(row, withEmails));
  },
});
