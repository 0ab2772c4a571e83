import type { DemoDevice } from '#simulators/demo-device.ts';
import { createDevicePublishers, type DevicePublishers } from '#simulators/device-publishers.ts';
import { ensureDeviceWithNewSecret } from '#simulators/earlier-homes.ts';
import { type Config, getLocalMqttUrl } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { createDatabase, createPool, type Database } from '#src/database/connect.ts';

const HISTORY_DAYS = 30;
const LOOK_EVERY_MS = 2_000;
/** Maximum number of homes whose devices a sandbox simulates. Further homes get no devices. */
const MAX_HOMES = 200;
/** Locations of simulated devices, by which users distinguish them from real ones. */
const LOCATIONS = { smart_meter: 'Simulated meter cupboard', thermostat: 'Simulated living room' };

/** Creates a meter and a thermostat with a month of history for each homeowner of the sandbox, and simulates their readings. */
export function startSandbox(config: Config, databaseUrl: string, log: Logger): { stop(): Promise<void> } {
  const pool = createPool(databaseUrl, { max: 2, applicationName: 'energy sandbox' });
  const db = createDatabase(pool);
  const mqttUrl = getLocalMqttUrl(config);
  const homes = new Map<string, DevicePublishers>();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const users = await homeowners(db);
    const known = new Set(users.map(({ user_id }) => user_id));
    for (const [userId, players] of homes) {
      if (known.has(userId)) continue;
      homes.delete(userId);
      await players.close();
    }
    for (const user of users) {
      if (stopped || homes.size >= MAX_HOMES) return;
      if (!homes.has(user.user_id)) homes.set(user.user_id, await play(db, mqttUrl, user));
    }
  }

  async function run(): Promise<void> {
    await look().catch((error: Error) => {
      if (!stopped) log.warn({ err: error }, 'sandbox devices failed, retrying');
    });
    if (!stopped) timer = setTimeout(run, LOOK_EVERY_MS);
  }

  void run();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await Promise.all([...homes.values()].map((players) => players.close()));
      await pool.end();
    },
  };
}

const homeowners = (db: Database) =>
  db
    .selectFrom('users')
    .select(['user_id', 'email', 'timezone'])
    .where('role', '=', 'homeowner')
    .orderBy('user_id')
    .execute();

async function play(
  db: Database,
  mqttUrl: string,
  user: { user_id: string; email: string; timezone: string },
): Promise<DevicePublishers> {
  const devices: DemoDevice[] = [];
  for (const kind of ['smart_meter', 'thermostat'] as const) {
    const place = { userId: user.user_id, email: user.email, timezone: user.timezone, kind, location: LOCATIONS[kind] };
    devices.push(await ensureDeviceWithNewSecret(db, place, { historyDays: HISTORY_DAYS, nowMs: Date.now() }));
  }
  const players = await createDevicePublishers(mqttUrl, devices);
  await players.backfill(Date.now(), () => {});
  players.live();
  return players;
}
