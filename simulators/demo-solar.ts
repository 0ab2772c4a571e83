import type { Database } from '#src/database/connect.ts';
import {
  computeHistoryStartMs,
  type DemoDevice,
  type DemoHistory,
  getUtcOffsetMinutes,
  METER_READING_CADENCE,
  prepareDemoDevice,
} from './demo-device.ts';
import { createRegisterReading, type MeterReading } from './devices/native-meter.ts';
import { createSolarHome, type SolarHome } from './home-clock.ts';
import { drawHomeTraits } from './homes.ts';
import { ensureSimulatorDevice, type SimulatorDevice } from './own-devices.ts';
import { drawSolarTraits, type SolarFlow } from './solar.ts';

/** Registers of each device of a solar home, with their channels. The channel `export` is for energy that flows out of the device. */
export const SOLAR_REGISTERS = {
  smart_meter: [['gridImport'], ['gridExport', 'export']],
  inverter: [['production', 'export']],
  battery: [['charged'], ['discharged', 'export']],
} as const satisfies Record<string, readonly (readonly [SolarFlow, 'export'?])[]>;

/** A device that measures energy flows of a solar home. */
export type SolarDevice = keyof typeof SOLAR_REGISTERS;

/** Returns the readings of a device at one time, one element for each of the device's registers. */
export function createSolarReadings(
  home: SolarHome,
  device: SolarDevice,
  atMs: number,
  withPower: boolean,
): MeterReading[] {
  const state = home.at(atMs);
  return SOLAR_REGISTERS[device].map(([flow, channel]) => createRegisterReading(state[flow], atMs, withPower, channel));
}

/**
 * Finds or creates the meter, the inverter and the battery of a solar home, and creates a new secret for each. If the home already had a
 * meter, panels and battery are installed now, so that earlier readings stay correct.
 */
export async function ensureSolarDevices(
  db: Database,
  place: { userId: string; email: string; timezone: string },
  latitude: number,
  meterLocation: string,
  history: DemoHistory,
): Promise<DemoDevice[]> {
  // The inverter is created before the meter. If the meter is older than the inverter, a version of the demo without inverters created the
  // meter.
  const inverter = await ensureSimulatorDevice(db, {
    ...place,
    kind: 'inverter',
    type: 'solar_inverter',
    location: 'Roof',
    placement: 'production',
  });
  const battery = await ensureSimulatorDevice(db, {
    ...place,
    kind: 'battery',
    location: 'Cellar',
    placement: 'storage',
  });
  const meter = await ensureSimulatorDevice(db, {
    ...place,
    kind: 'smart_meter',
    location: meterLocation,
    placement: 'grid',
  });
  const isAfterMeter = inverter.firstCreatedAt > meter.firstCreatedAt;
  const sinceMs = isAfterMeter ? inverter.firstCreatedAt.getTime() : Number.NEGATIVE_INFINITY;
  // All three devices use the simulation that begins with the home's first meter, even if the meter is replaced later.
  const home = drawHomeTraits(place.email, getUtcOffsetMinutes(place.timezone, meter.firstCreatedAt));
  const solar = drawSolarTraits(place.email, latitude);
  const play = (kind: SolarDevice, own: SimulatorDevice, installedAtMs: number) => {
    // Each device has a separate simulated home, because their histories are read concurrently and the clock of a simulated home only moves
    // forward.
    const seen = createSolarHome(home, solar, installedAtMs, sinceMs);
    return prepareDemoDevice(db, own, history, {
      kind,
      cadence: METER_READING_CADENCE,
      installedAtMs: seen.installedAtMs,
      readings: (atMs, withPower) => createSolarReadings(seen, kind, atMs, withPower),
    });
  };
  return [
    await play('smart_meter', meter, computeHistoryStartMs(meter, history)),
    await play('inverter', inverter, Math.max(sinceMs, computeHistoryStartMs(inverter, history))),
    await play('battery', battery, Math.max(sinceMs, computeHistoryStartMs(battery, history))),
  ];
}
