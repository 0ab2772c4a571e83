import { z } from 'zod';
import { createdAt, instantShape, userId } from '#src/api/shapes.ts';
import { device, toWire } from '#src/api/v1/devices/shape.ts';
import type { FleetDevice } from '#src/devices/fleet/list.ts';
import { STOP_KINDS, STOP_REASONS, type StopGroup } from '#src/devices/fleet/stops.ts';
import { created_at, device_id, type Examples, gateway_id, user_id } from '../example-ids.ts';

export const fleetDevice = z
  .strictObject({
    ...device.shape,
    user_id: userId,
    email: z.string().nullable().describe('E-mail address of its owner. Null: the key has no `users:read`.'),
    family: z
      .string()
      .describe(
        'Which messages it sends, such as `tasmota`. `native`: those of the service itself, without a gateway.',
      ),
    gateway_id: z.string().nullable().describe('Id of the gateway that it comes through. Null: it logs in itself.'),
    silent_since: instantShape
      .nullable()
      .describe(
        'When its silence began: when it was last heard, or paired where it never was. Null: it was heard within the last hour.',
      ),
    created_at: createdAt,
  })
  .meta({ id: 'FleetDevice' });

/** Converts a device in a list over many accounts. E-mail addresses are only included for callers that may read accounts. */
export const fleetDeviceToWire = (row: FleetDevice, withEmails: boolean): z.output<typeof fleetDevice> => ({
  ...toWire(row),
  user_id: row.user_id,
  email: withEmails ? row.email : null,
  family: row.family,
  gateway_id: row.gateway_id,
  silent_since: row.silent_since?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
});

const count = (means: string) => z.number().int().describe(means);
const silenceRow = z.strictObject({
  starts_at: instantShape.describe('Start of the hour or day.'),
  devices: count('How many devices fell silent in it.'),
  outage: count('Of these as part of an outage of many homes.'),
  gateway: count('Of these with others of their gateway.'),
  home: count('Of these with others of their home.'),
  device: count('Of these alone.'),
  habit: count('Of these as they do again and again.'),
  unsure: count('Of all of these, those of which the kind is unsure.'),
});
export type SilenceRow = z.output<typeof silenceRow>;

const stopGroup = z.strictObject({
  kind: z
    .enum(STOP_KINDS)
    .describe(
      '`outage`: of many homes; `gateway`, `home`: of one; `device`: one alone; `habit`: one that often is silent.',
    ),
  sure: z.boolean().describe('Whether the rule is sure of the kind. Else `because` says what the doubt is.'),
  because: z
    .enum(STOP_REASONS)
    .describe(
      '`beyond_chance`: more homes at once than chance allows; `whole_gateway`, `whole_home`: all of its devices; `others_go_on`: others of its home were heard; `often_silent`: alone several times in the week before. Unsure: `part_of_gateway`, `part_of_home`: some of its devices; `only_device`: nothing else of its home could have been heard; `others_stopped_too`: unusually many homes stopped about then.',
    ),
  first_at: instantShape.describe('When the first of its devices was last heard.'),
  last_at: instantShape.describe('When the last of them was.'),
  devices: count('How many devices it has.'),
  homes: count('Of how many homes they are.'),
  heard_again: count('How many of them were heard again.'),
  user_id: z.string().nullable().describe('Id of the user. Null: there are several.'),
  gateway_id: z.string().nullable().describe('Id of the gateway. Null: none, or several.'),
  device_ids: z.array(z.string()).describe('Ids of its devices, the first to stop first; 20 at most.'),
});

export const fleetSilence = z
  .strictObject({
    silent_after_minutes: count('Shorter silences are not noted, in minutes.'),
    devices: count('How many devices there are in reach.'),
    homes: count('How many homes have one of them.'),
    unwatched: z
      .array(z.strictObject({ from: instantShape.describe('Start.'), to: instantShape.describe('End, exclusive.') }))
      .describe('When no worker looked. Silences that began and ended within are not known.'),
    data: z.array(silenceRow).describe('Hours or days in which devices fell silent, oldest first.'),
    groups: z.array(stopGroup).describe('What stopped together, the most devices first, then the latest.'),
    groups_left_out: count('How many groups more there are.'),
  })
  .meta({ id: 'FleetSilence' });

const MOST_IDS = 20;
/** Returns the value that all have in common, or null. */
const common = (all: readonly (string | null)[]): string | null => {
  const several = new Set(all);
  const [one = null] = several;
  return several.size === 1 ? one : null;
};

export const stopGroupToWire = ({ kind, isSure, because, stops }: StopGroup): z.output<typeof stopGroup> => ({
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
  device_ids: stops.slice(0, MOST_IDS).map(({ deviceId }) => deviceId),
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
