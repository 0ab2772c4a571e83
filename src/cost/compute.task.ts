import type { HomeEnergyExchange } from '#src/energy/home/exchange.ts';
import type { DayRange } from '#src/energy/ranges.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { BoughtEnergy } from './bought-energy.ts';
import type { Cost } from './cost.ts';
import { type CostInputs, createCostSourcesFromInputs, extractEnergyOfRange } from './cost-inputs.ts';
import { computeTotalCost, getCostedTimeRange } from './sums.ts';
import {
  describeBattery,
  doesHomeChangeAffectEnergy,
  type HomeEnergies,
  type HomeSimulation,
  type HypotheticalHomeChange,
  roundHomeEnergies,
  simulateHome,
} from './what-if.ts';

interface RangeTask {
  /**
   * Energy and prices for the computation of costs. For a simulated change of a home, `held` contains only the energy of the months before
   * the range, and `exchange` contains the energy of the range.
   */
  held: CostInputs;
  range: DayRange;
  now: Date;
}

export interface CompareTask extends RangeTask {
  ask: 'compare';
  tariffs: readonly (readonly Tariff[])[];
}

/** Task that computes the costs of a home before and after a simulated change. */
export interface WhatIfTask extends RangeTask {
  ask: 'what if';
  tariffs: readonly Tariff[];
  exchange: HomeEnergyExchange;
  change: HypotheticalHomeChange;
}

export interface WhatIfResult {
  before: HomeEnergies & { cost: Cost | null };
  after: HomeEnergies & { cost: Cost | null };
  battery: ReturnType<typeof describeBattery> | null;
  unknownQuarterHours: number;
  canAlter: boolean;
}

/** Entry point of a worker thread. */
export default async function compute(task: CompareTask | WhatIfTask): Promise<(Cost | null)[] | WhatIfResult> {
  const { range, now } = task;
  if (task.ask === 'what if') return computeWhatIf(task);
  const costs: (Cost | null)[] = [];
  for (const tariffs of task.tariffs)
    costs.push(await computeTotalCost(createCostSourcesFromInputs(task.held, tariffs), { range, now }));
  return costs;
}

/** Computes the energies and costs of a home before and after a change. */
export async function computeWhatIf({
  held,
  range,
  now,
  tariffs,
  exchange,
  change,
}: Omit<WhatIfTask, 'ask'>): Promise<WhatIfResult> {
  const home = simulateHome(exchange, change);
  const { fromMs } = getCostedTimeRange(range, now);
  const { coveredMs } = home;
  const stretches = [...held.stretches, { fromMs, ...home.before, coveredMs }];
  const sources = createCostSourcesFromInputs({ ...held, stretches }, tariffs);
  const before = await computeTotalCost(sources, { range, now });
  const meter = { ...sources.meter, ...openAfter(held.stretches, home, fromMs) };
  const after = await computeTotalCost({ ...sources, meter }, { range, now });
  return {
    before: { ...roundHomeEnergies(home, 'before'), cost: before },
    after: { ...roundHomeEnergies(home, 'after'), cost: after },
    battery: change.battery && describeBattery(home, change.battery),
    unknownQuarterHours: home.unknownQuarterHours,
    canAlter: doesHomeChangeAffectEnergy(home, change),
  };
}

/** Returns the energy of a home after its change. For months before the range, it is the measured energy. */
function openAfter(earlier: readonly BoughtEnergy[], { units, after, coveredMs }: HomeSimulation, fromMs: number) {
  const inUnits = (list: Float64Array) => Array.from(list, (milliwattHours) => BigInt(milliwattHours) * units);
  const stretches = [
    ...earlier.map((one) => ({
      fromMs: one.fromMs,
      imported: inUnits(one.imported),
      estimated: inUnits(one.estimated),
      exported: inUnits(one.exported),
      coveredMs: one.coveredMs,
    })),
    { fromMs, ...after, coveredMs },
  ];
  return {
    unitsPerMilliwattHour: units,
    boughtIn: async (asked: { from: Date; to: Date }) =>
      extractEnergyOfRange<bigint>(stretches, asked, (count) => new Array<bigint>(count).fill(0n)),
  };
}
