import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPageLayoutInCurrentLanguage } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { findFigure, readFigure } from '#test/support/dashboard-figures.ts';
import { computeOrdinaryLoadWatts, insertDeviceHistories } from '#test/support/dashboard-homes.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

test('shows the pages last seen and their time while offline; nothing after signing out', async () => {
  const userId = await dashboard.user('away@example.com');
  await insertDeviceHistories(dashboard, userId, 10, {
    Meter: { type: 'smart_meter', import: computeOrdinaryLoadWatts },
  });
  const page = await dashboard.signIn('away@example.com', '/dashboard', true);
  await findFigure(page, 'Used so far').waitFor();
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
    return (await fetch(link?.href ?? '')).json();
  });
  expect(manifest).toMatchObject({ start_url: '/dashboard', display: 'standalone' });
  for (const { src, sizes, type } of manifest.icons) {
    const { status, found, wide } = await page.evaluate(async (address) => {
      const response = await fetch(address);
      const bytes = new DataView(await response.clone().arrayBuffer());
      return { status: response.status, found: response.headers.get('content-type'), wide: bytes.getUint32(16) };
    }, src as string);
    expect({ src, status, found }).toEqual({ src, status: 200, found: type });
    if (sizes !== 'any') expect(`${wide}x${wide}`).toBe(sizes);
  }
  const cachedPaths = () =>
    page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(
        names.map(async (name) => {
          const cache = await caches.open(name);
          return Promise.all(
            (await cache.keys()).map(async ({ url }) => [
              new URL(url).pathname,
              await (await cache.match(url))?.text(),
            ]),
          );
        }),
      );
      return Object.fromEntries(all.flat()) as Record<string, string>;
    });
  // The service worker handles the page's requests only after it has been installed, from the second visit on.
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await expect.poll(async () => Object.keys(await cachedPaths())).toContain('/dashboard/app/pages/home.js');
  await page.reload();
  await findFigure(page, 'Used so far').waitFor();
  const used = await readFigure(page, 'Used so far');
  await expect.poll(async () => Object.keys(await cachedPaths())).toContain('/dashboard/v1/period');
  // Neither secrets nor the responses for other pages are in the cache.
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'API Keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  // The page of API keys sends its request for devices last.
  await expect.poll(async () => Object.keys(await cachedPaths())).toContain('/dashboard/v1/devices');
  const all = await cachedPaths();
  expect(JSON.parse(all['/dashboard/session'] ?? '')).toMatchObject({ csrf_token: '', user: { user_id: userId } });
  expect(
    Object.keys(all)
      .filter((path) => path.startsWith('/dashboard/v1/'))
      .toSorted(),
  ).toEqual(['/dashboard/v1/devices', '/dashboard/v1/period', '/dashboard/v1/period-costs']);
  // Another user of the same browser does not get the cached responses.
  const other = await page.context().newPage();
  await other.goto('/dashboard');
  await other.getByRole('link', { name: 'Account' }).click();
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await other.getByLabel('E-mail', { exact: true }).waitFor();
  expect(Object.keys(await cachedPaths()).filter((path) => !path.startsWith('/dashboard/app/'))).toEqual([
    '/dashboard',
  ]);
  await other.close();
  await page.close();

  const again = await dashboard.signIn('away@example.com', '/dashboard', true);
  await findFigure(again, 'Used so far').waitFor();
  await expect.poll(() => again.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  await again.reload();
  await findFigure(again, 'Used so far').waitFor();
  await dashboard.api.stop();
  await again.goto('/dashboard/home');
  await again.getByText(/^No network\. This page was loaded /).waitFor();
  expect(await readFigure(again, 'Used so far')).toBe(used);
  await testPageLayoutInCurrentLanguage(again, 'home-offline');
  // Offline, a page that was never opened is unavailable, and says why.
  await again.getByRole('button', { name: 'The day before' }).click();
  await again.getByText('The service cannot be reached').waitFor();
});
