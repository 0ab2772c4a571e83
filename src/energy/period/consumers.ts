import type { Database } from '#src/database/connect.ts';
import type { DayRange } from '../ranges.ts';
import { type ElectricityDevice, loadElectricityDevices } from '../usage-breakdown.ts';
import { readDeviceLoadProfiles } from './data-source.ts';
import { type BaseAndNightLoad, computeBaseAndNightLoad, type QuarterHourCalendar } from './profile.ts';

export type PeriodDevice = ElectricityDevice & BaseAndNightLoad;

/** Maximum number of devices whose quarter-hours are read. Others use too little to matter at night. */
const MAX_PROFILED = 30;

/**
 * Returns the devices of a user that report electricity, highest usage first. `profile`: quarter-hours from which night loads and base
 * loads are computed.
 */
export async function loadPeriodDevices(
  db: Database,
  userId: string,
  range: DayRange,
  profile: { from: Date; to: Date; calendar: QuarterHourCalendar; days: number },
): Promise<PeriodDevice[]> {
  const devices = await loadElectricityDevices(db, userId, range);
  const consumers = devices.toSorted((a, b) => (b.import_kwh ?? -1) - (a.import_kwh ?? -1));
  const profiled = consumers.filter(({ placement }) => placement === 'consumption').slice(0, MAX_PROFILED);
  const loads =
    profiled.length === 0 || profile.from >= profile.to
      ? new Map<string, Float64Array>()
      : await readDeviceLoadProfiles(
          db,
          profiled.map(({ device_id }) => device_id),
          profile,
        );
  return consumers.map((device) => {
    const load = loads.get(device.device_id);
    return { ...device, ...(load ? computeBaseAndNightLoad(load, profile.calendar, profile.days) : NOTHING) };
  });
}

const NOTHING: BaseAndNightLoad = { base_watts: null, night_watts: null };
