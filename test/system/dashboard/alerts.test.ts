import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  getAlertRuleName,
  suggestThresholdAmount,
  suggestThresholdHours,
  suggestThresholdKwh,
} from '#src/dashboard/pages/alerts/alert.ts';
import { words as said } from '#src/dashboard/words/words.ts';
import { ALERT_TYPES, ALERT_DELIVERY_CHANNELS as KNOWN_DELIVERIES } from '#src/database/enums.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createTariff } from '#src/tariffs/store.ts';
import { findUser, updateUser } from '#src/users/store.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { loadWords } from '#test/support/words.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ZONE = 'America/New_York';

let dashboard: Dashboard;
beforeAll(async () => {
  await loadWords('en');
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

async function alertsPage(email: string): Promise<Page> {
  const page = await dashboard.signIn(email, '/dashboard/alerts');
  await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
  return page;
}

const dialog = (page: Page) => page.getByRole('dialog');
const words = (page: Page) => dialog(page).getByRole('status').textContent();
const row = (page: Page, rule: string) => page.locator('tbody tr', { hasText: rule });
/** Returns how many days the chart marks as firings, and the dates of these days. */
const marked = async (page: Page) => {
  const label = (await dialog(page).getByRole('img').getAttribute('aria-label')) ?? '';
  const days = await dialog(page).locator('figure tbody tr', { hasText: /yes$/ }).locator('th').allTextContents();
  return { count: Number(/; (\d+) would have fired$/.exec(label)?.[1]), days };
};

async function create(page: Page, rule: { watch?: string; threshold: number; by?: string }): Promise<void> {
  await page.getByRole('button', { name: 'Create an alert' }).click();
  if (rule.watch) await page.getByLabel(rule.watch).check();
  await page.locator('[inputmode=decimal]').fill(String(rule.threshold));
  if (rule.by) await page.getByLabel(rule.by).check();
  await page.getByRole('button', { name: 'Create alert' }).click();
}

/** Returns the date of an instant in New York. */
const dayOf = (ms: number) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, weekday: 'short', day: 'numeric', month: 'short' }).format(ms);

test('shows on the chart of the last 90 days when an alert would have fired, as the service computes it', async () => {
  const userId = await dashboard.user('anna@example.com');
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { timezone: ZONE });
  const meter = await dashboard.device(userId);
  // Readings for 40 days, with 0.5 kWh in each hour. On every fifth day, the hour from noon (New York) has 4 kWh. Eight hours have no
  // readings.
  const lastMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
  const hours = Array.from({ length: 40 * 24 }, (_, back) => lastMs - back * HOUR_MS).reverse();
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, hour: '2-digit', hourCycle: 'h23' });
  // Returns whether a day is complete and several days away from the hours without readings.
  const isWhole = (ms: number) => ms > lastMs - 38 * DAY_MS && ms < lastMs - 5 * DAY_MS;
  const high = hours.filter((ms) => clock.format(ms) === '12' && Math.floor(ms / DAY_MS) % 5 === 0 && isWhole(ms));
  expect(high.length).toBeGreaterThanOrEqual(6);
  const isSilent = (ms: number) => ms > lastMs - 60 * HOUR_MS && ms <= lastMs - 52 * HOUR_MS;
  await meter.publish(
    hours
      .filter((ms) => !isSilent(ms))
      .map((ms) => ({
        ts: new Date(ms + HOUR_MS).toISOString(),
        energy_kwh: high.includes(ms) ? 4 : 0.5,
        interval_s: 3_600,
      })),
  );
  const known = high.length;
  const page = await alertsPage('anna@example.com');
  await page.getByText('There is no alert yet').waitFor();
  await testPageLayout(page, 'alerts-empty');

  await page.getByRole('button', { name: 'Create an alert' }).click();
  // The form proposes a threshold that was seldom exceeded: an ordinary day has 12 kWh, a day with a high hour has 15.5 kWh.
  await expect.poll(() => page.locator('[inputmode=decimal]').inputValue()).toMatch(/^1[56]$/);
  // Wait for the response to the new threshold. The response to the proposed one may arrive first.
  const answer = page.waitForResponse(
    (response) => response.url().endsWith('/alerts/preview') && response.request().postDataJSON().threshold_kwh === 13,
  );
  await page.locator('[inputmode=decimal]').fill('13');
  const { data } = (await (await answer).json()) as { data: { period_start: string }[] };
  await expect
    .poll(() => words(page))
    .toBe(`More than 13 kWh in a day: would have fired ${known} times in the last 90 days.`);
  expect(data).toHaveLength(known);
  const days = high.map(dayOf);
  expect(data.map(({ period_start }) => dayOf(Date.parse(period_start)))).toEqual(days);
  expect(await marked(page)).toEqual({ count: known, days: days.map((day) => expect.stringContaining(day)) });
  expect(await dialog(page).locator('figure tbody tr').count()).toBe(90);
  await testPageLayout(page, 'alerts-create');

  // If the service cannot answer the preview's request, the preview sends the request again.
  const unavailable = { status: 503, json: { error: 'Service Unavailable', status: 503 } };
  await page.route('**/v1/alerts/preview', (route) => route.fulfill(unavailable), { times: 1 });
  await page.locator('[inputmode=decimal]').fill('1000');
  await expect.poll(() => words(page)).toContain('would not have fired');
  expect(await marked(page)).toEqual({ count: 0, days: [] });

  await page.getByLabel('An hour').check();
  await page.locator('[inputmode=decimal]').fill('3.9');
  await expect
    .poll(() => words(page))
    .toContain(`would have fired ${known} times in the last 90 days, on ${known} diff`);
  expect((await marked(page)).days).toEqual(days.map((day) => expect.stringContaining(`${day}, 12:00`)));

  await page.getByLabel('A month').check();
  await page.locator('[inputmode=decimal]').fill('1');
  await expect.poll(() => words(page)).toMatch(/^More than 1 kWh in a month: would have fired [23] times/);
  expect((await marked(page)).count).toBe(Number(/fired (\d)/.exec((await words(page)) ?? '')?.[1]));

  await page.getByLabel('Silence').check();
  await page.locator('[inputmode=decimal]').fill('6');
  await expect.poll(() => words(page)).toBe('Silent for 6 hours: would have fired once in the last 90 days.');
  // The page may show the devices' names later than the list of silences.
  await expect
    .poll(() => dialog(page).locator('tbody tr').allTextContents())
    .toEqual([expect.stringMatching(/^Test \(smart meter\).*[89] hours$/)]);
  await testPageLayout(page, 'alerts-create-silence');
});

