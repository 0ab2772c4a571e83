import { created_at, device_id, type Examples, gateway_id, user_id } from '../example-ids.ts';

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
