import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDevice } from '#src/devices/store.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';
import { loadWords } from '#test/support/words.ts';

const DAY_MS = 86_400_000;

let dashboard: Dashboard;
beforeAll(async () => {
  await loadWords('en');
  dashboard = await startDashboard({}, []);
});
afterAll(() => dashboard.close());

test('a utility creates a tree of groups, adds homes, and sees their usage by day', async () => {
  const utility = await dashboard.user('feeders@example.com', 'utility');
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (const name of ['first', 'second']) {
    const userId = await dashboard.user(`${name}@example.com`, 'homeowner', utility);
    const { device } = await createDevice(dashboard.db, { userId, type: 'smart_meter', location: 'Test' });
    const { device_id: deviceId } = device;
    await addToLoadProfile(
      dashboard.database,
      [1, 2, 3, 4, 5, 6].map((day) => {
        const startsAtMs = today - day * DAY_MS + 18 * 3_600_000;
        return {
          deviceId,
          userId,
          startsAtMs,
          energyMilliwattHours: (day + 5) * 1_000_000,
          ...COMPLETE_QUARTER_HOUR_MEASURES,
        };
      }),
    );
  }
  const page = await dashboard.signIn('feeders@example.com', '/dashboard/account');
  await page.getByRole('link', { name: 'Groups' }).click();
  await page.getByText('There is no group yet').waitFor();
  await testPageLayout(page, 'groups-empty');
  const make = async (name: string, under?: string) => {
    await page.getByRole('button', { name: 'New group' }).click();
    const dialog = page.getByRole('dialog', { name: 'New group' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Kind').fill('feeder');
    if (under) await dialog.getByLabel('Part of').selectOption({ label: under });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: `Homes of ${name}` }).waitFor();
  };
  const add = async (email: string) => {
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Add home' }).click();
  };
  await make('District');
  await add('nobody@example.com');
  await page.getByText('No such account').waitFor();
  await add('first@example.com');
  await page.getByRole('rowheader', { name: 'first@example.com' }).waitFor();
  await make('Feeder 7', 'District');
  await add('second@example.com');
  await page.getByRole('rowheader', { name: 'second@example.com' }).waitFor();
  await page.getByRole('button', { name: 'Show District' }).click();
  await page.getByText('2 homes, each counted once').waitFor();
  const chart = page.getByRole('img', { name: /^District: the last 30 days: 6 values, the highest 22\.00 kWh/ });
  await chart.waitFor();
  await testPageLayout(page, 'groups');
  await page.getByRole('button', { name: 'Remove first@example.com' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('1 home, counted once').waitFor();
  await page.getByText('This group has no homes of its own.').waitFor();
  await page.getByRole('button', { name: 'Delete District' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The group has subgroups').waitFor();
  expect(await page.getByRole('row').count()).toBeGreaterThan(2);
});

test('a homeowner does not see the page', async () => {
  await dashboard.user('owner@example.com');
  const page = await dashboard.signIn('owner@example.com', '/dashboard/account');
  await page.getByRole('link', { name: 'Devices' }).waitFor();
  expect(await page.getByRole('link', { name: 'Groups' }).count()).toBe(0);
});
