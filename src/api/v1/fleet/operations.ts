import { DateTime } from 'luxon';
import { z } from 'zod';
import * as fields from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { resolveRequestedUserId, resolveUserWithZone } from '#src/auth/access.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { DEVICE_STATUSES, PLACEMENTS } from '#src/database/enums.ts';
import { listFleet } from '#src/devices/fleet/list.ts';
import { MIN_SILENCE_MS } from '#src/devices/fleet/record-silences.ts';
import { readDeviceSilences } from '#src/devices/fleet/silences.ts';
import { decodeFleetListPosition, FLEET_SORT_ORDERS } from '#src/devices/fleet/sort.ts';
import type { DeviceSilence, DeviceStopGroup } from '#src/devices/fleet/stops.ts';
import { ATTENTION_KINDS } from '#src/devices/store.ts';
import { countDays, createDayRange } from '#src/energy/ranges.ts';
import {
  type DeviceSilenceRow,
  deviceStopGroupToResponse,
  fleetDeviceSchema,
  fleetDeviceToResponse,
  fleetSilenceSchema,
} from './shape.ts';

/** Maximum hours of silence by which devices can be filtered: the hours of a leap year. */
const MAX_HOURS = 8_784;

export const listFleetDevices = defineOperation('GET /v1/fleet/devices', {
  summary:
    'Lists the devices of all accounts that the caller can access, page by page, with filters and an order. E-mail addresses of owners also need `users:read`.',
  scope: 'devices:read',
  answer: z.array(fleetDeviceSchema),
  query: z.object({
    user_id: fields.idField
      .optional()
      .describe(
        'Id of a user: only the devices of this user. Default: all devices that the caller can access. A homeowner can name only itself.',
      ),
    status: z.enum(DEVICE_STATUSES).optional().describe('Status: only devices in this state. Default: all states.'),
    silent_for_hours: fields
      .integerField(1, MAX_HOURS)
      .optional()
      .describe(
        'Minimum silence in hours: only devices without a message for this time, or paired this long ago without any message. A silence is detected within a minute. Default: all devices.',
      ),
    placement: z
      .enum(PLACEMENTS)
      .optional()
      .describe('Placement: only devices at this position in their homes. Default: all.'),
    family: fields
      .textField(64)
      .optional()
      .describe('Family of messages: only devices that send them, such as `tasmota`, or `native`. Default: all.'),
    attention: z
      .enum(ATTENTION_KINDS)
      .optional()
      .describe('Kind of problem: only devices with this open problem. Default: all devices.'),
    text: fields
      .textField(254)
      .optional()
      .describe(
        'Search text: only devices with a word of the location, or an id, that begins with it; with `users:read` also the owner’s e-mail address. Case is ignored. Default: all devices.',
      ),
    sort: z
      .enum(FLEET_SORT_ORDERS)
      .default('created_at')
      .describe(
        'Sort order; a minus reverses it. `last_seen_at`: longest silence first; devices with a message in the last hour come last, in no particular order.',
      ),
    ...fields.paginationFields,
    cursor: fields
      .textField(2_000)
      .optional()
      .describe(fields.paginationFields.cursor.description ?? ''),
  }),
  async handle({ context, db, caller, reach, query, page }) {
    const { user_id, limit: _, cursor: __, sort, silent_for_hours: silentForHours, text, ...filters } = query;
    const userId = user_id === undefined ? undefined : await resolveRequestedUserId(db, caller, user_id);
    const withEmails = caller.scopes.has('users:read');
    const trimmed = text?.trim();
    const which = omitUndefined({ userId, silentForHours, ...filters, text: trimmed === '' ? undefined : trimmed });
    const rows = await page('place', ({ limit, cursor }) => {
      const after = cursor === undefined ? null : decodeFleetListPosition(cursor, sort);
      return listFleet(db, reach, which, { limit, sort, after, now: context.clock(), withEmails });
    });
    return rows.map((row) => fleetDeviceToResponse(row, withEmails));
  },
});

/** Maximum number of days of a request, because a query takes longer the more silences it covers. */
const MAX_DAYS = 31;

