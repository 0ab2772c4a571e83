import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { updateUser } from '#src/users/store.ts';
import { showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['ingest']);
});
afterAll(() => dashboard.close());

const dialog = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const stored = async (userId: string) =>
  (await dashboard.database.pool.query('SELECT * FROM tariffs WHERE user_id = $1 ORDER BY valid_from', [userId])).rows;

async function tariffsPage(email: string): Promise<Page> {
  const page = await dashboard.signIn(email, '/dashboard/tariffs');
  await page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor();
  return page;
}

test('a tariff is made from a country’s form, and Home shows the costs', async () => {
  const userId = await dashboard.user('anna@example.com');
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { timezone: 'Europe/Berlin' });
  const meter = await dashboard.device(userId);
  // Readings with 0.5 kWh in each hour of the last 70 days, so that last month is complete. There are no readings from 26 to 20 hours ago.
  const lastMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const readings = Array.from({ length: 70 * 24 + 1 }, (_, back) => ({
    ts: new Date(lastMs - back * HOUR_MS).toISOString(),
    energy_total_kwh: 5_000 - back * 0.5,
  })).filter((_, back) => back < 20 || back >= 26);
  await meter.publish(readings.reverse());

  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(Date.now());
  const lastMonth = new Date(Date.parse(`${today.slice(0, 7)}-01`) - 86_400_000).toISOString().slice(0, 7);
  const page = await dashboard.signIn('anna@example.com', `/dashboard/home/month/${lastMonth}`);
  const figure = (name: string) =>
    page.locator('dl.figures > div', { has: page.locator('dt', { hasText: name }) }).first();
  await expect.poll(() => figure('Used').locator('dd.big').textContent()).toMatch(/^3[3-9]\d\.\d\d kWh$/);
  const link = page.getByRole('link', { name: 'What does it cost? Add your tariff' });
  await link.waitFor();
  expect(await page.locator('dd.money').count()).toBe(0);
  await link.click();
  await page.getByText('There is no tariff yet').waitFor();
  await testPageLayout(page, 'tariffs-empty');

  // If the service cannot answer the preview's request, the preview sends the request again.
  const unavailable = { status: 503, json: { error: 'Service Unavailable', status: 503 } };
  await page.route('**/v1/tariffs/compare', (route) => route.fulfill(unavailable), { times: 1 });
  await button(page, 'New tariff').click();
  // The form derives the country from the time zone of the home.
  expect(await page.getByLabel('Start from').inputValue()).toBe('DE');
  await page.getByLabel('Tariff type').selectOption({ label: 'Day and night (HT/NT)' });
  await page.getByLabel('Valid from').fill('2020-01-01');
  expect(await page.getByLabel('Currency').inputValue()).toBe('EUR');
  const prices = dialog(page).getByLabel('Price, EUR per kWh');
  await prices.nth(0).fill('0,30');
  await prices.nth(1).fill('0.20');
  await page.getByLabel('Standing charge').fill('1');
  // A day costs €3.20 for energy (16 hours at the day rate, 8 hours at the night rate), and €1 of standing charge. The pattern also matches
  // the total of a month with a clock change.
  await expect.poll(() => dialog(page).getByRole('status').textContent()).toMatch(/ would have cost €1\d\d\.\d\d: /);
  await testPageLayout(page, 'tariffs-new');
  await button(page, 'Add tariff').click();
  await page.getByText('Added: Day and night (HT/NT).').waitFor();
  expect(await stored(userId)).toMatchObject([
    {
      valid_from: expect.anything(),
      currency: 'EUR',
      terms: {
        standing_per_day: '1',
        import: { periods: [{ per_kwh: '0.30', from: '06:00', to: '22:00' }, { per_kwh: '0.20' }] },
      },
    },
  ]);
  const now = page.getByRole('region', { name: 'Current tariff' });
  await now.getByText('06:00–22:00: €0.30 per kWh').waitFor();
  expect(await now.textContent()).toContain('since 1 Jan 2020');

  // For hours without readings, the page also shows the cost of the estimated energy.
  const silent = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin' }).format(Date.now() - 23 * HOUR_MS);
  await showDashboardPage(page, `/dashboard/home/day/${silent}`);
  await expect.poll(() => page.locator('dl.figures').first().textContent()).toMatch(/€\d\.\d\d estimated/);
  await showDashboardPage(page, `/dashboard/home/month/${lastMonth}`);
  await expect.poll(() => figure('Used').locator('dd.money').textContent()).toMatch(/^€1\d\d\.\d\d$/);
  const amount = Number.parseFloat((await figure('Used').locator('dd.money').textContent())?.slice(1) ?? '');
  const days = Number.parseFloat((await figure('Used').locator('dd.big').textContent()) ?? '') / 12;
  expect(amount).toBeCloseTo(days * 4.2, -0.3);
  expect(await link.count()).toBe(0);
  const chart = page.locator('figure', { hasText: 'Usage by day as a table' });
  await chart.locator('.u-over').hover();
  await expect.poll(() => chart.locator('.readout').textContent()).toMatch(/: 12\.00 kWh; €4\.20$/);
  await chart.getByText('Usage by day as a table').click();
  expect(await chart.locator('thead').textContent()).toContain('Cost');
  await testPageLayout(page, 'tariffs-home');
  await page.close();
});

