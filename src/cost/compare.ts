import type { Database } from '#src/database/connect.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { tariffsOf } from '#src/tariffs/store.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { BoughtEnergy, EnergyMeter } from './bought-energy.ts';
import type { Cost } from './cost.ts';
import { computeTotalCost, loadCostSources } from './costs.ts';

/** Actual cost of a time, and its cost by each of the user's other tariffs in the same currency. */
export interface ComparedTariffs {
  paid: Cost;
  others: { tariffId: string; name: string; cost: Cost }[];
}

/** Maximum number of compared tariffs: each one prices a year of quarter-hours. */
const MOST_OTHERS = 5;

/**
 * Returns the cost of whole days in the user's zone, and their cost by each of the user's other tariffs, newest first, as if it had been
 * valid all the time. The tariff valid on the last day is not compared. Null if the days were not all covered by tariffs of one currency.
 * Bought energy is read once.
 */
export async function compareTariffs(
  db: Database,
  userId: string,
  { start, end, zone, now }: { start: string; end: string; zone: string; now: Date },
): Promise<ComparedTariffs | null> {
  const tariffs = await tariffsOf(db, userId);
  const held = tariffs.filter(({ validFrom }) => validFrom <= end);
  const current = held.at(-1);
  if (!current || tariffs.length < 2 || (held[0] as Tariff).validFrom > start) return null;
  if (held.some(({ currency }) => currency !== current.currency)) return null;
  const range = dayRange(start, end, zone);
  const sources = await loadCostSources(db, { userId });
  if (sources.meter.beginsAtMs === null || sources.meter.beginsAtMs > range.from.getTime()) return null;
  const meter = readOnce(sources.meter);
  const paid = await computeTotalCost({ ...sources, meter }, { range, now });
  if (!paid) return null;
  const candidates = tariffs.filter((one) => one !== current && one.currency === current.currency);
  const others: ComparedTariffs['others'] = [];
  for (const tariff of candidates.toReversed().slice(0, MOST_OTHERS)) {
    const { pricesIn, isHome } = await loadCostSources(db, { userId }, [{ ...tariff, validFrom: start }]);
    const cost = await computeTotalCost(
      { tariffs: [{ ...tariff, validFrom: start }], zone: sources.zone, meter, pricesIn, isHome },
      { range, now },
    );
    if (cost) others.push({ tariffId: tariff.tariffId, name: tariff.name, cost });
  }
  return { paid, others };
}

function readOnce({ beginsAtMs, boughtIn }: EnergyMeter): EnergyMeter {
  const read = new Map<string, Promise<BoughtEnergy>>();
  return {
    beginsAtMs,
    boughtIn(range) {
      const name = `${range.from.getTime()} ${range.to.getTime()}`;
      const found = read.get(name) ?? boughtIn(range);
      read.set(name, found);
      return found;
    },
  };
}
