import type { Database } from '#src/database/connect.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { tariffsOf } from '#src/tariffs/store.ts';
import type { Tariff } from '#src/tariffs/tariff.ts';
import type { Bought, Meter } from './bought.ts';
import type { Cost } from './cost.ts';
import { sourcesOf, totalOf } from './costs.ts';

/** What a time cost, and what it would have cost by each of the user's other tariffs of the same currency. */
export interface ComparedTariffs {
  paid: Cost;
  others: { tariffId: string; name: string; cost: Cost }[];
}

/** Each is a year of quarter-hours, times prices. */
const MOST_OTHERS = 5;

/**
 * What whole days of the user's zone cost, beside its other tariffs as if each had held all the time, the youngest first; null where no tariff
 * held in all of them, or those of two currencies did. The one that holds at their end is no other. What was bought is read once.
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
  const sources = await sourcesOf(db, { userId });
  if (sources.meter.beginsAtMs === null || sources.meter.beginsAtMs > range.from.getTime()) return null;
  const meter = readOnce(sources.meter);
  const paid = await totalOf({ ...sources, meter }, { range, now });
  if (!paid) return null;
  const candidates = tariffs.filter((one) => one !== current && one.currency === current.currency);
  const others: ComparedTariffs['others'] = [];
  for (const tariff of candidates.toReversed().slice(0, MOST_OTHERS)) {
    const { pricesIn, isHome } = await sourcesOf(db, { userId }, [{ ...tariff, validFrom: start }]);
    const cost = await totalOf(
      { tariffs: [{ ...tariff, validFrom: start }], zone: sources.zone, meter, pricesIn, isHome },
      { range, now },
    );
    if (cost) others.push({ tariffId: tariff.tariffId, name: tariff.name, cost });
  }
  return { paid, others };
}

function readOnce({ beginsAtMs, boughtIn }: Meter): Meter {
  const read = new Map<string, Promise<Bought>>();
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
