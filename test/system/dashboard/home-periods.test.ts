import { afterAll, beforeAll, expect, test } from 'vitest';
import { castToBillionths } from '#src/core/decimal.ts';
import { packPrices } from '#src/tariffs/packed-days.ts';
import { createSeries } from '#src/tariffs/price-series.ts';
import { storePrices } from '#src/tariffs/prices.ts';
import { SCREEN_SIZES, showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { createTariffInPage, findFigure, readFigure, subtractDays } from '#test/support/dashboard-figures.ts';
import { computeOrdinaryLoadWatts, HOUR_MS, insertDeviceHistories } from '#test/support/dashboard-homes.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard();
});
afterAll(() => dashboard.close());

test('two years of a meter: selects any period by arrows, swipe, keyboard, date and address, and compares it with earlier days', async () => {
  const userId = await dashboard.user('years@example.com');
  await insertDeviceHistories(dashboard, userId, 765, {
    Meter: { type: 'smart_meter', import: computeOrdinaryLoadWatts },
  });
  const page = await dashboard.signIn('years@example.com');
  const sent = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .reduce((sum, one) => sum + ((one as { transferSize?: number }).transferSize ?? 0), 0),
  );
  expect(sent).toBeLessThan(150_000);
  await createTariffInPage(page, { per_kwh: '0.30' });
  await page.reload();
  // Looks up the cost of last Tuesday by its date, as a new user would do.
  const today = new Date().toISOString().slice(0, 10);
  const weekday = new Date(today).getUTCDay() || 7;
  const tuesday = subtractDays(today, weekday > 2 ? weekday - 2 : weekday + 5);
  await page.getByLabel('Go to a date').fill(tuesday);
  await expect.poll(() => page.url()).toContain(`/dashboard/home/day/${tuesday}`);
  await expect.poll(() => readFigure(page, 'Used')).toBe('8.83 kWh');
  expect(await findFigure(page, 'Used').locator('dd.money').textContent()).toBe('€3.05');
  // A week before and a year before (on the same weekday), the usage was the same.
  expect(await findFigure(page, 'A week before').textContent()).toContain('as much as in that period');
  expect(await findFigure(page, 'A week before').textContent()).toContain('€3.05');
  expect(await readFigure(page, 'A year before')).toBe('8.83 kWh');
  expect(await page.getByText(/^Highest quarter-hour: 2,320 W, 12:00/).count()).toBe(1);
  // Without scrolling, a phone shows one large number, its cost, the number and cost of a week before, and the complete chart.
  await page.setViewportSize(SCREEN_SIZES.phone);
  const bars = page.getByRole('img', { name: /^Usage by hour: / });
  await expect.poll(async () => (await bars.boundingBox())?.width ?? 1_000).toBeLessThan(SCREEN_SIZES.phone.width);
  const [chart, tab] = [await bars.boundingBox(), await page.getByRole('link', { name: 'Alerts' }).boundingBox()];
  expect((chart?.y ?? 1_000) + (chart?.height ?? 0)).toBeLessThan(tab?.y ?? 0);
  const sizes = await page
    .locator('.lead dd.big')
    .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
  expect(sizes[0]).toBeGreaterThan(1.5 * (sizes[1] ?? 0));
  await page.setViewportSize(SCREEN_SIZES.desktop);
  await page.getByRole('button', { name: 'The day before' }).click();
  await expect.poll(() => page.url()).toContain(subtractDays(tuesday, 1));
  // The arrow button still has the focus, so the user can press it again.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('The day before');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.url()).toContain(tuesday);
  await page.goBack();
  await expect.poll(() => page.url()).toContain(subtractDays(tuesday, 1));
  const swipe = (by: number) =>
    page.locator('main .period').evaluate((box, dx) => {
      const touch = (x: number) => new Touch({ identifier: 1, target: box, clientX: x, clientY: 300 });
      box.dispatchEvent(new TouchEvent('touchstart', { touches: [touch(200)], bubbles: true }));
      box.dispatchEvent(new TouchEvent('touchend', { changedTouches: [touch(200 + dx)], bubbles: true }));
    }, by);
  await swipe(-120);
  await expect.poll(() => page.url()).toContain(tuesday);
  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await expect.poll(() => page.url()).toMatch(/\/home\/week\/\d{4}-W\d\d$/);
  await page.getByRole('button', { name: 'Year', exact: true }).click();
  await expect.poll(() => page.locator('figure', { hasText: 'Usage by month as a table' }).count()).toBe(1);
  await testPageLayout(page, 'home-year');
  // Each bar is a link to its period. So is each row of the table, for people without a pointing device. The test uses last year, because
  // this year may have begun today.
  const lastYear = String(Number(today.slice(0, 4)) - 1);
  await showDashboardPage(page, `/dashboard/home/year/${lastYear}`);
  // Wait for the costs: they arrive after the numbers, and move the content below them.
  await findFigure(page, 'Used').locator('dd.money').waitFor();
  await page.getByText('Usage by month as a table').click();
  await page.getByRole('button', { name: `January ${lastYear}` }).press('Enter');
  await expect.poll(() => page.url()).toContain(`/home/month/${lastYear}-01`);
  await expect.poll(() => readFigure(page, 'Used')).toMatch(/^(2|3)\d\d\.\d\d kWh$/);
  await page.getByRole('button', { name: /^Used: .* Show details$/ }).click();
  await page.getByRole('dialog').getByText('There is data for 100% of the time').waitFor();
  await page.keyboard.press('Escape');
  // With a dynamic tariff, the page shows the prices of today and tomorrow, and states the cheapest of the remaining hours.
  const series = { userId, kind: 'price', name: 'Spot', currency: 'EUR', resolution_minutes: 60 } as const;
  const { series_id } = await createSeries(dashboard.db, series);
  await createTariffInPage(page, { series_id, add: '0.1' }, today);
  const fromMs = Date.parse(today);
  const hourly = Array.from({ length: 48 }, (_, hour) => ({
    startsAtMs: fromMs + hour * HOUR_MS,
    perKwh: castToBillionths(hour >= 44 && hour < 47 ? 50_000_000n : 200_000_000n),
  }));
  await storePrices(dashboard.db, series_id, packPrices(hourly, 60));
  await page.goto('/dashboard/home');
  const prices = page.getByRole('region', { name: 'Prices today and tomorrow' });
  await prices
    .getByText(/A kWh now costs €0.300\. Cheapest three hours from now on: \w+ 20:00 to 23:00, €0.150/)
    .waitFor();
  await prices.getByText('Prices today and tomorrow as a table').click();
  expect(await prices.locator('tbody tr').count()).toBe(48);
  await testPageLayout(page, 'home-prices');
  // A period can be opened by its address. For a period before the first reading, the page states when the data begin; for an invalid
  // address, it shows today.
  await page.goto('/dashboard/home/year/2019');
  await page.getByText('There are no readings for this period. The first readings are from').waitFor();
  await page.goto('/dashboard/home/month/2026-99');
  await findFigure(page, 'Used so far').waitFor();
  await page.close();
});