export const getFleetSilence = defineOperation('GET /v1/fleet/silence', {
  summary:
    'Counts the devices that fell silent, among all that the caller can access, by hour or day, and groups devices that stopped together.',
  scope: 'devices:read',
  answer: fleetSilenceSchema,
  query: z.object({
    start: fields.dateField.describe('First day of the range, in the time zone `tz`.'),
    end: fields.dateField.describe(`Last day of the range, inclusive. The range is at most ${MAX_DAYS} days.`),
    group_by: z.enum(['hour', 'day']).default('hour').describe('Length of a row.'),
    tz: fields.zoneOrAccountField.default('UTC'),
    limit: fields.integerFieldWithDefault(1, 200, 50).describe('Maximum number of groups in the response.'),
  }),
  async handle({ context, db, caller, reach, query: { start, end, group_by, tz, limit } }) {
    if (end < start) throw createUnprocessableError({ field: 'end', message: 'must not be before start' });
    if (countDays(start, end) > MAX_DAYS)
      throw createUnprocessableError({
        field: 'end',
        message: `must be at most ${MAX_DAYS} days after start, inclusive`,
      });
    const zone = tz === 'account' ? (await resolveUserWithZone(db, caller, undefined, tz)).zone : tz;
    const range = createDayRange(start, end, zone);
    const stretch = { fromMs: range.from.getTime(), toMs: range.to.getTime() };
    const read = await readDeviceSilences(db, reach, stretch, context.clock());
    const isWithin = ({ beganMs }: DeviceSilence) => beganMs >= stretch.fromMs && beganMs < stretch.toMs;
    const lastOf = ({ stops }: DeviceStopGroup) => stops.at(-1)?.beganMs ?? 0;
    const groups = [...read.groups].sort(
      (one, other) => other.stops.length - one.stops.length || lastOf(other) - lastOf(one),
    );
    const asText = (ms: number) => new Date(ms).toISOString();
    return {
      silent_after_minutes: MIN_SILENCE_MS / 60_000,
      devices: read.devices,
      homes: read.homes,
      unwatched: read.unwatched.map(({ fromMs, toMs }) => ({ from: asText(fromMs), to: asText(toMs) })),
      data: rowsOf(read.groups, isWithin, group_by, zone),
      groups: groups.slice(0, limit).map(deviceStopGroupToResponse),
      groups_left_out: Math.max(0, groups.length - limit),
    };
  },
});

/** Counts the devices that fell silent in each hour or day, in a time zone. Hours and days without any are omitted. */
function rowsOf(
  groups: readonly DeviceStopGroup[],
  isWithin: (stop: DeviceSilence) => boolean,
  unit: 'hour' | 'day',
  zone: string,
): DeviceSilenceRow[] {
  const rows = new Map<number, DeviceSilenceRow>();
  const startOf = starts(unit, zone);
  for (const { kind, isSure, stops } of groups) {
    for (const stop of stops) {
      if (!isWithin(stop)) continue;
      const { ms, text } = startOf(stop.beganMs);
      const none = { starts_at: text, devices: 0, outage: 0, gateway: 0, home: 0, device: 0, habit: 0, unsure: 0 };
      const row = rows.get(ms) ?? none;
      rows.set(ms, row);
      row.devices++;
      row[kind]++;
      if (!isSure) row.unsure++;
    }
  }
  return [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
}

/** Returns a function that returns the start of the hour or day that contains a time. */
function starts(unit: 'hour' | 'day', zone: string): (ms: number) => { ms: number; text: string } {
  const known = new Map<number, { ms: number; text: string }>();
  return (ms) => {
    const quarter = Math.floor(ms / QUARTER_HOUR_MS);
    const before = known.get(quarter);
    if (before) return before;
    const start = DateTime.fromMillis(quarter * QUARTER_HOUR_MS, { zone }).startOf(unit);
    const found = { ms: start.toMillis(), text: start.toISO({ suppressMilliseconds: true }) ?? '' };
    known.set(quarter, found);
    return found;
  };
}
