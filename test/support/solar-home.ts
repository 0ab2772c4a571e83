import { createDevice } from '#src/devices/store.ts';
import type { TestApi } from './api.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES, type LoadProfileChange } from './load-profile.ts';

export type Person = Awaited<ReturnType<TestApi['user']>>;

const QUARTER_HOUR_MS = 900_000;
/** Number of rows per INSERT. */
const BATCH = 20_000;

/** Energies, in mWh, of a quarter-hour of a home with solar panels. */
export interface SolarQuarterHour {
  atMs: number;
  imported: number;
  exported: number;
  production: number;
}

/**
 * Writes a home with a grid meter and an inverter, which reports nothing in quarter-hours for which `isUnknown` returns true. Returns the
 * home's quarter-hours.
 */
export async function writeSolarHome(
  api: TestApi,
  userId: string,
  { fromMs, toMs, isUnknown = () => false }: { fromMs: number; toMs: number; isUnknown?: (atMs: number) => boolean },
): Promise<SolarQuarterHour[]> {
  const device = async (type: 'smart_meter' | 'inverter', placement: 'grid' | 'production') => {
    const made = await createDevice(api.db, { userId, type, location: 'home', placement });
    return made.device.device_id;
  };
  const [meter, inverter] = [await device('smart_meter', 'grid'), await device('inverter', 'production')];
  const insert = `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, $2, 'register', $3, $4)`;
  await api.database.pool.query(insert, [meter, 'import', true, false]);
  await api.database.pool.query(insert, [meter, 'export', false, true]);
  await api.database.pool.query(insert, [inverter, 'export', false, true]);
  const quarters = Array.from({ length: Math.floor((toMs - fromMs) / QUARTER_HOUR_MS) }, (_, index) =>
    quarterAt(fromMs + index * QUARTER_HOUR_MS),
  );
  const rows = quarters.flatMap(({ atMs, imported, exported, production }): LoadProfileChange[] => [
    {
      ...{ deviceId: meter, userId, startsAtMs: atMs, ...COMPLETE_QUARTER_HOUR_MEASURES },
      ...{ energyMilliwattHours: imported, exportMilliwattHours: exported, exportCoveredMs: QUARTER_HOUR_MS },
    },
    ...(isUnknown(atMs)
      ? []
      : [
          {
            ...{ deviceId: inverter, userId, startsAtMs: atMs, readingCount: 1 },
            ...{ exportMilliwattHours: production, exportCoveredMs: QUARTER_HOUR_MS },
          },
        ]),
  ]);
  for (let at = 0; at < rows.length; at += BATCH) await addToLoadProfile(api.database, rows.slice(at, at + BATCH));
  return quarters;
}

/** Returns the energies of a sunny home at a time of day (UTC). Some quarter-hours have both import and export. */
function quarterAt(atMs: number): SolarQuarterHour {
  const number = atMs / QUARTER_HOUR_MS;
  const hour = (atMs / 3_600_000) % 24;
  const wobble = (number * 7_919) % 100_003;
  const production = hour > 6 && hour < 19 ? Math.round(900_000 * Math.sin(((hour - 6) / 13) * Math.PI)) + wobble : 0;
  const used = 80_000 + wobble * 2 + (hour > 17 && hour < 22 ? 400_000 : 0);
  const both = number % 11 === 0 ? 5_000 : 0;
  const net = used - production;
  return { atMs, production, imported: Math.max(0, net) + both, exported: Math.max(0, -net) + both };
}
