import { z } from 'zod';
import { createdAtSchema, instantSchema, pickMembers, userIdSchema } from '#src/api/shapes.ts';
import { deviceSchema } from '#src/api/v1/devices/shape.ts';
import type { FleetDevice } from '#src/devices/fleet/list.ts';
import { type DeviceStopGroup, STOP_GROUP_KINDS, STOP_GROUP_REASONS } from '#src/devices/fleet/stops.ts';
import { created_at, device_id, type Examples, gateway_id, user_id } from '../example-ids.ts';

export const fleetDeviceSchema = z
  .strictObject({
    ...deviceSchema.shape,
    user_id: userIdSchema,
    email: z.string().nullable().describe('E-mail address of the device’s owner. Null: the key lacks `users:read`.'),
    family: z
      .string()
      .describe(
        'Family of the device’s messages, such as `tasmota`. `native`: the service’s own format, without a gateway.',
      ),
    gateway_id: z.string().nullable().describe('Id of the device’s gateway. Null: the device logs in itself.'),
    silent_since: instantSchema
      .nullable()
      .describe(
        'Start of the silence: time of the last message, or of pairing if none was received. Null: a message was received within the last hour.',
      ),
    created_at: createdAtSchema,
  })
  .meta({ id: 'FleetDevice' });

/**
 * Converts a device to an item in a list of devices of many accounts. `withEmails`: whether the caller may read e-mail addresses.
 */
export const fleetDeviceToResponse = (row: FleetDevice, withEmails: boolean): z.output<typeof fleetDeviceSchema> => ({
  ...pickMembers(fleetDeviceSchema, row),
  email: withEmails ? row.email : null,
});

const count = (means: string) => z.number().int().describe(means);
const silenceRow = z.strictObject({
  starts_at: instantSchema.describe('Start of the hour or day.'),
  devices: count('Number of devices that fell silent in this hour or day.'),
  outage: count('Number of these devices that stopped in an outage of many homes.'),
  gateway: count('Number of these devices that stopped together with others of their gateway.'),
  home: count('Number of these devices that stopped together with others of their home.'),
  device: count('Number of these devices that stopped alone.'),
  habit: count('Number of these devices that stop frequently.'),
  unsure: count('Number of all these devices whose kind of stop is uncertain.'),
});
export type DeviceSilenceRow = z.output<typeof silenceRow>;

const stopGroup = z.strictObject({
  kind: z
    .enum(STOP_GROUP_KINDS)
    .describe(
      'Kind of stop. `outage`: many homes stopped. `gateway`, `home`: devices of one gateway or home stopped. `device`: one device stopped alone. `habit`: a device stopped that is often silent.',
    ),
  sure: z.boolean().describe('Whether the kind is certain. If not, `because` gives the reason.'),
  because: z
    .enum(STOP_GROUP_REASONS)
    .describe(
      'Reason. `beyond_chance`: more homes stopped than chance explains; `whole_gateway`, `whole_home`: all its devices stopped; `others_go_on`: others of the home reported; `often_silent`: it often stopped in the week before. Uncertain: `part_of_gateway`, `part_of_home`: a part stopped; `only_device`: no other device of the home reported; `others_stopped_too`: unusually many homes stopped then.',
    ),
  first_at: instantSchema.describe('Time of the last message of the device that stopped first.'),
  last_at: instantSchema.describe('Time of the last message of the device that stopped last.'),
  devices: count('Number of devices in the group.'),
  homes: count('Number of homes in the group.'),
  heard_again: count('Number of devices in the group that have reported again.'),
  user_id: z.string().nullable().describe('Id of the user. Null: the group has several users.'),
  gateway_id: z.string().nullable().describe('Id of the gateway. Null: the group has no gateway, or several.'),
  device_ids: z.array(z.string()).describe('Ids of the devices in the order in which they stopped; at most 20.'),
});

export const fleetSilenceSchema = z
  .strictObject({
    silent_after_minutes: count('Minimum length of a silence, in minutes. Shorter silences are not recorded.'),
    devices: count('Number of devices that the caller can access.'),
    homes: count('Number of homes with at least one of these devices.'),
    unwatched: z
      .array(
        z.strictObject({
          from: instantSchema.describe('Start of this time.'),
          to: instantSchema.describe('End of the time, exclusive.'),
        }),
      )
      .describe('Times without a running worker. Silences that began and ended within them are unknown.'),
    data: z.array(silenceRow).describe('Hours or days in which devices fell silent, oldest first.'),
    groups: z.array(stopGroup).describe('Groups of devices that stopped together: largest first, then latest first.'),
    groups_left_out: count('Number of groups beyond `limit`.'),
  })
  .meta({ id: 'FleetSilence' });

const MAX_IDS = 20;
/** Returns the value that all entries of the list share, or null. */
const common = (all: readonly (string | null)[]): string | null => {
  const several = new Set(all);
  const [one = null] = several;
  return several.size === 1 ? one : null;
};

export const deviceStopGroupToResponse = ({
  kind,
  isSure,
  because,
  stops,
}: DeviceStopGroup): z.output<typeof stopGroup> => ({
  kind,
  sure: isSure,
  because,
  first_at: new Date(stops[0]?.beganMs ?? 0).toISOString(),
  last_at: new Date(stops.at(-1)?.beganMs ?? 0).toISOString(),
  devices: stops.length,
  homes: new Set(stops.map(({ userId }) => userId)).size,
  heard_again: stops.filter(({ endedMs }) => endedMs !== null).length,
  user_id: common(stops.map(({ userId }) => userId)),
  gateway_id: common(stops.map(({ gatewayId }) => gatewayId)),
  device_ids: stops.slice(0, MAX_IDS).map(({ deviceId }) => deviceId),
});

export const FLEET_EXAMPLES = {
  listFleetDevices: {
    answer: [
      {
        device_id,
        type: 'electricity_meter',
        location: 'cellar',
        status: 'inactive',
        last_seen_at: '2026-06-12T03:14:50.000Z',
        placement: 'grid',
        upstream_device_id: null,
        attention: ['silent'],
        user_id,
        email: 'anna@example.com',
        family: 'tasmota',
        gateway_id,
        silent_since: '2026-06-12T03:14:50.000Z',
        created_at,
      },
    ],
  },
  getFleetSilence: {
    answer: {
      silent_after_minutes: 60,
      devices: 10_000,
      homes: 4_210,
      unwatched: [],
      data: [
        {
          starts_at: '2026-06-12T03:00:00Z',
          devices: 1,
          outage: 0,
          gateway: 0,
          home: 0,
          device: 1,
          habit: 0,
          unsure: 0,
        },
      ],
      groups: [
        {
          kind: 'device',
          sure: true,
          because: 'others_go_on',
          first_at: '2026-06-12T03:14:50.000Z',
          last_at: '2026-06-12T03:14:50.000Z',
          devices: 1,
          homes: 1,
          heard_again: 0,
          user_id,
          gateway_id,
          device_ids: [device_id],
        },
      ],
      groups_left_out: 0,
    },
  },
} satisfies Examples;
