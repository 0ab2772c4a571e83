import { afterAll, beforeAll, expect, test } from 'vitest';
import { words } from '#src/dashboard/words/words.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { updateDevice } from '#src/devices/store.ts';
import { updateUser } from '#src/users/store.ts';
import { findTruncatedSelects, SCREEN_SIZES, showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { findRowByHeader, openDevicesPage } from '#test/support/dashboard-devices.ts';
import { HOUR_MS } from '#test/support/dashboard-homes.ts';
import { loadWords } from '#test/support/words.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  await loadWords('en');
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

test('settings are changed, rejected with a reason, and the device is deleted', async () => {
  const userId = await dashboard.user('settings@example.com');
  const { deviceId, publish } = await dashboard.device(userId);
  const quarter = (back: number) => new Date(Date.now() - back * 900_000).toISOString();
  await publish([
    { ts: quarter(2), energy_total_kwh: 100 },
    { ts: quarter(1), energy_total_kwh: 9_000_000_000 },
  ]);
  const plug = await dashboard.device(userId, 'smart_plug');
  await plug.publish({ energy_total_kwh: 7 });
  const { gateway } = await createGateway(dashboard.db, { userId, name: 'bridge' });
  await dashboard.database.pool.query(
    `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, device_id) VALUES ('dsc_plug', $1, 'tasmota', 'plug', $2)`,
    [gateway.gateway_id, plug.deviceId],
  );
  const page = await openDevicesPage(dashboard, 'settings@example.com');
  // A person selected which part of the home this meter measures, so the list does not call it a guess.
  expect(
    await page
      .locator('tbody tr', { hasText: 'smart meter' })
      .getByTitle(/^The place of the device/)
      .count(),
  ).toBe(0);
  // The service has guessed which part of the home this plug measures. The list marks the guess, with a link.
  const ofPlug = page.locator('tbody tr', { hasText: 'smart plug' });
  const why = ofPlug.getByTitle(/^The place of the device/);
  expect(await why.getAttribute('title')).toMatch(/Open the device’s details, check its place .+, and save\.$/);
  expect(await ofPlug.textContent()).toContain('consumption');
  await page.getByRole('link', { name: 'Details of Test, smart plug' }).click();
  await page.getByText('Check the device’s place in the home below, and save.').waitFor();
  expect(await page.getByRole('dialog').textContent()).not.toContain('Open the device’s details');
  expect(await page.getByRole('dialog').getByText('on hold', { exact: true }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Details of Test, smart meter' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('device')).toBe(deviceId);
  const value = page.locator('td', { hasText: '9,000,000,000 kWh' });
  await value.getByText('implausible, not counted').waitFor();
  // On a phone, the page shows the state of a value as text.
  await page.setViewportSize(SCREEN_SIZES.phone);
  expect((await value.getByText('implausible, not counted').boundingBox())?.width).toBeGreaterThan(100);
  const place = await page.getByLabel('import energy_total_kwh: place in the home').boundingBox();
  expect((place?.x ?? 0) + (place?.width ?? SCREEN_SIZES.phone.width)).toBeLessThan(SCREEN_SIZES.phone.width - 30);
  await page.setViewportSize(SCREEN_SIZES.desktop);
  expect(await findTruncatedSelects(page)).toEqual([]);
  await page.getByLabel('Type').selectOption({ label: 'other …' });
  await page.getByLabel('Which other type').fill('water_heater');
  await page.getByLabel('Location').fill('Bath');
  await page.getByLabel('Register ends at, kWh').fill('99999.9');
  await page.getByLabel('Time zone').fill('Berlin');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('Time zone must be a time zone');
  await testPageLayout(page, 'device-settings');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const { rows } = await dashboard.database.pool.query(
    'SELECT type, location, limit_kw, register_max_kwh, timezone FROM devices WHERE device_id = $1',
    [deviceId],
  );
  expect(rows).toEqual([
    { type: 'water_heater', location: 'Bath', limit_kw: 100, register_max_kwh: 99999.9, timezone: 'Europe/Berlin' },
  ]);
  await page.getByLabel('Register ends at, kWh').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect
    .poll(async () => {
      const found = await dashboard.db
        .selectFrom('devices')
        .select('register_max_kwh')
        .where('device_id', '=', deviceId);
      return (await found.executeTakeFirst())?.register_max_kwh;
    })
    .toBe(null);
  await page.goBack();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await page.goto(`/dashboard/devices?device=${deviceId}`);
  await page.getByRole('dialog', { name: 'Bath: water heater' }).waitFor();
  await page.getByRole('button', { name: 'Delete this device' }).click();
  await page.getByText('stays in the account’s history').waitFor();
  await page.getByRole('dialog', { name: 'Delete this device' }).getByRole('button', { name: 'Delete' }).click();
  await findRowByHeader(page, 'Bath').waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).search).toBe('');
});

test('shows a thermostat’s climate as a chart and a table by hour', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  const home = await dashboard.user('warm@example.com', 'homeowner', utility);
  const thermostat = await dashboard.device(home, 'thermostat');
  const page = await openDevicesPage(dashboard, 'utility@example.com');
  await page.getByRole('link', { name: 'Details of Test' }).click();
  await page.getByText('The device reported no temperature in the last 48 hours.').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

  const nowMs = Date.now();
  const readings = Array.from({ length: 6 * 24 * 5 }, (_, index) => ({
    ts: new Date(nowMs - index * 600_000).toISOString(),
    temperature_c: 19 + Math.round(10 * Math.sin(index / 30)) / 10,
    setpoint_c: 20,
    heating: index % 36 < 6,
  })).filter(({ ts }) => Math.abs(nowMs - Date.parse(ts) - 20 * HOUR_MS) > 3 * HOUR_MS);
  await thermostat.publish(readings.reverse());
  await page.getByRole('link', { name: 'Details of Test' }).click();
  const picture = page.getByRole('img', { name: /^Climate of the last 48 hours: from .*Setpoint 20 to 20 °C$/ });
  await picture.waitFor();
  await page.locator('dialog .u-over').hover();
  await expect.poll(() => page.locator('dialog .readout').textContent()).toMatch(/: temperature 1\d.*setpoint 20 °C/);
  await page.getByText('Climate of the last 48 hours as a table').click();
  const rows = await page.getByRole('dialog').locator('tbody tr').allTextContents();
  expect(rows.length).toBeGreaterThanOrEqual(48);
  // The page shows six hours without readings as a gap.
  expect(rows.filter((text) => text.endsWith('–––')).length).toBeGreaterThanOrEqual(4);
  await testPageLayout(page, 'device-climate-table');
  await page.getByRole('button', { name: '7 days' }).click();
  await page.getByRole('img', { name: /^Climate of the last 7 days/ }).waitFor();
  await expect.poll(() => page.getByRole('dialog').locator('tbody tr').count()).toBeGreaterThan(100);
});

