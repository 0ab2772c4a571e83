import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { type BoughtEnergySource, createDeviceEnergySource, type HomeOrDevice } from '#src/cost/bought-energy.ts';
import { type CostSums, roundCost } from '#src/cost/cost.ts';
import { loadCostSources } from '#src/cost/costs.ts';
import { computeCostSums } from '#src/cost/sums.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { type BoughtEnergyRange, listBoughtEnergyRanges } from '#src/energy/home/role-periods.ts';
import { type DayRange, splitByMonth, splitQuarterHours } from '#src/energy/ranges.ts';
import { createWallClock, getStartOfSubDayUnit, type LocalQuarterHour } from '#src/energy/wall-clock.ts';
import { getCurrencyDecimals } from '#src/tariffs/currency.ts';

/** Lengths of the intervals of a feed. */
export type GreenButtonUnit = 'hour' | 'quarter_hour';

/** Energy imported and exported within an hour or quarter-hour of the local clock, in mWh. */
export interface GreenButtonInterval {
  startMs: number;
  /** Duration in ms. An hour may be shorter because of a clock change, or because it has not ended. */
  durationMs: number;
  /** Local date in the range's time zone, YYYY-MM-DD. */
  date: string;
  /** Imported energy. Null if unknown. */
  imported: number | null;
  /** The estimated part of the imported energy. */
  estimated: number;
  exported: number;
  /** Whether imported or exported energy depends on readings that a person excluded or added. */
  isImportEdited: boolean;
  isExportEdited: boolean;
  /** Cost in hundred-thousandths of the currency. Null if no tariff was valid. */
  importCost: string | null;
  exportEarned: string | null;
}

/** Cost of the whole range, in hundred-thousandths of the currency. */
export interface GreenButtonBill {
  currency: string;
  total: string;
  /** The part of the total that is not the price of energy: standing charges and capacity charges. */
  additional: string;
}

export interface GreenButtonData {
  unit: GreenButtonUnit;
  intervals: GreenButtonInterval[];
  bill: GreenButtonBill | null;
  /** Whether any energy was exported. If false, the feed omits exports. */
  hasExport: boolean;
}

/** Number of decimal places of a cost in ESPI. */
const COST_DECIMALS = 5;

/**
 * Returns the imported and exported energy of a home or device by hour or quarter-hour, with its cost. Intervals without known energy are
 * omitted.
 */
export async function loadGreenButtonData(
  db: Database,
  { buyer, range, now, unit }: { buyer: HomeOrDevice; range: DayRange; now: Date; unit: GreenButtonUnit },
): Promise<GreenButtonData> {
  const sources = await loadCostSources(db, buyer);
  // Energy exported by a single device earns nothing (docs/cost.md).
  const meter =
    buyer.deviceId === undefined ? sources.meter : await createDeviceEnergySource(db, buyer.deviceId, { exported: 1 });
  const intervals = await intervalsOf(meter, range, now, unit);
  markEdited(intervals, await editedTimes(db, buyer, range));
  const startOf = (ms: number, clock: LocalQuarterHour) => String(getStartOfSubDayUnit(ms, clock, unit));
  const costs = await computeCostSums(sources, { range, now }, startOf, false);
  for (const interval of intervals) {
    const cost = exactly(costs.get(String(interval.startMs)));
    if (cost) [interval.importCost, interval.exportEarned] = [unitsOf(cost.import), unitsOf(cost.export)];
  }
  const [all] = (await computeCostSums(sources, { range, now }, () => '', true)).values();
  const hasExport = intervals.some(({ exported }) => exported > 0);
  return { unit, intervals, bill: billOf(exactly(all)), hasExport };
}

/**
 * Yields the intervals of a home without costs, month by month. `confirm` is called before each month, and throws if the app may no longer
 * read the data.
 */
export async function* streamIntervalsByMonth(
  db: Database,
  { userId, range, now, unit }: { userId: string; range: DayRange; now: Date; unit: GreenButtonUnit },
  confirm: () => Promise<unknown>,
): AsyncGenerator<GreenButtonInterval[]> {
  const { meter } = await loadCostSources(db, { userId });
  for (const month of splitByMonth(range)) {
    await confirm();
    const intervals = await intervalsOf(meter, month, now, unit);
    markEdited(intervals, await editedTimes(db, { userId }, month));
    yield intervals;
  }
}

/** Marks the intervals whose energy depends on readings that a person excluded or entered. */
function markEdited(intervals: GreenButtonInterval[], edited: readonly EditedTime[]): void {
  for (const interval of intervals) {
    const { startMs, durationMs } = interval;
    const mine = edited.filter((one) => isEdited(one, startMs, startMs + durationMs));
    interval.isImportEdited = mine.some(({ imports }) => imports);
    interval.isExportEdited = mine.some(({ exports }) => exports);
  }
}

