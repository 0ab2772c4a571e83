import type { Database } from '#src/database/connect.ts';
import { HOME_INCLUDES, type IncludedFields, selectIncludedFields } from '../include.ts';
import type { Range } from '../ranges.ts';
import { readHomeSums } from '../usage/home-sums.ts';
import { loadHome } from './home.ts';
import { computeExpectedMs } from './roles.ts';
import { computeMeasures } from './sums.ts';

/** All measures of the energy flows in a home. */
export type HomeFlows = Required<Omit<IncludedFields, 'export_kwh'>>;

const ALL = new Set(HOME_INCLUDES);

/** Returns the energy flows of a home in each range. Coverage is computed up to now. */
export async function homeFlows(
  db: Database,
  userId: string,
  ranges: readonly Range[],
  now: Date,
): Promise<HomeFlows[]> {
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const flows: HomeFlows[] = [];
  for (const range of ranges) {
    const expected = computeExpectedMs(home.devices, home.stretches, {
      fromMs: range.from.getTime(),
      toMs: Math.min(range.to.getTime(), now.getTime()),
    });
    flows.push(
      selectIncludedFields(computeMeasures(await readHomeSums(db, home, range), home.had, expected), ALL) as HomeFlows,
    );
  }
  return flows;
}
