import { alert_id, created_at, device_id, type Examples, user_id, webhook_id } from '../example-ids.ts';
import { USER_EXAMPLES } from '../users/example.ts';

const event_id = 'evt_01k8xqe8k4r1w5y7d9ms2b6gjt';
const webhook = {
  webhook_id,
  event: 'alert.triggered',
  url: 'https://example.com/hooks/energy',
  status: 'active',
  created_at,
};
const delivery = {
  delivery_id: 'dlv_01k8xqd5h1p7t9v2c4ks6w8zeb',
  event_id,
  event: 'alert.triggered',
  status: 'pending',
  attempts: [{ at: '2026-06-15T12:00:00.214Z', response_status: 503, duration_ms: 87, error: 'HTTP 503' }],
  next_attempt_at: '2026-06-15T12:00:05.301Z',
};

export const WEBHOOK_EXAMPLES = {
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
  getDelivery: {
    answer: {
      ...delivery,
      event: 'webhook.test',
      request: {
        url: 'https://catcher.example/first',
        headers: {
          'webhook-id': event_id,
          'webhook-timestamp': '1781524800',
          'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
          'content-type': 'application/json',
          'user-agent': 'energy-usage-service/1.6.0',
        },
        body: `{"id":"${event_id}","type":"webhook.test","created_at":"2026-06-15T12:00:00.000Z","environment":"live","data":{"webhook_id":"${webhook_id}"}}`,
      },
    },
  },
  retryDelivery: { answer: delivery },
  testWebhook: { answer: { ...delivery, event: 'webhook.test', attempts: [] } },
} satisfies Examples;

const told = <Type extends string, Data>(type: Type, data: Data) => ({
  id: event_id,
  type,
  created_at: '2026-06-15T12:00:00.000Z',
  environment: 'live',
  data,
});

/** What receivers are sent, by the type of event. */
export const EVENT_EXAMPLES = {
  'usage.updated': told('usage.updated', {
    user_id,
    hours: [{ date: '2026-06-15', hour: '11:00', kwh_used: 0.412 }],
    updated_at: '2026-06-15T12:00:00.000Z',
  }),
  'alert.triggered': told('alert.triggered', {
    alert_id,
    user_id,
    type: 'daily_usage',
    threshold_kwh: 15,
    kwh_used: 15.031,
    period_start: '2026-06-14T22:00:00.000Z',
    period_end: '2026-06-15T22:00:00.000Z',
    devices: [{ device_id, kwh_used: 15.031 }],
  }),
  'device.connected': told('device.connected', {
    device_id,
    user_id,
    type: 'electricity_meter',
    location: 'cellar',
    status: 'active',
    last_seen_at: '2026-06-15T11:59:50.000Z',
    placement: 'grid',
    upstream_device_id: null,
  }),
  'user.created': told('user.created', USER_EXAMPLES.getUser.answer),
  'webhook.test': told('webhook.test', { webhook_id }),
};
