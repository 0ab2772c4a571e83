import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { castToBillionths } from '#src/core/decimal.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { packPrices } from '#src/tariffs/packed-days.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { storePrices } from '#src/tariffs/prices.ts';
import { updateUser } from '#src/users/store.ts';
import {
  SCREEN_SIZES,
  showDashboardPage,
  testPageLayout,
  testPageLayoutInCurrentLanguage,
} from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import {
  computeClearDaySolarWatts,
  computeOrdinaryLoadWatts,
  insertDeviceHistories,
  QUARTER_HOUR_MS,
} from '#test/support/dashboard-homes.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

const HOUR_MS = 3_600_000;

let dashboard: Dashboard;
let utility: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  utility = await dashboard.user('utility@example.com', 'utility');
});
afterAll(() => dashboard.close());

/**
 * Returns register readings for each quarter-hour of `days` days, at a constant load, with some hours without readings in the middle. The
 * last reading is now, so that today has data at any time of day.
 */
function history(days: number, loadKw: number): { ts: string; energy_total_kwh: number }[] {
  const untilMs = Date.now();
  const readings: { ts: string; energy_total_kwh: number }[] = [];
  for (let ms = untilMs - days * 24 * HOUR_MS; ms <= untilMs; ms += QUARTER_HOUR_MS) {
    const backHours = (untilMs - ms) / HOUR_MS;
    if (backHours > 30 && backHours < 36) continue;
    const energy_total_kwh = Math.round(1e6 * (100 + loadKw * (days * 24 - backHours))) / 1e6;
    readings.push({ ts: new Date(ms).toISOString(), energy_total_kwh });
  }
  return readings;
}

