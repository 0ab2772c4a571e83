import { castToBillionths, formatRounded } from '#src/core/decimal.ts';
import type { Database } from '#src/database/connect.ts';
import type { RowTimeLabels } from '#src/energy/clock-labels.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import { findEmissionSeries } from '#src/tariffs/price-series.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import { type CostSums, CURRENCY_UNIT_DIVISOR, roundKwh } from './cost.ts';
import { type CostQuery, loadCostSources, sumCostsOfRows } from './costs.ts';
import { type CostSources, computeCostSums } from './sums.ts';
import { getUsageRowKey } from './weighted-rows.ts';

export interface Emissions {
  /** Kilograms of CO2 equivalent with 3 decimals. */
  kg_co2e: string;
  /** Energy in kWh without a known emission intensity. `kg_co2e` does not include it. */
  missing_kwh: number;
}

const GRAMS_PER_KG = 1_000n;
const DECIMALS_OF_KG = 3;
const NO_EMISSIONS: Emissions = { kg_co2e: '0.000', missing_kwh: 0 };

/** Returns a function that computes the emissions of each row. Null if the user has no emission series (docs/emissions.md). */
export async function loadEmissions(
  db: Database,
  asked: CostQuery,
  groupBy: GroupBy,
): Promise<((labels: RowTimeLabels) => Emissions) | null> {
  const seriesId = await findEmissionSeries(db, asked.buyer.userId);
  if (seriesId === null) return null;
  const rows = await sumCostsOfRows(await loadEmissionSources(db, asked, seriesId), asked, groupBy);
  const byKey = new Map(rows.map(({ labels, sums }) => [getUsageRowKey(labels), roundEmissions(sums)]));
  return (labels) => byKey.get(getUsageRowKey(labels)) ?? NO_EMISSIONS;
}

export async function loadTotalEmissions(db: Database, asked: CostQuery): Promise<Emissions | null> {
  const seriesId = await findEmissionSeries(db, asked.buyer.userId);
  if (seriesId === null) return null;
  const [all] = (
    await computeCostSums(await loadEmissionSources(db, asked, seriesId), asked, () => '', false)
  ).values();
  return all ? roundEmissions(all) : NO_EMISSIONS;
}

/** Emissions are computed like costs, with an intensity in grams per kWh instead of a price. */
async function loadEmissionSources(db: Database, { buyer, range }: CostQuery, seriesId: string): Promise<CostSources> {
  const tariff: Tariff = {
    ...{ tariffId: '', userId: buyer.userId, name: '', validFrom: range.start, currency: 'gCO2e' },
    ...{ standingPerDay: null, capacity: null, export: null },
    import: { kind: 'series', seriesId, multiply: castToBillionths(1_000_000_000n), add: castToBillionths(0n) },
  };
  // Days begin and end in the range's time zone, which may differ from the user's.
  return { ...(await loadCostSources(db, buyer, [tariff])), zone: range.zone };
}

const roundEmissions = ({ imported, missing, unitsPerMilliwattHour }: CostSums): Emissions => ({
  kg_co2e: formatRounded(
    { numerator: imported, denominator: CURRENCY_UNIT_DIVISOR * unitsPerMilliwattHour * GRAMS_PER_KG },
    DECIMALS_OF_KG,
  ),
  missing_kwh: roundKwh(missing, unitsPerMilliwattHour),
});