test('an alert created on the page fires when a reading arrives, and its history shows the firing', async () => {
  const userId = await dashboard.user('ben@example.com');
  const page = await alertsPage('ben@example.com');
  const meter = await dashboard.device(userId);
  await page.getByRole('button', { name: 'Create an alert' }).click();
  await dialog(page).getByText('The alert will check new readings').waitFor();
  await expect.poll(() => page.locator('[inputmode=decimal]').inputValue()).toBe('20');
  await page.locator('[inputmode=decimal]').fill('1.25');
  await page.keyboard.press('Enter');
  await page.getByText('Created: More than 1.25 kWh in a day.').waitFor();
  await page.getByRole('button', { name: 'History: More than 1.25 kWh in a day' }).click();
  await dialog(page).getByText('The alert has not fired yet').waitFor();
  await meter.publish({ ts: new Date().toISOString(), energy_kwh: 3, interval_s: 120 });
  await expect.poll(() => dialog(page).locator('tbody tr').count()).toBeGreaterThan(0);
  expect(await dialog(page).locator('tbody tr').first().textContent()).toMatch(/^just now.*\d\.\d\d kWh$/);
});

test('the history of an alert has pages for older firings', async () => {
  await dashboard.user('old@example.com');
  const page = await alertsPage('old@example.com');
  await create(page, { watch: 'An hour', threshold: 2 });
  await row(page, 'More than 2 kWh in an hour').waitFor();
  await dashboard.database.pool.query(
    `INSERT INTO alert_firings (alert_id, period_start, period_end, device_id, fired_at, event_id, total_milliwatt_hours)
     SELECT alert_id, at, at + interval '1 hour', '', at + interval '20 minutes', 'evt_' || lpad(n::text, 26, '0'), 2100000 + n
     FROM alerts, generate_series(1, 45) n, LATERAL (SELECT date_trunc('hour', now()) - make_interval(hours => 100 - n) AS at) AS periods
     WHERE user_id = (SELECT user_id FROM users WHERE email = 'old@example.com')`,
  );
  await page.getByRole('button', { name: /^History/ }).click();
  const rows = () => dialog(page).locator('tbody tr').count();
  await expect.poll(rows).toBe(20);
  await testPageLayout(page, 'alerts-history-long');
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByRole('button', { name: 'Newest' }).waitFor();
  await page.getByRole('button', { name: 'Older' }).click();
  await expect.poll(rows).toBe(5);
});

