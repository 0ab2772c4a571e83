import { castToMilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadDeviceAsHome } from './home/home.ts';
import { type HomeInsight, loadHomeInsights } from './home/insights.ts';
import type { HomeDevice } from './home/roles.ts';
import { computeHomeMeasures, type HomeMeasures, type HomeSums } from './home/sums.ts';
import type { IncludableField } from './include.ts';
import type { GroupBy } from './insights.ts';
import type { DayRange } from './ranges.ts';

/**
 * Returns the import of one device as `kwh_used`, with the requested fields. Fields of other kinds of devices are null: for example, only a
 * production device has `production`.
 */
export async function loadDeviceInsights(
  db: Database,
  deviceId: string,
  range: DayRange,
  groupBy: GroupBy,
  include: ReadonlySet<IncludableField>,
): Promise<HomeInsight[]> {
  const loaded = await loadDeviceAsHome(db, deviceId);
  if (!loaded) return [];
  const { home, device, isSplit } = loaded;
  const measuresOf = (sums: HomeSums, expectedMs: number) => deviceMeasures(isSplit ? null : device, sums, expectedMs);
  return loadHomeInsights(db, home, range, groupBy, include, measuresOf);
}

const NOTHING = { grid: false, production: false, storage: false, consumption: false };

/**
 * Derives the measures of a device from its sums. `countedMs` in `sums`: time with known import. `gridMs` minus `countedMs`: time with
 * known export. `device` is null if its channels belong to different energy flows.
 */
function deviceMeasures(device: HomeDevice | null, sums: HomeSums, expectedMs: number): HomeMeasures {
  const { gridImport = 0, gridExport = 0, countedMs = 0, gridMs } = sums;
  const imported = countedMs > 0 ? castToMilliwattHours(gridImport) : null;
  const exported = gridMs > countedMs ? castToMilliwattHours(gridExport) : null;
  const { coverage } = computeHomeMeasures(sums, NOTHING, expectedMs);
  const of = (wanted: HomeDevice['placement'], energy: typeof imported) =>
    device?.placement === wanted ? energy : null;
  return {
    used: imported,
    gridImport: of('grid', imported),
    gridExport: of('grid', exported),
    production: of('production', device?.producesExport ? exported : imported),
    charged: of('storage', imported),
    discharged: of('storage', exported),
    consumption: of('consumption', imported),
    untracked: null,
    selfConsumed: null,
    autarky: null,
    exported,
    estimated: imported === null ? null : castToMilliwattHours(Math.min(sums.estimated, imported)),
    coverage,
    isComplete: imported === null || expectedMs === 0 ? null : countedMs >= expectedMs,
  };
}
