import { asMilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { loadAsMeter } from './home/home.ts';
import { type HomeInsight, homeInsights } from './home/insights.ts';
import type { HomeDevice } from './home/roles.ts';
import { type HomeMeasures, type HomeSums, measuresOf } from './home/sums.ts';
import type { Include } from './include.ts';
import type { GroupBy } from './insights.ts';
import type { Range } from './ranges.ts';

/**
 * What one device imported, which is its `kwh_used`, with what was asked for beside that: the measures of its placement (others are
 * null), what it exported, and how well its import is known.
 */
export async function deviceInsights(
  db: Database,
  deviceId: string,
  range: Range,
  groupBy: GroupBy,
  include: ReadonlySet<Include>,
): Promise<HomeInsight[]> {
  const loaded = await loadAsMeter(db, deviceId);
  if (!loaded) return [];
  const { home, device, isSplit } = loaded;
  const tell = (sums: HomeSums, expectedMs: number) => deviceMeasures(isSplit ? null : device, sums, expectedMs);
  return homeInsights(db, home, range, groupBy, include, tell);
}

const NOTHING = { grid: false, production: false, storage: false, consumption: false };

/**
 * The sums of a device as a grid meter: `countedMs` is the known time of its import, and what more of `gridMs` there is of its export.
 * `device` null: its channels have places of their own, of which only the home tells.
 */
function deviceMeasures(device: HomeDevice | null, sums: HomeSums, expectedMs: number): HomeMeasures {
  const { gridImport = 0, gridExport = 0, countedMs = 0, gridMs } = sums;
  const imported = countedMs > 0 ? asMilliwattHours(gridImport) : null;
  const exported = gridMs > countedMs ? asMilliwattHours(gridExport) : null;
  const { coverage } = measuresOf(sums, NOTHING, expectedMs);
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
    estimated: imported === null ? null : asMilliwattHours(Math.min(sums.estimated, imported)),
    coverage,
    isComplete: imported === null || expectedMs === 0 ? null : countedMs >= expectedMs,
  };
}