test('excluded readings and a manual reading change a day’s figures until the edit is revoked', async () => {
  const userId = await dashboard.user('edits@example.com');
  await updateUser(dashboard.db, ALL_ACCOUNTS, userId, { timezone: 'Asia/Kolkata' });
  const meter = await dashboard.device(userId);
  /**
   * Today's date in the home's time zone (UTC+5:30), as midnight UTC. `dayMs`: start of an earlier day in the home's time zone, Unix ms.
   */
  const todayMs = Math.floor((Date.now() + 5.5 * HOUR_MS) / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const dayMs = (daysAgo: number) => todayMs - daysAgo * 24 * HOUR_MS - 5.5 * HOUR_MS;
  const day = (daysAgo: number) => new Date(todayMs - daysAgo * 24 * HOUR_MS).toISOString().slice(0, 10);
  // In the middle of the three days, the register showed 20 kWh too much.
  const firings = [3, 2, 1].map((daysAgo, index) => ({
    ts: new Date(dayMs(daysAgo)).toISOString(),
    energy_total_kwh: [100, 130, 140][index],
  }));
  await meter.publish(firings);
  const page = await dashboard.signIn('edits@example.com', `/dashboard/devices/${meter.deviceId}/day/${day(3)}`);
  const used = page
    .locator('dl.figures > div', { has: page.locator('dt', { hasText: /^Used$/ }) })
    .locator('dd.big')
    .first();
  await expect.poll(() => used.textContent()).toBe('30.00 kWh');
  const edits = page.getByRole('region', { name: 'Readings edited by hand' });
  await edits.getByText('Nothing was edited.').waitFor();

  await edits.getByRole('button', { name: 'New edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'New edit' });
  await dialog.getByText('Times in Asia/Kolkata.').waitFor();
  await dialog.getByLabel('From').fill(`${day(2)}T06:00`);
  await dialog.getByLabel('To (not included)').fill(`${day(3)}T06:00`);
  await dialog.getByLabel('Reason').fill('A faulty pulse');
  await dialog.getByRole('button', { name: 'Save' }).click();
  // The service's error contains the name of the invalid field.
  await dialog.getByText('must lie after start').waitFor();
  await testPageLayout(page, 'device-edit');
  await dialog.getByLabel('From').fill(`${day(3)}T06:00`);
  await dialog.getByLabel('To (not included)').fill(`${day(2)}T06:00`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  const excluded = edits.getByRole('row', { name: 'Does not count: every quantity' });
  await excluded.getByText('in force').waitFor();
  expect(await excluded.textContent()).toMatch(/6:00 .*GMT\+5:30 to .*6:00 .*A faulty pulseyou, /);
  await expect.poll(() => used.textContent()).toBe('20.00 kWh');

  await edits.getByRole('button', { name: 'New edit' }).click();
  await dialog.getByLabel('What').selectOption('add');
  await dialog.getByLabel('Read at').fill(`${day(2)}T00:00`);
  await dialog.getByLabel('Reading of the register (kWh)').fill('110');
  await dialog.getByLabel('Reason').fill('Read off the meter');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => used.textContent()).toBe('10.00 kWh');
  const byHand = edits.getByRole('row', { name: 'Read by hand: 110 kWh (import energy_total_kwh)' });
  await byHand.getByText('in force').waitFor();
  // The service rejects the same edit a second time, and the dialog shows the reason.
  await edits.getByRole('button', { name: 'New edit' }).click();
  await dialog.getByLabel('What').selectOption('add');
  await dialog.getByLabel('Read at').fill(`${day(2)}T00:00`);
  await dialog.getByLabel('Reading of the register (kWh)').fill('111');
  await dialog.getByLabel('Reason').fill('Once more');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await byHand.getByRole('button', { name: /^Revoke/ }).click();
  const sure = page.getByRole('dialog', { name: /^Revoke/ });
  await sure.getByText('is then computed without the edit').waitFor();
  await sure.getByRole('button', { name: 'Revoke' }).click();
  await byHand.getByText('revoked').waitFor();
  await expect.poll(() => used.textContent()).toBe('20.00 kWh');
  expect(await byHand.getByRole('button').count()).toBe(0);
  await testPageLayout(page, 'device-edits');
  await page.close();
});

test('shows a homeowner only the location of a device that the utility manages', async () => {
  const utility = await dashboard.user('utility-of-meter@example.com', 'utility');
  const owner = await dashboard.user('metered@example.com', 'homeowner', utility);
  const { deviceId, publish } = await dashboard.device(owner);
  await updateDevice(dashboard.db, ALL_ACCOUNTS, deviceId, { managed_by: 'utility' });
  await publish({ energy_total_kwh: 1 });
  const page = await openDevicesPage(dashboard, 'metered@example.com');
  await findRowByHeader(page, 'Test')
    .getByRole('link', { name: /Details/ })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Your utility paired this device and manages it.').waitFor();
  await dialog.getByRole('rowheader', { name: 'import energy_total_kwh' }).waitFor();
  expect(await dialog.getByRole('combobox').count()).toBe(0);
  expect(await dialog.getByRole('textbox').count()).toBe(1);
  expect(await dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  await dialog.getByLabel('Location').fill('Where I see it');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Saved').waitFor();
  await showDashboardPage(page, `/dashboard/devices/${deviceId}`);
  await page.getByRole('heading', { level: 1, name: 'Where I see it' }).waitFor();
  const edits = page.getByRole('region', { name: words().devices.edits.title });
  await edits.getByText(words().devices.edits.none).waitFor();
  expect(await page.getByRole('button', { name: words().devices.edits.new }).count()).toBe(0);
});
