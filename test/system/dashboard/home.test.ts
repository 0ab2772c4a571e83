import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { updateUser } from '#src/users/store.ts';
import { SCREEN_SIZES, showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import {
  createConstantLoadReadings,
  createTariffInPage,
  findFigure,
  readFigure,
} from '#test/support/dashboard-figures.ts';
import { HOUR_MS } from '#test/support/dashboard-homes.ts';
import { scaleTimeLimitMs } from '../../../bench/time-limits.ts';

let dashboard: Dashboard;
let utility: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  utility = await dashboard.user('utility@example.com', 'utility');
});
afterAll(() => dashboard.close());

test('a meter: follows new readings by itself, marks estimates, and shows gas next to it', async () => {
  const userId = await dashboard.user('home@example.com');
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { timezone: 'Asia/Kolkata' });
  const meter = await dashboard.device(userId);
  const readings = createConstantLoadReadings(20, 0.8);
  await meter.publish(readings);
  const gas = await dashboard.device(userId, 'gas_meter');
  await gas.publish(createConstantLoadReadings(20, 0.1).map((reading) => ({ ...reading, channel: 'gas/m3' })));
  const page = await dashboard.signIn('home@example.com');
  await expect.poll(() => page.getByText('live', { exact: true }).count()).toBe(1);
  // A register measures energy, not current power, so the page shows an average and labels it as such.
  expect(await readFigure(page, 'Average power')).toBe('800 W');
  expect(await findFigure(page, 'Now').count()).toBe(0);
  expect(await readFigure(page, 'Always on')).toBe('800 W');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => readFigure(page, 'Used')).toBe('19.20 kWh');
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
  await findFigure(page, 'Used').getByRole('button').click();
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
  expect(await readFigure(ofGas, 'Used')).toMatch(/^[\d.]+ m³$/);
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
  const before = await readFigure(page, 'Used so far');
  const last = readings.at(-1)?.energy_total_kwh ?? 0;
  await meter.publish({ ts: new Date().toISOString(), energy_total_kwh: last + 0.05 });
  await expect.poll(() => readFigure(page, 'Used so far')).not.toBe(before);
  await page.close();
});

test('reports that the costs could not be loaded, and shows the rest of the home', async () => {
  const userId = await dashboard.user('costs@example.com');
  await (await dashboard.device(userId)).publish(createConstantLoadReadings(3, 0.8));
  const page = await dashboard.signIn('costs@example.com', '/dashboard/account');
  await createTariffInPage(page, { per_kwh: '0.30' });
  let isAway = true;
  await page.route('**/v1/period-costs?*', (route) =>
    isAway ? route.fulfill({ status: 503, json: { error: 'Service Unavailable', status: 503 } }) : route.continue(),
  );
  await page.goto('/dashboard');
  expect(await page.getByRole('alert').textContent()).toBe(
    'The costs could not be loaded. The service cannot respond at the moment. Try again soon.',
  );
  expect(await readFigure(page, 'Average power')).toBe('800 W');
  await page.getByRole('region', { name: 'What uses it' }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  isAway = false;
  // The page repeats the failed request without a reload.
  await findFigure(page, 'Used so far').getByText('€').waitFor();
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
  await meter.publish(
    [1_450, 1_445, 1_440, 30, 20, 8, 7.5, 7, 6.5].map((ago) => ({ ts: minutesAgo(ago), power_w: 1_000 })),
  );
  const page = await dashboard.signIn('watts@example.com');
  // The latest measured power is older than a minute, so the page shows the average power instead.
  await expect.poll(() => findFigure(page, 'Average power').count()).toBe(1);
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
  const line = findFigure(page, 'Now').getByText(/^\s*Last 10 minutes/);
  expect(await line.textContent()).toContain('lowest 300 W, highest 2,500 W');
  // The line shows the power of the last ten minutes, including the time before the page was opened.
  const drawn = await page.locator('.spark path').getAttribute('d');
  expect(Number(/^M([\d.]+)/.exec(drawn ?? '')?.[1])).toBeLessThan(40);
  // The table of devices shows each device's power in the last minute, if the period contains today.
  const [plug, idleOven] = [await dashboard.device(userId, 'smart_plug'), await dashboard.device(userId, 'oven')];
  await idleOven.publish({ ts: minutesAgo(5), power_w: 60 });
  await plug.publish({ power_w: 1_234 });
  const uses = page.getByRole('region', { name: 'What uses it' });
  const powerOf = (type: string) =>
    uses.getByRole('row', { name: type }).getByRole('cell').nth(2).textContent({ timeout: 1_000 });
  await expect.poll(() => powerOf('smart plug')).toBe('1,234 W');
  await expect.poll(() => powerOf('oven')).toBe('–');
  const now = uses.getByRole('columnheader', { name: 'Now', exact: true });
  expect(await now.count()).toBe(1);
  await plug.publish({ power_w: 5 });
  await expect.poll(() => powerOf('smart plug')).toBe('5 W');
  await testPageLayout(page, 'home-now');
  await page.getByRole('button', { name: 'The day before' }).click();
  await findFigure(page, 'Used').waitFor();
  await uses.waitFor();
  expect(await now.count()).toBe(0);
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
  await findFigure(page, 'Used').waitFor();
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
  await expect.poll(() => readFigure(page, '(Used|Used so far)')).toBe('0.50 kWh');
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
