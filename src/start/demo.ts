import { DEMO_UTILITY, ensureDemoHomes } from '#simulators/demo-homes.ts';
import { createDevicePublishers, type SimulationOptions } from '#simulators/device-publishers.ts';
import { createKey } from '#src/auth/keys.ts';
import { type Config, getLocalMqttUrl } from '#src/config/load.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createDatabase, createPool, type Database } from '#src/database/connect.ts';
import { startServiceProcesses } from './all.ts';
import {
  ensureClosedDemoBill,
  ensureDemoAlerts,
  ensureDemoGroups,
  ensureDemoSilences,
  ensureDemoTariffs,
  startStoringDemoPrices,
} from './demo-accounts.ts';
import { createConsoleSignInLink } from './sign-in-link.ts';

/** Months of history: twelve whole months and the current one. */
const HISTORY_MONTHS = 13;
/** Validity of the demo's key in days. More than 7, because the dashboard recommends replacing a key in its last 7 days. */
const KEY_DAYS = 14;
const KEY_NAME = 'Demo';

/** The running demo, with the keys and links for the person who tries it. */
export interface RunningDemo {
  baseUrl: string;
  /** Key of the demo utility, valid until the next start of the demo or for 14 days. */
  apiKey: string;
  users: { userId: string; email: string; timezone: string }[];
  /** Single-use links that sign in to the dashboard as the first home, the utility, and the administrator (if this start created one). */
  links: { home: string | null; fleet: string | null; admin: string | null };
  /** Key of the first administrator if this start created it, otherwise null. It is shown only once. */
  adminKey: string | null;
  certificateFile: string;
  dataDir: string;
  /** Number of historical readings that were sent, and the time until all were stored. */
  backfill: { readings: number; seconds: number };
  stop(): Promise<void>;
}

/** Receives the progress of sending the history: first the total number of readings, then the numbers of sent readings. */
interface BackfillProgress {
  start(total: number, done: number): void;
  increment(readings: number): void;
  stop(): void;
}

/** Starts the whole service with simulated homes: accounts with 13 months of history, and live readings from now on. */
export async function startDemo(
  given: Config,
  options: SimulationOptions,
  progress: BackfillProgress,
  signal?: AbortSignal,
): Promise<RunningDemo> {
  const service = await startServiceProcesses(given, signal);
  const { config } = service;
  const pool = createPool(service.databaseUrl, { max: 4, applicationName: 'energy demo' });
  const closing: (() => Promise<void>)[] = [() => pool.end(), () => service.stop()];
  const stop = async () => {
    for (const close of closing.splice(0)) await close();
  };
  try {
    const db = createDatabase(pool);
    const homes = await ensureDemoHomes(db, { historyMonths: HISTORY_MONTHS, nowMs: Date.now() });
    await ensureDemoTariffs(db, homes, new Date());
    await ensureDemoSilences(db, homes, new Date());
    closing.unshift(startStoringDemoPrices(db, homes));
    const mqttUrl = getLocalMqttUrl(config);
    const players = await createDevicePublishers(mqttUrl, homes.devices, options);
    closing.unshift(() => players.close());
    signal?.throwIfAborted();
    const backfill = await sendHistory(players, progress, signal, () =>
      ensureDemoAlerts(db, config, homes, new Date()),
    );
    await ensureClosedDemoBill(db, homes, new Date());
    await ensureDemoGroups(db, homes);
    players.live();
    return {
      baseUrl: config.publicUrl,
      apiKey: await replaceKey(db, homes.utilityId, config.environment),
      links: {
        home: await createConsoleSignInLink(db, config, homes.users[0]?.email ?? ''),
        fleet: await createConsoleSignInLink(db, config, DEMO_UTILITY),
        admin: service.signInLink,
      },
      users: homes.users,
      adminKey: service.adminKey,
      certificateFile: service.certFile,
      dataDir: config.dataDir,
      backfill,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sends the history of the homes, and calls `ensureAlerts` before its last two days. */
async function sendHistory(
  players: Awaited<ReturnType<typeof createDevicePublishers>>,
  progress: BackfillProgress,
  signal: AbortSignal | undefined,
  ensureAlerts: () => Promise<void>,
): Promise<RunningDemo['backfill']> {
  // Closing the simulated devices stops the sending of the history, so that Ctrl-C ends the demo at once.
  const abort = () => void players.close();
  signal?.addEventListener('abort', abort, { once: true });
  const began = performance.now();
  progress.start(players.missing(Date.now()), 0);
  const onSent = (readings: number) => progress.increment(readings);
  try {
    // An alert that existed before these readings would be evaluated for each hour of 13 months.
    const before = await players.backfill(Date.now() - 2 * DAY_MS, onSent);
    await ensureAlerts();
    const readings = before + (await players.backfill(Date.now(), onSent));
    return { readings, seconds: (performance.now() - began) / 1000 };
  } finally {
    progress.stop();
    signal?.removeEventListener('abort', abort);
  }
}

/** Revokes the key of an earlier start of the demo, creates a new key and returns it. */
async function replaceKey(db: Database, userId: string, environment: Config['environment']): Promise<string> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: new Date() })
    .where('user_id', '=', userId)
    .where('name', '=', KEY_NAME)
    .where('revoked_at', 'is', null)
    .execute();
  const expiresAt = new Date(Date.now() + KEY_DAYS * DAY_MS);
  return (await createKey(db, { userId, name: KEY_NAME, expiresAt, environment })).key;
}
