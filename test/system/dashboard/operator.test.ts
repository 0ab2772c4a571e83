import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createUser, findUser } from '#src/users/store.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['ingest']);
  // The first administrator has no time zone (src/auth/keys.ts).
  await createUser(dashboard.db, { email: 'admin@example.com', role: 'admin' });
});
afterAll(() => dashboard.close());

const ZONE = 'Europe/Berlin';

const zoneOf = (email: string) =>
  dashboard.db
    .selectFrom('users')
    .select(['timezone', 'is_timezone_given'])
    .where('email', '=', email)
    .executeTakeFirst();

test('asks the administrator of a new installation for their own home, and creates its account', async () => {
  const page = await dashboard.signIn('admin@example.com');
  const question = page.getByRole('region', { name: 'Is this your home?' });
  await question.waitFor();
  await testPageLayout(page, 'home-admin');
  await question.getByLabel('E-mail address').fill('my-home@example.com');
  await page.getByRole('region', { name: 'Which time zone is your home in?' }).waitFor();
  const chromium = await page.context().newCDPSession(page);
  await chromium.send('Emulation.setTimezoneOverride', { timezoneId: ZONE });
  await question.getByRole('button', { name: 'Yes, create my home' }).click();
  await page.getByText('my-home@example.com has no devices yet.').waitFor();
  await page.getByText(`Times in ${ZONE}`).waitFor();
  await page.getByRole('region', { name: 'Three steps to your first figures' }).waitFor();
  expect(await page.getByRole('region', { name: /^Which time zone/ }).count()).toBe(0);
  expect(await zoneOf('my-home@example.com')).toEqual({ timezone: ZONE, is_timezone_given: true });
  expect(await zoneOf('admin@example.com')).toEqual({ timezone: 'UTC', is_timezone_given: false });
  await page.reload();
  await page.getByText('my-home@example.com has no devices yet.').waitFor();
  expect(await question.count()).toBe(0);
  await page.close();
});

