import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { DEFAULT_SCOPES, SCOPES } from '#src/auth/scopes.ts';
import { formatCurlCommand, summariseScopes } from '#src/dashboard/pages/keys/scopes.ts';
import { words } from '#src/dashboard/words/words.ts';
import { createDevice } from '#src/devices/store.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { loadWords } from '#test/support/words.ts';

const DAY_MS = 86_400_000;

let dashboard: Dashboard;
let certificate: string;
beforeAll(async () => {
  await loadWords('en');
  dashboard = await startDashboard({}, []);
  certificate = await readFile(dashboard.certFile, 'utf8');
});
// Reset the counters of requests: refused keys count as failed attempts of the browser's address, which are limited per minute.
beforeEach(() => dashboard.database.pool.query('TRUNCATE request_counts'));
afterAll(() => dashboard.close());

/** Sends a request as a client program would, and verifies the certificate. */
function ask(url: string, key: string): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const options = { ca: certificate, headers: { authorization: `Bearer ${key}` } };
    const outgoing = request(url, options, (answer) => {
      let body = '';
      answer.on('data', (part) => {
        body += part;
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, body }));
    });
    outgoing.on('error', fail);
    outgoing.end();
  });
}

const statusWith = async (key: string, path = '/v1/energy-insights') =>
  (await ask(`${dashboard.url}${path}`, key)).status;

/** Returns the URL and the API key that a curl command contains. */
function partsOf(line: string): { key: string; url: string } {
  const [, key = '', url = ''] = /^curl -sSk -H 'Authorization: Bearer ([\w]+)' '(https:[^']+)'$/.exec(line) ?? [];
  return { key, url };
}

const shown = (page: Page, label: string) => page.getByRole('group', { name: label, exact: true }).textContent();
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

async function keysPage(email: string): Promise<Page> {
  const page = await dashboard.signIn(email, '/dashboard/keys');
  await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  return page;
}

test('a key is created, shown once with a working command, and listed by its prefix', async () => {
  await dashboard.user('maker@example.com');
  const page = await keysPage('maker@example.com');
  await page.getByText('You have no key yet').waitFor();
  await testPageLayout(page, 'keys-empty');
  await page.getByRole('button', { name: 'Create New Key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create New Key' });
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name');
  expect(await dialog.getByRole('checkbox', { checked: true }).count()).toBe(DEFAULT_SCOPES.length);
  await testPageLayout(page, 'keys-create');
  await page.keyboard.type('A script');
  await page.keyboard.press('Enter');

  const made = page.getByRole('dialog', { name: 'Your new key' });
  await made.getByText('it is shown only once').waitFor();
  await testPageLayout(page, 'keys-made');
  const key = (await shown(page, 'Key')) ?? '';
  expect(key).toMatch(/^eus_live_\w{30,}$/);
  await made.getByRole('button', { name: 'Copy Key' }).click();
  await made.getByText('Key copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);

  const line = partsOf((await shown(page, 'curl line')) ?? '');
  expect(line.key).toBe(key);
  const answer = await ask(line.url, line.key);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ data: [] });

  await made.getByRole('button', { name: 'Done' }).click();
  await row(page, 'A script').waitFor();
  expect(await row(page, 'A script').textContent()).toContain(key.slice(0, 12));
  await page.reload();
  await row(page, 'A script').waitFor();
  expect(await page.content()).not.toContain(key);
  const cells = await row(page, 'A script').getByRole('cell').allTextContents();
  expect(cells.map((text) => text.trim())).toEqual([
    expect.stringMatching(/^eus_live_\w+…$/),
    'all',
    'everywhere',
    'just now',
    'just now',
    'never',
    'LimitRotateRevoke',
  ]);
});

