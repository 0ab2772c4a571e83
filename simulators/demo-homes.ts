import { omitUndefined } from '#src/core/omit-undefined.ts';
import { DAY_MS, HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { createUser } from '#src/users/store.ts';
import {
  computeHistoryStartMs,
  type DemoDevice,
  type DemoHistory,
  getUtcOffsetMinutes,
  METER_READING_CADENCE,
  prepareDemoDevice,
  THERMOSTAT_READING_CADENCE,
} from './demo-device.ts';
import {
  createSenmlVolumeRecord,
  ensureDemoGateway,
  type GatewayLogin,
  pairDeviceBehindGateway,
} from './demo-gateway.ts';
import { createDemoHouse, createHouseRegisters, type DemoHouse } from './demo-house.ts';
import { DEMO_HOME_PLANS, type DemoDevicePlan, type DemoHomePlan } from './demo-plans.ts';
import { createRegisterReading } from './devices/native-meter.ts';
import { createRoomReading } from './devices/native-thermostat.ts';
import { ensureHomeOfEarlierDemo } from './earlier-homes.ts';
import { drawHomeTraits } from './homes.ts';
import { ensureSimulatorDevice, hasSimulatorDevice, type SimulatorDevice } from './own-devices.ts';

/** E-mail address of the demo's utility account, which can access all homes of the demo. */
export const DEMO_UTILITY = 'utility@demo.example';

/**
 * Number of days for which a new device's history has quarter-hourly readings. Hourly charts and remarks (notices about unusual usage) use
 * this many days.
 */
const FINE_DAYS = 75;

/** An account of the demo with its home. */
export interface DemoHome {
  userId: string;
  email: string;
  timezone: string;
  /** Whether an earlier version of the demo created the home. Such a home continues unchanged. */
  isEarlier: boolean;
  devices: DemoDevice[];
  /** Returns the energy in kWh that the home uses between two times (Unix ms). Returns 0 for a home of an earlier version. */
  usedKwh(fromMs: number, toMs: number): number;
}

/** The accounts of the demo. */
export interface DemoHomes {
  utilityId: string;
  users: DemoHome[];
  devices: DemoDevice[];
}

/** Finds or creates the demo's accounts and devices, and creates a new secret for each device. */
export async function ensureDemoHomes(db: Database, history: DemoHistory): Promise<DemoHomes> {
  const utilityId =
    (await findUser(db, DEMO_UTILITY)) ??
    (await createUser(db, { email: DEMO_UTILITY, role: 'utility', plan: 'enterprise', timezone: 'UTC' })).user_id;
  const users: DemoHome[] = [];
  for (const plan of DEMO_HOME_PLANS) {
    const { email, timezone } = plan;
    const userId =
      (await findUser(db, email)) ??
      (await createUser(db, { email, role: 'homeowner', timezone, enrolledBy: utilityId })).user_id;
    // The meter is the first device of every home. If the home has devices but no meter of this kind, an earlier version created the home.
    if (!(await hasSimulatorDevice(db, { userId, kind: 'meter' })) && (await hasDevices(db, userId))) {
      const devices = await ensureHomeOfEarlierDemo(db, { userId, email, timezone }, history);
      users.push({ userId, email, timezone, isEarlier: true, devices, usedKwh: () => 0 });
    } else users.push(await ensureHome(db, plan, userId, history));
  }
  return { utilityId, users, devices: users.flatMap(({ devices }) => devices) };
}

async function findUser(db: Database, email: string): Promise<string | undefined> {
  const found = await db.selectFrom('users').select('user_id').where('email', '=', email).executeTakeFirst();
  return found?.user_id;
}

async function hasDevices(db: Database, userId: string): Promise<boolean> {
  const query = db.selectFrom('devices').select('device_id').where('user_id', '=', userId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

async function ensureHome(db: Database, plan: DemoHomePlan, userId: string, history: DemoHistory): Promise<DemoHome> {
  const { email, timezone } = plan;
  const gateway = plan.devices.some(({ meterName }) => meterName !== undefined)
    ? await ensureDemoGateway(db, userId)
    : undefined;
  const found: { device: DemoDevicePlan; own: SimulatorDevice }[] = [];
  for (const device of plan.devices) found.push({ device, own: await ensurePlanned(db, userId, device, gateway) });
  // All devices use the simulation that begins with the home's first meter, even if the meter is replaced later.
  const firstAt = (found[0] as (typeof found)[number]).own.firstCreatedAt;
  const utcOffsetMinutes = getUtcOffsetMinutes(timezone, firstAt);
  const traits = {
    ...drawHomeTraits(email, utcOffsetMinutes),
    ...plan.traits(firstAt.getTime(), utcOffsetMinutes),
  };
  const house = createDemoHouse(traits, plan.panels);
  const devices: DemoDevice[] = [];
  for (const { device, own } of found) {
    const silence = silenceOf(plan, device.key, firstAt.getTime());
    devices.push({ ...(await prepare(db, house, device, own, history, gateway)), ...omitUndefined({ silence }) });
  }
  return {
    userId,
    email,
    timezone,
    isEarlier: false,
    devices,
    usedKwh(fromMs, toMs) {
      const { at } = createHouseRegisters(house, ['load'], fromMs);
      const register = (atMs: number) => at(atMs).meters[0]?.registerMilliwattHours ?? 0;
      const before = register(fromMs);
      return (register(toMs) - before) / 1e6;
    },
  };
}

/** Returns the silent period of a device, which begins and ends at full hours; undefined if there is none. */
function silenceOf({ silence }: DemoHomePlan, key: string, firstAtMs: number): DemoDevice['silence'] {
  if (!silence?.keys.includes(key)) return undefined;
  const fromMs = (Math.floor(firstAtMs / HOUR_MS) - silence.hoursBefore) * HOUR_MS;
  return { fromMs, toMs: fromMs + silence.hours * HOUR_MS };
}

const ensurePlanned = (
  db: Database,
  userId: string,
  { key, registers: _, meterName, ...settings }: DemoDevicePlan,
  gateway: GatewayLogin | undefined,
): Promise<SimulatorDevice> => {
  const place = { userId, kind: key, ...settings };
  return meterName !== undefined && gateway
    ? ensureSimulatorDevice(db, place, (trx, device) => pairDeviceBehindGateway(trx, gateway, meterName, device))
    : ensureSimulatorDevice(db, place);
};

/**
 * Prepares a planned device for publishing. The time at which its registers are zero depends only on stored data, so that each start of the
 * demo computes the same registers.
 */
function prepare(
  db: Database,
  house: DemoHouse,
  { key: kind, registers, meterName }: DemoDevicePlan,
  own: SimulatorDevice,
  history: DemoHistory,
  gateway: GatewayLogin | undefined,
): Promise<DemoDevice> {
  const flows = registers.map(([flow]) => flow);
  const seen = createHouseRegisters(house, flows, computeHistoryStartMs(own, history));
  const { installedAtMs } = seen;
  const hourlyBeforeMs = Math.floor((own.createdAt.getTime() - FINE_DAYS * DAY_MS) / HOUR_MS) * HOUR_MS;
  if (registers.length === 0)
    return prepareDemoDevice(db, own, history, {
      kind,
      cadence: { ...THERMOSTAT_READING_CADENCE, liveSeconds: 60 },
      installedAtMs,
      readings: (atMs) => [createRoomReading(seen.at(atMs).room, atMs)],
    });
  if (meterName !== undefined && gateway)
    return prepareDemoDevice(
      db,
      own,
      history,
      {
        kind,
        cadence: { ...THERMOSTAT_READING_CADENCE, liveSeconds: 60 },
        installedAtMs,
        readings: (atMs) => seen.at(atMs).meters.map((meter) => createSenmlVolumeRecord(kind, meterName, meter, atMs)),
      },
      gateway,
    );
  return prepareDemoDevice(db, own, history, {
    kind,
    cadence: { ...METER_READING_CADENCE, hourlyBeforeMs },
    installedAtMs,
    readings: (atMs, withPower) =>
      seen.at(atMs).meters.map((meter, index) => createRegisterReading(meter, atMs, withPower, registers[index]?.[1])),
  });
}
