import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { loadDemoConfig } from '#src/config/load.ts';
import { dayBefore } from '#src/dashboard/parts/format.ts';
import { todayInZone } from '#src/dashboard/parts/period.ts';
import { type Demo, startDemo } from '#src/start/demo.ts';
import { SCREEN_SIZES, startBrowser } from './browser.ts';
import { temporaryFolder } from './service.ts';

/** Folder of the dashboard's pictures in the README and the docs. */
export const PICTURES_FOLDER = new URL('../../docs/images/', import.meta.url);
export const COLOUR_SCHEMES = ['light', 'dark'] as const;
const QUALITY = 82;
/** Time zone of the demo's first home. */
const TIME_ZONE = 'Europe/Berlin';

/** Pictures by name. Each has the steps from the Home page, signed in as the demo's first home. */
export const SCREENSHOTS: Record<string, (page: Page) => Promise<unknown>> = {
  // Yesterday, because at night the current day has hardly any usage.
  async home(page) {
    await page.goto(`/dashboard/home/day/${dayBefore(todayInZone(TIME_ZONE))}`);
    await page.locator('.lead > div', { hasText: 'Used' }).locator('.money').waitFor();
  },
  devices: (page) => page.goto('/dashboard/devices'),
  costs: (page) => page.goto('/dashboard/tariffs'),
  async alert(page) {
    await page.goto('/dashboard/alerts');
    await page.getByRole('button', { name: 'Create an alert' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('would have fired').first().waitFor();
  },
};

/** Takes every picture of a new demo at both sizes, in light and dark. Writes no other files. */
async function takeAll(): Promise<void> {
  const [folder, browser] = await Promise.all([temporaryFolder(), startBrowser()]);
  const ports = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'].map((name) => [name, '0']);
  const env = { ...Object.fromEntries(ports), DATA_DIR: folder.path, LOG_LEVEL: 'warn' };
  // The roles are separate processes that inherit this process's environment.
  Object.assign(process.env, env);
  const silent = { start: () => {}, increment: () => {}, stop: () => {} };
  const demo = await startDemo(loadDemoConfig(env), { liveSeconds: 10, faults: [] }, silent);
  try {
    mkdirSync(PICTURES_FOLDER, { recursive: true });
    await takeOf(demo, browser);
  } finally {
    await browser.close();
    await demo.stop();
    await folder.remove();
  }
}

async function takeOf(demo: Demo, browser: Browser): Promise<void> {
  // A sign-in link works only once, so all pictures share a context, and the size is set on the page.
  const context = await browser.newContext({
    baseURL: demo.baseUrl,
    ignoreHTTPSErrors: true,
    serviceWorkers: 'block',
    locale: 'en-GB',
    timezoneId: TIME_ZONE,
    reducedMotion: 'reduce',
  });
  const first = await context.newPage();
  await first.goto(demo.links.home ?? '');
  await first.getByRole('button', { name: 'Sign in' }).click();
  await first.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await first.close();
  for (const [name, goTo] of Object.entries(SCREENSHOTS))
    for (const size of Object.keys(SCREEN_SIZES) as (keyof typeof SCREEN_SIZES)[])
      for (const scheme of COLOUR_SCHEMES) await take(context, `${name}-${size}-${scheme}`, size, scheme, goTo);
}

async function take(
  context: BrowserContext,
  file: string,
  size: keyof typeof SCREEN_SIZES,
  colorScheme: (typeof COLOUR_SCHEMES)[number],
  goTo: (page: Page) => Promise<unknown>,
): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(SCREEN_SIZES[size]);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await goTo(page);
  // The stream of live readings never ends, so this waits until no card is loading, and then a second for charts.
  await page.waitForFunction(() => {
    const { document } = globalThis;
    const texts = [...document.querySelectorAll('main [role=status]')].map(({ textContent }) => textContent);
    return document.querySelector('[aria-busy=true]') === null && !texts.includes('Loading …');
  });
  await page.waitForTimeout(1_000);
  // The picture is taken with the protocol of Chromium, because its format is smaller than playwright's own.
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const picture = Buffer.from(data, 'base64');
  writeFileSync(fileURLToPath(new URL(`${file}.webp`, PICTURES_FOLDER)), picture);
  console.log(`docs/images/${file}.webp  ${Math.round(picture.length / 1_024)} KiB`);
  await page.close();
}

if (import.meta.main) await takeAll();