async function intervalsOf(
  meter: BoughtEnergySource,
  range: DayRange,
  now: Date,
  unit: GreenButtonUnit,
): Promise<GreenButtonInterval[]> {
  const fromMs = Math.max(quarterAfter(range.from.getTime()), meter.beginsAtMs ?? 0);
  const toMs = Math.min(quarterAfter(range.to.getTime()), quarterAfter(now.getTime()));
  const intervals = new Map<number, GreenButtonInterval & { coveredMs: number }>();
  for await (const chunk of splitQuarterHours(fromMs, toMs)) {
    const [chunkMs, endMs] = [chunk.from.getTime(), chunk.to.getTime()];
    const bought = await meter.boughtIn(chunk);
    const clockOf = createWallClock(chunkMs, endMs, range.zone);
    for (let ms = chunkMs, at = 0; ms < endMs; ms += QUARTER_HOUR_MS, at++) {
      const clock = clockOf(ms);
      const startMs = getStartOfSubDayUnit(ms, clock, unit);
      const interval = intervals.get(startMs) ?? { ...NOTHING, startMs, date: clock.day.date };
      intervals.set(startMs, interval);
      interval.durationMs = ms + QUARTER_HOUR_MS - startMs;
      interval.imported = (interval.imported ?? 0) + (bought.imported[at] as number);
      interval.estimated += bought.estimated[at] as number;
      interval.exported += bought.exported[at] as number;
      interval.coveredMs += bought.coveredMs[at] as number;
    }
  }
  return [...intervals.values()].flatMap(({ coveredMs, ...interval }) => {
    if (coveredMs > 0) return [interval];
    return interval.exported > 0 ? [{ ...interval, imported: null }] : [];
  });
}

const NOTHING = {
  durationMs: 0,
  imported: 0,
  estimated: 0,
  exported: 0,
  isImportEdited: false,
  isExportEdited: false,
  importCost: null,
  exportEarned: null,
  coveredMs: 0,
};
const quarterAfter = (ms: number): number => Math.ceil(ms / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;

const exactly = (sums: CostSums | undefined) =>
  sums?.currency ? roundCost(sums, COST_DECIMALS - getCurrencyDecimals(sums.currency)) : null;
/** Converts a decimal amount to an integer: `0.30000` to 30000. */
const unitsOf = (amount: string): string => String(BigInt(amount.replace('.', '')));

function billOf(cost: ReturnType<typeof exactly>): GreenButtonBill | null {
  if (!cost) return null;
  const additional = BigInt(unitsOf(cost.standing)) + BigInt(unitsOf(cost.capacity ?? '0'));
  return { currency: cost.currency, total: unitsOf(cost.total), additional: String(additional) };
}

/** A time range (Unix ms, `[fromMs, toMs)`) in which a person excluded or entered readings that contribute to the totals. */
interface EditedTime {
  fromMs: number;
  toMs: number;
  /** Whether the edit concerns imported or exported energy. */
  imports: boolean;
  exports: boolean;
}

/** A part of the energy, with only the fields by which its manual edits are found. */
type Part = Pick<BoughtEnergyRange, 'key' | 'id' | 'fromMs' | 'toMs' | 'imported' | 'exported'>;

/** Returns the manual edits that affected the energy of a home or device in a range. */
async function editedTimes(db: Database, buyer: HomeOrDevice, range: DayRange): Promise<EditedTime[]> {
  const parts = await partsOf(db, buyer, range);
  const idsOf = (key: Part['key']) => parts.filter((part) => part.key === key).map(({ id }) => deviceOf(id));
  // Raw SQL: an edit applies to one series or to all series of its device, so edits are joined to the series.
  const { rows } = await createQueryFunction(db)<{
    device_id: string;
    user_id: string;
    meter: string | null;
    from_at: Date;
    to_at: Date;
    counts_from: Date | number;
    counts_until: Date | number;
    imports: boolean;
    exports: boolean;
  }>(
    `SELECT e.device_id, d.user_id, s.meter, coalesce(e.counted_from, e.from_at) AS from_at, coalesce(e.counted_to, e.to_at) AS to_at,
       s.counts_from, s.counts_until, bool_or(s.counts_import) AS imports, bool_or(s.counts_export) AS exports
     FROM reading_edits e JOIN devices d USING (device_id)
     JOIN series_roles s ON s.device_id = e.device_id AND (e.channel IS NULL OR (s.channel = e.channel AND s.kind = e.kind))
     WHERE (e.device_id = ANY ($1) OR d.user_id = ANY ($2)) AND e.is_counted AND e.from_at <= $4 AND e.to_at >= $3
       AND (s.counts_import OR s.counts_export)
     GROUP BY e.edit_id, d.user_id, s.meter, s.counts_from, s.counts_until`,
    [idsOf('device_id'), idsOf('user_id'), range.from, range.to],
  );
  return rows.flatMap(({ device_id, user_id, meter, from_at, to_at, counts_from, counts_until, imports, exports }) => {
    const mine = parts.filter(({ id }) => id === user_id || id === device_id || id === `${device_id}/${meter}`);
    return mine.flatMap((part) => {
      const fromMs = Math.max(from_at.getTime(), Number(counts_from), part.fromMs);
      const toMs = Math.min(to_at.getTime(), Number(counts_until) + 1, part.toMs);
      const of = { imports: imports && part.imported !== 0, exports: exports && part.exported !== 0 };
      return fromMs < toMs && (of.imports || of.exports) ? [{ fromMs, toMs, ...of }] : [];
    });
  });
}

/** Returns the id of the device to which a key of the load profile belongs. Keys of some channels begin with the device's id. */
const deviceOf = (id: string): string => id.split('/')[0] as string;

async function partsOf(db: Database, { userId, deviceId }: HomeOrDevice, range: DayRange): Promise<Part[]> {
  if (deviceId !== undefined)
    return [{ key: 'device_id', id: deviceId, fromMs: -Infinity, toMs: Infinity, imported: 1, exported: 1 }];
  return listBoughtEnergyRanges(await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true }), range);
}

/**
 * Whether energy in `[startMs, endMs)` depends on an edit. An edited reading at the end of an interval affects this and the following
 * interval.
 */
const isEdited = ({ fromMs, toMs }: Pick<EditedTime, 'fromMs' | 'toMs'>, startMs: number, endMs: number): boolean =>
  startMs < toMs && endMs >= fromMs;
