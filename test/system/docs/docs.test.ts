import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '#src/auth/apps.ts';
import { createKey } from '#src/auth/keys.ts';
import { createDevice } from '#src/devices/store.ts';
import { endAuthorizations } from '#src/users/app-access.ts';
import { testPageLayout } from '#test/support/browser.ts';
import {
  GUIDE_LANGUAGES,
  listGuideNames,
  parseGuide,
  readGuideBlocks,
  runGuideSteps,
} from '#test/support/clients/guide.ts';
import { installPythonClient, installTypescriptClient } from '#test/support/clients/packaged.ts';
import { runProgram } from '#test/support/clients/run.ts';
import { type Dashboard, startDashboard } from '#test/support/dashboard.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const guides = await listGuideNames();

let service: Dashboard;
let folder: { path: string; remove(): Promise<void> };
let python: string;

beforeAll(async () => {
  [service, folder] = await Promise.all([startDashboard(), createTemporaryFolder()]);
  const [, installed] = await Promise.all([installTypescriptClient(folder.path), installPythonClient(folder.path)]);
  python = installed;
});
afterAll(async () => {
  await service.close();
  await folder.remove();
});

const keyOf = async (userId: string) => (await createKey(service.db, { userId, environment: 'live' })).key;

describe('the guides', () => {
  test('exist for each of their languages, with steps that are run', async () => {
    expect(guides.length).toBeGreaterThanOrEqual(8);
    for (const name of guides)
      for (const language of GUIDE_LANGUAGES) {
        const own = (await parseGuide(name, language)).filter((part) => part.language === language);
        expect({ name, language, hasSteps: own.length > 0 }).toEqual({ name, language, hasSteps: true });
      }
  });

  test.concurrent.each(GUIDE_LANGUAGES)('have the documented results in %s', async (language) => {
    const admin = await keyOf(await service.user(`admin-${language}@example.com`, 'admin'));
    for (const name of guides) {
      // Each guide has its own account, so that one guide cannot use up another guide's requests per minute.
      const userId = await service.user(`${name}-${language}@example.com`);
      const { device_id: deviceId } = (await createDevice(service.db, { userId, type: 'meter', location: 'first' }))
        .device;
      for (const location of ['second', 'third']) await createDevice(service.db, { userId, type: 'meter', location });
      const used = { deviceId, userId, ...COMPLETE_QUARTER_HOUR_MEASURES };
      await addToLoadProfile(service.database, [
        { ...used, startsAtMs: Date.parse('2026-03-29T00:30:00Z'), energyMilliwattHours: 100_000 },
        { ...used, startsAtMs: Date.parse('2026-03-29T01:30:00Z'), energyMilliwattHours: 200_000 },
      ]);
      const parts = (await parseGuide(name, language)).map((part) => ({
        ...part,
        // In a sandbox, the guide's e-mail address belongs to one account. In this test, three readers follow the guide in one
        // installation, so each of them gets a different address.
        program: part.program.replaceAll('ada@example.com', `ada-${language}@example.com`),
      }));
      await runGuideSteps(parts, {
        ...{ folder: join(folder.path, 'app'), python, caFile: service.certFile, name: name.replace('.md', '') },
        env: {
          ENERGY_URL: service.url,
          ENERGY_MQTT: new URL(service.mqttUrl).host,
          ENERGY_KEY: await keyOf(userId),
          ADMIN_KEY: admin,
        },
      });
    }
  });

  test.each(['ts', 'python'] as const)(
    'have an app in %s that an owner authorizes, that refreshes its token, and that detects the end of the authorization',
    async (language) => {
      const block = (await readGuideBlocks('09-build-an-app.md')).find(
        (one) => one.file !== undefined && one.language === language,
      );
      expect(block?.source.trim().split('\n').length).toBeLessThan(80);
      const email = `app-${language}@example.com`;
      const homeId = await service.user(email);
      const now = Math.floor(Date.now() / 900_000) * 900_000;
      await (await service.device(homeId)).publish({
        ts: new Date(now).toISOString(),
        energy_kwh: 0.25,
        interval_s: 900,
      });
      const settings = {
        name: 'Seven days',
        website: 'https://example.com/',
        notification_url: null,
        type: 'public' as const,
      };
      const more = { redirect_uris: ['http://127.0.0.1/callback'], scopes: ['insights:read'] };
      const owner = await service.user(`registrar-${language}@example.com`, 'utility');
      const { app } = await createApp(service.db, owner, { ...settings, ...more }, new Date());
      const file = join(folder.path, 'app', block?.file ?? '');
      await writeFile(file, block?.source ?? '');
      const port = String(await findFreePort());
      const env = {
        ENERGY_URL: service.url,
        CLIENT_ID: app.app_id,
        PORT: port,
        NODE_NO_WARNINGS: '1',
      };
      const trust = { NODE_EXTRA_CA_CERTS: service.certFile, SSL_CERT_FILE: service.certFile, PATH: process.env.PATH };
      const command = language === 'ts' ? process.execPath : python;
      const program = spawn(command, [file], { env: { ...env, ...trust }, stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const ended = once(program, 'exit').then(([code]) => Promise.reject(new Error(`the app ended with ${code}`)));
        ended.catch(() => {});
        const printed = await Promise.race([once(program.stdout, 'data'), ended]);
        const [address = ''] = /http:\S+/.exec(String(printed[0])) ?? [];
        const signedIn = await service.signIn(email, '/dashboard/account');
        // Open the app in a new browser context. The context for the service's pages loads nothing from other hosts.
        const storageState = await signedIn.context().storageState();
        const page = await (
          await service.browser.newContext({ ignoreHTTPSErrors: true, storageState, locale: 'en-GB' })
        ).newPage();
        const shown = async () => {
          await page.goto(address);
          return page.locator('body').textContent();
        };
        await page.goto(address);
        await page.getByText('see what your home uses and produces').waitFor();
        await page.getByRole('button', { name: 'Give access' }).click();
        await page.waitForURL(address);
        await expect.poll(shown, { timeout: 20_000 }).toBe('0.25 kWh in seven days\n');

        const tokens = () =>
          service.db
            .selectFrom('oauth_tokens')
            .innerJoin('authorizations', 'authorizations.authorization_id', 'oauth_tokens.authorization_id')
            .where('user_id', '=', homeId);
        const used = async () =>
          (await tokens().where('kind', '=', 'refresh').where('consumed_at', 'is not', null).select('kind').execute())
            .length;
        expect(await used()).toBe(0);
        // Simulate that an hour has passed, after which the access token expires.
        const { token_sha256 } = await tokens()
          .where('kind', '=', 'access')
          .select('token_sha256')
          .executeTakeFirstOrThrow();
        await service.db.deleteFrom('oauth_tokens').where('token_sha256', '=', token_sha256).execute();
        await expect
          .poll(async () => [await shown(), await used()], { timeout: 20_000 })
          .toEqual(['0.25 kWh in seven days\n', 1]);

        await service.db.transaction().execute((trx) => endAuthorizations(trx, { homeIds: [homeId] }, 'home'));
        await expect.poll(shown, { timeout: 20_000 }).toContain('Seven days requests access');
        // The app rejects an authorization code that was issued to another person.
        await page.goto(`${address}/callback?code=stolen&state=x&iss=${service.url}`);
        await page.getByText('No access.').waitFor();
        await page.context().close();
        await signedIn.context().close();
      } finally {
        program.kill();
      }
    },
  );

  test('have TypeScript samples without type errors', async () => {
    const app = join(folder.path, 'app');
    const compilerOptions = {
      ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true },
      ...{ allowImportingTsExtensions: true, moduleDetection: 'force' },
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    };
    await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    await runProgram('npx', ['tsc', '-p', app], { cwd: ROOT });
  });
});

