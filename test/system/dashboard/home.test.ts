import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERYBODY } from '#src/database/reach.ts';
import { updateDevice } from '#src/devices/store.ts';
import { updateUser } from '#src/users/store.ts';
import { lookAt, SIZES } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

const HOUR_MS = 3_600_000;

let dashboard: Dashboard;
let utility: string;
beforeAll(async () => {
  dashboard = await startDashboard();
  utility = await dashboard.user('utility@example.com', 'utility');
});
afterAll(() => dashboard.close());

/** Readings of a register each quarter of an hour for `days`, at a constant load, with a night of silence in the middle. */
function history(days: number, loadKw: number): { ts: string; energy_total_kwh: number }[] {
  const untilMs = Math.floor(Date.now() / 900_000) * 900_000;
  const readings: { ts: string; energy_total_kwh: number }[] = [];
  for (let ms = untilMs - days * 24 * HOUR_MS; ms <= untilMs; ms += 900_000) {
    const backHours = (untilMs - ms) / HOUR_MS;
    if (backHours > 30 && backHours < 36) continue;
    const energy_total_kwh = Math.round(1e6 * (100 + loadKw * (days * 24 - backHours))) / 1e6;
    readings.push({ ts: new Date(ms).toISOString(), energy_total_kwh });
  }
  return readings;
}

test('shows usage at a glance, marks what was estimated, and follows new readings by itself', async () => {
  const userId = await dashboard.user('home@example.com');
  await updateUser(dashboard.db, EVERYBODY, userId, { timezone: 'Asia/Kolkata' });
  const meter = await dashboard.device(userId);
  const readings = history(20, 0.8);
  await meter.publish(readings);
  const gas = await dashboard.device(userId, 'gas_meter');
  await gas.publish(history(20, 0.1).map((reading) => ({ ...reading, channel: 'gas/m3' })));
  const page = await dashboard.signIn('home@example.com');
  const figureIn = (top: Locator | Page, name: string) =>
    top.locator('dl.figures > div', { has: page.locator('dt', { hasText: name }) });
  const figure = (name: string) => figureIn(page, name).first();
  await expect.poll(() => figure('Yesterday').locator('dd.big').textContent()).toBe('19.20 kWh');
  await expect.poll(() => page.getByText('live', { exact: true }).count()).toBe(1);

  // The silence of six hours, 30 to 36 hours ago, is marked, in the picture and in the table.
  const hours = page.locator('figure', { hasText: 'Usage by hour as a table' });
  expect(await hours.locator('.readout').textContent()).toContain('estimated');
  await hours.getByText('Usage by hour as a table').click();
  const rows = await hours.locator('tbody tr').allTextContents();
  expect(rows.length).toBe(48);
  const estimated = rows.filter((row) => !row.endsWith('–'));
  expect(estimated.length).toBeGreaterThanOrEqual(6);
  expect(estimated.length).toBeLessThanOrEqual(8);
  expect(await hours.getByRole('img').getAttribute('aria-label')).toMatch(
    /^Usage by hour: 4[78] values, the highest 0\.80 kWh/,
  );
  await hours.locator('.u-over').hover();
  await expect.poll(() => hours.locator('.readout').textContent()).toMatch(/: 0\.80 kWh/);
  await page.getByRole('region', { name: 'Usage by weekday and hour' }).waitFor();
  expect(await page.locator('.heat td').count()).toBe(7 * 24);
  // Gas by itself, in m³: 2.4 a day for 20 days, which lie in this month and the last.
  const ofGas = page.getByRole('region', { name: 'Gas' });
  const big = async (name: string) => (await figureIn(ofGas, name).locator('dd.big').textContent()) ?? '';
  await expect
    .poll(
      async () => (Number.parseFloat(await big('This month')) || 0) + (Number.parseFloat(await big('Last month')) || 0),
    )
    .toBeCloseTo(48, 1);
  expect(await big('This month')).toMatch(/^[\d.]+ m³$/);
  expect(await ofGas.textContent()).toMatch(/0\.[1-9]\d m³ of it estimated/);
  expect(await page.getByRole('region', { name: 'Water' }).count()).toBe(0);
  await lookAt(page, 'home');
  // It is no silent part of the electricity.
  await figure('Yesterday').getByRole('button').click();
  const opened = page.getByRole('dialog', { name: 'Yesterday: what it is made of' });
  await opened.getByRole('row', { name: 'smart meter' }).waitFor();
  expect(await opened.getByRole('row').count()).toBe(2);
  await page.keyboard.press('Escape');
  // A device of its own tells what it tells.
  await page.getByLabel('Device').selectOption({ label: 'Test (smart meter)' });
  await ofGas.waitFor({ state: 'detached' });
  await page.getByLabel('Device').selectOption({ label: 'All devices' });
  await ofGas.waitFor();
  // A phone shows a part of the day; whose row it is stays beside it.
  await page.setViewportSize(SIZES.phone);
  await page.evaluate("document.querySelector('.heat').scrollLeft = 1_000");
  expect((await page.locator('.heat').getByText('Mon').boundingBox())?.x).toBeGreaterThan(0);

  const before = await figure('Today').locator('dd.big').textContent();
  const last = readings.at(-1)?.energy_total_kwh ?? 0;
  await meter.publish({ ts: new Date().toISOString(), energy_total_kwh: last + 0.05 });
  await expect.poll(() => figure('Today').locator('dd.big').textContent(), { timeout: 15_000 }).not.toBe(before);
});

