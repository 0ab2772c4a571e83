import type { Database } from '#src/database/connect.ts';
import { readHomeEnergyExchange } from '#src/energy/home/exchange.ts';
import { loadHome } from '#src/energy/home/home.ts';
import type { DayRange } from '#src/energy/ranges.ts';
import { loadAllTariffs } from '#src/tariffs/store.ts';
import { createBoughtEnergySource } from './bought-energy.ts';
import type { Calculator } from './calculator.ts';
import type { WhatIfResult } from './compute.task.ts';
import { loadEnergyOfEarlierMonths, readQuarterHoursInChunks } from './cost-inputs.ts';
import { loadPricesOfTariffs } from './costs.ts';
import { assertSingleCurrency, getCostedTimeRange } from './sums.ts';
import type { HypotheticalHomeChange } from './what-if.ts';

/**
 * Computes the energies and costs of a user's home with and without a change. Null if the home has no data. Error 422 if tariffs of two
 * currencies are valid in the range.
 */
export async function loadWhatIfResult(
  db: Database,
  calculator: Calculator,
  {
    userId,
    zone,
    range,
    now,
    change,
  }: { userId: string; zone: string; range: DayRange; now: Date; change: HypotheticalHomeChange },
  signal: AbortSignal,
): Promise<WhatIfResult | null> {
  const tariffs = await loadAllTariffs(db, userId);
  assertSingleCurrency(tariffs, range, zone, 'start');
  const [home, meter, prices] = await Promise.all([
    loadHome(db, userId, { isMoreAsked: true, needsConsumption: false }),
    createBoughtEnergySource(db, { userId }),
    loadPricesOfTariffs(db, tariffs, range, now),
  ]);
  const exchange = await readQuarterHoursInChunks(
    getCostedTimeRange(range, now),
    (chunk) => readHomeEnergyExchange(db, home, chunk),
    signal,
  );
  if (!exchange) return null;
  const stretches = await loadEnergyOfEarlierMonths(meter, tariffs, { range, zone, now }, signal);
  const held = { zone, beginsAtMs: meter.beginsAtMs, stretches, prices };
  return calculator.whatIf({ held, range, now, tariffs, exchange, change }, signal);
}
