import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES, type Language, words } from '#src/dashboard/words/words.ts';
import {
  AXE_RULES_FOR_TEXTS,
  chooseLanguage,
  SCREEN_SIZES,
  showDashboardPage,
  testPageLayout,
} from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { loadWords } from '#test/support/words.ts';

let dashboard: Dashboard;
let page: Page;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['ingest']);
  page = await openHome();
});
afterAll(async () => {
  await loadWords('en');
  await dashboard.close();
});

/** Opens the dashboard with a phone's screen size, signed in as a home for which every page has content. */
async function openHome(): Promise<Page> {
  const userId = await dashboard.user('five@example.com');
  const meter = await dashboard.device(userId);
  await meter.publish({ energy_total_kwh: 1 });
  await dashboard.device(userId, 'thermostat');
  const one = await dashboard.signIn('five@example.com');
  await one.setViewportSize(SCREEN_SIZES.phone);
  const tariff = { valid_from: '2026-01-01', name: 'Test', currency: 'EUR', import: { per_kwh: '1.234' } };
  await ask(one, '/v1/tariffs', { user_id: userId, ...tariff, standing_per_day: '0.35', export: { per_kwh: '0.08' } });
  await ask(one, '/v1/alerts', { user_id: userId, type: 'daily_usage', threshold_kwh: 12.5, delivery: 'email' });
  await ask(one, '/v1/keys', { scopes: ['insights:read'] });
  await ask(one, '/v1/webhooks', { event: 'alert.triggered', url: 'https://example.com/', auth_token: 'x'.repeat(32) });
  return one;
}

/** Sends a request as the page's own scripts do. */
async function ask(one: Page, path: string, body: object): Promise<void> {
  const status = await one.evaluate<number>(`(async () => {
    const { csrf_token } = await (await fetch('/dashboard/session')).json();
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf_token };
    return (await fetch('/dashboard${path}', { method: 'POST', headers, body: ${JSON.stringify(JSON.stringify(body))} })).status;
  })()`);
  expect([path, status]).toEqual([path, 201]);
}

const choice = () => page.locator('select.language');
const dialog = () => page.getByRole('dialog');

/** The pages to test, each with the button that opens the page's main dialog. */
const VIEWS = ['home', 'keys', 'devices', 'tariffs', 'alerts', 'webhooks', 'account'] as const;
const OPENS: ReadonlySet<string> = new Set(['keys', 'devices', 'tariffs', 'alerts', 'webhooks']);

const others = (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== 'en');
test.each(others)('%s fits on a phone, on every page and in its dialogs', async (language) => {
  await loadWords(language);
  await page.goto('/dashboard/account');
  await choice().selectOption(language);
  await page.locator(`html[lang=${language}]`).waitFor();
  for (const view of VIEWS) {
    // The browser stores the selected language, and uses it after a reload.
    if (view === 'home') await page.goto('/dashboard');
    else await showDashboardPage(page, `/dashboard/${view}`);
    await page.getByRole('heading', { level: 1, name: words().common.pages[view], exact: true }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    await expect.poll(() => page.title()).toBe(`${words().common.pages[view]} · ${words().common.product}`);
    await expect.poll(() => page.getByText(words().common.loading).count()).toBe(0);
    await testPageLayout(page, `${view}-${language}`, 'phone', AXE_RULES_FOR_TEXTS);
    if (!OPENS.has(view)) continue;
    await page.locator('main button.main').first().click();
    await dialog().waitFor();
    await testPageLayout(page, `${view}-dialog-${language}`, 'phone', AXE_RULES_FOR_TEXTS);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  }
  await choice().selectOption('en');
  await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
});

test('the operator page fits on a phone in each language', async () => {
  const meter = await dashboard.device(await dashboard.user('admin@example.com', 'admin'));
  await meter.publish({ energy_total_kwh: 'unknown' });
  const admin = await dashboard.signIn('admin@example.com', '/dashboard/operator');
  for (const language of others) {
    await loadWords(language);
    await chooseLanguage(admin, language);
    await admin.getByRole('heading', { level: 1, name: words().common.pages.operator, exact: true }).waitFor();
    const { findings, health, rejected, audit } = words().operator;
    await expect.poll(() => admin.getByText(words().common.loading).count()).toBe(0);
    for (const text of [findings.title, health.stored, rejected.reason, audit.action])
      await admin.getByText(text, { exact: true }).first().waitFor();
    await testPageLayout(admin, `operator-${language}`, 'phone', AXE_RULES_FOR_TEXTS);
  }
});

test('parses numbers as they are written locally, never wrong by a factor of a thousand', async () => {
  await showDashboardPage(page, '/dashboard/alerts');
  await chooseLanguage(page, 'de');
  await page.getByText('Mehr als 12,5 kWh an einem Tag').first().waitFor();
  await page.getByRole('button', { name: 'Alarm anlegen' }).click();
  const typed = page.locator('[name=threshold]');
  const asked = page.waitForRequest(
    (request) => request.url().endsWith('/alerts/preview') && request.postDataJSON().threshold_kwh === 8.25,
  );
  await typed.fill('8,25');
  await asked;
  await page.getByText('Mehr als 8,25 kWh an einem Tag: hätte').waitFor();
  await typed.fill('1.250');
  expect(await page.evaluate<string>(`document.querySelector('[name=threshold]').validationMessage`)).toContain(
    '1,250 oder 1250',
  );
  await page.getByText('Wann hätte er ausgelöst?').waitFor();
  await typed.fill('1.250,5');
  await page.getByText('Mehr als 1.250,5 kWh an einem Tag: hätte').waitFor();
  await page.keyboard.press('Escape');

  // A price with three decimals is shown in the form as the user entered it, and saved unchanged.
  await showDashboardPage(page, '/dashboard/tariffs');
  await page.getByText('1,234 € pro kWh').waitFor();
  await page.getByRole('button', { name: 'Bearbeiten: Test' }).click();
  expect(await page.locator('[name="import.per_kwh"]').inputValue()).toBe('1,234');
  const saved = page.waitForRequest((request) => request.method() === 'PATCH');
  await dialog().getByRole('button', { name: 'Speichern' }).click();
  expect((await saved).postDataJSON()).toMatchObject({ import: { per_kwh: '1.234' }, standing_per_day: '0.35' });
  await page.getByText('Gespeichert: Test.').waitFor();
});

test('starts in the browser’s language, with its region’s numbers, and loads no other', async () => {
  const person = await dashboard.browser.newContext({
    baseURL: dashboard.url,
    ignoreHTTPSErrors: true,
    viewport: SCREEN_SIZES.phone,
    locale: 'de-AT',
  });
  const fetched: string[] = [];
  person.on('request', (request) => fetched.push(request.url()));
  const stranger = await person.newPage();
  await stranger.goto('/dashboard');
  await stranger.getByLabel('E-Mail-Adresse').waitFor();
  expect(await stranger.locator('html').getAttribute('lang')).toBe('de');
  expect(fetched.filter((url) => /\/words\/(en|es|fr|nl)[./]/.test(url))).toEqual([]);
  await testPageLayout(stranger, 'sign-in-de', 'phone');
  await stranger.locator('select.language').selectOption('nl');
  await stranger.getByLabel('E-mailadres').waitFor();
  await stranger.reload();
  await stranger.getByLabel('E-mailadres').waitFor();
  expect(await stranger.locator('html').getAttribute('lang')).toBe('nl');
  expect(await stranger.title()).toBe('Inloggen · Energie');
  await person.close();
});
