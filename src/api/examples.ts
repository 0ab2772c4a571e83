import type { OperationName } from './v1/operations.ts';

const user_id = 'usr_01k8xq4v9d7w2m5nehb6t0r3zc';
const device_id = 'dev_01k8xq6c1s8f4p9yj2av5g7kmt';
const alert_id = 'alr_01k8xq7h3e6r9d2wq8bn4x5zcv';
const webhook_id = 'whk_01k8xq8m5t7y1k3fs6hd9g2jpb';
const gateway_id = 'gwy_01k8xq9r7v2c4n6mw8ea1s3tfz';
const key_id = 'key_01k8xqaw9b5d7h1jx3kp6m8nrg';
const created_at = '2026-06-01T09:30:00.000Z';

const user = {
  user_id,
  email: 'anna@example.com',
  role: 'homeowner',
  created_at,
  phone: '+4915112345678',
  timezone: 'Europe/Berlin',
  plan: 'free',
};
const alert = {
  alert_id,
  user_id,
  type: 'daily_usage',
  threshold_kwh: 15,
  delivery: 'email',
  status: 'active',
  created_at,
};
const webhook = {
  webhook_id,
  event: 'alert.triggered',
  url: 'https://example.com/hooks/energy',
  status: 'active',
  created_at,
};
const delivery = {
  delivery_id: 'dlv_01k8xqd5h1p7t9v2c4ks6w8zeb',
  event_id: 'evt_01k8xqe8k4r1w5y7d9ms2b6gjt',
  event: 'alert.triggered',
  status: 'pending',
  attempts: [{ at: '2026-06-15T12:00:00.214Z', response_status: 503, duration_ms: 87, error: 'HTTP 503' }],
  next_attempt_at: '2026-06-15T12:00:05.301Z',
};
const device = {
  device_id,
  type: 'electricity_meter',
  location: 'cellar',
  status: 'active',
  last_seen_at: '2026-06-15T11:59:50.000Z',
};
const deviceDetails = {
  ...device,
  user_id,
  limit_kw: 100,
  register_max_kwh: 999_999.999,
  max_gap_minutes: 90,
  timezone: null,
  decoder_config: {},
  created_at,
};
const gateway = { gateway_id, user_id, name: 'home', decoder_config: {}, created_at };
const keyFields = {
  key_id,
  prefix: 'eus_live_7Kq2mX',
  scopes: ['insights:read', 'devices:read'],
  expires_at: null,
};
const secretKey = 'eus_live_7Kq2mX… (shown once)';
const days = [
  { date: '2026-06-14', kwh_used: 12.482, peak_hour: '18:00' },
  { date: '2026-06-15', kwh_used: 9.107, peak_hour: '19:00' },
];

/** What is sent and answered, operation by operation; a test holds both to the operation's schemas. */
export const EXAMPLES: Record<OperationName, { body?: unknown; answer: unknown }> = {
  getEnergyInsights: { answer: { user_id, data: days } },
  postEnergyInsights: {
    body: { interval: 'month', metrics: ['kwh_used', 'peak_hour'] },
    answer: { summary: { total_kwh: 174.26, avg_daily_kwh: 11.617, peak_usage_time: '18:00' } },
  },
  monthlyAnalytics: {
    answer: {
      user_id,
      data: [
        {
          month: '2026-05',
          kwh_used: 342.118,
          avg_daily_kwh: 11.036,
          peak_hour: '18:00',
          change_kwh: -21.4,
          change_percent: -5.9,
        },
        {
          month: '2026-06',
          kwh_used: 174.26,
          avg_daily_kwh: 11.617,
          peak_hour: '18:00',
          change_kwh: 6.02,
          change_percent: 3.6,
          partial: true,
        },
      ],
    },
  },
  createAlert: {
    body: { type: 'daily_usage', threshold_kwh: 15, delivery: 'email' },
    answer: { alert_id, status: 'active' },
  },
  listAlerts: { answer: [alert] },
  getAlert: { answer: alert },
  updateAlert: { body: { threshold_kwh: 18 }, answer: { ...alert, threshold_kwh: 18 } },
  deleteAlert: { answer: { message: `Alert ${alert_id} was deleted` } },
  previewAlert: {
    body: { type: 'daily_usage', threshold_kwh: 15 },
    answer: {
      user_id,
      data: [{ period_start: '2026-06-12T22:00:00.000Z', period_end: '2026-06-13T22:00:00.000Z', kwh_used: 16.031 }],
    },
  },
  createUser: {
    body: { email: 'anna@example.com', role: 'homeowner', timezone: 'Europe/Berlin' },
    answer: { user_id, status: 'created' },
  },
  getUser: { answer: user },
  updateUser: { body: { phone: '+4915112345678' }, answer: user },
  deleteUser: { answer: { message: `User ${user_id} and all associated data were deleted` } },
  createWebhook: {
    body: {
      event: 'alert.triggered',
      url: 'https://example.com/hooks/energy',
      auth_token: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    answer: { webhook_id, status: 'active' },
  },
  listWebhooks: { answer: [webhook] },
  updateWebhook: { body: { status: 'paused' }, answer: { ...webhook, status: 'paused' } },
  deleteWebhook: { answer: { message: `Webhook ${webhook_id} was deleted` } },
  webhookDeliveries: { answer: [delivery] },
  retryDelivery: { answer: delivery },
  testWebhook: { answer: { ...delivery, event: 'webhook.test', attempts: [] } },
  createDevice: {
    body: { type: 'electricity_meter', location: 'cellar', register_max_kwh: 999_999.999 },
    answer: {
      ...device,
      status: 'inactive',
      last_seen_at: null,
      mqtt: { username: device_id, password: '(shown once)', topic: `energy/v1/${device_id}/readings` },
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
        first_seen_at: created_at,
        last_seen_at: '2026-06-15T11:59:50.000Z',
      },
    ],
  },
  getDevice: { answer: deviceDetails },
  updateDevice: { body: { location: 'hall' }, answer: { ...deviceDetails, location: 'hall' } },
  deleteDevice: { answer: { message: `Device ${device_id} was deleted; what it consumed stays` } },
  deviceUsage: { answer: { device_id, data: days } },
  createGateway: {
    body: { name: 'home' },
    answer: {
      ...gateway,
      mqtt: { username: gateway_id, password: '(shown once)', topic_prefix: `gw/${gateway_id}/` },
    },
  },
  listGateways: { answer: [gateway] },
  updateGateway: { body: { name: 'holiday home' }, answer: { ...gateway, name: 'holiday home' } },
  deleteGateway: { answer: { message: `Gateway ${gateway_id} was deleted` } },
  createKey: {
    body: { name: 'spreadsheet', scopes: ['insights:read', 'devices:read'] },
    answer: { ...keyFields, key: secretKey },
  },
  listKeys: { answer: [{ ...keyFields, name: 'spreadsheet', created_at, last_used_at: null }] },
  revokeKey: { answer: { message: `Key ${key_id} was revoked` } },
  rotateKey: {
    body: { overlap_hours: 24 },
    answer: { ...keyFields, key: secretKey, old_expires_at: '2026-06-16T12:00:00.000Z' },
  },
};
