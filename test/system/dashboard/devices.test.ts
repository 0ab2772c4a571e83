import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPublisher, type DevicePublisher } from '#simulators/publisher.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { findRowByHeader, openDevicesPage } from '#test/support/dashboard-devices.ts';

let dashboard: Dashboard;
let publishers: DevicePublisher[] = [];
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(async () => {
  for (const publisher of publishers) await publisher.close();
  publishers = [];
  await dashboard.close();
});

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

test('a device is paired, and publishes with the displayed login until the page shows its readings', async () => {
  await dashboard.user('pair@example.com');
  const page = await openDevicesPage(dashboard, 'pair@example.com');
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
  await findRowByHeader(page, 'Cellar').getByText('active', { exact: true }).waitFor();
  expect(await findRowByHeader(page, 'Cellar').textContent()).toMatch(/smart meter.*just now/);
  await page.getByText('What the states mean').click();
  await testPageLayout(page, 'devices');
});

test('lists the devices behind a gateway, and counts their readings from pairing on', async () => {
  await dashboard.user('gateway@example.com');
  const page = await openDevicesPage(dashboard, 'gateway@example.com');
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
  await findRowByHeader(page, 'plug').waitFor();
  expect(await findRowByHeader(page, 'plug').textContent()).toMatch(
    /tasmota.*import: energy register, power; counts as import/,
  );
  await testPageLayout(page, 'devices-discovered');

  await page.getByRole('button', { name: 'Pair plug' }).click();
  await page.getByLabel('Type').selectOption({ label: 'smart plug' });
  await page.getByLabel('Location').fill('Desk');
  await page.getByRole('button', { name: 'Pair', exact: true }).click();
  await page.getByText('waiting for the first reading').waitFor();
  await publishTotal(100.5);
  await page.getByText('first reading received').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await findRowByHeader(page, 'Desk').getByText('active', { exact: true }).waitFor();
  expect(await findRowByHeader(page, 'plug').count()).toBe(0);
  // The button that opened the dialog no longer exists, so the list that contained it gets the keyboard focus.
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('List of discovered devices');

  await page.getByRole('button', { name: 'Delete Home' }).click();
  await page.getByText('Paired devices keep their history').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No device is waiting to be paired').waitFor();
  await expect.poll(() => findRowByHeader(page, 'Home').count()).toBe(0);
  await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('List of gateways');
  expect(await findRowByHeader(page, 'Desk').count()).toBe(1);
});

test('a message of an unknown format is mapped on the page, and decoded from then on', async () => {
  await dashboard.user('mapping@example.com');
  const page = await openDevicesPage(dashboard, 'mapping@example.com');
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
