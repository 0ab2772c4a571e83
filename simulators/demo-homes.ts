import type { Database } from '#src/database/connect.ts';
import { createUser } from '#src/users/store.ts';
import { rotateSecret } from './credentials.ts';
import { createHome, type SimulatedHome } from './home-clock.ts';
import { traitsOf } from './homes.ts';
import { ensureOwnDevice } from './own-devices.ts';

const DAY_MS = 86_400_000;
/** E-mail address of the demo's utility, which sees all of its homes. */
export const DEMO_UTILITY = 'utility@demo.example';

/** Where the demo's homes are; each is its own seed. */
const HOMES = [
  { email: 'anna@demo.example', timezone: 'Europe/Berlin' },
  { email: 'ben@demo.example', timezone: 'Europe/London' },
  { email: 'chiara@demo.example', timezone: 'Europe/Rome' },
  { email: 'daan@demo.example', timezone: 'Europe/Amsterdam' },
  { email: 'emma@demo.example', timezone: 'America/New_York' },
  { email: 'farid@demo.example', timezone: 'America/Los_Angeles' },
];

/** Where a home's devices are said to be. */
const LOCATIONS = { smart_meter: 'Meter cupboard', thermostat: 'Living room' };

/** A device that the demo plays, with the secret of this start. */
export interface DemoDevice {
  kind: 'smart_meter' | 'thermostat';
  deviceId: string;
  secret: string;
  home: SimulatedHome;
  /** Time of its last reading in the database, or the start of its history where it has none. */
  knownUntilMs: number;
}

/** The accounts of the demo. */
export interface DemoHomes {
  utilityId: string;
  users: { userId: string; email: string }[];
  devices: DemoDevice[];
}

/** Finds the demo's accounts and devices or creates them, and gives each device a new secret. */
export async function ensureDemoHomes(
  db: Database,
  options: { historyDays: number; nowMs: number },
): Promise<DemoHomes> {
  const utilityId =
    (await findUser(db, DEMO_UTILITY)) ??
    (await createUser(db, { email: DEMO_UTILITY, role: 'utility', plan: 'enterprise' })).user_id;
  const users: DemoHomes['users'] = [];
  const devices: DemoDevice[] = [];
  for (const { email, timezone } of HOMES) {
    const userId =
      (await findUser(db, email)) ??
      (await createUser(db, { email, role: 'homeowner', timezone, enrolledBy: utilityId })).user_id;
    users.push({ userId, email });
    for (const kind of ['smart_meter', 'thermostat'] as const) {
      devices.push(await ensureDevice(db, { userId, email, timezone, kind, location: LOCATIONS[kind] }, options));
    }
  }
  return { utilityId, users, devices };
}

async function findUser(db: Database, email: string): Promise<string | undefined> {
  const found = await db.selectFrom('users').select('user_id').where('email', '=', email).executeTakeFirst();
  return found?.user_id;
}

/** Finds a simulated device of a user or creates it, and gives it a new secret. Devices that the user paired are left alone. */
export async function ensureDevice(
  db: Database,
  place: { userId: string; email: string; timezone: string; kind: DemoDevice['kind']; location: string },
  { historyDays, nowMs }: { historyDays: number; nowMs: number },
): Promise<DemoDevice> {
  const { deviceId, createdAt, lastReadAtMs } = await ensureOwnDevice(db, place);
  // The register counts from an instant that later starts find again; its history is the same on each of them.
  const installedAtMs = createdAt.getTime() - historyDays * DAY_MS;
  const home = createHome(traitsOf(place.email, offsetMinutes(place.timezone, createdAt)), installedAtMs);
  return {
    kind: place.kind,
    deviceId,
    secret: await rotateSecret(db, deviceId),
    home,
    knownUntilMs: Math.min(nowMs, Math.max(lastReadAtMs ?? 0, home.installedAtMs)),
  };
}

/** Minutes east of UTC of a zone at one time. Kept for all of the history: simulated people ignore daylight saving. */
function offsetMinutes(timeZone: string, at: Date): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const match = /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === 'timeZoneName')?.value ?? '');
  return match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
}
