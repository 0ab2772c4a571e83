import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { SCREEN_SIZES } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

// These tests check where the keyboard focus is after each step. It must never be lost.
let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['worker']);
});
afterAll(() => dashboard.close());

/** Returns the name or text of the focused element. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(({ ariaLabel, name, tagName, textContent }) => ariaLabel || name || (tagName === 'BODY' ? 'nothing' : textContent.trim()))(document.activeElement)`,
  );
const expectFocus = (page: Page, name: string) => expect.poll(() => focused(page), { message: name }).toBe(name);
/** Returns the number of dialogs in the document, including closed ones. */
const dialogs = (page: Page) => page.locator('dialog').count();

/** Presses a button with the keyboard. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name, exact: true }).focus();
  await page.keyboard.press('Enter');
}

/** Confirms a question in a dialog. The focus is on Cancel at first, and the confirming button is the one before it. */
async function confirm(page: Page): Promise<void> {
  await expectFocus(page, 'Cancel');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
}

async function pageOf(email: string, name: string): Promise<Page> {
  const page = await dashboard.signIn(email, '/dashboard/account');
  // The Account page contains some links twice: first in the menu, and again in its content.
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  return page;
}

test('a dialog focuses its first field, and returns the focus however it is closed', async () => {
  await dashboard.user('keys@example.com');
  const page = await pageOf('keys@example.com', 'API Keys');
  const leave = [() => page.keyboard.press('Escape'), () => press(page, 'Cancel'), () => press(page, 'Close')];
  for (const step of leave) {
    await press(page, 'Create New Key');
    await expectFocus(page, 'name');
    await step();
    await expect.poll(() => dialogs(page)).toBe(0);
    await expectFocus(page, 'Create New Key');
  }
  await press(page, 'Create New Key');
  await expectFocus(page, 'name');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toMatch(/^Copy the key now/);
  await press(page, 'Done, I have copied it');
  await expectFocus(page, 'Create New Key');
});

test('a busy button keeps the focus, and does not act twice', async () => {
  await dashboard.user('busy@example.com');
  const page = await pageOf('busy@example.com', 'API Keys');
  const asked: (() => Promise<void>)[] = [];
  await page.route('**/v1/keys', (route) => void asked.push(() => route.continue()));
  await press(page, 'Create New Key');
  await press(page, 'Create key');
  const button = page.getByRole('button', { name: 'Create key' });
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Enter');
  await expectFocus(page, 'Create key');
  expect(asked).toHaveLength(1);
  await asked[0]?.();
  await page.getByText('it is shown only once').waitFor();
});

test('a confirmation dialog focuses Cancel; after a row is deleted, its list has the focus', async () => {
  const userId = await dashboard.user('revoker@example.com');
  for (const name of ['First', 'Second']) await createKey(dashboard.db, { userId, environment: 'live', name });
  const page = await pageOf('revoker@example.com', 'API Keys');
  await press(page, 'Revoke First');
  await expectFocus(page, 'Cancel');
  await page.keyboard.press('Enter');
  await expectFocus(page, 'Revoke First');
  for (const name of ['First', 'Second']) {
    await press(page, `Revoke ${name}`);
    await confirm(page);
    await expectFocus(page, 'List of keys');
    await expect.poll(() => page.getByRole('button', { name: `Revoke ${name}` }).count()).toBe(0);
  }
});

test('a dialog with a secret that is shown once ignores Escape until the secret was copied, and is scrolled to its top', async () => {
  await dashboard.user('once@example.com');
  const page = await pageOf('once@example.com', 'API Keys');
  await page.setViewportSize(SCREEN_SIZES.phone);
  await press(page, 'Create New Key');
  await press(page, 'Create key');
  await page.getByText('it is shown only once').waitFor();
  expect(await page.evaluate('document.querySelector("dialog").scrollTop')).toBe(0);
  // Press Escape several times, because browsers let a page prevent only the first Escape from closing a dialog.
  for (let time = 0; time < 3; time++) await page.keyboard.press('Escape');
  await page.getByRole('alert').filter({ hasText: 'Copy the secret first, or press Done' }).waitFor();
  expect(await dialogs(page)).toBe(1);
  await press(page, 'Copy curl line');
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect.poll(() => dialogs(page)).toBe(0);
  await expectFocus(page, 'Create New Key');
  // If the user selects the secret and copies it with the keyboard, the page must also treat the secret as copied.
  await press(page, 'Create New Key');
  await press(page, 'Create key');
  await page.getByText('it is shown only once').waitFor();
  await page.evaluate('getSelection().selectAllChildren(document.querySelector("dialog code:only-child"))');
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Escape');
  await expectFocus(page, 'Create New Key');
});

