import { getReadingsTopic } from '#src/devices/topics.ts';
import { created_at, device_id, type Examples, edit_id, gateway_id, user_id } from '../example-ids.ts';

const device = {
  device_id,
  type: 'electricity_meter',
  location: 'cellar',
  status: 'active',
  last_seen_at: '2026-06-15T11:59:50.000Z',
  placement: 'grid',
  upstream_device_id: null,
  attention: [],
};
const details = {
  ...device,
  user_id,
  limit_kw: 100,
  register_max_kwh: 999_999.999,
  max_gap_minutes: 90,
  timezone: null,
  decoder_config: {},
  channels: [
    {
      native_name: 'SML.Total_in',
      unit: 'kWh',
      last_value: 12_345.678,
      last_at: '2026-06-15T11:59:50.000Z',
      counts_as: 'import',
      asked: false,
      counted: true,
      placement: null,
    },
    {
      native_name: 'SML.Wert_B',
      unit: null,
      last_value: 890.1,
      last_at: '2026-06-15T11:59:50.000Z',
      counts_as: null,
      asked: true,
      counted: false,
      placement: null,
    },
  ],
  is_computed: true,
  external_id: '1ESM-0042',
  certificate_sha256: null,
  managed_by: 'owner' as const,
  created_at,
};

const edit = {
  edit_id,
  device_id,
  action: 'add' as const,
  native_name: 'SML.Total_in',
  start: null,
  end: null,
  at: '2026-05-12T06:30:00.000Z',
  kwh: 12_101.4,
  reason: 'Read off the meter by its owner: the optical head had fallen off.',
  status: 'in_force' as const,
  is_computed: true,
  author: user_id,
  created_at,
  revoked_by: null,
  revoked_at: null,
};

