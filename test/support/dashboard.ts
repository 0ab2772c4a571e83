import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import mqtt, { type MqttClient } from 'mqtt';
import type { Browser, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import { expect } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { readingsTopic } from '#src/devices/topics.ts';
import { createUser, type Role } from '#src/users/store.ts';
import { newBrowserContext, openBrowser } from './browser.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { freePort } from './free-port.ts';
import { type RoleProcess, startRole, temporaryFolder } from './service.ts';

/** The service's three roles as separate processes, and a browser. */
export interface Dashboard {
  database: TestDatabase;
  db: Database;
  /** URL of the API, without a trailing slash. */
  url: string;
  /** URL of the embedded broker, without TLS. */
  mqttUrl: string;
  /** PEM file of the service's certificate. */
  certFile: string;
  roles: Record<'api' | 'ingest' | 'worker', RoleProcess>;
  browser: Browser;
  user(email: string, role?: Role, enrolledBy?: string): Promise<string>;
  /** Pairs a device and connects as it. `publish` resolves when the service has stored the readings. */
  device(userId: string, type?: string): Promise<{ deviceId: string; publish(readings: unknown): Promise<void> }>;
  /** Opens a page without being signed in. For `isKept` see newBrowserContext. */
  open(path: string, isKept?: boolean): Promise<Page>;
  /**
   * Returns and removes the last sign-in mail to an address with its link and code, or its confirmation mail with its
   * link.
   */
  mailTo(email: string): Promise<{ link: string; code: string; text: string }>;
  /** Signs in like a person: requests a mail and follows its link. */
  signIn(email: string, isKept?: boolean): Promise<Page>;
  /** Ends everything. Fails if a page violated a rule for all pages (test/support/browser.ts). */
  close(): Promise<void>;
}

/** Starts the dashboard. `env` applies to all roles. */
export async function startDashboard(env: Record<string, string> = {}): Promise<Dashboard> {
  const [database, folder, browser, port, mqttPort, mqttsPort] = await Promise.all([
    testDatabase(),
    temporaryFolder(),
    openBrowser(),
    // Ports are chosen before the roles start, because links in mails and pairing instructions contain them.
    freePort(),
    freePort(),
    freePort(),
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
  // The first role creates the certificate and the secret that the others also use.
  const api = await startRole('api', { ...all, API_PORT: String(port) });
  const [ingest, worker] = await Promise.all([startRole('ingest', all), startRole('worker', all)]);
  const db = createDatabase(database.pool);
  const problems: string[] = [];
  const clients: MqttClient[] = [];
  const mails = join(folder.path, 'mail');

  const dashboard: Dashboard = {
    database,
    db,
    url,
    mqttUrl: `mqtt://127.0.0.1:${ingest.ready.port}`,
    certFile: join(folder.path, 'tls/cert.pem'),
    roles: { api, ingest, worker },
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
        client.publishAsync(readingsTopic(deviceId), JSON.stringify(readings), { qos: 1 });
      return { deviceId, publish: async (readings) => void (await send(readings)) };
    },
    async open(path, isKept) {
      const person = await newBrowserContext(browser, url, problems, isKept);
      const page = await person.newPage();
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
    async signIn(email, isKept) {
      const page = await dashboard.open('/dashboard', isKept);
      await page.getByLabel('E-mail').fill(email);
      await page.getByRole('button', { name: 'Mail me a link' }).click();
      await page.getByLabel('Code').waitFor();
      await page.goto((await dashboard.mailTo(email)).link);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      return page;
    },
    async close() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      for (const client of clients) await client.endAsync(true);
      await Promise.all([api, ingest, worker].map((role) => role.stop()));
      await database.drop();
      await folder.remove();
      expect(problems).toEqual([]);
    },
  };
  return dashboard;
}