test('pauses, resumes and changes an alert, and deletes it after a confirmation', async () => {
  const userId = await dashboard.user('chiara@example.com');
  const page = await alertsPage('chiara@example.com');
  await create(page, { watch: 'Silence', threshold: 6 });
  await row(page, 'Silent for 6 hours').waitFor();
  const stored = async () =>
    (await dashboard.database.pool.query('SELECT * FROM alerts WHERE user_id = $1', [userId])).rows;
  expect(await stored()).toMatchObject([{ type: 'no_data', threshold_hours: 6, delivery: 'email', status: 'active' }]);

  await page.getByRole('button', { name: 'Pause: Silent for 6 hours' }).click();
  await row(page, 'Silent').getByText('paused', { exact: true }).waitFor();
  expect(await stored()).toMatchObject([{ status: 'paused' }]);
  await page.getByRole('button', { name: 'Resume: Silent for 6 hours' }).click();
  await row(page, 'Silent').getByText('active', { exact: true }).waitFor();
  await testPageLayout(page, 'alerts');

  await page.getByRole('button', { name: 'Edit: Silent for 6 hours' }).click();
  expect(await page.locator('[inputmode=decimal]').inputValue()).toBe('6');
  await page.locator('[inputmode=decimal]').fill('12.5');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await stored()).toMatchObject([{ threshold_hours: 6 }]);
  await page.locator('[inputmode=decimal]').fill('12');
  await page.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Silent for 12 hours').waitFor();
  expect(await stored()).toMatchObject([{ threshold_hours: 12 }]);

  await page.getByRole('button', { name: 'Delete Silent for 12 hours' }).click();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  expect(await stored()).toHaveLength(1);
  await page.getByRole('button', { name: 'Delete Silent for 12 hours' }).click();
  await testPageLayout(page, 'alerts-delete');
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There is no alert yet').waitFor();
  expect(await stored()).toEqual([]);
});

test('explains what is missing for SMS or webhooks, and offers to add it', async () => {
  const userId = await dashboard.user('daan@example.com');
  const page = await alertsPage('daan@example.com');
  await create(page, { threshold: 30, by: 'SMS' });
  // The page asks for the phone number before it sends a request.
  await page.getByLabel('Phone number').fill('0151 12345678');
  await page.getByRole('button', { name: 'Create alert' }).click();
  expect(
    await page
      .getByLabel('Phone number')
      .evaluate((input) => (input as unknown as { validity: { valid: boolean } }).validity.valid),
  ).toBe(false);
  await testPageLayout(page, 'alerts-phone');
  await page.getByLabel('Phone number').fill('+4915112345678');
  await page.getByRole('button', { name: 'Create alert' }).click();
  await row(page, 'More than 30 kWh in a day').getByText('SMS').waitFor();
  expect((await findUser(dashboard.db, ALL_ACCOUNTS, userId))?.phone).toBe('+4915112345678');

  // If the user's phone number is removed elsewhere, the service rejects the alert, and the page asks for the number again.
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { phone: null });
  await create(page, { threshold: 40, by: 'SMS' });
  await page.getByLabel('Phone number').waitFor();
  await page.keyboard.press('Escape');

  await create(page, { threshold: 50, by: 'Webhook' });
  await page.getByRole('alert').filter({ hasText: 'no active subscription' }).waitFor();
  await testPageLayout(page, 'alerts-subscription');
  await page.getByRole('link', { name: 'Create a webhook' }).click();
  expect(await page.getByRole('checkbox', { name: 'alert.triggered' }).isChecked()).toBe(true);
  await page.getByLabel('URL').fill('https://hooks.example.net/energy');
  await page.getByRole('button', { name: 'Create webhook' }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Alerts' }).click();
  await create(page, { threshold: 50, by: 'Webhook' });
  await row(page, 'More than 50 kWh in a day').getByText('Webhook').waitFor();
});

