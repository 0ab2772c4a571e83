import { asMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { estimatedExportKey } from '#src/database/meter.ts';
import type { Range } from '../ranges.ts';
import { readDeviceEnergies } from '../usage/totals.ts';
import { REPORTS_ELECTRICITY_SQL } from '../usage-breakdown.ts';
import { loadDeviceProfiles } from './data-source.ts';
import { type BaseAndNightLoad, computeBaseAndNightLoad, type QuarterCalendar } from './profile.ts';

/** A device of a home with its data in a period. */
export interface PeriodDevice extends BaseAndNightLoad {
  device_id: string;
  type: string;
  location: string;
  placement: Placement;
  /** Consumption meter that the device lies behind, which includes its energy. */
  upstream_device_id: string | null;
  is_gone: boolean;
  /** Imported and exported energy; null if nothing is known of a direction. */
  import_kwh: number | null;
  export_kwh: number | null;
  /** Estimated part of imported and exported energy. */
  estimated_kwh: number;
}

/** Maximum number of devices whose quarter-hours are read, highest usage first. The night loads of the others are too small to matter. */
const MOST_PROFILED = 30;

/**
 * Returns the devices of a user that report electricity, or may report it, highest usage first. `profile`: the range and calendar in which
 * night loads and base loads are searched, over its last `days` days.
 */
export async function loadPeriodDevices(
  db: Database,
  userId: string,
  range: Range,
  profile: { from: Date; to: Date; calendar: QuarterCalendar; days: number },
): Promise<PeriodDevice[]> {
  const devices = await db
    .selectFrom('devices')
    .select(['device_id', 'type', 'location', 'placement', 'upstream_device_id', 'deleted_at'])
    .where('user_id', '=', userId)
    .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', range.from)]))
    .where(REPORTS_ELECTRICITY_SQL)
    .orderBy('device_id')
    .execute();
  const ids = devices.map(({ device_id }) => device_id);
  const energies = await readDeviceEnergies(db, ids, range);
  const consumers = devices
    .map(({ deleted_at, ...device }) => {
      const energy = energies.get(device.device_id);
      const outwards = energies.get(estimatedExportKey(device.device_id));
      const known = (ms = 0, value = 0) => (ms > 0 ? kwhOf(value) : null);
      return {
        ...device,
        is_gone: deleted_at !== null,
        import_kwh: known(energy?.importMs, energy?.imported),
        export_kwh: known(energy?.exportMs, energy?.exported),
        estimated_kwh: kwhOf((energy?.estimated ?? 0) + (outwards?.imported ?? 0)),
      };
    })
    .toSorted((a, b) => (b.import_kwh ?? -1) - (a.import_kwh ?? -1));
  const profiled = consumers.filter(({ placement }) => placement === 'consumption').slice(0, MOST_PROFILED);
  const loads =
    profiled.length === 0 || profile.from >= profile.to
      ? new Map<string, Float64Array>()
      : await loadDeviceProfiles(
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
const kwhOf = (milliwattHours: number): number => milliwattHoursToKwh(asMilliwattHours(milliwattHours));
