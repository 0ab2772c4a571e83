import type { Database } from '#src/database/connect.ts';
import type { ManagedBy } from '#src/database/enums.ts';
import { createUser } from '#src/users/store.ts';
import {
  type DemoDevice,
  type DemoHistory,
  historyStartMs,
  localOffsetMinutes,
  preparePlayedDevice,
} from './demo-device.ts';
import { ensureSolarDevices } from './demo-solar.ts';
import { meterReading } from './devices/native-meter.ts';
import { thermostatReading } from './devices/native-thermostat.ts';
import { createHome } from './home-clock.ts';
import { drawHomeTraits } from './homes.ts';
import { ensureSimulatorDevice } from './own-devices.ts';

/** E-mail address of the demo's utility, which sees all of its homes. */
export const DEMO_UTILITY = 'utility@demo.example';

/**
 * Homes of the demo with their time zones; each address is also the seed. Visitors see the first home first, so it has the most to show.
 */
const HOMES = [
  { email: 'anna@demo.example', timezone: 'Europe/Berlin', solarLatitude: 52.5 },
  // The utility manages its meter, which shows what a home may change on such a meter.
  { email: 'ben@demo.example', timezone: 'Europe/London', metersManagedBy: 'utility' as const },
  { email: 'chiara@demo.example', timezone: 'Europe/Rome' },
  { email: 'daan@demo.example', timezone: 'Europe/Amsterdam' },
  { email: 'emma@demo.example', timezone: 'America/New_York' },
  { email: 'farid@demo.example', timezone: 'America/Los_Angeles' },
];

/** Locations of a home's devices. */
const LOCATIONS = { smart_meter: 'Meter cupboard', thermostat: 'Living room' };

/** The accounts of the demo. */
export interface DemoHomes {
  utilityId: string;
  users: { userId: string; email: string }[];
  devices: DemoDevice[];
}

/** Finds or creates the demo's accounts and devices, and gives each device a new secret. */
export async function ensureDemoHomes(db: Database, history: DemoHistory): Promise<DemoHomes> {
  const utilityId =
    (await findUser(db, DEMO_UTILITY)) ??
    (await createUser(db, { email: DEMO_UTILITY, role: 'utility', plan: 'enterprise', timezone: 'UTC' })).user_id;
  const users: DemoHomes['users'] = [];
  const devices: DemoDevice[] = [];
  for (const { email, timezone, solarLatitude, metersManagedBy } of HOMES) {
    const userId =
      (await findUser(db, email)) ??
      (await createUser(db, { email, role: 'homeowner', timezone, enrolledBy: utilityId })).user_id;
    users.push({ userId, email });
    const place = { userId, email, timezone };
    const ensure = (kind: 'smart_meter' | 'thermostat', managedBy: ManagedBy = 'owner') =>
      ensureDevice(db, { ...place, kind, location: LOCATIONS[kind], managedBy }, history);
    if (solarLatitude === undefined) devices.push(await ensure('smart_meter', metersManagedBy));
    else devices.push(...(await ensureSolarDevices(db, place, solarLatitude, LOCATIONS.smart_meter, history)));
    devices.push(await ensure('thermostat'));
  }
  return { utilityId, users, devices };
}

async function findUser(db: Database, email: string): Promise<string | undefined> {
  const found = await db.selectFrom('users').select('user_id').where('email', '=', email).executeTakeFirst();
  return found?.user_id;
}

/** Finds or creates a simulated device of a user, and gives it a new secret. Devices that the user paired are not changed. */
export async function ensureDevice(
  db: Database,
  place: {
    userId: string;
    email: string;
    timezone: string;
    kind: 'smart_meter' | 'thermostat';
    location: string;
    managedBy?: ManagedBy;
  },
  history: DemoHistory,
): Promise<DemoDevice> {
  const own = await ensureSimulatorDevice(db, place);
  // The register starts at an instant that later starts of the demo also compute, so its history is always the same.
  const traits = drawHomeTraits(place.email, localOffsetMinutes(place.timezone, own.createdAt));
  const home = createHome(traits, historyStartMs(own, history));
  return preparePlayedDevice(db, own, history, {
    kind: place.kind,
    installedAtMs: home.installedAtMs,
    readings: (atMs, withPower) =>
      place.kind === 'smart_meter' ? [meterReading(home, atMs, withPower)] : [thermostatReading(home, atMs)],
  });
}
