import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAt } from '../support/browser.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

const navigation = { name: 'Pages' };

test('a mailed link signs in once, and leaves no trace in the address', async () => {
  await dashboard.user('link@example.com');
  const page = await dashboard.open('/dashboard/keys');
  await lookAt(page, 'sign-in');
  await page.getByLabel('E-mail').fill('Link@Example.com');
  await page.keyboard.press('Enter');
  await page.getByLabel('Code').waitFor();
  await lookAt(page, 'sign-in-code');
  const { link } = await dashboard.mailTo('link@example.com');
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(page.url()).toBe(`${dashboard.url}/dashboard/sign-in`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', navigation).waitFor();
  expect(page.url()).toBe(`${dashboard.url}/dashboard`);

  const stranger = await dashboard.open(new URL(link).pathname + new URL(link).hash);
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  expect(await stranger.getByRole('alert').textContent()).toContain('token is wrong, was used, or is over');
});

test('a mailed code signs in where it was asked for; a wrong one does not', async () => {
  await dashboard.user('code@example.com');
  const page = await dashboard.open('/dashboard');
  await page.getByLabel('E-mail').fill('code@example.com');
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByLabel('Code').fill('0000 0000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('code is wrong');
  const { code } = await dashboard.mailTo('code@example.com');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', navigation).waitFor();
  // The session outlives the page, and ends when it is told to.
  await page.reload();
  await page.getByRole('navigation', navigation).waitFor();
  const [cookie] = (await page.context().cookies()).filter(({ name }) => name.endsWith('energy_session'));
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/dashboard' });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail').waitFor();
  // A copy of the cookie is worth nothing any more.
  await page.context().addCookies(cookie ? [cookie] : []);
  await page.reload();
  await page.getByLabel('E-mail').waitFor();
});

test('is interactive at once, small, and from here alone', async () => {
  await dashboard.user('fast@example.com');
  const page = await dashboard.signIn('fast@example.com');
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForTimeout(500);
  const timing = await page.evaluate<{ interactiveMs: number; paintedMs: number }>(`({
    interactiveMs: performance.getEntriesByType('navigation')[0].domInteractive,
    paintedMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  })`);
  console.log(`first page: ${Math.round(bytes / 1_000)} kB transferred`, timing);
  expect(bytes).toBeGreaterThan(20_000);
  expect(bytes).toBeLessThan(150_000);
  expect(timing.interactiveMs).toBeLessThan(1_000);
  expect(timing.paintedMs).toBeLessThan(1_000);
});
