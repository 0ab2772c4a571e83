import { device_id, type Examples, user_id } from '../example-ids.ts';

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
