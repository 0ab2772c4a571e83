import type { Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { computeExpectedCoverageMs } from '#src/energy/home/roles.ts';
import { computeHomeMeasures } from '#src/energy/home/sums.ts';
import { INCLUDABLE_HOME_FIELDS, selectIncludedFields } from '#src/energy/include.ts';
import type { HomeEnergyFlows } from '#src/energy/period/period.ts';
import type { DayRange } from '#src/energy/ranges.ts';
import { readHomeSums } from '#src/energy/usage/home-sums.ts';

const ALL = new Set(INCLUDABLE_HOME_FIELDS);

/** Returns a home's energy flows in each range. The data is complete up to the current time. */
export async function computeHomeFlows(
  db: Database,
  userId: string,
  ranges: readonly DayRange[],
  now: Date,
): Promise<HomeEnergyFlows[]> {
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const flows: HomeEnergyFlows[] = [];
  for (const range of ranges) {
    const expected = computeExpectedCoverageMs(home.devices, home.stretches, {
      fromMs: range.from.getTime(),
      toMs: Math.min(range.to.getTime(), now.getTime()),
    });
    flows.push(
      selectIncludedFields(
        computeHomeMeasures(await readHomeSums(db, home, range), home.had, expected),
        ALL,
      ) as HomeEnergyFlows,
    );
  }
  return flows;
}