describe('the pages', () => {
  test('can be read in light and dark, on a phone, and with a screen reader', async () => {
    const page = await service.open('/docs');
    await testPageLayout(page, 'docs');
    await page.goto('/docs/reference/analytics');
    await testPageLayout(page, 'docs-reference');
    await page.context().close();
  });

  test('show one language at a time: on every page the last one chosen', async () => {
    const page = await service.open('/docs/guides/errors');
    await page.getByRole('tab', { name: 'Python' }).first().click();
    await expect.poll(() => page.getByText('except UnprocessableError').isVisible()).toBe(true);
    expect(await page.getByText('error instanceof UnprocessableError').isVisible()).toBe(false);
    await page.goto('/docs/reference/alerts#createAlert');
    await expect.poll(() => page.getByText('energy.create_alert(').isVisible()).toBe(true);
    await page.getByRole('tab', { name: 'Python' }).first().press('ArrowLeft');
    await expect.poll(() => page.getByText('energy.createAlert(').isVisible()).toBe(true);
    await page.context().close();
  });

  test('show samples with a key that a signed-in reader creates, which can only read, until it is revoked', async () => {
    const anonymous = await service.open('/docs/reference/devices');
    await anonymous.getByRole('tab', { name: 'curl' }).first().waitFor();
    const userId = await service.user('samples@example.com');
    const page = await service.signIn('samples@example.com', '/dashboard/account');
    await page.goto('/docs/reference/devices#listDevices');
    const sample = page.locator('section[aria-labelledby=listDevices] .samples');
    const shown = (language: string) => sample.locator(`[data-language=${language}] pre`).textContent();
    const served = await shown('curl');
    expect(served).toContain('"Authorization: Bearer $ENERGY_KEY"');
    await page.getByText('You are signed in as samples@example.com.').waitFor();
    const keys = () =>
      service.db
        .selectFrom('api_keys')
        .select(['key_id', 'scopes', 'expires_at', 'revoked_at'])
        .where('user_id', '=', userId)
        .execute();
    // The page must not create a key before the reader presses the button.
    expect(await keys()).toEqual([]);
    await page.getByRole('button', { name: 'Make a key for these samples' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).waitFor();
    const [made] = await keys();
    expect(made?.scopes.every((scope) => scope.endsWith(':read'))).toBe(true);
    const lastsMs = (made?.expires_at?.getTime() ?? 0) - Date.now();
    expect(lastsMs).toBeGreaterThan(86_000_000);
    expect(lastsMs).toBeLessThan(86_400_000);
    const key = /Bearer (eus_live_\w+)"/.exec((await shown('curl')) ?? '')?.[1] ?? '';
    expect(await shown('curl')).toContain(`curl "${service.url}/v1/devices"`);
    expect(await shown('TypeScript')).toContain(`new EnergyClient({ key: '${key}', baseUrl: '${service.url}' })`);
    expect(await shown('Python')).toContain(`EnergyClient("${key}", base_url="${service.url}")`);
    const status = async (method: string) =>
      (
        await page.request.fetch(`${service.url}/v1/devices`, {
          method,
          headers: { Authorization: `Bearer ${key}` },
          ...(method === 'POST' ? { data: { type: 'meter', location: 'cellar' } } : {}),
        })
      ).status();
    expect([await status('GET'), await status('POST')]).toEqual([200, 403]);
    // Other pages of the reference also contain the new key in this tab, but not in another tab.
    await page.goto('/docs/reference/analytics');
    await page.getByRole('button', { name: 'Revoke the key' }).waitFor();
    await testPageLayout(page, 'docs-own-key');
    const other = await page.context().newPage();
    await other.goto('/docs/reference/devices');
    await other.getByRole('button', { name: 'Make a key for these samples' }).waitFor();
    await other.close();
    await page.goto('/docs/reference/devices');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByRole('button', { name: 'Make a key for these samples' }).waitFor();
    expect(await shown('curl')).toBe(served);
    expect((await keys())[0]?.revoked_at).not.toBeNull();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    // The button that creates a key is only for readers who are signed in.
    expect(await anonymous.getByRole('button', { name: /key for these samples/ }).count()).toBe(0);
    await anonymous.context().close();
    await page.context().close();
  });

  test('are found by searching their text', async () => {
    const page = await service.open('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('idempot');
    const found = page.getByRole('region', { name: 'Found' });
    await found.getByRole('link', { name: 'Idempotency' }).first().click();
    await page.waitForURL('**/docs/guides/idempotency');
    await page.getByLabel('Search the documentation').fill('threshold_kwh');
    await expect.poll(() => found.getByRole('link', { name: 'POST /v1/alerts' }).count()).toBeGreaterThan(0);
    await page.context().close();
  });

  test('show a reader their first event, and leave no subscription behind', async () => {
    const userId = await service.user('first-event@example.com');
    const key = await keyOf(userId);
    const page = await service.open('/docs/guides/first-webhook');
    await page.getByLabel('An API key of yours').fill(`${key.slice(0, -1)}!`);
    await page.getByRole('button', { name: 'Send me an event' }).click();
    await page.getByText('401 Unauthorized').waitFor();
    await page.getByLabel('An API key of yours').fill(key);
    await page.getByRole('button', { name: 'Send me an event' }).click();
    await page.getByText('Its signature is right.').waitFor();
    await expect
      .poll(() => page.getByRole('group', { name: 'Body of the event' }).textContent())
      .toContain('webhook.test');
    await testPageLayout(page, 'docs-webhook');
    const remaining = await service.db
      .selectFrom('webhooks')
      .select('webhook_id')
      .where('user_id', '=', userId)
      .execute();
    expect(remaining).toEqual([]);
    await page.context().close();
  });
});
