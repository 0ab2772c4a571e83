import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSignIn } from '#src/auth/sign-ins.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { createDevice } from '#src/devices/store.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, []);
});
afterAll(() => dashboard.close());

const HOUR_MS = 3_600_000;

test('a utility finds the devices of its homes, and sees which fell silent together', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  const { pool } = dashboard.database;
  const stoppedAt = new Date(Date.now() - 30 * HOUR_MS);
  for (let home = 0; home < 12; home++) {
    const userId = await dashboard.user(`home${home}@example.com`, 'homeowner', utility);
    for (const location of ['Cellar', 'Garage']) {
      const { device } = await createDevice(dashboard.db, {
        userId,
        type: 'smart_meter',
        location: `${location} ${home}`,
      });
      // All devices in cellars stopped sending at the same time. All except one have sent messages again.
      const isGone = location === 'Cellar' && home === 7;
      await pool.query('UPDATE device_heads SET seen_at = $2 WHERE device_id = $1', [
        device.device_id,
        isGone ? stoppedAt : new Date(),
      ]);
      if (location !== 'Cellar') continue;
      await pool.query(
        `INSERT INTO device_silences (device_id, user_id, began_at, was_heard, ended_at) VALUES ($1, $2, $3, true, $4)
         ON CONFLICT (device_id, began_at) DO NOTHING`,
        [device.device_id, userId, stoppedAt, isGone ? null : new Date(stoppedAt.getTime() + 2 * HOUR_MS)],
      );
    }
  }
  await dashboard.user('stranger@example.com');
  const signIn = await createSignIn(dashboard.db, { userId: utility, secret: '', now: new Date(), validMs: HOUR_MS });
  const page = await dashboard.open(`/dashboard/sign-in#${signIn?.token}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  const list = page.getByRole('group', { name: 'List of devices of the fleet' });
  const rows = list.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(24);
  const map = page.getByRole('region', { name: 'Silence map' });
  await map.locator('tbody tr', { hasText: 'outage' }).getByText('12 devices in 12 homes').waitFor();
  await testPageLayout(page, 'fleet');

  await page.getByLabel('Order').selectOption({ label: 'longest silent first' });
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => rows.first().textContent()).toContain('Cellar 7');
  await page.getByLabel('Silent for').selectOption({ label: 'a day or longer' });
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByLabel('Silent for').selectOption({ label: 'any' });
  await page.getByLabel('Search').fill('gar');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => rows.count()).toBe(12);
  await page.getByLabel('Search').fill('home3@example.com');
  await page.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await list.getByRole('link', { name: 'Garage 3' }).click();
  await page.getByRole('heading', { level: 1, name: 'Garage 3' }).waitFor();

  const home = await dashboard.signIn('home3@example.com', '/dashboard/account');
  await home.getByRole('link', { name: 'Devices' }).waitFor();
  expect(await home.getByRole('link', { name: 'Fleet' }).count()).toBe(0);
});

test('a utility imports a table once it has no errors, and downloads the passwords', async () => {
  const utility = await dashboard.user('importer@example.com', 'utility');
  await dashboard.user('anna@example.com', 'homeowner', utility);
  const page = await dashboard.signIn('importer@example.com', '/dashboard/fleet');
  const card = page.getByRole('region', { name: 'Import devices' });
  const outcome = card.getByRole('group', { name: 'Result of the check' });
  const devices = async () => (await dashboard.db.selectFrom('devices').select('device_id').execute()).length;
  const before = await devices();
  const choose = (text: string | Buffer) =>
    card
      .getByLabel('Table (CSV)')
      .setInputFiles({ name: 'meters.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  // From here on the test uses only the keyboard.
  const press = async (name: string | RegExp) => {
    await card.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
  };

  await choose('type;location\nmeter;cellar\n');
  await press('Check');
  await card.getByText('separated by semicolons').waitFor();
  await choose('type,location,colour\nmeter,cellar,red\n');
  await press('Check');
  await outcome.getByText('"colour" is not a known column').waitFor();

  const header = 'email,type,location,external_id\n';
  await choose(
    `${header}anna@example.com,meter,cellar,M1\nnobody@example.com,meter,hall,M2\nanna@example.com,,roof,M3\nanna@example.com,meter,shed,M1\n`,
  );
  await press('Check');
  await outcome.getByText('3 errors').waitFor();
  const rows = outcome.locator('tbody tr');
  expect((await rows.allTextContents()).map((one) => one.replaceAll(/\s+/g, ' ').trim())).toEqual([
    expect.stringMatching(/^3 ?email ?there is no such user$/),
    expect.stringMatching(/^4 ?type ?is required$/),
    expect.stringMatching(/^5 ?external_id ?is the same device as line 2$/),
  ]);
  expect(await outcome.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Result of the check');
  await testPageLayout(page, 'import-mistakes');

  await choose(`${header}anna@example.com,meter,cellar,M1\nben@example.com,meter,"hall, left",M2\n`);
  expect(await rows.count()).toBe(0);
  await card.getByLabel('Create accounts').check();
  await press('Check');
  await outcome.getByText('no errors').waitFor();
  await testPageLayout(page, 'import-checked');
  expect(await devices()).toBe(before);

  // The request succeeds, but its response is lost. The page repeats the request and gets the same response.
  await page.route(
    '**/v1/imports?*',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await press('Import 2 devices');
  await card.getByText('cannot be reached').waitFor();
  expect(await devices()).toBe(before + 2);
  await press('Import 2 devices');
  const summary = '2 devices are paired, 0 already existed, 1 account was created.';
  await card.getByText(summary).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'hall, left' }).count()).toBe(1);

  // After a reload the passwords are still available until they have been downloaded.
  await page.reload();
  await card.getByText(/^The passwords of 2 devices that were imported .* have not been downloaded yet\.$/).waitFor();
  const download = async () =>
    String(
      await readFile(await (await Promise.all([page.waitForEvent('download'), press('Download passwords')]))[0].path()),
    );
  const csv = await download();
  const credentials: Record<string, string>[] = parse(csv, { columns: true });
  expect(credentials).toMatchObject([
    { row: 'line 2', external_id: 'M1' },
    { row: 'line 3', external_id: 'M2' },
  ]);
  for (const { username = '', password = '' } of credentials)
    expect(await isDeviceLoginValid(dashboard.db, username, password)).toBe(true);
  await card.getByText('was downloaded').waitFor();
  expect(await download()).toBe(csv);
  await testPageLayout(page, 'import-done');
  await choose(`${header}anna@example.com,smart_meter,cellar,M1\n`);
  await press('Check');
  await outcome.getByText('nothing to import').waitFor();
  await outcome.getByText('1 row differs from its existing device').waitFor();
  await page.reload();
  await card.getByLabel('Table (CSV)').waitFor();
  expect(await card.getByText('not been downloaded').count()).toBe(0);
});