test('devices: after pairing, saving and deleting, the focus is on the control for the next step', async () => {
  await dashboard.user('devices@example.com');
  const page = await pageOf('devices@example.com', 'Devices');
  await press(page, 'Pair a device');
  await expectFocus(page, 'type');
  await page.getByLabel('Location').fill('Attic');
  await page.keyboard.press('Enter');
  await page.getByText('it is shown only once').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Copy the secret first, or press Done').waitFor();
  await press(page, 'Done');
  await expectFocus(page, 'Pair a device');

  const link = page.getByRole('link', { name: /^Details of Attic/ });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Location').fill('Roof');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  await expectFocus(page, 'Save');
  await page.getByLabel('Location').press('x');
  await expect.poll(() => page.getByText('Saved.').count()).toBe(0);
  await press(page, 'Delete this device');
  await confirm(page);
  await expect.poll(() => dialogs(page)).toBe(0);
  await page.getByText('No device is paired yet').waitFor();
  await expectFocus(page, 'List of devices');
});

test('alerts: after an error, creating and deleting, the focus is on the control for the next step', async () => {
  await dashboard.user('alerts@example.com');
  const page = await pageOf('alerts@example.com', 'Alerts');
  await press(page, 'Create an alert');
  await expectFocus(page, 'type');
  await page.getByLabel('Webhook').check();
  await page.locator('[inputmode=decimal]').fill('5');
  await press(page, 'Create alert');
  await page.getByRole('alert').filter({ hasText: 'no active subscription' }).waitFor();
  await expectFocus(page, 'Create alert');
  await page.getByLabel('E-mail').check();
  await press(page, 'Create alert');
  await page.getByText('Created: More than 5 kWh in a day').waitFor();
  await expectFocus(page, 'Create an alert');
  await press(page, 'Delete More than 5 kWh in a day');
  await confirm(page);
  await page.getByText('There is no alert yet').waitFor();
  await expectFocus(page, 'List of alerts');
});

test('webhooks: after creating, retrying and deleting, the focus is on the control for the next step', async () => {
  await dashboard.user('webhooks@example.com');
  const page = await pageOf('webhooks@example.com', 'Webhooks');
  await press(page, 'Create a webhook');
  await expectFocus(page, 'events');
  await page.getByLabel('URL').fill('https://hooks.example.net/energy');
  await page.keyboard.press('Enter');
  await page.getByText('Copy the secret now').waitFor();
  await press(page, /^Done/);
  await expectFocus(page, 'Create a webhook');
  await press(page, /^Rotate secret/);
  await expectFocus(page, 'Cancel');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toMatch(/^Rotate secret/);

  await dashboard.database.pool.query(
    `INSERT INTO events (event_id, type, user_id, data)
     SELECT 'evt_' || lpad('1', 26, '0'), 'webhook.test', user_id, '{}' FROM users WHERE email = 'webhooks@example.com'`,
  );
  await dashboard.database.pool.query(
    `INSERT INTO deliveries (delivery_id, event_id, webhook_id, target, status, next_attempt_at, created_at)
     SELECT 'dlv_' || lpad('1', 26, '0'), 'evt_' || lpad('1', 26, '0'), webhook_id, webhook_id, 'pending', now() + interval '9 seconds', now() FROM webhooks`,
  );
  await page.reload();
  await page.getByRole('button', { name: /^Retry/ }).focus();
  // Simulate a delivery that has succeeded. The next refresh removes the Retry button, which has the focus.
  await dashboard.database.pool.query(`UPDATE deliveries SET status = 'succeeded'`);
  await page.getByRole('button', { name: /^Retry/ }).waitFor({ state: 'detached' });
  await expectFocus(page, 'Log');
  await press(page, /^Delete/);
  await confirm(page);
  await page.getByText('You have no webhook yet').waitFor();
  await expectFocus(page, 'List of webhooks');
});

test('the user picker selects the first match on Enter, and reports if there is none', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  await dashboard.user('anna@demo.example', 'homeowner', utility);
  await dashboard.user('bert@demo.example', 'homeowner', utility);
  const page = await dashboard.signIn('utility@example.com');
  const picker = page.getByRole('combobox', { name: 'User' });
  const problem = () =>
    picker.evaluate((input) => (input as unknown as { validationMessage: string }).validationMessage);
  await expect.poll(() => picker.inputValue()).toBe('anna@demo.example');
  await picker.fill('bert');
  await page.keyboard.press('Enter');
  await expect.poll(() => picker.inputValue()).toBe('bert@demo.example');
  await page.getByText('bert@demo.example has no devices yet.').waitFor();
  await picker.fill('nobody');
  await page.keyboard.press('Enter');
  await expect.poll(problem).toBe('No such account');
  await picker.fill('no');
  expect(await problem()).toBe('');
  await page.keyboard.press('Tab');
  await expect.poll(() => picker.inputValue()).toBe('bert@demo.example');
  await picker.fill('utility@ex');
  await page.keyboard.press('Enter');
  await expect.poll(() => picker.inputValue()).toBe('utility@example.com');
});