test('a tariff is changed, errors are shown at their fields, and it is deleted after a confirmation', async () => {
  const userId = await dashboard.user('bert@example.com');
  const page = await tariffsPage('bert@example.com');
  await button(page, 'New tariff').click();
  await page.getByLabel('Start from').selectOption('BE');
  await page
    .getByLabel('Tariff type')
    .selectOption({ label: 'Flanders, single rate (enkelvoudig) with the capacity tariff' });
  await dialog(page).getByText('divide it by 12').waitFor();
  await page.getByLabel('Valid from').fill('2021-03-01');
  await page.getByLabel('Price, EUR per kWh').first().fill('thirty');
  await page.getByLabel('Price, EUR per kW per month').fill('4.35');
  await page.getByLabel('Currency').fill('XXY');
  await button(page, 'Add tariff').click();
  const currency = page.getByLabel('Currency');
  await expect.poll(() => currency.getAttribute('aria-invalid')).toBe('true');
  // The first invalid field has the focus, and the page shows what is wrong with it.
  await expect.poll(() => currency.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
  await dialog(page).getByText('It must be a currency of ISO 4217, such as EUR.').waitFor();
  await dialog(page).getByText('It must be a decimal below 1000000000, with up to 9 places.').waitFor();
  expect(await stored(userId)).toEqual([]);
  await testPageLayout(page, 'tariffs-mistakes');
  await currency.fill('eur');
  await page.getByLabel('Price, EUR per kWh').first().fill('0.31');
  await button(page, 'Add tariff').click();
  const name = 'Flanders, single rate (enkelvoudig) with the capacity tariff';
  await page.getByText(`Added: ${name}.`).waitFor();
  expect((await stored(userId))[0]).toMatchObject({ currency: 'EUR' });
  expect((await stored(userId))[0].terms).toEqual({
    capacity: { per_kw_month: '4.35', months_averaged: 12, minimum_kw: '2.5' },
    import: { per_kwh: '0.31' },
  });

  // The form for a new tariff contains the terms of the current tariff. The service rejects a second tariff that starts on the same day.
  await button(page, 'New tariff').click();
  expect(await page.getByLabel('Start from').inputValue()).toBe('current');
  await page.getByLabel('Name').fill('Winter and summer');
  await page.getByLabel('Valid from').fill('2021-03-01');
  await page.getByLabel('Kind of price').first().selectOption('periods');
  const period = dialog(page).getByRole('group', { name: 'Period 1' });
  await period.getByLabel('Price').fill('0.4');
  await period.getByLabel('From').fill('');
  await period.getByLabel('Until').fill('');
  for (const day of ['Sat', 'Sun']) await period.getByLabel(day).uncheck();
  await period.getByText('Only in some months').click();
  for (const month of ['Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept']) await period.getByLabel(month).uncheck();
  await dialog(page).getByRole('group', { name: 'At all other times' }).getByLabel('Price').fill('0.25');
  await button(page, 'Add tariff').click();
  await dialog(page).getByText(`“${name}” already begins on 1 Mar 2021.`).waitFor();
  await testPageLayout(page, 'tariffs-periods');
  await page.getByLabel('Valid from').fill('2022-01-01');
  await button(page, 'Add tariff').click();
  await page.getByText('Added: Winter and summer.').waitFor();
  await page.getByText('Jan–Mar, Oct–Dec, Mon–Fri: €0.40 per kWh').waitFor();
  expect((await stored(userId))[1].terms.import).toEqual({
    periods: [{ per_kwh: '0.4', days: [1, 2, 3, 4, 5], months: [1, 2, 3, 10, 11, 12] }, { per_kwh: '0.25' }],
  });
  const earlier = page.getByRole('region', { name: 'Earlier tariffs' });
  expect(await earlier.getByRole('row', { name }).textContent()).toContain('1 Mar 2021 – 31 Dec 2021');
  await testPageLayout(page, 'tariffs');

  // If the user removes a price from the form, the stored price is deleted.
  await button(page, `Edit: ${name}`).click();
  await page.getByLabel('The highest quarter-hour').uncheck();
  await page.getByLabel('Standing charge').fill('0.5');
  await button(page, 'Save').click();
  await page.getByText(`Saved: ${name}.`).waitFor();
  expect((await stored(userId))[0].terms).toEqual({ standing_per_day: '0.5', import: { per_kwh: '0.31' } });

  await button(page, `Delete ${name}`).click();
  await button(page, 'Cancel').click();
  expect(await stored(userId)).toHaveLength(2);
  await button(page, `Delete ${name}`).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await earlier.waitFor({ state: 'detached' });
  expect(await stored(userId)).toHaveLength(1);
  await page.close();
});

test('a dynamic tariff uses a price series, which shows up to when its prices are known', async () => {
  const userId = await dashboard.user('chiara@example.com');
  const page = await tariffsPage('chiara@example.com');
  await button(page, 'New tariff').click();
  await page.getByLabel('Start from').selectOption('NL');
  await page.getByLabel('Tariff type').selectOption({ label: 'Dynamic (dynamisch contract)' });
  await dialog(page).getByText('There is no price series in EUR yet that you can use.').first().waitFor();
  await button(page, 'Cancel').click();

  const settings = { kind: 'price', userId, name: 'Day ahead, NL', currency: 'EUR', resolution_minutes: 60 } as const;
  const { series_id } = await createSeries(dashboard.db, settings);
  const day = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
  await dashboard.database.pool.query('INSERT INTO prices (series_id, day, prices) VALUES ($1, $2, $3)', [
    series_id,
    day,
    Array.from({ length: 24 }, (_, hour) => (hour < 20 ? '120000000' : null)),
  ]);
  await page.reload();
  await button(page, 'New tariff').click();
  await page.getByLabel('Start from').selectOption('NL');
  await page.getByLabel('Tariff type').selectOption({ label: 'Dynamic (dynamisch contract)' });
  const choice = page.getByLabel('Price series').first();
  await expect.poll(() => choice.textContent()).toMatch(/Day ahead, NL \(20 prices, until .*20:00 UTC\)/);
  await choice.selectOption(series_id);
  expect(await page.getByLabel('Multiply by').first().inputValue()).toBe('1.21');
  await page.getByLabel('Valid from').fill('2020-01-01');
  await testPageLayout(page, 'tariffs-series');
  await button(page, 'Add tariff').click();
  await page.getByRole('region', { name: 'Current tariff' }).getByText('20 prices, until').waitFor();
  expect((await stored(userId))[0].terms).toEqual({ import: { series_id, multiply: '1.21' } });

  // There are no prices for yesterday. No cost includes yesterday's usage, and the page says so.
  const meter = await dashboard.device(userId);
  const noon = new Date(day.getTime() - DAY_MS / 2).toISOString();
  await meter.publish({ ts: noon, energy_kwh: 2, interval_s: 3_600 });
  await showDashboardPage(page, `/dashboard/home/day/${noon.slice(0, 10)}`);
  const yesterday = page.locator('dl.figures > div', { has: page.locator('dt', { hasText: 'Used' }) }).first();
  await expect
    .poll(() => yesterday.textContent())
    .toMatch(/2\.00 kWh€0\.00all measuredexcluding 2\.00 kWh without a known price$/);
  await page.close();
});

test('another tariff and a battery are tried on the last twelve months, without storing anything', async () => {
  const userId = await dashboard.user('dora@example.com');
  const meter = await dashboard.device(userId);
  // Readings: on each of the last 60 days, the home feeds 4 kWh into the grid at noon and draws 4 kWh in the evening.
  const firstMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 60 * DAY_MS;
  const hourly = (busyHour: number, channel: object) =>
    Array.from({ length: 60 * 24 }, (_, hour) => ({
      ...channel,
      ts: new Date(firstMs + (hour + 1) * HOUR_MS).toISOString(),
      energy_kwh: hour % 24 === busyHour ? 4 : 0,
      interval_s: 3_600,
    }));
  await meter.publish(hourly(19, {}));
  await meter.publish(hourly(12, { channel: 'export' }));
  const page = await tariffsPage('dora@example.com');
  const card = page.getByRole('region', { name: 'What if?' });

  // If the home has no tariff, the dialog compares energy only, and asks for no price.
  await card.getByRole('button', { name: 'Would a battery pay?' }).click();
  expect(await dialog(page).getByLabel('Price').count()).toBe(0);
  await button(page, 'Try it').click();
  await dialog(page).getByText('Add your tariff to see how much money it saves.').waitFor();
  await button(page, 'Close').last().click();

  const created = await page.evaluate(async () => {
    const { csrf_token } = await (await fetch('/dashboard/session')).json();
    const terms = { import: { per_kwh: '0.30' }, export: { per_kwh: '0.10' } };
    const body = { name: 'Mine', valid_from: '2020-01-01', currency: 'EUR', standing_per_day: '0.5', ...terms };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf_token };
    return (await fetch('/dashboard/v1/tariffs', { method: 'POST', headers, body: JSON.stringify(body) })).status;
  });
  expect(created).toBe(201);
  await page.reload();
  await card.getByRole('button', { name: 'Would another tariff be cheaper?' }).click();
  await dialog(page).getByText('Nothing is saved.').waitFor();
  expect(await page.getByLabel('Valid from').count()).toBe(0);
  // The form shows the error at the invalid field.
  await dialog(page).getByLabel('Price, EUR per kWh').first().fill('cheap');
  await button(page, 'Compare').click();
  await dialog(page).getByText('It must be a decimal below 1000000000, with up to 9 places.').waitFor();
  await dialog(page).getByLabel('Name').fill('Green');
  await dialog(page).getByLabel('Price, EUR per kWh').first().fill('0,20');
  await button(page, 'Compare').click();
  const status = dialog(page).getByRole('status');
  await expect.poll(() => status.textContent()).toMatch(/“Green” would have cost €.*: €[\d.]+ less than your tariff\./);
  // The home saves €0.10 per kWh, and uses 4 kWh a day. Only days in complete months count.
  const [, less] = /: €([\d.,]+) less/.exec((await status.textContent()) ?? '') ?? [];
  const until = Date.parse(`${new Date().toISOString().slice(0, 7)}-01`);
  const days = (until - firstMs) / DAY_MS;
  expect(Number(less?.replace(',', ''))).toBeCloseTo(days * 4 * 0.1, 2);
  expect(
    await dialog(page)
      .getByRole('row', { name: /^Total/ })
      .textContent(),
  ).toMatch(/€.*€/);
  await testPageLayout(page, 'tariffs-compare');
  // The result of the comparison disappears when the tariff in the form is changed.
  await dialog(page).getByLabel('Price, EUR per kWh').first().fill('0.5');
  await expect.poll(() => status.textContent()).toContain('Nothing is saved.');
  await button(page, 'Close').last().click();

  await card.getByRole('button', { name: 'Would a battery pay?' }).click();
  await dialog(page).getByLabel('Price, EUR').fill('2,000');
  await button(page, 'Try it').click();
  // The number with a separator is ambiguous: it may mean two or two thousand.
  expect(
    await dialog(page)
      .getByLabel('Price, EUR')
      .evaluate((input) => (input as HTMLInputElement).validity.valid),
  ).toBe(false);
  await dialog(page).getByLabel('Price, EUR').fill('2000');
  await button(page, 'Try it').click();
  await expect.poll(() => status.textContent()).toContain('this battery would have saved');
  // Less than three months of the year have data.
  expect(await status.textContent()).toContain('No payback time: data is missing for too many hours.');
  const [, saved] = /saved €([\d.,]+)\./.exec((await status.textContent()) ?? '') ?? [];
  // With the battery, the home feeds 4 kWh less into the grid each day, and draws 3.6 kWh less from it.
  expect(Number(saved?.replace(',', ''))).toBeCloseTo(days * (3.6 * 0.3 - 4 * 0.1), 2);
  await testPageLayout(page, 'tariffs-battery');
  expect(await stored(userId)).toHaveLength(1);
  await page.close();
});
