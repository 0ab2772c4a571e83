import { beforeAll, describe, expect, test } from 'vitest';
import { setUpDashboardApi } from '#test/support/dashboard-api.ts';

const own = setUpDashboardApi();
const { ask, statuses, sql } = own;
const { admin, utility, stranger, home } = own.people;
const everybody = () => ({ home, utility, stranger, admin });

describe('a delivery', () => {
  let path: string;
  let deliveryId: string;
  beforeAll(async () => {
    const sent = { key: home.key, method: 'POST' };
    const url = 'https://hooks.example.net/energy';
    const body = { event: 'usage.updated', url, auth_token: 'a most secret token' };
    const webhookId = (await own.api.send('/v1/webhooks', { ...sent, body })).json.webhook_id;
    path = `/v1/webhooks/${webhookId}/deliveries`;
    deliveryId = (await own.api.send(`/v1/webhooks/${webhookId}/test`, sent)).json.delivery_id;
  });
  const attempt = { at: '2026-06-15T12:00:00.000Z', response_status: 500, duration_ms: 12, error: 'HTTP 500' };
  const tried = (attempts: object[]) =>
    sql('UPDATE deliveries SET attempts = $2 WHERE delivery_id = $1', [deliveryId, JSON.stringify(attempts)]);

  test('shows the sent request without its signature, and the response', async () => {
    // The first attempt has no response body, like the attempts of earlier versions, which did not store response bodies.
    await tried([attempt, { ...attempt, response_body: 'no room' }]);
    const { json, text } = await ask(`${path}/${deliveryId}/exchange`, home);
    expect(json).toMatchObject({
      delivery_id: deliveryId,
      event: 'webhook.test',
      status: 'pending',
      request: {
        url: 'https://hooks.example.net/energy',
        headers: { 'content-type': 'application/json', 'webhook-id': json.event_id },
      },
      attempts: [
        { ...attempt, response_body: null },
        { ...attempt, response_body: 'no room' },
      ],
    });
    expect(JSON.parse(json.request.body)).toMatchObject({
      id: json.event_id,
      type: 'webhook.test',
      environment: 'live',
    });
    expect(text).not.toMatch(/signature|whsec|a most secret token/);
  });

  test('shows no responses in the list of the public API', async () => {
    await tried([{ ...attempt, response_body: 'no room' }]);
    const { json } = await own.api.send(path, { key: home.key });
    expect(json[0].attempts).toEqual([attempt]);
  });

  test('is returned only to a caller that reaches the subscription', async () => {
    expect(await statuses(`${path}/${deliveryId}/exchange`, everybody())).toEqual({
      ...{ home: 200, utility: 200, admin: 200, stranger: 404 },
    });
    const other = (
      await own.api.send('/v1/webhooks', {
        ...{ key: home.key, method: 'POST' },
        body: { event: 'usage.updated', url: 'https://example.net/', auth_token: 'a secret' },
      })
    ).json.webhook_id;
    expect((await ask(`/v1/webhooks/${other}/deliveries/${deliveryId}/exchange`, home)).status).toBe(404);
    for (const id of ['dlv_none', '%00', 'x'.repeat(5_000)])
      expect((await ask(`${path}/${id}/exchange`, admin)).status).toBe(404);
  });
});