/** Creates a tariff for a home as its owner would, through the page's session. */
async function payFor(page: Page, rates: object, validFrom = '2020-01-01'): Promise<void> {
  const tariff = [rates, validFrom] as const;
  const status = await page.evaluate(async ([priced, valid_from]) => {
    const { csrf_token } = await (await fetch('/dashboard/session')).json();
    const body = {
      name: 'Tariff',
      valid_from,
      currency: 'EUR',
      standing_per_day: '0.4',
      import: priced,
    };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf_token };
    return (await fetch('/dashboard/v1/tariffs', { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }, tariff);
  expect(status).toBe(201);
}
/** Returns the number on the page, or in a region of the page, that has this label. */
const figureIn = (top: Locator | Page, name: string) => {
  const page = 'goto' in top ? top : top.page();
  return top.locator('dl.figures > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).first();
};
const big = (top: Locator | Page, name: string) => figureIn(top, name).locator('dd.big').textContent();
const dayBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * 24 * HOUR_MS).toISOString().slice(0, 10);

test('a meter: follows new readings by itself, marks estimates, and shows gas next to it', async () => {
  const userId = await dashboard.user('home@example.com');
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { timezone: 'Asia/Kolkata' });
  const meter = await dashboard.device(userId);
  const readings = history(20, 0.8);
  await meter.publish(readings);
  const gas = await dashboard.device(userId, 'gas_meter');
  await gas.publish(history(20, 0.1).map((reading) => ({ ...reading, channel: 'gas/m3' })));
  const page = await dashboard.signIn('home@example.com');
  await expect.poll(() => page.getByText('live', { exact: true }).count()).toBe(1);
  // A register measures energy, not current power, so the page shows an average and labels it as such.
  expect(await big(page, 'Average power')).toBe('800 W');
  expect(await figureIn(page, 'Now').count()).toBe(0);
  expect(await big(page, 'Always on')).toBe('800 W');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => big(page, 'Used')).toBe('19.20 kWh');
  await expect.poll(() => page.url()).toMatch(/\/dashboard\/home\/day\/\d{4}-\d\d-\d\d$/);
  // The page shows the day's energy by hour, or by quarter-hour if the user selects this. The selection also applies to downloads, and
  // after a reload.
  const hours = page.getByRole('region', { name: 'Usage by hour', exact: true });
  await hours.getByText('Usage by hour as a table').click();
  expect(await hours.locator('tbody tr').count()).toBe(24);
  await hours.getByRole('button', { name: 'Quarter-hours' }).click();
  const quarters = page.getByRole('region', { name: 'Usage by quarter-hour', exact: true });
  await quarters.getByText('Usage by quarter-hour as a table').waitFor();
  await page.reload();
  await quarters.getByText('Usage by quarter-hour as a table').click();
  const rowTexts = await quarters.locator('tbody tr').allTextContents();
  expect(rowTexts).toHaveLength(96);
  // A load of 0.8 kW uses 0.2 kWh in each quarter-hour.
  expect(rowTexts.filter((row) => row.includes('0.20 kWh')).length).toBeGreaterThan(60);
  await quarters.getByRole('button', { name: 'Hours', exact: true }).click();
  await hours.waitFor();
  // Emissions are a line in the breakdown of the home's total.
  const of = { userId, name: 'Mix', currency: null, resolution_minutes: 60 } as const;
  const { series_id } = await createSeries(dashboard.db, { kind: 'emission', ...of });
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { emission_series_id: series_id });
  await figureIn(page, 'Used').getByRole('button').click();
  await page
    .getByRole('dialog')
    .getByText('Emissions: 0.000 kg CO₂e from the grid. The emissions of 19.20 kWh are unknown.')
    .waitFor();
  await testPageLayout(page, 'home-emissions');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  // The six hours without readings, 30 to 36 hours ago, are marked in the chart of days, in its text for screen readers, and in its table.
  await page.getByRole('button', { name: 'Month', exact: true }).click();
  const days = page.locator('figure', { hasText: 'Usage by day as a table' });
  await expect.poll(() => days.locator('.readout').textContent()).toContain('estimated');
  await days.getByText('Usage by day as a table').click();
  const rows = await days.locator('tbody tr').allTextContents();
  expect(rows.filter((row) => /\d kWh$/.test(row)).length).toBeGreaterThanOrEqual(1);
  await page.getByRole('region', { name: 'Usage by weekday and hour' }).waitFor();
  expect(await page.locator('.heat td').count()).toBe(7 * 24);
  const ofGas = page.getByRole('region', { name: 'Gas' });
  expect(await big(ofGas, 'Used')).toMatch(/^[\d.]+ m³$/);
  expect(await ofGas.textContent()).toMatch(/m³ estimated|all measured/);
  await testPageLayout(page, 'home-gas');
  // On a phone, the picture of hours by weekday fits the screen, and the user can select another period without scrolling up.
  await page.setViewportSize(SCREEN_SIZES.phone);
  const heat = page.locator('.heat');
  expect(await heat.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  expect((await heat.getByText('Mon').boundingBox())?.x).toBeGreaterThan(0);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  expect((await page.getByRole('group', { name: 'Period' }).boundingBox())?.y).toBe(0);
  // On a phone, the links to pages are at the bottom of the screen.
  const devices = await page.getByRole('link', { name: 'Devices' }).boundingBox();
  expect((devices?.y ?? 0) + (devices?.height ?? 0)).toBeGreaterThan(SCREEN_SIZES.phone.height - 20);

  await page.getByRole('link', { name: 'Home', exact: true }).click();
  const before = await big(page, 'Used so far');
  const last = readings.at(-1)?.energy_total_kwh ?? 0;
  await meter.publish({ ts: new Date().toISOString(), energy_total_kwh: last + 0.05 });
  await expect.poll(() => big(page, 'Used so far')).not.toBe(before);
  await page.close();
});

