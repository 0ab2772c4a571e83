import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAlert } from '#src/alerts/store.ts';
import { createUser } from '#src/users/store.ts';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['worker']);
});
afterAll(() => dashboard.close());

test('sessions are listed, and a session that is ended from another browser is signed out', async () => {
  await dashboard.user('two@example.com');
  const there = await dashboard.signIn('two@example.com');
  // The Account page also opens at its former address.
  const here = await dashboard.signIn('two@example.com', '/dashboard/sessions');
  await here.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  expect(new URL(here.url()).pathname).toBe('/dashboard/account');
  const list = here.getByRole('region', { name: 'Signed in' });
  const rows = list.getByRole('row').filter({ has: here.getByRole('rowheader') });
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.first().textContent()).toContain('this one');
  expect(await rows.first().getByRole('button').count()).toBe(0);
  expect(await rows.last().textContent()).toMatch(/Chrome on Linux.*127\.0\.0\.1/);
  await testPageLayout(here, 'sessions');
  await rows.last().getByRole('button', { name: /^End/ }).click();
  await here.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await there.getByRole('link', { name: 'Devices' }).click();
  await there.getByText('You are signed out: your session expired').waitFor();
  await here.getByRole('link', { name: 'Devices' }).click();
  await here.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();

  // The code on the screen signs in a phone without an e-mail, and works only once.
  await here.getByRole('link', { name: 'Account' }).click();
  await list.getByRole('button', { name: 'Sign in on another device' }).click();
  const dialog = here.getByRole('dialog', { name: 'Sign in on another device' });
  await dialog.getByRole('img', { name: 'QR code of the link' }).locator('path').waitFor();
  await testPageLayout(here, 'other-device');
  const link = (await dialog.getByRole('group', { name: 'Link for the other device' }).textContent()) ?? '';
  expect(link).toMatch(/^https:\/\/localhost:\d+\/dashboard\/sign-in#[\w-]{43}$/);
  await there.goto('/dashboard');
  await there.goto(new URL(link).pathname + new URL(link).hash);
  await there.getByRole('button', { name: 'Sign in' }).click();
  await there.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await there.goto(new URL(link).pathname + new URL(link).hash);
  await there.getByRole('button', { name: 'Sign in' }).click();
  await there.getByText('This link is wrong, expired or already used').waitFor();
});

test('an account without a time zone is asked for it once, with the browser’s as the suggestion', async () => {
  const { user_id: userId } = await createUser(dashboard.db, { email: 'zoneless@example.com', role: 'homeowner' });
  const here = await dashboard.signIn('zoneless@example.com');
  const card = here.getByRole('region', { name: 'Which time zone is your home in?' });
  const proposed = await here.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(await card.getByLabel('Time zone').inputValue()).toBe(proposed);
  // The card about the time zone may appear before the content below it has loaded.
  await here.getByRole('heading', { level: 1 }).waitFor();
  await testPageLayout(here, 'time zone');
  await card.getByLabel('Time zone').selectOption('Europe/Lisbon');
  await card.getByRole('button', { name: 'Save' }).click();
  await card.waitFor({ state: 'detached' });
  await here.reload();
  await here.getByText('Europe/Lisbon').first().waitFor();
  expect(await card.count()).toBe(0);
  const stored = async () =>
    (await dashboard.db.selectFrom('users').select(['timezone', 'phone']).where('user_id', '=', userId).execute())[0];
  expect(await stored()).toEqual({ timezone: 'Europe/Lisbon', phone: null });
  // If the user has chosen UTC, the page does not ask for the time zone again.
  await here.getByRole('link', { name: 'Account' }).click();
  const account = here.getByRole('region', { name: 'Phone, time zone and mails' });
  await account.getByLabel('Phone number').fill('+49 151 12345678');
  await account.getByLabel('Time zone').selectOption('UTC');
  await account.getByRole('button', { name: 'Save' }).click();
  await account.getByText('Saved.').waitFor();
  expect(await stored()).toEqual({ timezone: 'UTC', phone: '+4915112345678' });
  await here.reload();
  await account.getByLabel('Phone number').waitFor();
  expect(await card.count()).toBe(0);
  await account.getByLabel('Phone number').fill('12');
  await account.getByRole('button', { name: 'Save' }).click();
  await account.getByRole('alert').waitFor();
  await account.getByLabel('Phone number').fill('');
  await account.getByRole('button', { name: 'Save' }).click();
  await account.getByText('Saved.').waitFor();
  expect(await stored()).toEqual({ timezone: 'UTC', phone: null });

  // Mails about remarks (notices about unusual usage) are in the language that the page had when the user subscribed to them.
  const mails = async () =>
    dashboard.db.selectFrom('users').select(['remarks_by_mail', 'language']).where('user_id', '=', userId).execute();
  await here.getByLabel('Language').selectOption('nl');
  const choice = here.getByLabel('‘Goed om te weten’ per mail');
  expect(await choice.isChecked()).toBe(false);
  await choice.check();
  await here.getByRole('button', { name: 'Opslaan' }).click();
  await expect.poll(mails).toEqual([{ remarks_by_mail: true, language: 'nl' }]);
  await testPageLayout(here, 'account mails');
  await here.reload();
  expect(await choice.isChecked()).toBe(true);
  await choice.uncheck();
  await here.getByRole('button', { name: 'Opslaan' }).click();
  await expect.poll(mails).toEqual([{ remarks_by_mail: false, language: 'nl' }]);
});