test('the question for the time zone applies to the account that the page shows', async () => {
  await createUser(dashboard.db, { email: 'zoneless@example.com', role: 'homeowner' });
  const page = await dashboard.signIn('admin@example.com');
  const show = async (email: string) => {
    await page.getByRole('combobox', { name: 'User' }).fill(email);
    await page.keyboard.press('Enter');
  };
  const answer = async (title: string) => {
    const question = page.getByRole('region', { name: title });
    await page.getByText('Times in UTC').waitFor();
    await question.getByLabel('Time zone').selectOption(ZONE);
    await question.getByRole('button', { name: 'Save' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByText(`Times in ${ZONE}`).waitFor();
  };
  // The page selects a home when the list of accounts has loaded, which would replace an earlier selection.
  await page.getByText(/ has no devices yet/).waitFor();
  await show('zoneless@example.com');
  await answer('Which time zone is the home of zoneless@example.com in?');
  expect(await zoneOf('zoneless@example.com')).toEqual({ timezone: ZONE, is_timezone_given: true });
  expect(await zoneOf('admin@example.com')).toEqual({ timezone: 'UTC', is_timezone_given: false });
  await show('admin@example.com');
  await answer('Which time zone is your home in?');
  expect(await zoneOf('admin@example.com')).toEqual({ timezone: ZONE, is_timezone_given: true });
  await page.close();
});

test('shows the message rate, rejected messages and their reasons, and can replay them', async () => {
  const userId = await dashboard.user('home@example.com');
  const meter = await dashboard.device(userId);
  const page = await dashboard.signIn('admin@example.com', '/dashboard/account');
  await page.getByRole('link', { name: 'Operator' }).click();
  await page.getByText('Nothing was rejected.').waitFor();
  // The invalid message contains HTML, which the operator's browser must not execute.
  await meter.publish({ ts: new Date().toISOString(), energy_total_kwh: '<img src=x onerror=alert(1)>' });
  // The readings span more than an hour, so that at least one hour is complete at any time of day.
  await meter.publish(
    Array.from({ length: 90 }, (_, one) => ({
      ts: new Date(Date.now() - one * 60_000).toISOString(),
      energy_total_kwh: 100 - one / 100,
    })),
  );
  await page.getByRole('button', { name: 'Show' }).click();
  await page.reload();
  const row = page.locator('tbody tr', { hasText: meter.deviceId });
  await row.getByText('show').click();
  expect(await row.locator('pre').textContent()).toContain('<img src=x onerror=alert(1)>');
  const figure = (name: string) =>
    page.locator('dl.figures > div', { has: page.locator('dt', { hasText: name }) }).locator('dd.big');
  await expect.poll(() => figure('Rejected in the last hour').textContent()).toBe('1');
  expect(await figure('Newest reading').textContent()).toMatch(/^\d+ s ago$/);
  await expect.poll(() => figure('Readings stored').textContent()).toMatch(/\/s$/);
  await testPageLayout(page, 'operator');
  await page.getByRole('button', { name: 'Replay all' }).click();
  await page.getByText('1 message replayed: 0 readings stored, 1 still rejected.').waitFor();
});

test('the operator checks the aggregates, and is shown a row that differs', async () => {
  const page = await dashboard.signIn('admin@example.com', '/dashboard/operator');
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('no differences').waitFor();
  await dashboard.database.pool.query(
    'UPDATE closed_user_hourly SET energy_milliwatt_hours = energy_milliwatt_hours + 1 WHERE energy_milliwatt_hours > 0',
  );
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText(/\d+ rows? differ/).waitFor();
  await page.getByRole('cell', { name: 'user_hourly' }).first().waitFor();
  await testPageLayout(page, 'operator-differs');
});

test('begins with the findings of `energy doctor`, problems first', async () => {
  const key = join(dirname(dirname(dashboard.certFile)), 'secret.key');
  await chmod(key, 0o644);
  const page = await dashboard.signIn('admin@example.com', '/dashboard/operator');
  const card = page.locator('section').first();
  await card.getByRole('listitem').first().waitFor();
  expect(await card.getByRole('heading').textContent()).toBe('Checks of the installation');
  const open = await card.getByRole('listitem').allTextContents();
  expect(open[0]).toMatch(/^problem /);
  expect(open.find((one) => one.startsWith('problem files:'))).toMatch(/secret\.key.*chmod 600/);
  await card.getByText(/^\d+ other checks$/).click();
  await card.getByRole('listitem').filter({ hasText: 'back-ups' }).waitFor();
  await testPageLayout(page, 'operator-findings');
  await chmod(key, 0o600);
  await card.getByRole('button', { name: 'Check again' }).click();
  // On a busy machine, other checks may find that a server did not respond in time.
  await card.getByRole('listitem').filter({ hasText: 'ok files: permissions' }).waitFor();
});

test('the administrator changes plans and creates users; others cannot', async () => {
  const userId = await dashboard.user('plan@example.com');
  const page = await dashboard.signIn('admin@example.com', '/dashboard/operator');
  await page.getByLabel('Plan of plan@example.com').selectOption('developer');
  await page.getByText('The plan of plan@example.com is now developer.').waitFor();
  expect((await findUser(dashboard.db, ALL_ACCOUNTS, userId))?.plan).toBe('developer');
  await page.getByText('Create a user').click();
  await page.getByLabel('E-mail', { exact: true }).fill('made@example.com');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('made@example.com can sign in now').waitFor();
  await page.getByLabel('Account', { exact: true }).fill(userId);
  await page.getByRole('button', { name: 'List', exact: true }).click();
  const act = page.locator('tbody tr', { hasText: 'user.changed' });
  await act.waitFor();
  expect(await act.textContent()).toMatch(
    new RegExp(`user\\.changed plan developerplan@example\\.com ${userId}admin@example\\.com usr_\\w+127\\.0\\.0\\.1`),
  );
  // The page shows the whole installation, so it has no selection of an account.
  expect(await page.getByRole('combobox', { name: 'User' }).count()).toBe(0);
  const made = await dashboard.signIn('made@example.com', '/dashboard/operator');
  await made.getByText('This page is for administrators.').waitFor();
  expect(await made.getByRole('link', { name: 'Operator' }).count()).toBe(0);
});