export const DEVICE_EXAMPLES = {
  createDevice: {
    body: { type: 'electricity_meter', location: 'cellar', register_max_kwh: 999_999.999 },
    answer: {
      ...device,
      status: 'inactive',
      last_seen_at: null,
      mqtt: { username: device_id, password: '(shown once)', topic: getReadingsTopic(device_id) },
    },
  },
  listDevices: { answer: [device] },
  discoveredDevices: {
    answer: [
      {
        discovery_id: 'dsc_01k8xqc2f8m4t6v9b1hs3w5yep',
        gateway_id,
        family: 'tasmota',
        native_id: 'tasmota_6D2F1A',
        channels: ['import', 'export'],
        quantities: [
          { channel: 'import', kind: 'energy_total_kwh', counts: 'import' },
          { channel: 'export', kind: 'energy_total_kwh', counts: 'export' },
          { channel: 'import', kind: 'power_w', counts: null },
        ],
        awaits: null,
        first_seen_at: created_at,
        last_seen_at: '2026-06-15T11:59:50.000Z',
      },
    ],
  },
  getDevice: { answer: details },
  updateDevice: {
    body: { location: 'hall', channels: [{ native_name: 'SML.Wert_B', counts_as: 'export', placement: 'grid' }] },
    answer: { ...details, location: 'hall', is_computed: false },
  },
  deleteDevice: { answer: { message: `Device ${device_id} was deleted; its past consumption stays` } },
  releaseDevice: { answer: { message: `Device ${device_id} was released; its password is no longer valid` } },
  deviceUsage: {
    answer: {
      device_id,
      data: [
        { date: '2026-06-14', kwh_used: 12.482, peak_hour: '18:00' },
        { date: '2026-06-15', kwh_used: 9.107, peak_hour: '19:00' },
      ],
    },
    csv: 'date,kwh_used,peak_hour\n2026-06-14,12.482,18:00\n2026-06-15,9.107,19:00\n',
  },
  createDeviceEdit: {
    body: { action: 'add', native_name: edit.native_name, at: edit.at, kwh: edit.kwh, reason: edit.reason },
    answer: { ...edit, is_computed: false },
  },
  listDeviceEdits: {
    answer: [
      edit,
      {
        ...edit,
        edit_id: 'edt_01k8xqcmg4h8n1b6y0qd3w7kxe',
        action: 'exclude' as const,
        native_name: null,
        start: '2026-05-10T00:00:00.000Z',
        end: '2026-05-12T06:00:00.000Z',
        at: null,
        kwh: null,
        reason: 'The meter was on the test bench.',
      },
    ],
  },
  revokeDeviceEdit: {
    answer: {
      ...edit,
      status: 'revoked' as const,
      is_computed: false,
      revoked_by: user_id,
      revoked_at: '2026-06-02T07:15:00.000Z',
    },
  },
  listDeviceReadings: {
    answer: {
      device_id,
      data: [
        {
          ts: '2026-06-15T11:59:40.000Z',
          channel: 'import',
          native_name: 'SML.Total_in',
          energy_total_kwh: '12345.678000',
          verdict: 'counted' as const,
        },
        {
          ts: '2026-06-15T11:59:40.000Z',
          channel: 'import',
          native_name: 'SML.Power_curr',
          power_w: 412.5,
          verdict: 'not_counted' as const,
        },
        {
          ts: '2026-06-15T11:59:50.000Z',
          channel: 'import',
          native_name: 'SML.Total_in',
          energy_total_kwh: '99345.679000',
          verdict: 'excluded' as const,
          edit_id,
        },
      ],
    },
    csv: 'ts,channel,native_name,energy_total_kwh,energy_kwh,volume_total_m3,volume_m3,interval_s,power_w,temperature_c,setpoint_c,heating,humidity_percent,verdict,edit_id\n2026-06-15T11:59:40.000Z,import,SML.Total_in,12345.678000,,,,,,,,,,counted,\n2026-06-15T11:59:40.000Z,import,SML.Power_curr,,,,,,412.5,,,,,not_counted,\n2026-06-15T11:59:50.000Z,import,SML.Total_in,99345.679000,,,,,,,,,,excluded,edt_01k8xqck7p2w5s8z3mv9tr4hbn\n',
  },
  sendReadings: {
    body: [
      { ts: '2026-06-15T12:00:00Z', energy_total_kwh: 12_345.678, power_w: 412 },
      { ts: '2026-06-15T12:00:10Z', energy_total_kwh: 12_345.679 },
      { ts: '2026-07-15T12:00:20Z', energy_total_kwh: 12_345.68 },
    ],
    senmlBody: [
      { bn: 'urn:dev:mac:0024befffe804ff1:', bt: 1_781_524_800, n: 'energy', u: 'kWh', v: 12_345.678 },
      { n: 'power', u: 'W', v: 412 },
    ],
    answer: {
      stored: 3,
      duplicates: 0,
      rejected: [{ index: 2, reason: 'time is more than 5 minutes in the future' }],
    },
  },
  deviceQuality: {
    answer: {
      device_id,
      data: [
        {
          month: '2026-05',
          intervals_expected: 2976,
          intervals_received: 2931,
          intervals_estimated: 45,
          intervals_partial: 0,
          intervals_missing: 0,
          import_kwh: 312.48125,
          export_kwh: 0,
          estimated_import_kwh: 3.106,
          estimated_export_kwh: 0,
          readings: 2958,
          late_readings: 40,
          corrected_hours: 11,
          import_change_kwh: 0,
          export_change_kwh: 0,
          findings: {
            glitches: 2,
            overlaps: 0,
            late_news: 0,
            passed_over: 0,
            taken_back: 0,
            jitter: 0,
            resets: 1,
            rollovers: 0,
            swaps: 0,
            held: 0,
          },
          excluded_readings: 12,
          added_readings: 1,
          edits: [edit_id],
          rejected: 3,
          rejections: [{ reason: 'time is more than 5 minutes in the future', count: 3 }],
        },
      ],
    },
    csv: 'month,intervals_expected,intervals_received,intervals_estimated,intervals_partial,intervals_missing,import_kwh,export_kwh,estimated_import_kwh,estimated_export_kwh,readings,late_readings,corrected_hours,import_change_kwh,export_change_kwh,excluded_readings,added_readings,rejected,glitches,overlaps,late_news,passed_over,taken_back,jitter,resets,rollovers,swaps,held,edits,rejections\n2026-05,2976,2931,45,0,0,312.48125,0,3.106,0,2958,40,11,0,0,12,1,3,2,0,0,0,0,0,1,0,0,0,edt_01k8xqck7p2w5s8z3mv9tr4hbn,3 × time is more than 5 minutes in the future\n',
  },
} satisfies Examples;
