import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, []);
});
afterAll(() => dashboard.close());

/** Adds a platform authenticator to the browser, which verifies its user at once, as a phone does with a fingerprint. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  return async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
}

test('a passkey that is made on the Account page signs in without a mail, until it is removed', async () => {
  const userId = await dashboard.user('passkey@example.com');
  const page = await dashboard.signIn('passkey@example.com', '/dashboard/account');
  const credentials = await addAuthenticator(page);
  const card = page.getByRole('region', { name: 'Passkeys' });
  const rows = card.getByRole('row').filter({ has: page.getByRole('rowheader') });
  expect(await card.getByLabel('Name of the passkey').inputValue()).toBe('Chrome on Linux');
  await card.getByLabel('Name of the passkey').fill('Kitchen tablet');
  await card.getByRole('button', { name: 'Add a passkey' }).click();
  await card.getByText('Added. The sign-in page offers').waitFor();
  await expect.poll(() => rows.allTextContents()).toEqual([expect.stringMatching(/^Kitchen tablet.*never/)]);
  // The device stores the passkey together with the account, for this host, so that the user need not enter the account on the sign-in
  // page.
  const [stored] = await credentials();
  expect(stored).toMatchObject({ rpId: 'localhost', isResidentCredential: true });
  expect(Buffer.from(stored?.userHandle ?? '', 'base64').toString()).toBe(userId);
  await testPageLayout(page, 'passkeys');
  await card.getByRole('button', { name: 'Add a passkey' }).click();
  await card.getByText('This device already has a passkey').waitFor();

  const signOut = async () => {
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  };
  await signOut();
  await testPageLayout(page, 'sign-in-passkey');
  for (const count of [1, 2]) {
    await page.getByRole('button', { name: 'Sign in with a passkey' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('contentinfo').getByText('passkey@example.com').waitFor();
    expect((await credentials())[0]?.signCount).toBeGreaterThanOrEqual(count);
    await page.getByRole('link', { name: 'Account' }).click();
    if (count === 1) await signOut();
  }
  await expect.poll(() => rows.allTextContents()).toEqual([expect.not.stringContaining('never')]);
  const sessions = page.getByRole('region', { name: 'Signed in' });
  await expect.poll(() => sessions.getByRole('row').filter({ hasText: 'this one' }).textContent()).toContain('passkey');

  // A passkey can be added only shortly after the sign-in.
  const { pool } = dashboard.database;
  await pool.query("UPDATE sessions SET created_at = created_at - interval '16 minutes' WHERE user_id = $1", [userId]);
  await card.getByRole('button', { name: 'Add a passkey' }).click();
  await card.getByText('within 15 minutes after your sign-in').waitFor();
  await rows.getByRole('button', { name: /^Remove/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => rows.count()).toBe(0);
  await signOut();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('This passkey is not valid here').waitFor();
});
