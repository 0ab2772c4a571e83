import { created_at, type Examples, webhook_id } from '../example-ids.ts';

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
  retryDelivery: { answer: delivery },
  testWebhook: { answer: { ...delivery, event: 'webhook.test', attempts: [] } },
} satisfies Examples;