test('a changed e-mail address waits for its mail, can be withdrawn, and applies after its link was used', async () => {
  const userId = await dashboard.user('before@example.com');
  const here = await dashboard.signIn('before@example.com', '/dashboard/account');
  const card = here.getByRole('region', { name: 'E-mail address' });
  await card.getByText('Your account has the address before@example.com.').waitFor();
  const request = async (email: string) => {
    await card.getByLabel('New address').fill(email);
    await card.getByRole('button', { name: 'Change address' }).click();
    await card.getByText(`We sent a link to ${email}.`).waitFor();
  };
  await request('mistyped@example.com');
  await testPageLayout(here, 'pending e-mail address');
  const mistyped = await dashboard.mailTo('mistyped@example.com');
  await card.getByRole('button', { name: 'Withdraw' }).click();
  await request('after@example.com');
  const first = await dashboard.mailTo('after@example.com');
  await card.getByRole('button', { name: 'Send again' }).click();
  const { link } = await dashboard.mailTo('after@example.com');

  const there = await dashboard.open(first.link.replace(dashboard.url, ''));
  for (const over of [first, mistyped]) {
    await there.goto(over.link);
    await there.getByRole('button', { name: 'Use this address' }).click();
    await there.getByText('This link is wrong, expired or already used. Change the address again.').waitFor();
  }
  await there.goto(link);
  await there.getByText('The button gives your account the e-mail address').waitFor();
  await testPageLayout(there, 'confirm e-mail address');
  await there.getByRole('button', { name: 'Use this address' }).click();
  await there.getByRole('contentinfo').getByText('after@example.com').waitFor();
  await here.getByRole('link', { name: 'Devices' }).click();
  await here.getByText('You are signed out: your session expired').waitFor();
  const { rows } = await dashboard.database.pool.query('SELECT email FROM users WHERE user_id = $1', [userId]);
  expect(rows).toEqual([{ email: 'after@example.com' }]);
});

test('the Account page lists the notices and how they are sent, downloads the account’s data and deletes the account', async () => {
  const userId = await dashboard.user('leaving@example.com');
  await createAlert(dashboard.db, { userId, type: 'no_data', threshold_hours: 6, delivery: 'sms' });
  const here = await dashboard.signIn('leaving@example.com', '/dashboard/account');
  const notices = here.getByRole('region', { name: 'Notifications' });
  const rows = notices.getByRole('row').filter({ has: here.getByRole('rowheader') });
  await expect
    .poll(() => rows.allTextContents())
    .toEqual(['Silent for 6 hoursSMS', 'Worth knowingoff', 'Sign-ins and changes to your accountE-mail']);
  const data = here.getByRole('region', { name: 'Your data' });
  const [file] = await Promise.all([
    here.waitForEvent('download'),
    data.getByRole('button', { name: 'Download my data' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^energy-account-\d{4}-\d\d-\d\d\.zip$/);
  expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe('PK');
  await data.getByRole('button', { name: 'Delete account' }).click();
  const dialog = here.getByRole('dialog', { name: 'Delete account' });
  await dialog.getByLabel('Your e-mail address').fill('other@example.com');
  await dialog.getByRole('button', { name: 'Delete everything for ever' }).click();
  await dialog.getByText('This is not leaving@example.com.').waitFor();
  await testPageLayout(here, 'account-delete');
  const remainingUsers = () => dashboard.db.selectFrom('users').select('email').where('user_id', '=', userId).execute();
  expect(await remainingUsers()).toHaveLength(1);
  await dialog.getByLabel('Your e-mail address').fill(' Leaving@example.com');
  await dialog.getByRole('button', { name: 'Delete everything for ever' }).click();
  await here.getByText('Your account and all its data were deleted.').waitFor();
  expect(await remainingUsers()).toEqual([]);
});
