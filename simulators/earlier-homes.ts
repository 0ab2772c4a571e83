import type { Database } from '#src/database/connect.ts';
import type { DeviceManager } from '#src/database/enums.ts';
import {
  computeHistoryStartMs,
  type DemoDevice,
  type DemoHistory,
  getUtcOffsetMinutes,
  METER_READING_CADENCE,
  prepareDemoDevice,
  THERMOSTAT_READING_CADENCE,
} from './demo-device.ts';
import { ensureSolarDevices } from './demo-solar.ts';
import { createMeterReading } from './devices/native-meter.ts';
import { createThermostatReading } from './devices/native-thermostat.ts';
import { createSimulatedHome } from './home-clock.ts';
import { drawHomeTraits } from './homes.ts';
import { ensureSimulatorDevice } from './own-devices.ts';

/** Locations of a home's devices, by their type. */
const LOCATIONS = { smart_meter: 'Meter cupboard', thermostat: 'Living room' };
const HISTORY_DAYS = 90;
const SOLAR_HOME = { email: 'anna@demo.example', latitude: 52.5 };
const MANAGED_BY_UTILITY = 'ben@demo.example';

/**
 * Finds or creates the devices of a home that a demo before version 1.7.0 has created. The simulated properties of this home must not
 * change, because new readings would contradict the stored ones.
 */
export async function ensureHomeOfEarlierDemo(
  db: Database,
  place: { userId: string; email: string; timezone: string },
  { nowMs }: DemoHistory,
): Promise<DemoDevice[]> {
  const history = { historyDays: HISTORY_DAYS, nowMs };
  const ensure = (kind: 'smart_meter' | 'thermostat', managedBy: DeviceManager = 'owner') =>
    ensureDeviceWithNewSecret(db, { ...place, kind, location: LOCATIONS[kind], managedBy }, history);
  const meters =
    place.email === SOLAR_HOME.email
      ? await ensureSolarDevices(db, place, SOLAR_HOME.latitude, LOCATIONS.smart_meter, history)
      : [await ensure('smart_meter', place.email === MANAGED_BY_UTILITY ? 'utility' : 'owner')];
  return [...meters, await ensure('thermostat')];
}

/** Finds or creates a simulated device of a user, and creates a new secret for it. Does not change devices that the user has paired. */
export async function ensureDeviceWithNewSecret(
  db: Database,
  place: {
    userId: string;
    email: string;
    timezone: string;
    kind: 'smart_meter' | 'thermostat';
    location: string;
    managedBy?: DeviceManager;
  },
  history: DemoHistory,
): Promise<DemoDevice> {
  const own = await ensureSimulatorDevice(db, place);
  // The time at which the register is zero depends only on stored data, so that each start of the demo computes the same history.
  const traits = drawHomeTraits(place.email, getUtcOffsetMinutes(place.timezone, own.createdAt));
  const home = createSimulatedHome(traits, computeHistoryStartMs(own, history));
  return prepareDemoDevice(db, own, history, {
    kind: place.kind,
    cadence: place.kind === 'thermostat' ? THERMOSTAT_READING_CADENCE : METER_READING_CADENCE,
    installedAtMs: home.installedAtMs,
    readings: (atMs, withPower) =>
      place.kind === 'smart_meter'
        ? [createMeterReading(home, atMs, withPower)]
        : [createThermostatReading(home, atMs)],
  });
}
