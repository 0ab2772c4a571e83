import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished, TestRunner } from 'vitest';
import { LANGUAGES } from '#src/dashboard/words/words.ts';

/** Path of the browser: Debian's headless Chromium, or the value of CHROMIUM. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** Folder of screenshots. It is not in the repository. */
const PICTURES = resolve(import.meta.dirname, '../../artifacts/screenshots');

export const SCREEN_SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } } as const;

/** Chromium arguments that avoid separate processes, which reduces the CPU time of a page to a fifth. */
const FEWER_PROCESSES = [
  ...['--disable-gpu', '--in-process-gpu', '--enable-features=NetworkServiceInProcess2'],
  ...['--disable-site-isolation-trials', '--process-per-site', '--renderer-process-limit=1'],
];

export async function startBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM))
    throw new Error(`There is no ${CHROMIUM}: apt-get install chromium-headless-shell, or set CHROMIUM.`);
  // Chromium's sandbox is off, because root cannot use it. Certificate errors are ignored for the whole browser, because a service worker
  // ignores the setting of a page.
  return chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--ignore-certificate-errors', ...FEWER_PROCESSES],
  });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser that all test files of this process share. It ends with the process. */
export function openBrowser(): Promise<Browser> {
  shared ??= startBrowser();
  return shared;
}

/**
 * Creates a browser context without cookies. `problems` collects requests to other hosts, violations of the content security policy, and
 * script errors. `isKept`: whether the service worker caches visited pages (default: false).
 */
export async function createBrowserContext(
  browser: Browser,
  baseUrl: string,
  problems: string[],
  isKept = false,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: baseUrl,
    ignoreHTTPSErrors: true,
    serviceWorkers: isKept ? 'allow' : 'block',
    viewport: SCREEN_SIZES.desktop,
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  closeWithTest(context);
  // This time limit is shorter than the test's, so that the error names the element that did not appear.
  context.setDefaultTimeout(300_000);
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (!/^(data|blob):$/.test(url.protocol) && url.origin !== baseUrl) problems.push(`request to ${request.url()}`);
  });
  context.on('weberror', (error) => problems.push(`${error.page()?.url()}: ${error.error().stack}`));
  context.on('console', (message) => {
    // Ignores the message that Chromium logs for each response that is not 2xx.
    const isAnswer = /Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isAnswer) problems.push(`${message.page()?.url()}: ${message.text()}`);
  });
  return context;
}

/**
 * Closes the context at the end of the current test, because open pages cost CPU time. If the test failed, first prints the URLs and texts
 * of the pages, and the failed requests.
 */
function closeWithTest(context: BrowserContext): void {
  if (TestRunner.getCurrentTest() === undefined) return;
  const failed: string[] = [];
  context.on('requestfailed', (request) => failed.push(`${request.url()}: ${request.failure()?.errorText}`));
  onTestFinished(async ({ task }) => {
    for (const page of task.result?.state === 'fail' ? context.pages() : []) {
      const text = await page.innerText('body', { timeout: 5_000 }).catch(({ message }: Error) => message);
      console.log(`${page.url()} shows: ${text}`);
    }
    if (task.result?.state === 'fail') console.log('failed requests:', failed);
    await context.close();
  });
}

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** Options of axe that omit unneeded work. */
const AXE_OPTIONS = { resultTypes: ['violations'], preload: false };

/** Fails if axe-core finds a violation on the page. `rules`: rules to check; by default all. */
async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(readFileSync(AXE, 'utf8'));
  const violations = await page.evaluate(
    async (options) => {
      const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } };
      return (await axe.run(options)).violations;
    },
    rules ? { ...AXE_OPTIONS, runOnly: rules } : AXE_OPTIONS,
  );
  const findings = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    where: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
  }));
  expect(findings).toEqual([]);
}

/**
 * Tested combinations of size and colour scheme. Two combinations are enough to test both sizes and both schemes, because no finding of axe
 * depends on a combination.
 */
const LOOKS = [
  ['phone', 'dark', undefined],
  ['desktop', 'light', ['color-contrast']],
] as const;

