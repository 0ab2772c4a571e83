import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { LANGUAGES, type Language, words } from '#src/dashboard/words/words.ts';
import { AXE_RULES_FOR_TEXTS, chooseLanguage, showDashboardPage, testPageLayout } from '#test/support/browser.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { createOrdinaryHomeTraits } from '#test/support/simulated-year.ts';
import { loadWords } from '#test/support/words.ts';

const QUARTER_HOUR_MS = 900_000;
const DAY_MS = 96 * QUARTER_HOUR_MS;
const DAYS = 45;
const HEATER_HOURS = 26;

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await startDashboard({}, ['ingest']);
});
afterAll(() => dashboard.close());

test('describes a heater that was left on yesterday in plain words, with its comparison, and forecasts the month’s end', async () => {
  const userId = await dashboard.user('forgetful@example.com');
  const meter = await dashboard.device(userId);
  const untilMs = Math.floor(Date.now() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const heater = {
    kind: 'forgotten heater',
    fromMs: untilMs - HEATER_HOURS * 4 * QUARTER_HOUR_MS,
    toMs: Infinity,
  } as const;
  const home = createSimulatedHome(
    { ...createOrdinaryHomeTraits('flat', 'forgetful'), faults: [heater] },
    untilMs - DAYS * DAY_MS,
  );
  const readings: { ts: string; energy_total_kwh: number }[] = [];
  for (let ms = home.installedAtMs; ms <= untilMs; ms += QUARTER_HOUR_MS) {
    const energy_total_kwh = home.at(ms).registerMilliwattHours / 1e6;
    readings.push({ ts: new Date(ms).toISOString(), energy_total_kwh });
  }
  for (let at = 0; at < readings.length; at += 1_500) await meter.publish(readings.slice(at, at + 1_500));

  const page = await dashboard.signIn('forgetful@example.com');
  const remarks = page.getByRole('region', { name: 'Worth knowing' });
  await remarks.getByText(/^Something stays on: since .* never used less than 1,[23]\d\d W\./).waitFor();
  expect(await remarks.getByRole('listitem').count()).toBe(1);
  await remarks.getByText('Values for comparison').click();
  const rows = remarks.getByRole('row');
  expect(await rows.count()).toBeGreaterThan(25);
  expect(await rows.last().textContent()).toMatch(/\(this one\)1,[23]\d\d W$/);
  expect(await remarks.getByRole('img').getAttribute('aria-label')).toMatch(
    /^\d\d earlier days, mostly \d+ W; this day 1,/,
  );

  const forecast = page.getByRole('region', { name: 'Forecast for this month' });
  expect(await forecast.textContent()).toMatch(/About [\d.,]+ kWh by the end of the month\./);
  expect(await forecast.textContent()).toMatch(/between [\d.,]+ kWh and [\d.,]+ kWh\. .+ in 80 of 100 months\./);
  await testPageLayout(page, 'home-plain-words');
  // On a phone, the page shows this remark (notice about unusual usage) in every other language, too.
  for (const language of (Object.keys(LANGUAGES) as Language[]).filter((one) => one !== 'en')) {
    await loadWords(language);
    await chooseLanguage(page, language);
    const remarkRegion = page.getByRole('region', { name: words().home.plainWords.title });
    await remarkRegion.getByText(words().home.plainWords.compared.title).click();
    await page.getByRole('region', { name: words().home.plainWords.forecast.title }).waitFor();
    await testPageLayout(page, `home-plain-words-${language}`, 'phone', AXE_RULES_FOR_TEXTS);
  }
  await loadWords('en');
  await chooseLanguage(page, 'en');
  // A device's page contains no forecast of the month, only a home's page does.
  await showDashboardPage(page, `/dashboard/devices/${meter.deviceId}`);
  await page.getByRole('heading', { level: 1, name: 'Test' }).waitFor();
  await forecast.waitFor({ state: 'detached' });
  await page.close();
});
