import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

const HOUR_MS = 3_600_000;

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['ingest']);
});
afterAll(() => dashboard.close());

test('downloads the data of the Home page as CSV, as a spreadsheet and as Green Button', async () => {
  const userId = await dashboard.user('files@example.com');
  const meter = await dashboard.device(userId);
  // Use two days of the same year: of this year, or of the last one if this year has just begun.
  const newYearMs = Date.UTC(new Date().getUTCFullYear(), 0, 1);
  const isNew = Date.now() - newYearMs < 49 * HOUR_MS;
  const untilMs = isNew ? newYearMs : Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  await meter.publish(
    Array.from({ length: 49 }, (_, index) => ({
      ts: new Date(untilMs - (48 - index) * HOUR_MS).toISOString(),
      energy_total_kwh: 100 + index / 2,
    })),
  );
  // The first reading and the last one may be in different months.
  const year = new Date(untilMs - HOUR_MS).getUTCFullYear();
  const page = await dashboard.signIn('files@example.com', `/dashboard/home/year/${year}`);
  const menu = page.locator('details.download');
  await menu.locator('summary').click();
  const fetched = async (name: RegExp) => {
    const [download] = await Promise.all([page.waitForEvent('download'), menu.getByRole('button', { name }).click()]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };

  const xlsx = await fetched(/^Spreadsheet/);
  expect(xlsx.name).toMatch(/^usage-\d{4}-\d\d-01-\d{4}-\d\d-\d\d\.xlsx$/);
  const sheet = read(xlsx.bytes).Sheets.Usage;
  const rows = utils.sheet_to_json<{ kwh_used: number }>(sheet ?? {});
  expect(rows.reduce((sum, row) => sum + row.kwh_used, 0)).toBeCloseTo(24, 6);
  const csv = await fetched(/^CSV/);
  expect(String(csv.bytes).trim().split('\n')).toHaveLength(rows.length + 1);
  const feed = await fetched(/^Green Button/);
  expect([feed.name.endsWith('.xml'), String(feed.bytes).match(/<espi:value>500000</g)?.length]).toEqual([true, 48]);
  await expect.poll(() => menu.getByRole('status').textContent()).toContain('was downloaded');

  await testPageLayout(page, 'download');
});