test('a key has only the selected scopes, and ends at the selected time', async () => {
  await dashboard.user('narrow@example.com');
  const page = await keysPage('narrow@example.com');
  await page.getByRole('button', { name: 'Create New Key' }).click();
  await page.getByRole('button', { name: 'None' }).click();
  expect(await page.getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true);
  await page.getByLabel('devices:read').check();
  await page.getByLabel('Expires').selectOption({ label: 'after 30 days' });
  await page.getByRole('button', { name: 'Create key' }).click();
  const line = partsOf((await shown(page, 'curl line')) ?? '');
  expect(line.url).toBe(`${dashboard.url}/v1/devices`);
  expect((await ask(line.url, line.key)).status).toBe(200);
  expect(await statusWith(line.key)).toBe(403);
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'no name').waitFor();
  expect(await row(page, 'no name').textContent()).toMatch(/devices:read.*in (29|30) days/);
});

test('a key is limited to addresses, and refused from others', async () => {
  await dashboard.user('limiter@example.com');
  const page = await keysPage('limiter@example.com');
  await page.getByRole('button', { name: 'Create New Key' }).click();
  await page.getByLabel('Usable from').fill('192.0.2.0/24 2001:db8::/33.5');
  await page.getByRole('button', { name: 'Create key' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('must be an address or a network');
  await page.getByLabel('Usable from').fill('192.0.2.0/24, 2001:db8::/32');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await shown(page, 'Key')) ?? '';
  expect(await statusWith(key)).toBe(403);
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'no name').getByText('192.0.2.0/24, 2001:db8::/32').waitFor();
  await row(page, 'no name').getByRole('button', { name: 'Limit' }).click();
  const dialog = page.getByRole('dialog', { name: /^Limit eus_live_/ });
  expect(await dialog.getByLabel('Usable from').inputValue()).toBe('192.0.2.0/24, 2001:db8::/32');
  await testPageLayout(page, 'keys-limit');
  await dialog.getByLabel('Usable from').fill('127.0.0.0/8');
  await dialog.getByLabel('Expires').selectOption({ label: 'after 30 days' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row(page, 'no name').getByText('127.0.0.0/8').waitFor();
  expect(await row(page, 'no name').textContent()).toMatch(/in (29|30) days/);
  await expect.poll(() => statusWith(key), { interval: 500 }).toBe(200);
});

test('after a rotation both keys work until the overlap is over', async () => {
  const userId = await dashboard.user('rotator@example.com');
  const { key: old } = await createKey(dashboard.db, { userId, environment: 'live', name: 'Meter export' });
  const page = await keysPage('rotator@example.com');
  await page.getByRole('button', { name: 'Rotate Meter export' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rotate Meter export' });
  expect(await dialog.getByLabel('Hours').inputValue()).toBe('24');
  await dialog.getByLabel('Hours').fill('2');
  await testPageLayout(page, 'keys-rotate');
  expect(await dialog.getByLabel('Hours').inputValue()).toBe('2');
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('stays valid until').waitFor();
  const fresh = (await shown(page, 'Key')) ?? '';
  expect([await statusWith(old), await statusWith(fresh)]).toEqual([200, 200]);
  await page.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => row(page, 'Meter export').count()).toBe(2);
  expect(await row(page, 'Meter export').last().textContent()).toMatch(/in 1 hour|in 2 hours/);

  await page.getByRole('button', { name: 'Rotate Meter export' }).first().click();
  await page.getByLabel('Hours').fill('0');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('stays valid until').waitFor();
  await expect.poll(() => statusWith(fresh), { interval: 500 }).toBe(401);
  await page.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => page.getByText('expired', { exact: true }).count()).toBe(1);
});

test('a key is revoked after a confirmation, and is then refused', async () => {
  const userId = await dashboard.user('revoker@example.com');
  const { key } = await createKey(dashboard.db, { userId, environment: 'live', name: 'Lost laptop' });
  const page = await keysPage('revoker@example.com');
  await page.getByRole('button', { name: 'Revoke Lost laptop' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke Lost laptop' });
  await testPageLayout(page, 'keys-revoke');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await statusWith(key)).toBe(200);
  await page.getByRole('button', { name: 'Revoke Lost laptop' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('You have no key yet').waitFor();
  await expect.poll(() => statusWith(key), { interval: 500 }).toBe(401);
});

test('marks keys that are older than 90 days, and keys that have ended', async () => {
  const userId = await dashboard.user('old@example.com');
  const made = async (name: string, daysAgo: number, endedDaysAgo: number | null) => {
    const { key_id } = await createKey(dashboard.db, { userId, environment: 'live', name });
    const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
    await dashboard.database.pool.query('UPDATE api_keys SET created_at = $2, expires_at = $3 WHERE key_id = $1', [
      key_id,
      ago(daysAgo),
      endedDaysAgo === null ? null : ago(endedDaysAgo),
    ]);
  };
  await made('Young', 89.5, null);
  await made('Old', 90.5, null);
  await made('Over', 100, 3);
  await made('Ending', 1, -6);
  // The row of a key for one device contains the name of the device.
  const { device } = await createDevice(dashboard.db, { userId, type: 'smart_meter', location: 'Cellar' });
  const limited = { id: device.device_id, madeBy: 'owner' } as const;
  const about = { userId, environment: 'live', name: 'Meter', scopes: ['readings:write'], device: limited } as const;
  const { key_id } = await createKey(dashboard.db, { ...about, scopes: [...about.scopes] });
  const page = await keysPage('old@example.com');
  await row(page, 'Old').waitFor();
  await expect.poll(() => row(page, 'Meter').textContent()).toContain('readings:write only of Cellar (smart meter)');
  expect(await row(page, 'Young').textContent()).not.toContain('only of');
  await testPageLayout(page, 'keys-device');
  await dashboard.database.pool.query('DELETE FROM api_keys WHERE key_id = $1', [key_id]);
  await page.reload();
  await row(page, 'Old').waitFor();
  expect(await row(page, 'Young').textContent()).not.toContain('rotate: older than 90 days');
  expect(await row(page, 'Old').textContent()).toContain('rotate: older than 90 days');
  expect(await row(page, 'Over').textContent()).toContain('expired');
  expect(await row(page, 'Ending').textContent()).toContain('rotate: expires soon');
  expect(await page.getByRole('button', { name: 'Rotate Over' }).count()).toBe(0);
  expect(await page.getByRole('rowheader').allTextContents()).toEqual(['Ending', 'Old', 'Young', 'Over']);
});

test('a utility gets a command for the selected account', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  const home = await dashboard.user('home@example.com', 'homeowner', utility);
  const page = await keysPage('utility@example.com');
  await expect.poll(() => page.getByRole('combobox', { name: 'User' }).inputValue()).toBe('home@example.com');
  await page.getByRole('button', { name: 'Create New Key' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  const line = partsOf((await shown(page, 'curl line')) ?? '');
  expect(new URL(line.url).searchParams.get('user_id')).toBe(home);
  const answer = await ask(line.url, line.key);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.body)).toMatchObject({ user_id: home });
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'no name').waitFor();
});

test('describes all scopes, and has an example request for each', () => {
  expect(Object.keys(words().keys.scopes)).toEqual([...SCOPES]);
  expect(summariseScopes(DEFAULT_SCOPES, SCOPES)).toBe('all');
  expect(summariseScopes([...DEFAULT_SCOPES, 'readings:write'], SCOPES)).toBe('all, readings:write');
  expect(
    summariseScopes(
      DEFAULT_SCOPES.filter((scope) => scope !== 'keys:write'),
      SCOPES,
    ),
  ).toBe('all but keys:write');
  expect(summariseScopes(['alerts:read', 'alerts:write'], SCOPES)).toBe('alerts:read, alerts:write');
  const about = { baseUrl: 'https://h', userId: 'usr_1', ownId: 'usr_1', nowMs: Date.UTC(2026, 10, 21, 12) };
  const url = (scopes: string[], userId = 'usr_1') => {
    const line = formatCurlCommand({ key: 'k', scopes }, { ...about, userId });
    return line === null ? null : partsOf(line).url;
  };
  expect(url([...SCOPES])).toBe('https://h/v1/energy-insights?start=2026-11-15&end=2026-11-21&group_by=day');
  expect(url(['alerts:write', 'alerts:read'])).toBe('https://h/v1/alerts?user_id=usr_1');
  expect(url(['devices:read'], 'usr_2')).toBe('https://h/v1/devices?user_id=usr_2');
  expect(url(['keys:write'], 'usr_2')).toBe('https://h/v1/keys');
  expect(url(['devices:write'])).toBe(null);
});
