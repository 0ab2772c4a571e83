import { readFile } from 'node:fs/promises';
import { read, utils } from '@e965/xlsx';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';

const DAY_MS = 86_400_000;

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['ingest']);
});
afterAll(() => dashboard.close());

test('a utility bills a home, sees later changes, and downloads the bill', async () => {
  const utility = await dashboard.user('utility@example.com', 'utility');
  const meter = await dashboard.device(await dashboard.user('home@example.com', 'homeowner', utility));
  const now = new Date();
  const monthMs = (offset: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
  const [startMs, endMs] = [monthMs(-1), monthMs(0)];
  const sendReadings = (...readings: [number, number][]) =>
    meter.publish(readings.map(([ms, energy_total_kwh]) => ({ ts: new Date(ms).toISOString(), energy_total_kwh })));
  await sendReadings([startMs, 100], [startMs + DAY_MS, 104], [endMs - 2 * DAY_MS, 190]);

  const page = await dashboard.signIn('utility@example.com', '/dashboard/account');
  await page.getByRole('link', { name: 'Bills' }).click();
  const periods = page.getByRole('region', { name: 'Bill periods' });
  await periods.getByText('There is no bill period yet').waitFor();
  await page.getByRole('button', { name: 'New bill period' }).click();
  // By default the dialog proposes last month and the selected home.
  const dialog = page.getByRole('dialog');
  await dialog.getByText('home@example.com').waitFor();
  const day = new Date(endMs - DAY_MS).toISOString().slice(0, 10);
  expect(await dialog.getByLabel('Last day').inputValue()).toBe(day);
  await dialog.getByRole('button', { name: 'Create' }).click();
  const bill = page.getByRole('region', { name: /^Home, / });
  const row = (name: string) => bill.getByRole('row', { name });
  const energies = async (name: string) =>
    (await row(name).getByRole('cell').allTextContents()).map((text) => text.trim());
  await row('From the grid').waitFor();
  expect(await energies('From the grid')).toEqual(['90.000 kWh', '90.000 kWh', '90.000 kWh', '0.000 kWh']);
  expect((await energies('Estimated part'))[0]).toBe('90.000 kWh');
  // The service rejects another bill period for the same days.
  await page.getByRole('button', { name: 'New bill period' }).click();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('alert').getByText('some of these days').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  // A late reading changes one of the billed days.
  await sendReadings([endMs - DAY_MS, 200]);
  const show = async () => {
    await page.reload();
    await periods.getByRole('button', { name: /^Show/ }).click();
  };
  await expect
    .poll(async () => {
      await show();
      await row('From the grid').waitFor();
      return energies('From the grid');
    })
    .toEqual(['90.000 kWh', '90.000 kWh', '100.000 kWh', '+10.000 kWh']);
  await testPageLayout(page, 'bill');
  await bill.getByRole('button', { name: 'Record the current values' }).click();
  await expect.poll(async () => (await energies('From the grid'))[1]).toBe('100.000 kWh');
  await bill.getByText('2 versions').click();
  await bill.getByRole('row', { name: '2, recorded again' }).getByText('+10.000 kWh').waitFor();
  await bill.getByText('Registers at the start and at the end').click();
  await bill.getByRole('row', { name: 'import' }).getByText('200.000 kWh').waitFor();
  await bill.getByRole('button', { name: /^Close the period/ }).click();
  await dialog.getByText('cannot be undone').waitFor();
  await testPageLayout(page, 'bill-close');
  await dialog.getByRole('button', { name: 'Close the period', exact: true }).click();
  await bill.getByText(/^Closed on /).waitFor();
  expect(await bill.getByRole('button', { name: /^(Close the period|Delete|Record)/ }).count()).toBe(0);
  await periods.getByText('closed').waitFor();

  await bill.getByText('Checksum', { exact: true }).click();
  const checksum = (await bill.getByRole('group', { name: 'Checksum' }).textContent())?.trim();
  expect(checksum).toMatch(/^[0-9a-f]{64}$/);
  const menu = bill.locator('details.download');
  await menu.locator('summary').click();
  const fetched = async (name: RegExp) => {
    const [download] = await Promise.all([page.waitForEvent('download'), menu.getByRole('button', { name }).click()]);
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  };
  const csv = await fetched(/^CSV/);
  const month = `${new Date(startMs).toISOString().slice(0, 10)}-${day}`;
  expect(csv.name).toBe(`bill-${month}.csv`);
  const statement = { direction: 'import', billed_kwh: '100.000000', sha256: checksum };
  expect(parse(csv.bytes, { columns: true })[0]).toMatchObject(statement);
  const sheets = read((await fetched(/^Spreadsheet/)).bytes).Sheets;
  expect(utils.sheet_to_json(Object.values(sheets)[0] ?? {})[0]).toMatchObject({ sha256: checksum });
  expect(String((await fetched(/^Green Button/)).bytes)).toContain(checksum);

  // A reading that arrives after the bill was closed does not change this bill. The next bill includes the difference.
  await sendReadings([endMs, 203]);
  await expect
    .poll(async () => {
      await show();
      await row('From the grid').waitFor();
      return bill.getByRole('listitem').allTextContents();
    })
    .toEqual(['+3.000 kWh will be billed with the next period']);
  const home = await dashboard.signIn('home@example.com');
  expect(await home.getByRole('link', { name: 'Bills', exact: true }).count()).toBe(0);
  await home.getByRole('link', { name: 'Costs' }).click();
  await home.getByRole('link', { name: 'Show the bills' }).click();
  await home.getByRole('button', { name: /^Show/ }).click();
  await home.getByText(/^Closed on /).waitFor();
  for (const name of [/^New bill/, /^Close the period/, /^Delete/, /^Record/])
    expect(await home.getByRole('button', { name }).count()).toBe(0);
});
