import { afterAll, beforeAll, expect, test } from 'vitest';
import { showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import {
  createConstantLoadReadings,
  createTariffInPage,
  findFigure,
  readFigure,
  subtractDays,
} from '#test/support/dashboard-figures.ts';
import {
  computeClearDaySolarWatts,
  computeOrdinaryLoadWatts,
  insertDeviceHistories,
  QUARTER_HOUR_MS,
} from '#test/support/dashboard-homes.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

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
  await createTariffInPage(page, { per_kwh: '0.30' });
  const yesterday = subtractDays(new Date().toISOString().slice(0, 10), 1);
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
  expect(await readFigure(page, 'Self-sufficient')).toMatch(/^\d\d%$/);
  // Energy that charges the battery is not counted as used.
  const own = findFigure(page, 'Self-sufficient');
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
  // The device's page shows the same day as the home's page. The link back opens the home's page at this day, too.
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
  await findFigure(page, '(Produced|Produced so far)').waitFor();
  await page.close();
});

test('plugs only, and a meter that was just paired: draws nothing that is unknown', async () => {
  const userId = await dashboard.user('plugs@example.com');
  const [plug, inverter] = [await dashboard.device(userId, 'smart_plug'), await dashboard.device(userId, 'inverter')];
  await plug.publish(createConstantLoadReadings(2, 1));
  await inverter.publish(createConstantLoadReadings(2, 0.7).map((reading) => ({ ...reading, channel: 'export' })));
  // The test uses yesterday, because a current day, month or year may have begun a minute ago.
  const yesterday = subtractDays(new Date().toISOString().slice(0, 10), 1);
  const page = await dashboard.signIn('plugs@example.com', `/dashboard/home/day/${yesterday}`);
  const card = page.getByRole('region', { name: 'Energy flow' });
  await card.getByRole('row', { name: 'Produced' }).waitFor();
  expect(await card.getByRole('row', { name: 'grid' }).count()).toBe(0);
  expect(await card.getByRole('img').count()).toBe(0);
  expect(await page.getByRole('region', { name: 'What uses it' }).getByRole('row', { name: 'Untracked' }).count()).toBe(
    0,
  );
  const meter = await dashboard.device(userId);
  await meter.publish(createConstantLoadReadings(2, 1).filter(({ ts }) => ts >= `${yesterday}T18:00`));
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
  await meter.publish(createConstantLoadReadings(1, 0.5));
  await findFigure(page, 'Used so far').waitFor();
  expect(await page.getByRole('img', { name: /^Temperature and heating/ }).count()).toBe(1);
  await page.close();
});
