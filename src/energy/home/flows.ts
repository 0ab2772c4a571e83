import type { Database } from '#src/database/connect.ts';
import { HOME_INCLUDES, type Included, included } from '../include.ts';
import type { Range } from '../ranges.ts';
import { homeBetween } from '../usage/home-sums.ts';
import { loadHome } from './home.ts';
import { expectedMs } from './roles.ts';
import { measuresOf } from './sums.ts';

/** All measures of the energy flows in a home. */
export type Flows = Required<Omit<Included, 'export_kwh'>>;

const ALL = new Set(HOME_INCLUDES);

/** Returns the energy flows of a home in each range. Coverage is computed up to now. */
export async function homeFlows(db: Database, userId: string, ranges: readonly Range[], now: Date): Promise<Flows[]> {
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const flows: Flows[] = [];
  for (const range of ranges) {
    const expected = expectedMs(home.devices, home.stretches, {
      fromMs: range.from.getTime(),
      toMs: Math.min(range.to.getTime(), now.getTime()),
    });
    flows.push(included(measuresOf(await homeBetween(db, home, range), home.had, expected), ALL) as Flows);
  }
  return flows;
}
