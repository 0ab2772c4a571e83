import type { Locator, Page } from 'playwright-core';
import type { Dashboard } from './dashboard.ts';

/** Signs in and opens the page of devices. */
export async function openDevicesPage(dashboard: Dashboard, email: string): Promise<Page> {
  const page = await dashboard.signIn(email, '/dashboard/devices');
  await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor();
  return page;
}

export const findRowByHeader = (page: Page, name: string): Locator =>
  page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
