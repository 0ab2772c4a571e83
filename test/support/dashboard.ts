import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import type { Browser, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import { createSignIn, findAccountOfEmail, SIGN_IN_VALIDITY_MS } from '#src/auth/sign-ins.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createUser, type Role } from '#src/users/store.ts';
import { createBrowserContext, openBrowser } from './browser.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { findFreePort } from './free-port.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from './service.ts';

/** The service's roles as separate processes, and a browser. */
export interface Dashboard {
  database: TestDatabase;
  db: Database;
  /** URL of the API, without a trailing slash. */
  url: string;
  /** URL of the embedded broker in the ingest process, without TLS. */
  mqttUrl: string;
  /** PEM file of the service's certificate. */
  certFile: string;
  api: RoleProcess;
  browser: Browser;
  user(email: string, role?: Role, enrolledBy?: string): Promise<string>;
  /** Pairs a device and connects as this device. The promise of `publish` resolves when the readings are stored. */
  device(userId: string, type?: string): Promise<{ deviceId: string; publish(readings: unknown): Promise<void> }>;
  /** Opens a page without signing in. The page remains open until the end of the test. */
  open(path: string, isKept?: boolean): Promise<Page>;
  /** Returns the latest mail to an e-mail address, and removes it from the list. */
  mailTo(email: string): Promise<{ link: string; code: string; text: string }>;
  /** Opens a page (default: `/dashboard`) as an account. The sign-in needs no mail. */
  signIn(email: string, path?: string, isKept?: boolean): Promise<Page>;
  /**
   * Ends all processes. Fails if a page has sent a request to another host, violated the content security policy, or had a script error.
   */
  close(): Promise<void>;
}

/**
 * Starts the roles (processes) of the dashboard. `env`: environment variables of all roles. `others`: roles in addition to the API: ingest
 * for readings, the worker for alerts, deliveries or jobs.
 */
export async function startDashboard(
  env: Record<string, string> = {},
  others: readonly ('ingest' | 'worker')[] = ['ingest', 'worker'],
): Promise<Dashboard> {
  const [database, folder, browser, port, mqttPort, mqttsPort] = await Promise.all([
    createTestDatabase(),
    createTemporaryFolder(),
    openBrowser(),
    // The ports are chosen before the start, because links in mails contain the API's port.
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ]);
  const url = `https://localhost:${port}`;
  const ports = { MQTT_PORT: String(mqttPort), MQTTS_PORT: String(mqttsPort) };
  const all = {
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    LOG_LEVEL: 'error',
    PUBLIC_URL: url,
    ...ports,
    ...env,
  };
  // The first role creates the certificate and the secret that the other roles use, too.
  const api = await startRole('api', { ...all, API_PORT: String(port) });
  const roles = [api, ...(await Promise.all(others.map((role) => startRole(role, all))))];
  const db = createDatabase(database.pool);
  const problems: string[] = [];
  const clients: MqttClient[] = [];
  const mails = join(folder.path, 'mail');
  const newPage = async (isKept?: boolean) => (await createBrowserContext(browser, url, problems, isKept)).newPage();

  const dashboard: Dashboard = {
    database,
    db,
    url,
    mqttUrl: `mqtt://127.0.0.1:${mqttPort}`,
    certFile: join(folder.path, 'tls/cert.pem'),
    api,
    browser,
    user: async (email, role = 'homeowner', enrolledBy) =>
      (await createUser(db, { email, role, timezone: 'UTC', ...(enrolledBy === undefined ? {} : { enrolledBy }) }))
        .user_id,
    async device(userId, type = 'smart_meter') {
      const { device, secret } = await createDevice(db, { userId, type, location: 'Test' });
      const { device_id: deviceId } = device;
      const client = await mqtt.connectAsync(dashboard.mqttUrl, { username: deviceId, password: secret });
      clients.push(client);
      const send = (readings: unknown) =>
        client.publishAsync(getReadingsTopic(deviceId), JSON.stringify(readings), { qos: 1 });
      return { deviceId, publish: async (readings) => void (await send(readings)) };
    },
    async open(path, isKept) {
      const page = await newPage(isKept);
      await page.goto(path);
      return page;
    },
    async mailTo(email) {
      let found: { link: string; code: string; text: string } | undefined;
      await expect
        .poll(async () => {
          for (const name of (await readdir(mails).catch(() => [])).filter((one) => one.endsWith('.eml'))) {
            const mail = await PostalMime.parse(await readFile(join(mails, name)));
            if (mail.to?.[0]?.address !== email || !/^(Sign in|Confirm)/.test(mail.subject ?? '')) continue;
            const text = mail.text ?? '';
            const link = /https:\S+/.exec(text)?.[0] ?? '';
            found = { link, code: /: (\d{4} \d{4})/.exec(text)?.[1] ?? '', text };
            await rm(join(mails, name));
          }
          return found;
        })
        .toBeDefined();
      return found as NonNullable<typeof found>;
    },
    async signIn(email, path = '/dashboard', isKept) {
      const account = await findAccountOfEmail(db, email);
      if (account === null) throw new Error(`There is no account of ${email}: create it with \`user\`.`);
      // The secret is empty, because this sign-in uses no code.
      const options = { userId: account.user_id, secret: '', now: new Date(), validMs: SIGN_IN_VALIDITY_MS };
      const made = await createSignIn(db, options);
      const page = await newPage(isKept);
      const answer = await page.request.post('/dashboard/session', { data: { token: made?.token } });
      expect(answer.status(), await answer.text()).toBe(201);
      await page.goto(path);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      return page;
    },
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      for (const client of clients) await client.endAsync(true);
      await Promise.all(roles.map((role) => role.stop()));
      await database.drop();
      await folder.remove();
      expect(problems).toEqual([]);
    },
  };
  return dashboard;
}