/** Rules of axe whose findings depend on a page's texts. Only these are tested in further languages. */
export const AXE_RULES_FOR_TEXTS: readonly string[] = [
  ...[
    'area-alt',
    'aria-command-name',
    'aria-dialog-name',
    'aria-input-field-name',
    'aria-meter-name',
    'aria-progressbar-name',
  ],
  ...['aria-toggle-field-name', 'aria-tooltip-name', 'button-name', 'document-title', 'empty-heading', 'html-has-lang'],
  ...[
    'html-lang-valid',
    'image-alt',
    'input-button-name',
    'label',
    'link-name',
    'select-name',
    'summary-name',
    'svg-img-alt',
  ],
  ...['scrollable-region-focusable', 'table-duplicate-name', 'valid-lang'],
];

/** With EVERY_LOOK=1, each page is tested by all rules in each size, colour scheme and language, which takes twenty times as long. */
const EVERY_LOOK = process.env.EVERY_LOOK === '1';
const ALL_LOOKS = [
  ['phone', 'dark', undefined],
  ['phone', 'light', undefined],
  ['desktop', 'dark', undefined],
  ['desktop', 'light', undefined],
] as const;

/**
 * Tests the page at every size and in every colour scheme: nothing is wider than the screen, and axe finds no violation. With PICTURES=1,
 * saves screenshots. `only`: the single size to test. `rules`: rules of axe; by default all.
 */
export async function testPageLayout(
  page: Page,
  name: string,
  only?: keyof typeof SCREEN_SIZES,
  rules?: readonly string[],
): Promise<void> {
  // Before the page has loaded, axe would fetch style sheets, which violates the content security policy.
  await page.waitForLoadState();
  // While a dialog is open, the language cannot be changed.
  const isFree = (await page.getByRole('dialog').count()) === 0;
  const isDashboard = new URL(page.url()).pathname.startsWith('/dashboard');
  if (!EVERY_LOOK || only !== undefined || !isFree || !isDashboard)
    return testPageLayoutInCurrentLanguage(page, name, only, rules);
  const now = await page.locator('html').getAttribute('lang');
  for (const language of [...Object.keys(LANGUAGES).filter((one) => one !== now), now ?? 'en']) {
    await chooseLanguage(page, language);
    await testPageLayoutInCurrentLanguage(page, `${name}-${language}`);
  }
}

/** Changes the language of a dashboard page, as the select box on the Account page does. */
export async function chooseLanguage(page: Page, language: string): Promise<void> {
  await page.evaluate(`import('/dashboard/app/words/choice.js').then((one) => one.chooseLanguage('${language}'))`);
  await page.locator(`html[lang=${language}]`).waitFor();
}

/** Opens another page of the dashboard by its path, like a click on a link. `page.goto` would load all modules again. */
export async function showDashboardPage(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
}

/** Returns the names of select boxes in a dialog that are narrower than their longest option or cut off by the dialog's edge. */
export const findTruncatedSelects = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('dialog select')].filter((select) => {
    const { width, right } = select.getBoundingClientRect();
    const given = select.style.cssText;
    select.style.cssText = 'width: max-content; max-width: none';
    const wanted = select.getBoundingClientRect().width;
    select.style.cssText = given;
    return wanted > width + 1 || right > select.closest('dialog').getBoundingClientRect().right;
  }).map((select) => select.ariaLabel ?? select.name)`);

/** Tests the page at every size in its current language, for pages without a network. */
export async function testPageLayoutInCurrentLanguage(
  page: Page,
  name: string,
  only?: keyof typeof SCREEN_SIZES,
  some?: readonly string[],
): Promise<void> {
  for (const [size, colorScheme, rules] of EVERY_LOOK ? ALL_LOOKS : LOOKS) {
    if (only !== undefined && size !== only) continue;
    await page.setViewportSize(SCREEN_SIZES[size]);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    // Waits until the colours of the new scheme are shown.
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished))`);
    const tooWide = () =>
      page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    // Charts adapt to a new size with a short delay.
    await expect.poll(tooWide, { message: `${name} is wider than a ${size}` }).toBe(0);
    await expectAccessible(page, EVERY_LOOK ? rules : (some ?? rules));
    if (process.env.PICTURES !== '1') continue;
    mkdirSync(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`), fullPage: true });
  }
}