test('previews an alert on costs with the cost of days, and requires a tariff', async () => {
  const userId = await dashboard.user('emil@example.com');
  const meter = await dashboard.device(userId);
  const lastMs = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  // Usage of 6 kWh a day. One of the ten days has 24 kWh.
  const hours = Array.from({ length: 10 * 24 }, (_, back) => lastMs - back * HOUR_MS).reverse();
  const high = lastMs - 5 * DAY_MS;
  await meter.publish(
    hours.map((ms) => ({
      ts: new Date(ms).toISOString(),
      energy_kwh: ms > high && ms <= high + DAY_MS ? 1 : 0.25,
      interval_s: 3_600,
    })),
  );
  const page = await alertsPage('emil@example.com');
  await create(page, { watch: 'Daily cost', threshold: 5 });
  await dialog(page).getByRole('alert').filter({ hasText: 'needs a tariff' }).first().waitFor();
  await page.keyboard.press('Escape');
  await createTariff(dashboard.db, {
    userId,
    name: 'Flat',
    valid_from: '2020-01-01',
    currency: 'EUR',
    terms: { import: { per_kwh: '0.30' } },
  });
  await page.getByRole('button', { name: 'Create an alert' }).click();
  await page.getByLabel('Daily cost').check();
  await page.getByText('In EUR. Suggested').waitFor();
  await page.locator('[inputmode=decimal]').fill('2.5');
  await expect.poll(() => words(page)).toBe('Costs more than 2.5 in a day: would have fired once in the last 90 days.');
  expect((await marked(page)).count).toBe(1);
  expect(await dialog(page).getByRole('img').getAttribute('aria-label')).toMatch(/^Cost by day: .*the highest €7\.20/);
  await testPageLayout(page, 'alerts-create-cost');
  await page.getByLabel('Monthly cost').check();
  await page.getByText('In EUR. Suggested').waitFor();
  await page.locator('[inputmode=decimal]').fill('0.5');
  await page.getByRole('button', { name: 'Create alert' }).click();
  await row(page, 'Costs more than 0.5 in a month').waitFor();
  await meter.publish({ ts: new Date().toISOString(), energy_kwh: 3, interval_s: 120 });
  await page.getByRole('button', { name: /^History/ }).click();
  await expect.poll(() => dialog(page).locator('tbody tr').count()).toBeGreaterThan(0);
  expect(await dialog(page).locator('tbody tr').first().textContent()).toMatch(/^just now.*€\d+\.\d\d$/);
  await testPageLayout(page, 'alerts-history-cost');
});

test('a utility creates alerts for the selected account', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  const home = await dashboard.user('home@example.com', 'homeowner', utility);
  const page = await alertsPage('utility@example.com');
  await page.getByRole('region', { name: 'Alerts of home@example.com' }).waitFor();
  await create(page, { threshold: 10, by: 'Webhook' });
  await page.getByText('Only home@example.com can create the subscription: sign in here').waitFor();
  await testPageLayout(page, 'alerts-utility');
  await page.getByLabel('E-mail').check();
  await page.getByRole('button', { name: 'Create alert' }).click();
  await row(page, 'More than 10 kWh in a day').waitFor();
  const { rows } = await dashboard.database.pool.query('SELECT user_id FROM alerts WHERE user_id = ANY ($1)', [
    [utility, home],
  ]);
  expect(rows).toEqual([{ user_id: home }]);
});

test('the form has the same choices as the service, and suggests a threshold above ordinary usage', () => {
  expect(Object.keys(said().alerts.types)).toEqual([...ALERT_TYPES]);
  expect(Object.keys(said().alerts.deliveries)).toEqual([...KNOWN_DELIVERIES]);
  const alert = { alert_id: 'a', user_id: 'u', delivery: 'email', status: 'active', created_at: '' } as const;
  expect(getAlertRuleName({ ...alert, type: 'peak_usage', threshold_kwh: 2.5 })).toBe('More than 2.5 kWh in an hour');
  expect(getAlertRuleName({ ...alert, type: 'monthly_usage', threshold_kwh: 0.000_001 })).toBe(
    'More than 0.000001 kWh in a month',
  );
  expect(getAlertRuleName({ ...alert, type: 'no_data', threshold_hours: 1 })).toBe('Silent for 1 hour');
  expect(getAlertRuleName({ ...alert, type: 'daily_cost', threshold: '2.50' })).toBe('Costs more than 2.5 in a day');

  const days = Array.from({ length: 90 }, (_, day) => 10 + (day % 7 === 0 ? day / 10 : 0));
  const suggested = suggestThresholdKwh('daily_usage', days);
  expect(days.filter((kwh) => kwh > suggested)).toEqual([17.7, 18.4]);
  expect(suggestThresholdKwh('daily_usage', [])).toBe(20);
  expect(suggestThresholdKwh('peak_usage', [0, 0, 0])).toBe(3);
  expect(suggestThresholdKwh('monthly_usage', [60.2, 218.4, 251, 170])).toBe(220);
  expect(suggestThresholdKwh('peak_usage', [0.0123])).toBe(0.013);
  expect(suggestThresholdKwh('monthly_usage', [99.5])).toBe(100);
  expect(suggestThresholdAmount([3.2, 4.1, 5.5, 7.8, 2, 1])).toBe(4.1);
  expect(suggestThresholdAmount([-3, 0, 0])).toBe(null);
  expect(suggestThresholdHours([])).toBe(3);
  expect(suggestThresholdHours([4, 5, 7, 8, 9, 11])).toBe(12);
  expect(suggestThresholdHours(Array(1_000).fill(700))).toBe(720);
});
