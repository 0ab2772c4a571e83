import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { HOUR_MS, QUARTER_HOUR_MS } from './dashboard-homes.ts';

/** Helpers for tests of the figures on a home's page: the data from which the page computes figures, and the figures that it shows. */

/**
 * Returns register readings for each quarter-hour of `days` days, at a constant load, with some hours without readings in the middle. The
 * last reading is now, so that today has data at any time of day.
 */
export function createConstantLoadReadings(days: number, loadKw: number): { ts: string; energy_total_kwh: number }[] {
  const untilMs = Date.now();
  const readings: { ts: string; energy_total_kwh: number }[] = [];
  for (let ms = untilMs - days * 24 * HOUR_MS; ms <= untilMs; ms += QUARTER_HOUR_MS) {
    const backHours = (untilMs - ms) / HOUR_MS;
    if (backHours > 30 && backHours < 36) continue;
    const energy_total_kwh = Math.round(1e6 * (100 + loadKw * (days * 24 - backHours))) / 1e6;
    readings.push({ ts: new Date(ms).toISOString(), energy_total_kwh });
  }
  return readings;
}

/** Creates a tariff for a home as its owner would, through the page's session. */
export async function createTariffInPage(page: Page, rates: object, validFrom = '2020-01-01'): Promise<void> {
  const tariff = [rates, validFrom] as const;
  const status = await page.evaluate(async ([priced, valid_from]) => {
    const { csrf_token } = await (await fetch('/dashboard/session')).json();
    const body = {
      name: 'Tariff',
      valid_from,
      currency: 'EUR',
      standing_per_day: '0.4',
      import: priced,
    };
    const headers = { 'content-type': 'application/json', 'x-csrf-token': csrf_token };
    return (await fetch('/dashboard/v1/tariffs', { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }, tariff);
  expect(status).toBe(201);
}
/** Returns the number on the page, or in a region of the page, that has this label. */
export const findFigure = (top: Locator | Page, name: string) => {
  const page = 'goto' in top ? top : top.page();
  return top.locator('dl.figures > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).first();
};
export const readFigure = (top: Locator | Page, name: string) => findFigure(top, name).locator('dd.big').textContent();
export const subtractDays = (date: string, days: number) =>
  new Date(Date.parse(date) - days * 24 * HOUR_MS).toISOString().slice(0, 10);