test('shows where the energy of a home with solar comes from and goes', async () => {
  const userId = await dashboard.user('solar@example.com');
  const meter = await dashboard.device(userId);
  const inverter = await dashboard.device(userId);
  await updateDevice(dashboard.db, EVERYBODY, inverter.deviceId, { placement: 'production' });
  // 1 kW from the grid and 0.5 kW into it, 0.7 kW made.
  await meter.publish(history(2, 1));
  await meter.publish(history(2, 0.5).map((reading) => ({ ...reading, channel: 'export' })));
  await inverter.publish(history(2, 0.7).map((reading) => ({ ...reading, channel: 'export' })));
  const page = await dashboard.signIn('solar@example.com');
  const card = page.getByRole('region', { name: 'From where, and where to' });
  const values = async (name: string) =>
    (await card.getByRole('row', { name }).getByRole('cell').allTextContents()).join(' ');
  await expect.poll(() => values('Produced')).toMatch(/^[\d.]+ kWh [\d.]+ kWh$/);
  const number = async (name: string) => Number.parseFloat((await values(name)).split(' ')[2] ?? '');
  const [grid, fed, made, used] = [
    await number('From the grid'),
    await number('Fed into'),
    await number('Produced'),
    await number('Used'),
  ];
  expect(Math.abs(grid - fed + made - used)).toBeLessThan(0.03);
  expect(Math.abs(fed / grid - 0.5)).toBeLessThan(0.01);
  expect(await card.getByRole('row', { name: 'battery' }).count()).toBe(0);
  // The same as a picture, told in words to who does not see it.
  const picture = card.getByRole('img', { name: 'This month' });
  const told = `This month: Produced ${made.toFixed(2)} kWh, From the grid ${grid.toFixed(2)} kWh; Used ${used.toFixed(2)} kWh, Fed into the grid ${fed.toFixed(2)} kWh`;
  expect(await picture.getAttribute('aria-label')).toBe(told);
  const heights = await picture.locator('path').evaluateAll((paths) => {
    const box = (path: (typeof paths)[number]) => (path as unknown as { getBBox(): { height: number } }).getBBox();
    return paths.map((path) => box(path).height);
  });
  expect(heights).toHaveLength(4);
  expect(Math.min(...heights)).toBeGreaterThan(2);
  await lookAt(page, 'home-solar');

  // What a figure is made of: each device, with what of it was estimated.
  await page.getByRole('button', { name: /^Yesterday: .* What it is made of$/ }).click();
  const opened = page.getByRole('dialog', { name: 'Yesterday: what it is made of' });
  await opened.getByText('% of the time is known').waitFor();
  expect(await opened.textContent()).toMatch(/ measured, [\d.]+ kWh estimated/);
  expect(await opened.getByRole('row').count()).toBe(3);
  await lookAt(page, 'home-figure');
  // On a phone its devices are still words in a line, not letters in a column.
  await page.setViewportSize(SIZES.phone);
  const name = opened.getByText('smart meter, grid: the meter at the connection point');
  await name.waitFor();
  expect((await name.boundingBox())?.width).toBeGreaterThan(150);
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Today: .* What it is made of$/ }).click();
  await page.getByText('of the time is known; today is not over.').waitFor();
  await page.keyboard.press('Escape');
  // A battery that took 0.2 kW and gave 0.1 comes in by itself.
  const battery = await dashboard.device(userId, 'battery');
  await battery.publish(history(2, 0.2));
  await battery.publish(history(2, 0.1).map((reading) => ({ ...reading, channel: 'export' })));
  await expect
    .poll(() => picture.getAttribute('aria-label'))
    .toMatch(/From the battery [\d.]+ kWh;.* Into the battery/);
  expect(await picture.locator('path').count()).toBe(6);
  expect(await card.getByRole('row', { name: 'battery' }).count()).toBe(2);
  await lookAt(page, 'home-solar-battery');
  await page.close();
});

