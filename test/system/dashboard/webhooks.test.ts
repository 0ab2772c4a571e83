import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { buildReceiverExample, createWebhookSecret, getPauseReason } from '#src/dashboard/pages/webhooks/webhook.ts';
import { words } from '#src/dashboard/words/words.ts';
import { EVENT_TYPES } from '#src/database/enums.ts';
import { findTruncatedSelects, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { startWebhookReceiver, type WebhookCall, type WebhookReceiver } from '#test/support/receiver.ts';
import { loadWords } from '#test/support/words.ts';

let dashboard: Dashboard;
let receiver: WebhookReceiver;
let caFile: string;
beforeAll(async () => {
  await loadWords('en');
  receiver = await startWebhookReceiver();
  caFile = join(tmpdir(), `receiver-ca-${process.pid}.pem`);
  await writeFile(caFile, receiver.ca);
  dashboard = await startDashboard({ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CA_FILE: caFile });
});
afterAll(async () => {
  await dashboard.close();
  await receiver.close();
  await rm(caFile);
});
afterEach(() => {
  receiver.calls = [];
  receiver.answer = () => ({ status: 200 });
});

const list = (page: Page) => page.getByRole('region', { name: 'Your webhooks' });
const log = (page: Page) => page.getByRole('region', { name: 'Deliveries' });
const shown = (page: Page, label: string) => page.getByRole('group', { name: label, exact: true }).textContent();
const badge = (page: Page, word: string) => log(page).locator('.badge', { hasText: word });

/** Signs in, creates a webhook on the page, and returns the displayed secret. */
async function make(email: string, event: string, path = '/hook'): Promise<{ page: Page; secret: string }> {
  const page = await dashboard.signIn(email, '/dashboard/webhooks');
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.getByRole('group', { name: 'Events' }).getByRole('checkbox', { checked: true }).uncheck();
  await page.getByLabel(event).check();
  await page.getByLabel('URL').fill(receiver.url.replace('/hook', path));
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const secret = (await shown(page, 'Secret')) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  return { page, secret };
}

test('a webhook created on the page gets its test event, signed with the secret that was shown once', async () => {
  await dashboard.user('anna@example.com');
  receiver.answer = () => ({ status: 202, body: 'taken, thank you' });
  const page = await dashboard.signIn('anna@example.com', '/dashboard/webhooks');
  await page.getByText('You have no webhook yet').waitFor();
  await testPageLayout(page, 'webhooks-empty');
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await testPageLayout(page, 'webhooks-create');
  expect(await findTruncatedSelects(page)).toEqual([]);
  await page.getByRole('checkbox', { name: 'alert.triggered when an alert fires' }).check();
  await page.getByLabel('URL').fill(receiver.url);
  await page.keyboard.press('Enter');

  const made = page.getByRole('dialog', { name: 'Your new webhook' });
  await made.getByText('it is shown only once').waitFor();
  const secret = (await shown(page, 'Secret')) ?? '';
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await made.getByRole('button', { name: 'Copy Secret' }).click();
  await made.getByText('Secret copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  const code = (await shown(page, 'receiver')) ?? '';
  expect(code).toContain(secret);
  await testPageLayout(page, 'webhooks-made');
  await made.getByRole('button', { name: 'Done' }).click();
  await log(page).getByText('Nothing has been sent yet').waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole('button', { name: /^Send test event/ }).click();
  // The status updates by itself once the delivery has succeeded.
  await badge(page, 'succeeded').waitFor();
  expect(receiver.calls).toHaveLength(1);
  const { body, headers } = receiver.calls[0] as WebhookCall;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' });
  const [row] = await log(page).locator('tbody tr').all();
  expect(await row?.textContent()).toMatch(/^webhook\.testsucceeded1HTTP 202just now–Details$/);
  const details = page.getByRole('button', { name: /^Details/ });
  await details.click();
  expect(await details.getAttribute('aria-expanded')).toBe('true');
  expect(JSON.parse((await shown(page, 'Request body')) ?? '')).toEqual(JSON.parse(body));
  const head = (await shown(page, 'First lines of the request')) ?? '';
  expect(head).toContain(`POST ${receiver.url}`);
  expect(head).toContain(`webhook-id: ${headers['webhook-id']}`);
  expect(await shown(page, 'Beginning of the response body')).toBe('taken, thank you');
  await testPageLayout(page, 'webhooks');
  expect(await runs(code, receiver.calls[0] as WebhookCall)).toEqual([204, 400]);
});

/**
 * Runs the receiver that the page shows as an example, with another port. Returns its response statuses for a real and for a forged
 * webhook.
 */
async function runs(code: string, { body, headers }: WebhookCall): Promise<number[]> {
  const port = await findFreePort();
  const child = spawn(process.execPath, ['--input-type=module', '-e', code.replace('8080', String(port))], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const signed = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));
  const post = async (body: string) =>
    (await fetch(`http://localhost:${port}`, { method: 'POST', headers: signed, body })).status;
  try {
    await expect.poll(() => post(body).catch(() => 0)).toBe(204);
    return [await post(body), await post(`${body} `)];
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

test('the log shows a failing receiver’s response; Retry delivers the event', async () => {
  await dashboard.user('ben@example.com');
  const { page } = await make('ben@example.com', 'usage.updated');
  receiver.answer = () => ({ status: 503, body: '<b>out of order</b>' });
  await page.getByRole('button', { name: /^Send test event/ }).click();
  await log(page).getByRole('cell', { name: 'HTTP 503' }).waitFor();
  await badge(page, 'pending').waitFor();
  expect(await log(page).locator('tbody tr').textContent()).toMatch(/in \d+ s/);
  await page.getByRole('button', { name: /^Details/ }).click();
  expect(await shown(page, 'Beginning of the response body')).toBe('<b>out of order</b>');
  await testPageLayout(page, 'webhooks-failing');

  receiver.answer = () => ({ status: 200 });
  await page.getByRole('button', { name: /^Retry/ }).click();
  await badge(page, 'succeeded').waitFor();
  // The open details of the delivery show each attempt. There are two or three, because an automatic retry may have happened in addition;
  // the last one succeeded.
  await expect
    .poll(() => page.getByRole('region', { name: 'Responses' }).locator('li .badge').allTextContents())
    .toContain('HTTP 200');
  expect(new Set(receiver.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await expect.poll(() => page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
});

test('while paused, events wait; after resuming they are sent; the page shows the state and why it is paused', async () => {
  const userId = await dashboard.user('chiara@example.com');
  const { page } = await make('chiara@example.com', 'device.connected', '/chiara');
  await page.getByRole('button', { name: /^Pause/ }).click();
  await page.getByText('Events of up to seven days are stored, and are sent when you resume the webhook').waitFor();
  await list(page).getByText('by hand').waitFor();
  const meter = await dashboard.device(userId);
  await meter.publish({ ts: new Date().toISOString(), energy_total_kwh: 1 });
  await page.getByRole('button', { name: /^Send test event/ }).click();
  await page.getByText('will be sent when the webhook is resumed').first().waitFor();
  await expect.poll(() => log(page).getByRole('cell', { name: 'when resumed' }).count()).toBe(2);
  await testPageLayout(page, 'webhooks-paused');
  expect(receiver.calls).toEqual([]);
  await page.getByRole('button', { name: /^Resume/ }).click();
  await page.getByText('Stored events are sent now').waitFor();
  await expect.poll(() => badge(page, 'succeeded').count()).toBe(2);
  const types = receiver.calls.map(({ body }) => JSON.parse(body).type);
  expect(types.toSorted()).toEqual(['device.connected', 'webhook.test']);

  // The webhook is paused while its deliveries fail, so the page shows the receiver's last response.
  receiver.answer = () => ({ status: 500 });
  await page.getByRole('button', { name: /^Send test event/ }).click();
  await log(page).getByRole('cell', { name: 'HTTP 500' }).waitFor();
  await page.getByRole('button', { name: /^Pause/ }).click();
  await list(page).getByText('last attempt: HTTP 500').waitFor();
});

test('after a rotation both secrets sign; a webhook is deleted after a confirmation', async () => {
  await dashboard.user('daan@example.com');
  const { page, secret } = await make('daan@example.com', 'alert.triggered', `/daan/${'x'.repeat(300)}`);
  await page.getByRole('button', { name: /^Rotate secret/ }).click();
  await testPageLayout(page, 'webhooks-rotate');
  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await page.getByText('also signed with the old secret').waitFor();
  const fresh = (await shown(page, 'Secret')) ?? '';
  expect(fresh).not.toBe(secret);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: /^Send test event/ }).click();
  await badge(page, 'succeeded').waitFor();
  const { body, headers } = receiver.calls[0] as WebhookCall;
  for (const one of [secret, fresh])
    expect(new Webhook(one).verify(body, headers)).toMatchObject({ type: 'webhook.test' });

  await page.getByRole('button', { name: /^Delete/ }).click();
  await testPageLayout(page, 'webhooks-delete');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('You have no webhook yet').waitFor();
  expect(await log(page).count()).toBe(0);
});

test('rejects an invalid address with an explanation; the log has pages for older deliveries', async () => {
  await dashboard.user('emma@example.com');
  const { page } = await make('emma@example.com', 'alert.triggered', '/emma');
  await page.getByRole('button', { name: 'Create a webhook' }).click();
  await page.getByLabel('URL').fill('https://user:pass@example.com/');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('alert').filter({ hasText: 'without credentials' }).waitFor();
  await page.keyboard.press('Escape');

  await dashboard.database.pool.query(
    `INSERT INTO events (event_id, type, user_id, data)
     SELECT 'evt_' || lpad(n::text, 26, '0'), 'webhook.test', user_id, jsonb_build_object('n', n)
     FROM users, generate_series(1, 45) n WHERE email = 'emma@example.com'`,
  );
  await dashboard.database.pool.query(
    `INSERT INTO deliveries (delivery_id, event_id, webhook_id, target, status, next_attempt_at, created_at)
     SELECT 'dlv_' || lpad(n::text, 26, '0'), 'evt_' || lpad(n::text, 26, '0'), webhook_id, webhook_id, 'succeeded', now(), now()
     FROM webhooks, generate_series(1, 45) n WHERE url LIKE '%/emma'`,
  );
  await page.reload();
  const rows = () => log(page).locator('tbody tr').count();
  await expect.poll(rows).toBe(20);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('button', { name: 'Newest' }).waitFor();
  await page.getByRole('button', { name: 'Older' }).click();
  await expect.poll(rows).toBe(5);
  expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Newest' }).click();
  await expect.poll(rows).toBe(20);
});

test('the page has the same events and reasons for a pause as the service, and creates valid secrets', () => {
  expect(Object.keys(words().webhooks.events)).toEqual([...EVENT_TYPES]);
  const secrets = Array.from({ length: 100 }, createWebhookSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(buildReceiverExample('whsec_x')).toMatch(/new Webhook\(\s*'whsec_x'/);
  const delivery = (...attempts: [at: string, error: string | null][]) => ({
    delivery_id: 'dlv_1',
    event_id: 'evt_1',
    event: 'webhook.test',
    status: 'pending' as const,
    next_attempt_at: null,
    attempts: attempts.map(([at, error]) => ({ at, error, response_status: error ? null : 200, duration_ms: 1 })),
  });
  expect(getPauseReason([])).toBe('by hand');
  expect(getPauseReason([delivery()])).toBe('by hand');
  expect(getPauseReason([delivery(['2026-11-20T10:00:00.000Z', 'timeout'], ['2026-11-20T10:05:00.000Z', null])])).toBe(
    'by hand',
  );
  // Find the latest attempt among all deliveries, because it need not belong to the latest delivery.
  expect(
    getPauseReason([
      delivery(['2026-11-20T10:00:00.000Z', null]),
      delivery(['2026-11-20T11:00:00.000Z', 'ECONNREFUSED']),
    ]),
  ).toBe('last attempt: ECONNREFUSED');
});