test('reports that the costs could not be loaded, and shows the rest of the home', async () => {
  const userId = await dashboard.user('costs@example.com');
  await (await dashboard.device(userId)).publish(history(3, 0.8));
  const page = await dashboard.signIn('costs@example.com', '/dashboard/account');
  await payFor(page, { per_kwh: '0.30' });
  let isAway = true;
  await page.route('**/v1/period-costs?*', (route) =>
    isAway ? route.fulfill({ status: 503, json: { error: 'Service Unavailable', status: 503 } }) : route.continue(),
  );
  await page.goto('/dashboard');
  expect(await page.getByRole('alert').textContent()).toBe(
    'The costs could not be loaded. The service cannot respond at the moment. Try again soon.',
  );
  expect(await big(page, 'Average power')).toBe('800 W');
  await page.getByRole('region', { name: 'What uses it' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  isAway = false;
  // The page repeats the failed request without a reload.
  await figureIn(page, 'Used so far').getByText('€').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('measured power of a home: each value is shown within 2 s, with a line of the last ten minutes', async () => {
  const userId = await dashboard.user('watts@example.com');
  // The test sets a time zone in which it is noon now, so that the last half-hour belongs to today.
  const hours = 12 - new Date().getUTCHours();
  await dashboard.database.pool.query('UPDATE users SET timezone = $2 WHERE user_id = $1', [
    userId,
    `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`,
  ]);
  const meter = await dashboard.device(userId);
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  await meter.publish([30, 20, 8, 7.5, 7, 6.5].map((ago) => ({ ts: minutesAgo(ago), power_w: 1_000 })));
  const page = await dashboard.signIn('watts@example.com');
  // The latest measured power is older than a minute, so the page shows the average power instead.
  await expect.poll(() => figureIn(page, 'Average power').count()).toBe(1);
  const times: number[] = [];
  for (let at = 0; at < 12; at++) {
    const watts = at % 2 === 0 ? 2_500 : 300;
    const text = watts === 2_500 ? '2,500 W' : '300 W';
    // Wait for a different time in each round, so that messages arrive at different times between two polls of the service.
    await new Promise((resolve) => setTimeout(resolve, (at * 137) % 700));
    await meter.publish({ power_w: watts });
    const acknowledgedMs = performance.now();
    await page.waitForFunction(
      (wanted) =>
        [...document.querySelectorAll('dl.figures > div')].some(
          (one) =>
            one.querySelector('dt')?.textContent === 'Now' && one.querySelector('dd.big')?.textContent === wanted,
        ),
      text,
    );
    times.push(performance.now() - acknowledgedMs);
  }
  times.sort((a, b) => a - b);
  expect(times.at(-2)).toBeLessThan(scaleTimeLimitMs(2_000));
  const line = figureIn(page, 'Now').getByText(/^\s*Last 10 minutes/);
  expect(await line.textContent()).toContain('lowest 300 W, highest 2,500 W');
  // The line shows the power of the last ten minutes, including the time before the page was opened.
  const drawn = await page.locator('.spark path').getAttribute('d');
  expect(Number(/^M([\d.]+)/.exec(drawn ?? '')?.[1])).toBeLessThan(40);
  await testPageLayout(page, 'home-now');
  await page.close();
});

test('Home asks about a register that decreased, and applies its owner’s answer', async () => {
  const userId = await dashboard.user('fell@example.com');
  const meter = await dashboard.device(userId);
  // The page asks only about readings after the latest answer (`swaps_confirmed_at`), so the test sets that time back by a day.
  await dashboard.database.pool.query(
    `UPDATE devices SET swaps_confirmed_at = now() - interval '1 day' WHERE device_id = $1`,
    [meter.deviceId],
  );
  const at = (minutes: number, energy_total_kwh: number) => ({
    ts: new Date(Date.now() - minutes * 60_000).toISOString(),
    energy_total_kwh,
  });
  await meter.publish([at(20, 5_046), at(15, 5_047), at(10, 4_980), at(8, 4_980.1), at(6, 4_980.2), at(4, 5_047.5)]);
  const page = await dashboard.signIn('fell@example.com');
  const question = page.getByRole('region', { name: 'Was a meter replaced?' });
  expect(await question.textContent()).toMatch(
    /Test: the reading dropped from 5,047 kWh to 4,980 kWh on .*\. Was the meter replaced\?/,
  );
  await testPageLayout(page, 'home-swap');
  await question.getByRole('button', { name: 'No, ignore these readings' }).click();
  await question.waitFor({ state: 'detached' });
  const { rows } = await dashboard.database.pool.query('SELECT reason FROM reading_edits WHERE device_id = $1', [
    meter.deviceId,
  ]);
  expect(rows).toEqual([{ reason: 'The meter was not replaced: these readings are wrong' }]);
  await page.close();
});

test('two years of a meter: selects any period by arrows, swipe, keyboard, date and address, and compares it with earlier days', async () => {
  const userId = await dashboard.user('years@example.com');
  await insertDeviceHistories(dashboard, userId, 765, {
    Meter: { type: 'smart_meter', import: computeOrdinaryLoadWatts },
  });
  const page = await dashboard.signIn('years@example.com');
  const sent = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .reduce((sum, one) => sum + ((one as { transferSize?: number }).transferSize ?? 0), 0),
  );
  expect(sent).toBeLessThan(150_000);
  await payFor(page, { per_kwh: '0.30' });
  await page.reload();
  // Looks up the cost of last Tuesday by its date, as a new user would do.
  const today = new Date().toISOString().slice(0, 10);
  const weekday = new Date(today).getUTCDay() || 7;
  const tuesday = dayBefore(today, weekday > 2 ? weekday - 2 : weekday + 5);
  await page.getByLabel('Go to a date').fill(tuesday);
  await expect.poll(() => page.url()).toContain(`/dashboard/home/day/${tuesday}`);
  await expect.poll(() => big(page, 'Used')).toBe('8.83 kWh');
  expect(await figureIn(page, 'Used').locator('dd.money').textContent()).toBe('€3.05');
  // A week before and a year before (on the same weekday), the usage was the same.
  expect(await figureIn(page, 'A week before').textContent()).toContain('as much as in that period');
  expect(await figureIn(page, 'A week before').textContent()).toContain('€3.05');
  expect(await big(page, 'A year before')).toBe('8.83 kWh');
  expect(await page.getByText(/^Highest quarter-hour: 2,320 W, 12:00/).count()).toBe(1);
  // Without scrolling, a phone shows one large number, its cost, the number and cost of a week before, and the complete chart.
  await page.setViewportSize(SCREEN_SIZES.phone);
  const bars = page.getByRole('img', { name: /^Usage by hour: / });
  await expect.poll(async () => (await bars.boundingBox())?.width ?? 1_000).toBeLessThan(SCREEN_SIZES.phone.width);
  const [chart, tab] = [await bars.boundingBox(), await page.getByRole('link', { name: 'Alerts' }).boundingBox()];
  expect((chart?.y ?? 1_000) + (chart?.height ?? 0)).toBeLessThan(tab?.y ?? 0);
  const sizes = await page
    .locator('.lead dd.big')
    .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
  expect(sizes[0]).toBeGreaterThan(1.5 * (sizes[1] ?? 0));
  await page.setViewportSize(SCREEN_SIZES.desktop);
  await page.getByRole('button', { name: 'The day before' }).click();
  await expect.poll(() => page.url()).toContain(dayBefore(tuesday, 1));
  // The arrow button still has the focus, so the user can press it again.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('The day before');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.url()).toContain(tuesday);
  await page.goBack();
  await expect.poll(() => page.url()).toContain(dayBefore(tuesday, 1));
  const swipe = (by: number) =>
    page.locator('main .period').evaluate((box, dx) => {
      const touch = (x: number) => new Touch({ identifier: 1, target: box, clientX: x, clientY: 300 });
      box.dispatchEvent(new TouchEvent('touchstart', { touches: [touch(200)], bubbles: true }));
      box.dispatchEvent(new TouchEvent('touchend', { changedTouches: [touch(200 + dx)], bubbles: true }));
    }, by);
  await swipe(-120);
  await expect.poll(() => page.url()).toContain(tuesday);
  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await expect.poll(() => page.url()).toMatch(/\/home\/week\/\d{4}-W\d\d$/);
  await page.getByRole('button', { name: 'Year', exact: true }).click();
  await expect.poll(() => page.locator('figure', { hasText: 'Usage by month as a table' }).count()).toBe(1);
  await testPageLayout(page, 'home-year');
  // Each bar is a link to its period. So is each row of the table, for people without a pointing device. The test uses last year, because
  // this year may have begun today.
  const lastYear = String(Number(today.slice(0, 4)) - 1);
  await showDashboardPage(page, `/dashboard/home/year/${lastYear}`);
  // Wait for the costs: they arrive after the numbers, and move the content below them.
  await figureIn(page, 'Used').locator('dd.money').waitFor();
  await page.getByText('Usage by month as a table').click();
  await page.getByRole('button', { name: `January ${lastYear}` }).press('Enter');
  await expect.poll(() => page.url()).toContain(`/home/month/${lastYear}-01`);
  await expect.poll(() => big(page, 'Used')).toMatch(/^(2|3)\d\d\.\d\d kWh$/);
  await page.getByRole('button', { name: /^Used: .* Show details$/ }).click();
  await page.getByRole('dialog').getByText('There is data for 100% of the time').waitFor();
  await page.keyboard.press('Escape');
  // With a dynamic tariff, the page shows the prices of today and tomorrow, and states the cheapest of the remaining hours.
  const series = { userId, kind: 'price', name: 'Spot', currency: 'EUR', resolution_minutes: 60 } as const;
  const { series_id } = await createSeries(dashboard.db, series);
  await payFor(page, { series_id, add: '0.1' }, today);
  const fromMs = Date.parse(today);
  const hourly = Array.from({ length: 48 }, (_, hour) => ({
    startsAtMs: fromMs + hour * HOUR_MS,
    perKwh: castToBillionths(hour >= 44 && hour < 47 ? 50_000_000n : 200_000_000n),
  }));
  await storePrices(dashboard.db, series_id, packPrices(hourly, 60));
  await page.goto('/dashboard/home');
  const prices = page.getByRole('region', { name: 'Prices today and tomorrow' });
  await prices
    .getByText(/A kWh now costs €0.300\. Cheapest three hours from now on: \w+ 20:00 to 23:00, €0.150/)
    .waitFor();
  await prices.getByText('Prices today and tomorrow as a table').click();
  expect(await prices.locator('tbody tr').count()).toBe(48);
  await testPageLayout(page, 'home-prices');
  // A period can be opened by its address. For a period before the first reading, the page states when the data begin; for an invalid
  // address, it shows today.
  await page.goto('/dashboard/home/year/2019');
  await page.getByText('There are no readings for this period. The first readings are from').waitFor();
  await page.goto('/dashboard/home/month/2026-99');
  await figureIn(page, 'Used so far').waitFor();
  await page.close();
});

test('solar, a battery and plugs: shows where energy comes from, what uses it, and what wastes most at night', async () => {
  const userId = await dashboard.user('solar@example.com');
  const night = (hour: number) => (hour < 5 ? 400 : 0);
  const used: typeof computeOrdinaryLoadWatts = (at) => (computeOrdinaryLoadWatts(at) ?? 0) + 80 + night(at.hour);
  const battery = ({ hour }: { hour: number }) => (hour >= 10 && hour < 12 ? 300 : hour >= 20 && hour < 22 ? -250 : 0);
  const grid = (at: Parameters<typeof computeOrdinaryLoadWatts>[0]) =>
    (used(at) ?? 0) + battery(at) - (computeClearDaySolarWatts(at) ?? 0);
  const ids = await insertDeviceHistories(dashboard, userId, 40, {
    Meter: { type: 'smart_meter', import: (at) => Math.max(0, grid(at)), export: (at) => Math.max(0, -grid(at)) },
    Roof: { type: 'solar_inverter', export: computeClearDaySolarWatts },
    Battery: { type: 'battery', import: (at) => Math.max(0, battery(at)), export: (at) => Math.max(0, -battery(at)) },
    Freezer: { type: 'smart_plug', import: () => 80 },
    Heater: { type: 'smart_plug', import: ({ hour }) => night(hour) },
  });
  const page = await dashboard.signIn('solar@example.com', '/dashboard/account');
  await payFor(page, { per_kwh: '0.30' });
  const yesterday = dayBefore(new Date().toISOString().slice(0, 10), 1);
  await page.goto(`/dashboard/home/day/${yesterday}`);
  const card = page.getByRole('region', { name: 'Energy flow' });
  const value = async (name: string) =>
    Number.parseFloat((await card.getByRole('row', { name }).getByRole('cell').textContent()) ?? '');
  await expect.poll(() => value('Produced')).toBeGreaterThan(15);
  const [made, fromGrid, fromBattery, usedKwh, fed, toBattery] = [
    await value('Produced'),
    await value('From the grid'),
    await value('From the battery'),
    await value('Used'),
    await value('Fed into'),
    await value('Into the battery'),
  ];
  expect(Math.abs(made + fromGrid + fromBattery - usedKwh - fed - toBattery)).toBeLessThan(0.05);
  // The bars of the day are stacked by source of energy. The same chart also shows costs.
  const chart = page.locator('.first').getByRole('region');
  await chart.getByText('Usage by hour as a table').click();
  const columns = ['Time', 'Used', 'Cost', 'Grid', 'Sun', 'Battery', 'Fed in', 'Stored', 'A week before'];
  await expect.poll(() => chart.getByRole('columnheader').allTextContents()).toEqual([...columns, 'Estimated part']);
  const rows = await chart
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  const totals = columns.map((_, at) => rows.reduce((sum, row) => sum + (Number.parseFloat(row[at] ?? '') || 0), 0));
  const expected = [usedKwh, fromGrid, usedKwh - fromGrid - fromBattery, fromBattery, fed, toBattery];
  for (const [at, total] of [totals[1], ...totals.slice(3, 8)].entries())
    expect(Math.abs((total ?? 0) - (expected[at] ?? 0)), columns[at]).toBeLessThan(0.15);
  await chart.getByRole('button', { name: '€' }).click();
  expect(await page.getByRole('region', { name: 'Cost by hour' }).getByRole('columnheader').allTextContents()).toEqual([
    'Time',
    'Cost',
    'Standing charges',
    'From the grid',
    'A week before',
    'Estimated part',
  ]);
  await chart.getByRole('button', { name: 'kWh' }).click();
  // The energy flows are drawn as a diagram, with a text for screen readers.
  expect(await card.getByRole('img').locator('path').count()).toBe(8);
  expect(await card.getByRole('img').first().getAttribute('aria-label')).toContain(
    `From the battery ${fromBattery.toFixed(2)} kWh; Untracked`,
  );
  expect(await big(page, 'Self-sufficient')).toMatch(/^\d\d%$/);
  // Energy that charges the battery is not counted as used.
  const own = figureIn(page, 'Self-sufficient');
  const ofOwn = Number.parseFloat((await own.getByText('of your own production used').textContent()) ?? '');
  expect(Math.abs(ofOwn - (usedKwh - fromGrid))).toBeLessThan(0.02);
  expect(await own.getByText('stored in the battery').textContent()).toBe(
    `${toBattery.toFixed(2)} kWh stored in the battery`,
  );
  // A sentence names the device that uses most energy at night, and links to it.
  const uses = page.getByRole('region', { name: 'What uses it' });
  // The section of devices comes after the chart, and before the section about the load by hour of the day.
  const titles = await page.locator('main h2').allTextContents();
  expect(titles.filter((title) => ['What uses it', 'Load over the day'].includes(title))).toEqual([
    ...['What uses it', 'Load over the day'],
  ]);
  // Costs arrive after the numbers, so wait for them.
  await expect
    .poll(() => uses.getByText('On an average night, Heater uses the most').textContent())
    .toBe('On an average night, Heater uses the most: 400 W from 0:00 to 5:00, 730 kWh and about €219 a year.');
  const names = await uses.locator('tbody').first().getByRole('rowheader').allTextContents();
  expect(names.map((name) => name.split(' ')[0])).toEqual(['Heater', 'Freezer', 'Untracked']);
  await testPageLayout(page, 'home-solar-battery');
  await uses.getByRole('link', { name: 'Heater' }).click();
  await page.getByRole('heading', { level: 1, name: 'Heater' }).waitFor();
  // The device's page shows the day of the home's page, and the link back to the home does, too.
  expect(page.url()).toMatch(new RegExp(`/dashboard/devices/${ids.Heater}/day/${yesterday}$`));
  await page.getByRole('link', { name: 'Home' }).last().click();
  await expect.poll(() => page.url()).toMatch(new RegExp(`/dashboard/home/day/${yesterday}$`));
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Heater' }).waitFor();
  await page.getByRole('button', { name: 'Month', exact: true }).click();
  await expect.poll(() => page.url()).toMatch(new RegExp(`/devices/${ids.Heater}/month/\\d{4}-\\d\\d$`));
  await testPageLayout(page, 'device');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Heater' }).waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('dialog', { name: 'Heater: smart plug' }).waitFor();
  // The page of an inverter shows how much the inverter produced.
  await showDashboardPage(page, `/dashboard/devices/${ids.Roof}/week/2020-W01`);
  await page.getByRole('heading', { level: 1, name: 'Roof' }).waitFor();
  await page.getByRole('button', { name: /\d{4}/ }).click();
  await figureIn(page, '(Produced|Produced so far)').waitFor();
  await page.close();
});

test('plugs only, and a meter that was just paired: draws nothing that is unknown', async () => {
  const userId = await dashboard.user('plugs@example.com');
  const [plug, inverter] = [await dashboard.device(userId, 'smart_plug'), await dashboard.device(userId, 'inverter')];
  await plug.publish(history(2, 1));
  await inverter.publish(history(2, 0.7).map((reading) => ({ ...reading, channel: 'export' })));
  // The test uses yesterday, because a current day, month or year may have begun a minute ago.
  const yesterday = dayBefore(new Date().toISOString().slice(0, 10), 1);
  const page = await dashboard.signIn('plugs@example.com', `/dashboard/home/day/${yesterday}`);
  const card = page.getByRole('region', { name: 'Energy flow' });
  await card.getByRole('row', { name: 'Produced' }).waitFor();
  expect(await card.getByRole('row', { name: 'grid' }).count()).toBe(0);
  expect(await card.getByRole('img').count()).toBe(0);
  expect(await page.getByRole('region', { name: 'What uses it' }).getByRole('row', { name: 'Untracked' }).count()).toBe(
    0,
  );
  const meter = await dashboard.device(userId);
  await meter.publish(history(2, 1).filter(({ ts }) => ts >= `${yesterday}T18:00`));
  await card.getByText('No diagram: the measured energy into the home and out of it does not match.').waitFor();
  expect(await card.textContent()).toContain('another was silent or not yet installed');
  await page.close();
});

test('a thermostat only: shows its rooms and what is missing, and its heating next to the load once there is a meter', async () => {
  const userId = await dashboard.user('warm@example.com');
  const thermostat = await dashboard.device(userId, 'thermostat');
  const untilMs = Math.floor(Date.now() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  await thermostat.publish(
    Array.from({ length: 96 }, (_, back) => ({
      ...{
        ts: new Date(untilMs - back * QUARTER_HOUR_MS).toISOString(),
        temperature_c: 19 + (back % 8) / 4,
        setpoint_c: 21,
      },
      heating: back % 8 < 3,
    })),
  );
  const page = await dashboard.signIn('warm@example.com');
  await page.getByText('No meter measures the usage of this home').waitFor();
  await page.getByRole('img', { name: /^Temperature and heating: Test: .*Temperature 19/ }).waitFor();
  expect(await page.locator('dd.big').count()).toBe(0);
  await testPageLayout(page, 'home-thermostat');
  const meter = await dashboard.device(userId);
  await meter.publish(history(1, 0.5));
  await figureIn(page, 'Used so far').waitFor();
  expect(await page.getByRole('img', { name: /^Temperature and heating/ }).count()).toBe(1);
  await page.close();
});

test('explains what to do if there are no devices or no readings yet', async () => {
  const userId = await dashboard.user('new@example.com');
  const page = await dashboard.signIn('new@example.com');
  await page.getByRole('region', { name: 'Three steps to your first figures' }).waitFor();
  expect(await page.locator('dl.figures').count()).toBe(0);
  await testPageLayout(page, 'home-empty');
  await page.getByRole('link', { name: 'Pair a device' }).click();
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  const meter = await dashboard.device(userId);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await page.getByRole('region', { name: 'No readings yet' }).waitFor();
  // If the device has sent nothing today, the page proposes another period.
  const silentFromMs = Date.now() - 24 * HOUR_MS;
  await meter.publish(
    [0, 1].map((hour) => ({ ts: new Date(silentFromMs - hour * HOUR_MS).toISOString(), energy_total_kwh: 9 - hour })),
  );
  await page.getByText('There are no readings for this period yet.').waitFor();
  await page.locator('.note').getByRole('button').click();
  await figureIn(page, 'Used').waitFor();
  await page.close();
});

test('lets a utility pick a home and one of its devices, and hides both from everybody else', async () => {
  const anna = await dashboard.user('anna@example.com', 'homeowner', utility);
  await dashboard.user('bert@example.com', 'homeowner', utility);
  await dashboard.user('foreign@example.com');
  const [oven, fridge] = [await dashboard.device(anna, 'oven'), await dashboard.device(anna, 'fridge')];
  const at = (hoursAgo: number) =>
    new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS).toISOString();
  await oven.publish([{ ts: at(3), energy_kwh: 2, interval_s: 3_600 }]);
  await fridge.publish([{ ts: at(3), energy_kwh: 0.5, interval_s: 3_600 }]);
  const day = `/dashboard/home/day/${at(4).slice(0, 10)}`;
  const page = await dashboard.signIn('utility@example.com', day);
  const uses = page.getByRole('region', { name: 'What uses it' });
  await expect.poll(() => uses.getByRole('row').count()).toBe(3);
  await uses.getByRole('link').nth(1).click();
  await expect.poll(() => big(page, '(Used|Used so far)')).toBe('0.50 kWh');
  await showDashboardPage(page, day);
  await uses.waitFor();
  const user = page.getByRole('combobox', { name: 'User' });
  await user.fill('foreign@example.com');
  await expect.poll(() => page.locator('datalist option').count()).toBe(0);
  await user.fill('bert@ex');
  await expect.poll(() => page.locator('datalist option').count()).toBe(1);
  await user.fill('bert@example.com');
  await page.getByText('bert@example.com has no devices yet.').waitFor();
  await page.reload();
  await page.getByText('bert@example.com has no devices yet.').waitFor();
});

test('reports an invalid address; a long name does not make the page wider than a phone', async () => {
  const userId = await dashboard.user('long@example.com');
  const meter = await dashboard.device(userId);
  await dashboard.db
    .updateTable('devices')
    .set({ location: `${'A very long cupboard '.repeat(9)}${'x'.repeat(60)}` })
    .where('device_id', '=', meter.deviceId)
    .execute();
  const page = await dashboard.signIn('long@example.com');
  await page.getByText('No readings yet').waitFor();
  await testPageLayout(page, 'home-long-name');
  await showDashboardPage(page, '/dashboard/devices');
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  await testPageLayout(page, 'devices-long-name');
  await page.goto('/dashboard/nonsense');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

test('shows the pages last seen and their time while offline; nothing after signing out', async () => {
  const userId = await dashboard.user('away@example.com');
  await insertDeviceHistories(dashboard, userId, 10, {
    Meter: { type: 'smart_meter', import: computeOrdinaryLoadWatts },
  });
  const page = await dashboard.signIn('away@example.com', '/dashboard', true);
  await figureIn(page, 'Used so far').waitFor();
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
    return (await fetch(link?.href ?? '')).json();
  });
  expect(manifest).toMatchObject({ start_url: '/dashboard', display: 'standalone' });
  for (const { src, sizes, type } of manifest.icons) {
    const { status, found, wide } = await page.evaluate(async (address) => {
      const response = await fetch(address);
      const bytes = new DataView(await response.clone().arrayBuffer());
      return { status: response.status, found: response.headers.get('content-type'), wide: bytes.getUint32(16) };
    }, src as string);
    expect({ src, status, found }).toEqual({ src, status: 200, found: type });
    if (sizes !== 'any') expect(`${wide}x${wide}`).toBe(sizes);
  }
  const cachedPaths = () =>
    page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(
        names.map(async (name) => {
          const cache = await caches.open(name);
          return Promise.all(
            (await cache.keys()).map(async ({ url }) => [
              new URL(url).pathname,
              await (await cache.match(url))?.text(),
            ]),
          );
        }),
      );
      return Object.fromEntries(all.flat()) as Record<string, string>;
    });
  // The service worker handles the page's requests only after it has been installed, from the second visit on.
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await expect.poll(async () => Object.keys(await cachedPaths())).toContain('/dashboard/app/pages/home.js');
  await page.reload();
  await figureIn(page, 'Used so far').waitFor();
  const used = await big(page, 'Used so far');
  await expect.poll(async () => Object.keys(await cachedPaths())).toContain('/dashboard/v1/period');
  // Neither secrets nor the responses for other pages are in the cache.
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'API Keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  // Of its requests, the page of API keys sends the one for devices last.
  await expect.poll(async () => Object.keys(await cachedPaths())).toContain('/dashboard/v1/devices');
  const all = await cachedPaths();
  expect(JSON.parse(all['/dashboard/session'] ?? '')).toMatchObject({ csrf_token: '', user: { user_id: userId } });
  expect(
    Object.keys(all)
      .filter((path) => path.startsWith('/dashboard/v1/'))
      .toSorted(),
  ).toEqual(['/dashboard/v1/devices', '/dashboard/v1/period', '/dashboard/v1/period-costs']);
  // Another user of the same browser does not get the cached responses.
  const other = await page.context().newPage();
  await other.goto('/dashboard');
  await other.getByRole('link', { name: 'Account' }).click();
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await other.getByLabel('E-mail', { exact: true }).waitFor();
  expect(Object.keys(await cachedPaths()).filter((path) => !path.startsWith('/dashboard/app/'))).toEqual([
    '/dashboard',
  ]);
  await other.close();
  await page.close();

  const again = await dashboard.signIn('away@example.com', '/dashboard', true);
  await figureIn(again, 'Used so far').waitFor();
  await expect.poll(() => again.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await again.reload();
  await figureIn(again, 'Used so far').waitFor();
  await dashboard.api.stop();
  await again.goto('/dashboard/home');
  await again.getByText(/^No network\. This page was loaded /).waitFor();
  expect(await big(again, 'Used so far')).toBe(used);
  await testPageLayoutInCurrentLanguage(again, 'home-offline');
  // Offline, a page that was never opened is unavailable, and says why.
  await again.getByRole('button', { name: 'The day before' }).click();
  await again.getByText('The service cannot be reached').waitFor();
});
