import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { loadDemoConfig } from '#src/config/load.ts';
import { getDayBefore } from '#src/dashboard/parts/format.ts';
import { getTodayInZone } from '#src/dashboard/parts/period.ts';
import { type RunningDemo, startDemo } from '#src/start/demo.ts';
import { SCREEN_SIZES, startBrowser } from './browser.ts';
import { createTemporaryFolder } from './service.ts';

/** Folder of the dashboard's screenshots in the README and the docs. */
export const SCREENSHOTS_FOLDER = new URL('../../docs/images/', import.meta.url);
const COLOUR_SCHEMES = ['light', 'dark'] as const;
const QUALITY = 78;
/** Time zone of the demo's first home. */
const TIME_ZONE = 'Europe/Berlin';

/** Accounts whose pages are shown: the demo's first home, its utility, the administrator, and a visitor (`nobody`). */
type Account = 'home' | 'fleet' | 'admin' | 'nobody';
/** Returns the previous month as YYYY-MM. */
const lastMonth = () => {
  const [year = 0, month = 0] = getTodayInZone(TIME_ZONE).split('-').map(Number);
  return new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 7);
};

/** Functions that prepare the screenshots, by account and name. Each goes from a new page to the view of the screenshot. */
const PICTURES: Record<Account, Record<string, (page: Page) => Promise<unknown>>> = {
  home: {
    // Shows yesterday, because at night the current day has hardly any usage.
    async home(page) {
      await page.goto(`/dashboard/home/day/${getDayBefore(getTodayInZone(TIME_ZONE))}`);
      await page.locator('.lead > div', { hasText: 'Used' }).locator('.money').waitFor();
    },
    async month(page) {
      await page.goto(`/dashboard/home/month/${lastMonth()}`);
      await page.locator('.lead .money').first().waitFor();
    },
    devices: (page) => page.goto('/dashboard/devices'),
    async device(page) {
      await page.goto('/dashboard/devices');
      await page.getByRole('link', { name: 'Heat pump' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Heat pump' }).waitFor();
      await page.goto(`${page.url()}/month/${lastMonth()}`);
      await page.locator('.lead .money').first().waitFor();
    },
    costs: (page) => page.goto('/dashboard/tariffs'),
    alerts: (page) => page.goto('/dashboard/alerts'),
    async alert(page) {
      await page.goto('/dashboard/alerts');
      await page.getByRole('button', { name: 'Create an alert' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('would have fired').first().waitFor();
    },
    account: (page) => page.goto('/dashboard/account'),
    async keys(page) {
      await page.goto('/dashboard/keys');
      await page.getByRole('button', { name: 'Create New Key' }).click();
    },
    webhooks: (page) => page.goto('/dashboard/webhooks'),
  },
  fleet: {
    apps: (page) => page.goto('/dashboard/apps'),
    async bills(page) {
      await page.goto('/dashboard/bills');
      await page.getByRole('button', { name: /^Show/ }).click();
    },
    async groups(page) {
      await page.goto('/dashboard/groups');
      await page.getByRole('button', { name: 'Show Europe' }).click();
    },
    fleet: (page) => page.goto('/dashboard/fleet'),
  },
  admin: {
    async operator(page) {
      await page.goto('/dashboard/operator');
      await page.getByText('Readings stored').waitFor();
      await page.getByText('…', { exact: true }).waitFor({ state: 'detached' });
    },
  },
  nobody: { 'sign-in': (page) => page.goto('/dashboard/sign-in') },
};

type Size = keyof typeof SCREEN_SIZES;
type ColourScheme = (typeof COLOUR_SCHEMES)[number];
/** Returns the files of a page's screenshots, with size and colour scheme. */
const picturesOf = (name: string): { file: string; size: Size; colorScheme: ColourScheme }[] =>
  COLOUR_SCHEMES.filter((scheme) => scheme === 'light' || name === 'home').flatMap((colorScheme) =>
    (Object.keys(SCREEN_SIZES) as Size[]).map((size) => ({
      file: `${name}-${size}${colorScheme === 'dark' ? '-dark' : ''}.webp`,
      size,
      colorScheme,
    })),
  );

/** File names of all screenshots in the folder. */
export const SCREENSHOT_FILE_NAMES = Object.values(PICTURES).flatMap((pages) =>
  Object.keys(pages).flatMap((name) => picturesOf(name).map(({ file }) => file)),
);

/** Takes all screenshots of a newly started demo. Writes only the screenshots' files. */
async function takeAll(): Promise<void> {
  const [folder, browser] = await Promise.all([createTemporaryFolder(), startBrowser()]);
  const ports = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'].map((name) => [name, '0']);
  const env = { ...Object.fromEntries(ports), DATA_DIR: folder.path, LOG_LEVEL: 'warn' };
  // The demo's roles are separate processes, which inherit this process's environment.
  Object.assign(process.env, env);
  const silent = { start: () => {}, increment: () => {}, stop: () => {} };
  const demo = await startDemo(loadDemoConfig(env), { liveSeconds: 10, faults: [] }, silent);
  try {
    mkdirSync(SCREENSHOTS_FOLDER, { recursive: true });
    await takeOf(demo, browser);
  } finally {
    await browser.close();
    await demo.stop();
    await folder.remove();
  }
}

async function takeOf({ baseUrl, links }: RunningDemo, browser: Browser): Promise<void> {
  for (const [account, pages] of Object.entries(PICTURES)) {
    // One browser context for each account, because a sign-in link works only once.
    const context = await browser.newContext({
      baseURL: baseUrl,
      ignoreHTTPSErrors: true,
      serviceWorkers: 'block',
      locale: 'en-GB',
      timezoneId: TIME_ZONE,
      reducedMotion: 'reduce',
    });
    context.setDefaultTimeout(120_000);
    if (account !== 'nobody') await signIn(context, links[account as Exclude<Account, 'nobody'>] ?? '');
    for (const [name, goTo] of Object.entries(pages))
      for (const picture of picturesOf(name)) await take(context, picture, goTo);
    await context.close();
  }
}

async function signIn(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.close();
}

/** Maximum number of attempts for each screenshot, because a page may show an error on a busy machine. */
const ATTEMPTS = 3;

async function take(
  context: BrowserContext,
  { file, size, colorScheme }: ReturnType<typeof picturesOf>[number],
  goTo: (page: Page) => Promise<unknown>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const page = await context.newPage();
    try {
      await page.setViewportSize(SCREEN_SIZES[size]);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await goTo(page);
      await waitUntilLoaded(page);
      const picture = await pictureOf(page);
      writeFileSync(fileURLToPath(new URL(file, SCREENSHOTS_FOLDER)), picture);
      console.log(`docs/images/${file}  ${Math.round(picture.length / 1_024)} KiB`);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    } finally {
      await page.close();
    }
  }
}

/**
 * Waits until no card has been loading for two seconds. The network is never idle, because of live readings. Throws if a card failed to
 * load.
 */
async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { document } = globalThis;
    const page = globalThis as typeof globalThis & { loadedAt?: number | undefined };
    const texts = [...document.querySelectorAll('main [role=status]')].map(({ textContent }) => textContent);
    const isLoading =
      document.querySelector('main h1') === null ||
      document.querySelector('[aria-busy=true]') !== null ||
      texts.includes('Loading …');
    page.loadedAt = isLoading ? undefined : (page.loadedAt ?? performance.now());
    return page.loadedAt !== undefined && performance.now() - page.loadedAt > 2_000;
  });
  const problems = await page.locator('main .problem').allInnerTexts();
  if (problems.length > 0) throw new Error(`${page.url()} shows: ${problems.join(' ')}`);
}

/** Takes a screenshot with Chromium's protocol, which has a smaller image format than playwright. */
async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  return Buffer.from(data, 'base64');
}

if (import.meta.main) await takeAll();
