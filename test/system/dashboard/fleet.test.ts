import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDevice } from '#src/devices/store.ts';
import { lookAt } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

const HOUR_MS = 3_600_000;

test('a utility finds the devices of its homes, and sees what fell silent together', { timeout: 120_000 }, async () => {
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
      // The cellars of all stopped, and came back but for one.
      const isGone = location === 'Cellar' && home === 7;
      await pool.query('UPDATE device_heads SET seen_at = $2 WHERE device_id = $1', [
        device.device_id,
        isGone ? stoppedAt : new Date(),
      ]);
      await pool.query(`UPDATE devices SET status = $2 WHERE device_id = $1`, [
        device.device_id,
        isGone ? 'inactive' : 'active',
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
  const page = await dashboard.signIn('utility@example.com');
  await page.getByRole('link', { name: 'Fleet' }).click();
  await page.getByRole('heading', { level: 1, name: 'Fleet' }).waitFor();
  const list = page.getByRole('group', { name: 'List of devices of the fleet' });
  const rows = list.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(24);
  const map = page.getByRole('region', { name: 'Silence map' });
  await map.locator('tbody tr', { hasText: 'outage' }).getByText('12 devices in 12 homes').waitFor();
  await lookAt(page, 'fleet');

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

  const home = await dashboard.signIn('home3@example.com');
  await home.getByRole('link', { name: 'Devices' }).waitFor();
  expect(await home.getByRole('link', { name: 'Fleet' }).count()).toBe(0);
});
