import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { type OidcServer, startOidcServer } from '#test/support/oidc.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

let provider: OidcServer;
let dashboard: Dashboard;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  [provider, folder] = await Promise.all([startOidcServer(), createTemporaryFolder()]);
  const caFile = join(folder.path, 'provider.pem');
  await writeFile(caFile, provider.ca);
  dashboard = await startDashboard({
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_LABEL: 'Example Works',
    OIDC_CA_FILE: caFile,
    OIDC_ROLE_CLAIM: 'groups',
    OIDC_ROLES: '{"energy-admins":"admin"}',
  });
  provider.serve(dashboard.url);
});
afterAll(async () => {
  await dashboard.close();
  await Promise.all([provider.close(), folder.remove()]);
});

/** Opens a browser that may also load pages of the identity provider. Other tests allow only the service's own pages. */
async function browser(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await dashboard.browser.newContext({
    baseURL: dashboard.url,
    ignoreHTTPSErrors: true,
    locale: 'en-GB',
  });
  context.setDefaultTimeout(300_000);
  return { context, page: await context.newPage() };
}

async function signInThere(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
}

const button = { name: 'Sign in with Example Works' };

test('signs in at the provider and opens the requested page; signing out ends both sessions', async () => {
  await dashboard.user('at-work@example.com');
  provider.people.set('at-work', { email: 'at-work@example.com', email_verified: true, groups: ['energy-admins'] });
  const { context, page } = await browser();
  await page.goto('/dashboard/account');
  await page.getByRole('button', button).waitFor();
  await testPageLayout(page, 'sign-in-provider');
  await page.getByRole('button', button).click();
  await signInThere(page, 'at-work');
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/account');
  await page.getByRole('row').filter({ hasText: 'this one' }).getByText('single sign-on').waitFor();
  // The provider's claims about a user determine the user's role.
  await page.getByRole('link', { name: 'Operator' }).waitFor();
  await testPageLayout(page, 'sessions-provider');
  const cookies = await context.cookies();
  expect(cookies.filter(({ name }) => name.startsWith('__Host-energy'))).toEqual([]);
  expect(cookies.find(({ name }) => name.endsWith('energy_session'))).toMatchObject({ sameSite: 'Strict' });
  // Like any session, this session survives a reload of the page.
  await page.reload();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  // The provider asks the user whether to end the session at the provider as well, and then redirects back to the service.
  await page.waitForURL(`${provider.issuer}/session/end*`);
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.getByRole('button', button).waitFor();
  expect(page.url()).toBe(`${dashboard.url}/dashboard/sign-in`);
  await context.close();
});

test('explains a refused sign-in in the language of the page, and offers the mail', async () => {
  provider.people.set('stranger', { email: 'stranger@example.com', email_verified: true });
  const { context, page } = await browser();
  await page.goto('/dashboard');
  await page.getByRole('button', button).click();
  await signInThere(page, 'stranger');
  await expect
    .poll(() => page.getByRole('alert').textContent())
    .toContain('There is no account with your e-mail address here');
  await testPageLayout(page, 'sign-in-refused');
  expect(page.url()).toBe(`${dashboard.url}/dashboard/sign-in`);
  await page.getByLabel('E-mail').waitFor();
  // A link can contain any text as the problem. The page must not show an unknown text.
  await page.goto('/dashboard/sign-in?problem=constructor');
  await page.getByRole('button', button).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.goto('/dashboard/sign-in?problem=over');
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('This sign-in has expired');
  await page.locator('select.language').selectOption('fr');
  await page.getByRole('button', { name: 'Se connecter avec Example Works' }).waitFor();
  await context.close();
});
