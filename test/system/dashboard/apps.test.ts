import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { APP_SCOPE_NAMES } from '#src/auth/scopes.ts';
import { LANGUAGES, words } from '#src/dashboard/words/words.ts';
import { APP_TYPES } from '#src/database/enums.ts';
import { AXE_RULES_FOR_TEXTS, chooseLanguage, showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { loadWords } from '#test/support/words.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  await loadWords('en');
  dashboard = await startDashboard({}, []);
});
afterAll(() => dashboard.close());

const shown = (page: Page, label: string) => page.getByRole('group', { name: label, exact: true }).textContent();
const dialog = (page: Page) => page.getByRole('dialog');
const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });

/** Signs in as a new utility, and opens the page of apps by its link on the Account page. */
async function openApps(email: string): Promise<{ page: Page; userId: string }> {
  const userId = await dashboard.user(email, 'utility');
  const page = await dashboard.signIn(email, '/dashboard/account');
  await page.getByRole('region', { name: 'Developers' }).getByRole('link', { name: 'Apps' }).click();
  await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
  return { page, userId };
}

/** Fills in the dialog that registers an app. */
async function fillIn(page: Page, name: string, redirects: string): Promise<void> {
  await page.getByRole('button', { name: 'Register an app' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Website').fill('https://bright.example.com');
  await page.getByLabel('Redirect addresses').fill(redirects);
}

const storedOf = (userId: string) =>
  dashboard.db.selectFrom('apps').selectAll().where('user_id', '=', userId).orderBy('app_id').execute();

/**
 * Requests tokens with an authorization code that does not exist. The response is 400 if the app's secret is correct, and 401 if it is
 * wrong.
 */
const exchange = (page: Page, clientId: string, secret: string) =>
  page.request
    .post('/oauth/token', {
      headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
      form: {
        grant_type: 'authorization_code',
        code: 'none',
        code_verifier: 'x'.repeat(43),
        redirect_uri: 'https://x',
      },
    })
    .then((answer) => answer.status());

test('an app is registered, its secret is shown once, and it is changed and deleted', async () => {
  const { page, userId } = await openApps('bright@example.com');
  await page.getByText('You have no app yet').waitFor();
  await testPageLayout(page, 'apps-empty');
  await fillIn(page, 'Bright Home', 'https://bright.example.com/callback\nhttps://bright.example.com/other');
  expect(await page.getByRole('checkbox').count()).toBe(APP_SCOPE_NAMES.length);
  await page.getByRole('checkbox', { name: 'alerts:read' }).check();
  await testPageLayout(page, 'apps-register');
  await page.getByRole('button', { name: 'Register app' }).click();

  const made = page.getByRole('dialog', { name: 'Registered: Bright Home' });
  await made.getByText('it is shown only once').waitFor();
  await testPageLayout(page, 'apps-made');
  const [clientId, secret] = [(await shown(page, 'Client id')) ?? '', (await shown(page, 'Client secret')) ?? ''];
  expect([clientId, secret]).toEqual([expect.stringMatching(/^app_/), expect.stringMatching(/^eus_cs_/)]);
  await made.getByRole('button', { name: 'Copy Client secret' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await made.getByRole('button', { name: 'Done' }).click();
  await rowOf(page, 'Bright Home').getByText(clientId).waitFor();
  expect(await page.content()).not.toContain(secret);
  expect([await exchange(page, clientId, secret), await exchange(page, clientId, `${secret}x`)]).toEqual([400, 401]);
  expect(await storedOf(userId)).toMatchObject([
    {
      name: 'Bright Home',
      type: 'confidential',
      redirect_uris: ['https://bright.example.com/callback', 'https://bright.example.com/other'],
      scopes: ['insights:read', 'devices:read', 'alerts:read'],
      notification_url: null,
    },
  ]);
  await testPageLayout(page, 'apps');

  await page.getByRole('button', { name: 'Edit Bright Home' }).click();
  expect(await page.getByLabel('Redirect addresses').inputValue()).toContain('/other');
  expect(await dialog(page).getByRole('radio').count()).toBe(0);
  await page.getByLabel('Name').fill('Brighter Home');
  await page.getByRole('checkbox', { name: 'devices:read' }).uncheck();
  await page.getByLabel('Address for notices').fill('https://bright.example.com/notices');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved: Brighter Home.').waitFor();
  expect(await storedOf(userId)).toMatchObject([
    {
      app_id: clientId,
      name: 'Brighter Home',
      scopes: ['insights:read', 'alerts:read'],
      notification_url: 'https://bright.example.com/notices',
    },
  ]);

  await page.getByRole('button', { name: 'Delete Brighter Home' }).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted: Brighter Home.').waitFor();
  await page.getByText('You have no app yet').waitFor();
  expect(await storedOf(userId)).toEqual([]);
});

test('an app that runs on a computer has no secret and may have a loopback address; errors are shown at the field', async () => {
  const { page, userId } = await openApps('desktop@example.com');
  await fillIn(page, 'Desk', 'http://127.0.0.1/callback');
  await page.getByRole('button', { name: 'Register app' }).click();
  await dialog(page).getByText('Redirect address must be https://').waitFor();
  await page.getByRole('radio', { name: 'on a phone or computer' }).check();
  await page.getByRole('button', { name: 'Register app' }).click();
  await dialog(page).getByText('has no secret').waitFor();
  expect(await page.getByRole('group', { name: 'Client secret' }).count()).toBe(0);
  expect(await shown(page, 'Client id')).toBe((await storedOf(userId))[0]?.app_id);
  await page.keyboard.press('Escape');
  await rowOf(page, 'Desk').waitFor();
  await page.getByRole('button', { name: 'Register an app' }).click();
  await dialog(page).getByRole('checkbox', { name: 'insights:read' }).uncheck();
  await dialog(page).getByRole('checkbox', { name: 'devices:read' }).uncheck();
  expect(await page.getByRole('button', { name: 'Register app' }).isDisabled()).toBe(true);
});

test('the page fits on a phone in each language, with its dialog', async () => {
  const { page } = await openApps('five@example.com');
  for (const language of Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[]) {
    await loadWords(language);
    await chooseLanguage(page, language);
    await page.getByRole('button', { name: words().apps.register }).click();
    await testPageLayout(page, `apps-register-${language}`, 'phone', AXE_RULES_FOR_TEXTS);
    await page.keyboard.press('Escape');
  }
  await loadWords('en');
});

test('a homeowner sees no link to the page, and an explanation of who registers apps', async () => {
  await dashboard.user('home@example.com');
  const page = await dashboard.signIn('home@example.com', '/dashboard/account');
  const links = page.getByRole('region', { name: 'Developers' });
  await links.getByRole('link', { name: 'Webhooks' }).waitFor();
  expect(await links.getByRole('link', { name: 'Apps' }).count()).toBe(0);
  await showDashboardPage(page, '/dashboard/apps');
  await page.getByText('Utilities and administrators register apps.').waitFor();
  expect(await page.getByRole('button', { name: 'Register an app' }).count()).toBe(0);
});

test('the types of apps on the page are those of the service', async () => {
  const { types, typeHints } = words().apps;
  expect([Object.keys(types), Object.keys(typeHints)]).toEqual([[...APP_TYPES], [...APP_TYPES]]);
});