test('draws nothing where no meter tells what came in: then what was used is not made of it', async () => {
  const userId = await dashboard.user('plugs@example.com');
  const [plug, inverter] = [await dashboard.device(userId, 'smart_plug'), await dashboard.device(userId, 'inverter')];
  await plug.publish(history(2, 1));
  await inverter.publish(history(2, 0.7).map((reading) => ({ ...reading, channel: 'export' })));
  const page = await dashboard.signIn('plugs@example.com');
  const card = page.getByRole('region', { name: 'From where, and where to' });
  await card.getByRole('row', { name: 'Produced' }).waitFor();
  expect(await card.getByRole('row', { name: 'grid' }).count()).toBe(0);
  expect(await card.getByRole('img').count()).toBe(0);
  // Nor where the meter has come just now: what the others told before is none of what it says.
  const meter = await dashboard.device(userId);
  await meter.publish(history(1 / 48, 1));
  await card.getByText('No picture: what came in and what went out differ.').first().waitFor();
  expect(await card.getByRole('img', { name: 'This month' }).count()).toBe(0);
  expect(await card.textContent()).toContain('another one was silent or not there yet');
  await lookAt(page, 'home-no-picture');
  await page.close();
});

test('says what to do where there is nothing yet', async () => {
  await dashboard.user('new@example.com');
  const page = await dashboard.signIn('new@example.com');
  await page.getByText('You have no devices yet.').waitFor();
  expect(await page.locator('dl.figures dd.big').allTextContents()).toEqual(['–', '–', '–', '–']);
  await lookAt(page, 'home-empty');
  await page.getByRole('link', { name: 'Pair one' }).click();
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
});

test('lets a utility pick whom it looks at, and one device of theirs; nobody else', async () => {
  const anna = await dashboard.user('anna@example.com', 'homeowner', utility);
  await dashboard.user('bert@example.com', 'homeowner', utility);
  await dashboard.user('foreign@example.com');
  const [oven, fridge] = [await dashboard.device(anna, 'oven'), await dashboard.device(anna, 'fridge')];
  const at = (hoursAgo: number) =>
    new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hoursAgo * HOUR_MS).toISOString();
  await oven.publish([{ ts: at(3), energy_kwh: 2, interval_s: 3_600 }]);
  await fridge.publish([{ ts: at(3), energy_kwh: 0.5, interval_s: 3_600 }]);
  const page = await dashboard.signIn('utility@example.com');
  const highest = () => page.getByRole('img', { name: /^Usage by hour/ }).getAttribute('aria-label');
  await expect.poll(highest).toContain('the highest 2.50 kWh');
  await page.getByLabel('Device').selectOption({ label: 'Test (fridge)' });
  await expect.poll(highest).toContain('the highest 0.50 kWh');
  const user = page.getByRole('combobox', { name: 'User' });
  await user.fill('foreign@example.com');
  await page.waitForTimeout(600);
  expect(await page.locator('datalist option').count()).toBe(0);
  await user.fill('bert@ex');
  await expect.poll(() => page.locator('datalist option').count()).toBe(1);
  await user.fill('bert@example.com');
  await page.getByText('bert@example.com has no devices yet.').waitFor();
  await page.reload();
  await page.getByText('bert@example.com has no devices yet.').waitFor();
});

test('an address that is none says so; a long name does not push anything off a phone', async () => {
  const userId = await dashboard.user('long@example.com');
  const meter = await dashboard.device(userId);
  await dashboard.db
    .updateTable('devices')
    .set({ location: `${'A very long cupboard '.repeat(9)}${'x'.repeat(60)}` })
    .where('device_id', '=', meter.deviceId)
    .execute();
  const page = await dashboard.signIn('long@example.com');
  await page.getByText('No usage is known of this time.').first().waitFor();
  await lookAt(page, 'home-long-name');
  await page.goto('/dashboard/devices');
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  await lookAt(page, 'devices-long-name');
  await page.goto('/dashboard/nonsense');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});
