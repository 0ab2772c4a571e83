import type { Database } from '#src/database/connect.ts';
import { type DemoDevice, type History, historyStartMs, localOffsetMinutes, playedDevice } from './demo-device.ts';
import { type MeterReading, registerReading } from './devices/native-meter.ts';
import { createSolarHome, type SolarHome } from './home-clock.ts';
import { traitsOf } from './homes.ts';
import { ensureOwnDevice, type OwnDevice } from './own-devices.ts';
import { type SolarFlow, solarTraitsOf } from './solar.ts';

/** What each device of a solar home counts, and the channel that it tells it on: of what flows out of it, `export`. */
export const SOLAR_REGISTERS = {
  smart_meter: [['gridImport'], ['gridExport', 'export']],
  inverter: [['production', 'export']],
  battery: [['charged'], ['discharged', 'export']],
} as const satisfies Record<string, readonly (readonly [SolarFlow, 'export'?])[]>;

/** A device that tells something of what flows in a solar home. */
export type SolarDevice = keyof typeof SOLAR_REGISTERS;

/** What a device of the home shows at one time: an element for each of its registers. */
export function solarReadings(home: SolarHome, device: SolarDevice, atMs: number, withPower: boolean): MeterReading[] {
  const state = home.at(atMs);
  return SOLAR_REGISTERS[device].map(([flow, channel]) => registerReading(state[flow], atMs, withPower, channel));
}

/**
 * Finds the meter, the inverter and the battery of a solar home or creates them, and gives each a new secret. In a home whose
 * meter was there without them they are put up when they are created: what the meter counted before stays what it was.
 */
export async function ensureSolarDevices(
  db: Database,
  place: { userId: string; email: string; timezone: string },
  latitude: number,
  meterLocation: string,
  history: History,
): Promise<DemoDevice[]> {
  // The inverter before the meter: where it is the younger of the two, the meter is of a start that knew of none.
  const inverter = await ensureOwnDevice(db, { ...place, kind: 'inverter', location: 'Roof', placement: 'production' });
  const battery = await ensureOwnDevice(db, { ...place, kind: 'battery', location: 'Cellar', placement: 'storage' });
  const meter = await ensureOwnDevice(db, {
    ...place,
    kind: 'smart_meter',
    location: meterLocation,
    placement: 'grid',
  });
  const isAfterMeter = inverter.firstCreatedAt > meter.firstCreatedAt;
  const sinceMs = isAfterMeter ? inverter.firstCreatedAt.getTime() : Number.NEGATIVE_INFINITY;
  // All three live by one clock, whichever of them is replaced later.
  const home = traitsOf(place.email, localOffsetMinutes(place.timezone, meter.firstCreatedAt));
  const solar = solarTraitsOf(place.email, latitude);
  const play = (kind: SolarDevice, own: OwnDevice, installedAtMs: number) => {
    // A home of its own for each: their pasts are asked for side by side, and a clock goes forward only.
    const seen = createSolarHome(home, solar, installedAtMs, sinceMs);
    return playedDevice(db, own, history, {
      kind,
      installedAtMs: seen.installedAtMs,
      readings: (atMs, withPower) => solarReadings(seen, kind, atMs, withPower),
    });
  };
  return [
    await play('smart_meter', meter, historyStartMs(meter, history)),
    await play('inverter', inverter, Math.max(sinceMs, historyStartMs(inverter, history))),
    await play('battery', battery, Math.max(sinceMs, historyStartMs(battery, history))),
  ];
}
