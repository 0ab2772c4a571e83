import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPublisher, type DevicePublisher } from '#simulators/publisher.ts';
import { listClimateHours } from '#src/dashboard/pages/devices/device.ts';
import {
  formatMosquittoBridge,
  formatPublishCommands,
  getServiceAddress,
  listDeviceSettings,
} from '#src/dashboard/pages/devices/snippets.ts';
import { words } from '#src/dashboard/words/words.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { updateDevice } from '#src/devices/store.ts';
import { updateUser } from '#src/users/store.ts';
import { findTruncatedSelects, SCREEN_SIZES, showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { loadWords } from '#test/support/words.ts';

const HOUR_MS = 3_600_000;

let dashboard: Dashboard;
let publishers: DevicePublisher[] = [];
beforeAll(async () => {
  await loadWords('en');
  dashboard = await startDashboard();
});
afterAll(async () => {
  for (const publisher of publishers) await publisher.close();
  publishers = [];
  await dashboard.close();
});

async function devicesPage(email: string): Promise<Page> {
  const page = await dashboard.signIn(email, '/dashboard/devices');
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  return page;
}

/** Connects a device with the login that the page shows. */
async function connect(page: Page): Promise<DevicePublisher> {
  const deviceId = await fact(page, 'Username');
  const secret = (await page.getByRole('group', { name: 'Password', exact: true }).textContent()) ?? '';
  const publisher = await createPublisher({ url: dashboard.mqttUrl, deviceId, secret });
  publishers.push(publisher);
  return publisher;
}

const fact = async (page: Page, name: string) =>
  (await page.locator(`dt:has-text("${name}") + dd`).textContent())?.trim() ?? '';
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

test('a device is paired, and publishes with the displayed login until the page shows its readings', async () => {
  await dashboard.user('pair@example.com');
  const page = await devicesPage('pair@example.com');
  await page.getByText('No device is paired yet').waitFor();
  await testPageLayout(page, 'devices-empty');
  await page.getByRole('button', { name: 'Pair a device' }).click();
  // Until the user selects a place, the form derives the place from the type of the device.
  const [type, place] = [page.getByLabel('Type'), page.getByLabel('Place in the home')];
  expect(await place.inputValue()).toBe('grid');
  await type.selectOption('smart_plug');
  expect(await place.inputValue()).toBe('consumption');
  await place.selectOption('excluded');
  await type.selectOption('smart_meter');
  expect(await place.inputValue()).toBe('excluded');
  await place.selectOption('grid');
  await page.getByLabel('Location').fill('Cellar');
  await page.getByText('More settings').click();
  await page.getByLabel('Highest plausible load, kW').fill('-1');
  await testPageLayout(page, 'devices-pair');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  // The browser marks the invalid value, and the page sends no request.
  expect(await page.locator('input[name=limit_kw]:invalid').count()).toBe(1);
  await page.getByLabel('Highest plausible load, kW').fill('0');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  expect(await page.getByRole('alert').textContent()).toContain('Highest plausible load');
  expect(await page.getByLabel('Location').inputValue()).toBe('Cellar');
  await page.getByLabel('Highest plausible load, kW').fill('20');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();

  await page.getByText('waiting for the first reading').waitFor();
  const { rows: paired } = await dashboard.database.pool.query(
    `SELECT placement, placement_by FROM devices WHERE location = 'Cellar'`,
  );
  expect(paired).toEqual([{ placement: 'grid', placement_by: 'owner' }]);
  await testPageLayout(page, 'devices-paired');
  // Clients on other machines need the service's certificate, so the page offers it for download.
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download energy-service.pem' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('energy-service.pem');
  const certificate = new X509Certificate(readFileSync(await download.path()));
  expect(certificate.fingerprint256).toBe(new X509Certificate(readFileSync(dashboard.certFile)).fingerprint256);
  expect(certificate.subjectAltName).toContain(await fact(page, 'MQTT host'));
  await page.getByText('With TLS', { exact: true }).click();
  expect(await page.getByRole('group', { name: 'mosquitto_pub line with TLS' }).textContent()).toContain(
    '--cafile energy-service.pem',
  );
  const publisher = await connect(page);
  const topic = await fact(page, 'Topic');
  const payload = (await page.getByRole('group', { name: 'Message' }).textContent()) ?? '';
  const line = await page.getByRole('group', { name: 'mosquitto_pub line', exact: true }).textContent();
  expect(line).toContain(`-t ${topic} -m '${payload}'`);
  expect(await page.getByText('first reading received').count()).toBe(0);
  await publisher.publish(topic, payload);
  await publisher.flush();
  await page.getByText('first reading received').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Cellar').getByText('active', { exact: true }).waitFor();
  expect(await row(page, 'Cellar').textContent()).toMatch(/smart meter.*just now/);
  await page.getByText('What the states mean').click();
  await testPageLayout(page, 'devices');
});

test('lists the devices behind a gateway, and counts their readings from pairing on', async () => {
  await dashboard.user('gateway@example.com');
  const page = await devicesPage('gateway@example.com');
  await page.getByRole('button', { name: 'Create a gateway' }).click();
  await page.getByLabel('Name').fill('Home');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Bridge from mosquitto').waitFor();
  await page.getByText('Tasmota (a build').click();
  expect(await page.getByRole('group', { name: 'mosquitto.conf' }).textContent()).toContain('bridge_cafile ');
  await testPageLayout(page, 'gateway-made');
  const publisher = await connect(page);
  const prefix = await fact(page, 'Prefix');
  await page.getByRole('button', { name: 'Done' }).click();
  const publishTotal = async (total: number) => {
    await publisher.publish(`${prefix}tele/plug/SENSOR`, JSON.stringify({ ENERGY: { Total: total, Power: 40 } }));
    await publisher.publish(`${prefix}tele/heater/SENSOR`, JSON.stringify({ ENERGY: { Total: total, Power: 40 } }));
    await publisher.flush();
  };
  await publishTotal(100);
  await row(page, 'plug').waitFor();
  expect(await row(page, 'plug').textContent()).toMatch(/tasmota.*import: energy register, power; counts as import/);
  await testPageLayout(page, 'devices-discovered');

  await page.getByRole('button', { name: 'Pair plug' }).click();
  await page.getByLabel('Type').selectOption({ label: 'smart plug' });
  await page.getByLabel('Location').fill('Desk');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByText('waiting for the first reading').waitFor();
  await publishTotal(100.5);
  await page.getByText('first reading received').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Desk').getByText('active', { exact: true }).waitFor();
  expect(await row(page, 'plug').count()).toBe(0);
  // The button that opened the dialog no longer exists, so the list that contained it gets the keyboard focus.
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('List of discovered devices');

  await page.getByRole('button', { name: 'Delete Home' }).click();
  await page.getByText('Paired devices keep their history').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No device is waiting to be paired').waitFor();
  await expect.poll(() => row(page, 'Home').count()).toBe(0);
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('List of gateways');
  expect(await row(page, 'Desk').count()).toBe(1);
});

test('a message of an unknown format is mapped on the page, and decoded from then on', async () => {
  await dashboard.user('mapping@example.com');
  const page = await devicesPage('mapping@example.com');
  await page.getByRole('button', { name: 'Create a gateway' }).click();
  await page.getByLabel('Name').fill('home');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Bridge from mosquitto').waitFor();
  const publisher = await connect(page);
  await publisher.publish(
    `${await fact(page, 'Prefix')}boiler/7/state`,
    '{"at": "2026-07-05T18:59:00Z", "inner": {"a": 12345, "now": 1.5}}',
  );
  await publisher.flush();
  await page.getByRole('button', { name: 'Done' }).click();
  // The service counts messages that it does not recognise. The page shows the latest ones, so that the user can say what they mean.
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole('button', { name: 'Read a message home' }).waitFor();
      return page.getByText('1 kind of message through').count();
    })
    .toBe(1);
  await page.getByText('1 kind of message through').click();
  await page.getByText('Show', { exact: true }).click();
  await page.getByRole('button', { name: 'Read a message boiler/+/state' }).click();
  expect(await page.getByLabel('Topic', { exact: true }).inputValue()).toBe('boiler/7/state');
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByText('Not recognised').waitFor();
  await page.getByRole('button', { name: 'Choose what it measures $.inner.a' }).click();
  const form = page.getByRole('form', { name: 'What is $.inner.a?' });
  // The keyboard focus is on the question about the meaning of the value.
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('meaning');
  // The page proposes no meaning for a name without a unit.
  await form.getByLabel('It is').selectOption('import');
  await form.getByLabel('Unit').selectOption('Wh');
  await form.getByLabel('Time of the message').selectOption('$.at');
  // The form shows the service's error, and nothing is stored.
  await form.getByLabel('On topics').fill('#');
  await form.getByRole('button', { name: 'Save to the gateway' }).click();
  expect(await form.getByRole('alert').textContent()).toMatch(/^Topic must be an MQTT topic or filter/);
  await form.getByLabel('On topics').fill('boiler/+/state');
  await form.getByRole('button', { name: 'Try it' }).click();
  await form.getByRole('cell', { name: '12.345' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Your choices for this gateway’s messages' }).count()).toBe(0);
  await testPageLayout(page, 'devices-mapping');
  await form.getByRole('button', { name: 'Save to the gateway' }).click();
  await page.getByText('Recognised as mapping.').waitFor();
  await page.getByRole('cell', { name: '12.345' }).waitFor();
  await page.locator('.note:focus', { hasText: 'Saved. With its next message, the device appears' }).waitFor();
  await page.getByRole('button', { name: 'Remove boiler/+/state $.inner.a' }).click();
  await page.getByText('Not recognised').waitFor();
  // A decoder already reads this message. The page warns that its other values are lost if the user maps a number of the message.
  await page.getByLabel('Topic', { exact: true }).fill('tele/plug/SENSOR');
  await page.getByLabel('Message', { exact: true }).fill('{"ENERGY": {"Total": 1}, "at": "2026-07-05T18:59:00Z"}');
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByText('Recognised as tasmota.').waitFor();
  expect(await page.getByRole('button', { name: 'Choose what it measures $.at' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Choose what it measures $.ENERGY.Total' }).click();
  await page.getByText('only the numbers that you choose count').waitFor();
  // The page proposes a setting for the gateway. The user changes and stores it, together with the gateway's other settings.
  await page.getByLabel('Topic', { exact: true }).fill('field/pack');
  await page
    .getByLabel('Message', { exact: true })
    .fill('[{"bn":"urn:dev:ow:10e2073a01080063:","n":"energy","u":"kWh","v":5}]');
  await page.getByRole('button', { name: 'Look' }).click();
  await page.getByRole('button', { name: 'Use this setting senml' }).click();
  const setting = page.getByRole('form', { name: 'Use this setting senml' });
  await setting.getByLabel('Setting').fill('senml/#');
  await setting.getByRole('button', { name: 'Save to the gateway' }).click();
  await setting.getByText('This is not a JSON object').waitFor();
  await setting.getByLabel('Setting').fill('{"senml": {"topics": ["field/+"]}}');
  await testPageLayout(page, 'devices-setting');
  await setting.getByRole('button', { name: 'Save to the gateway' }).click();
  await page.getByText('Recognised as senml.').waitFor();
});

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
  const page = await devicesPage('settings@example.com');
  // A person selected which part of the home this meter measures, so the list does not call it a guess.
  expect(
    await page
      .locator('tbody tr', { hasText: 'smart meter' })
      .getByTitle(/^The place of the device/)
      .count(),
  ).toBe(0);
  // The measured part of the home of this plug is a guess. The list says so, with a link.
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
  await row(page, 'Bath').waitFor({ state: 'detached' });
  await expect.poll(() => new URL(page.url()).search).toBe('');
});

test('shows a thermostat’s climate as a chart and a table by hour', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  const home = await dashboard.user('warm@example.com', 'homeowner', utility);
  const thermostat = await dashboard.device(home, 'thermostat');
  const page = await devicesPage('utility@example.com');
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
  /** Start of today in the home's time zone (UTC+5:30), as if it were UTC. `dayMs`: start of an earlier day, Unix ms. */
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

test('the page’s snippets equal those of the documentation, with hosts that other devices can reach', () => {
  const documents = readFileSync(resolve(import.meta.dirname, '../../../deploy/DEVICES.md'), 'utf8');
  const mqtt = { username: 'gwy_1', password: 'secret', topic_prefix: 'gw/gwy_1/' };
  const ports = { tls: 8883, plain: 1883 };
  const mqttSettings = { host: 'energy.example.com', ports, is_plain_open: false, needs_certificate: false };
  const away = getServiceAddress('energy.example.com', mqttSettings);
  const plain = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [, documented = ''] = /```conf\n(persistence[\s\S]*?)```/.exec(documents) ?? [];
  const filled = documented.replaceAll('GATEWAY_ID', 'gwy_1').replaceAll('PASSWORD', 'secret');
  expect(plain(formatMosquittoBridge(mqtt, away))).toEqual(plain(filled));
  // The documented bridge must not forward other topics of the same prefixes, which contain passwords and settings.
  expect(documented).not.toMatch(/^topic (openWB|openWB\/(system|vehicle|chargepoint)|N|warp\d?)\/(\+\/)?#/m);
  expect(listDeviceSettings(mqtt, away)[0]?.text).toBe(
    'Backlog MqttHost energy.example.com; MqttPort 8883; MqttUser gwy_1; MqttPassword secret; FullTopic gw/gwy_1/%prefix%/%topic%/',
  );
  const login = { username: 'dev_1', password: 'secret', topic: 'energy/v1/dev_1/readings' };
  expect(formatPublishCommands(login, '{}', away)).toEqual({
    plain: null,
    tls: "mosquitto_pub -h energy.example.com -p 8883 --capath /etc/ssl/certs -u dev_1 -P 'secret' -q 1 -t energy/v1/dev_1/readings -m '{}'",
  });
  // An installation in a home: the browser runs on the service's machine, devices run on other machines, and the service has issued its own
  // certificate.
  const house = { host: '192.168.1.5', ports, is_plain_open: false, needs_certificate: true };
  const here = getServiceAddress('localhost', house);
  expect(formatPublishCommands(login, '{}', here).plain).toContain('-h 127.0.0.1 -p 1883 -u dev_1');
  expect(formatPublishCommands(login, '{}', here).tls).toContain(
    '-h 192.168.1.5 -p 8883 --cafile energy-service.pem -u dev_1',
  );
  expect(formatPublishCommands(login, '{}', getServiceAddress('192.168.1.5', house)).plain).toBe(null);
  const open = getServiceAddress('192.168.1.5', { ...house, is_plain_open: true });
  expect(formatPublishCommands(login, '{}', open).plain).toContain('-h 192.168.1.5 -p 1883');
  expect(formatMosquittoBridge(mqtt, here)).toMatch(
    /^address 192\.168\.1\.5:8883\nbridge_cafile .*energy-service\.pem$/m,
  );
  expect(
    listDeviceSettings(mqtt, here).map(({ text }) => /SetOption132 1|ca: |_authority: |user_ca/.test(text)),
  ).toEqual([true, true, true, true]);
  const six = getServiceAddress('localhost', { ...house, host: 'fd00::5' });
  expect(formatMosquittoBridge(mqtt, six)).toContain('address [fd00::5]:8883');
  // For an external broker, only the host is configured, not its ports.
  const other = getServiceAddress('localhost', { ...mqttSettings, ports: null });
  expect([other.plainHost, other.isKnown]).toEqual([null, false]);
});

test('shows a row for an hour without readings, too', () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour, 30)).toISOString();
  const rows = [0, 4, 5, 8].map((hour) => ({ starts_at: at(hour), setpoint_c: hour }));
  const hours = listClimateHours(rows, Date.parse(at(4)) + HOUR_MS, Date.parse(at(9)));
  expect(hours.map(({ starts_at, setpoint_c }) => [starts_at, setpoint_c])).toEqual([
    [at(4), 4],
    [at(5), 5],
    [at(6), undefined],
    [at(7), undefined],
    [at(8), 8],
  ]);
  expect(listClimateHours([], 0, 1)).toEqual([]);
});

test('shows a homeowner only the location of a device that the utility manages', async () => {
  const utility = await dashboard.user('utility-of-meter@example.com', 'utility');
  const owner = await dashboard.user('metered@example.com', 'homeowner', utility);
  const { deviceId, publish } = await dashboard.device(owner);
  await updateDevice(dashboard.db, ALL_ACCOUNTS, deviceId, { managed_by: 'utility' });
  await publish({ energy_total_kwh: 1 });
  const page = await devicesPage('metered@example.com');
  await row(page, 'Test')
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
