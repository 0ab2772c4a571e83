import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAt } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

test('sessions are listed, and one that is ended in another browser is over there', async () => {
  await dashboard.user('two@example.com');
  const there = await dashboard.signIn('two@example.com');
  const here = await dashboard.signIn('two@example.com');
  await here.getByRole('link', { name: 'Sessions' }).click();
  await here.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
  const rows = here.getByRole('row').filter({ has: here.getByRole('rowheader') });
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.first().textContent()).toContain('this one');
  expect(await rows.first().getByRole('button').count()).toBe(0);
  expect(await rows.last().textContent()).toMatch(/Chrome on Linux.*127\.0\.0\.1/);
  await lookAt(here, 'sessions');
  await rows.last().getByRole('button', { name: /^End/ }).click();
  await here.getByRole('dialog').getByRole('button', { name: 'End' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await there.getByRole('link', { name: 'API Keys' }).click();
  await there.getByText('You are signed out: your session expired').waitFor();
  await here.getByRole('link', { name: 'Devices' }).click();
  await here.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
});
