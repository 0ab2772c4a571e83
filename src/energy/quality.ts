import { sql } from 'kysely';
import { DateTime } from 'luxon';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { getEstimatedExportKey } from '#src/database/meter.ts';
import { sumExpectedCoverageMs } from './home/contribution-spans.ts';
import { loadDeviceAsHome } from './home/home.ts';
import { localTimeSql } from './local-time.ts';
import { type DayRange, splitQuarterHours } from './ranges.ts';
import { readQuarterHours } from './usage/quarter-hours.ts';
import { createWallClock } from './wall-clock.ts';

/** Stored verdicts on readings that were excluded or treated specially, by their name in the report. */
export const VERDICT_BY_FINDING = {
  glitches: 'glitch',
  overlaps: 'overlap',
  late_news: 'late',
  passed_over: 'passed',
  taken_back: 'back',
  jitter: 'jitter',
  resets: 'reset',
  rollovers: 'rollover',
  swaps: 'swap',
  held: 'held',
} as const;
export type ReadingFinding = keyof typeof VERDICT_BY_FINDING;

interface Rejection {
  reason: string;
  count: number;
}

/** Data quality of a device in a month. The intervals are the past quarter-hours (UTC) in which the device existed. Energies are in kWh. */
export interface MonthQuality {
  /** Month in the time zone of the range, YYYY-MM. */
  month: string;
  intervals_expected: number;
  /** Completely known intervals without estimated energy. */
  intervals_received: number;
  /** Intervals with energy that was spread over a silence of more than an hour. */
  intervals_estimated: number;
  intervals_partial: number;
  intervals_missing: number;
  import_kwh: number;
  export_kwh: number;
  estimated_import_kwh: number;
  estimated_export_kwh: number;
  readings: number;
  late_readings: number;
  corrected_hours: number;
  import_change_kwh: number;
  export_change_kwh: number;
  findings: Record<ReadingFinding, number>;
  /** Number of readings that the owner's edits exclude. `added_readings`: number that they add. */
  excluded_readings: number;
  added_readings: number;
  /** Ids of the owner's edits that affect the month. */
  edits: string[];
  rejected: number;
  /** The most frequent reasons for rejections, most frequent first. */
  rejections: Rejection[];
}

/** Maximum number of reasons per month. All others are reported as one total. */
const MAX_REASONS = 20;
const OTHER_REASONS = 'other reasons';
const MEASURES = [
  'energyMilliwattHours',
  'estimatedMilliwattHours',
  'exportMilliwattHours',
  'readingCount',
  'coveredMs',
  'exportCoveredMs',
] as const;

/** Without rounding. */
const kwh = (milliwattHours: number): number => milliwattHours / 1e6;

/**
 * Returns the quality of a device's electricity data by month, without months that have no data. Quality is measured by time and not by
 * messages: a register that reports only changes makes the time before each of its readings known.
 */
export async function loadDeviceQuality(
  db: Database,
  deviceId: string,
  range: DayRange,
  now: Date,
): Promise<MonthQuality[]> {
  const months = new Map<string, MonthQuality>();
  const monthOf = (month: string): MonthQuality => {
    const known = months.get(month) ?? emptyMonth(month);
    months.set(month, known);
    return known;
  };
  await addIntervals(db, deviceId, range, now, monthOf);
  for (const { month, readings, hours, imported, exported } of await lateIn(db, deviceId, range)) {
    const row = monthOf(month);
    row.late_readings = readings;
    row.corrected_hours = hours;
    row.import_change_kwh = kwh(imported);
    row.export_change_kwh = kwh(exported);
  }
  const names = new Map<string, ReadingFinding>(
    Object.entries(VERDICT_BY_FINDING).map(([name, verdict]) => [verdict, name as ReadingFinding]),
  );
  for (const { month, verdict, count } of await verdictsIn(db, deviceId, range)) {
    // A reading with the verdict `confirming` is used like any other.
    const name = names.get(verdict);
    if (name) monthOf(month).findings[name] += count;
    else if (verdict === 'excluded') monthOf(month).excluded_readings += count;
  }
  for (const { month, editId, isAdded } of await editsIn(db, deviceId, range)) {
    const row = monthOf(month);
    row.edits.push(editId);
    if (isAdded) row.added_readings++;
  }
  for (const { month, reason, count } of await rejectionsIn(db, deviceId, range)) {
    const row = monthOf(month);
    row.rejected += count;
    row.rejections.push({ reason: reason ?? OTHER_REASONS, count });
  }
  return [...months.values()].sort((a, b) => (a.month < b.month ? -1 : 1));
}

const emptyMonth = (month: string): MonthQuality => ({
  month,
  intervals_expected: 0,
  intervals_received: 0,
  intervals_estimated: 0,
  intervals_partial: 0,
  intervals_missing: 0,
  import_kwh: 0,
  export_kwh: 0,
  estimated_import_kwh: 0,
  estimated_export_kwh: 0,
  readings: 0,
  late_readings: 0,
  corrected_hours: 0,
  import_change_kwh: 0,
  export_change_kwh: 0,
  findings: Object.fromEntries(Object.keys(VERDICT_BY_FINDING).map((name) => [name, 0])) as Record<
    ReadingFinding,
    number
  >,
  excluded_readings: 0,
  added_readings: 0,
  edits: [],
  rejected: 0,
  rejections: [],
});

/** Sums of a month, in whole mWh. */
interface Sums {
  imported: number;
  exported: number;
  estimatedImport: number;
  estimatedExport: number;
}

async function addIntervals(
  db: Database,
  deviceId: string,
  range: DayRange,
  now: Date,
  monthOf: (month: string) => MonthQuality,
): Promise<void> {
  const loaded = await loadDeviceAsHome(db, deviceId);
  const [meter] = loaded?.home.devices ?? [];
  if (!meter || meter.beginsAtMs === null) return;
  const fromMs = Math.max(Math.ceil(range.from.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS, meter.beginsAtMs);
  const toMs = Math.floor(Math.min(range.to.getTime(), now.getTime()) / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  if (fromMs >= toMs) return;
  const clockOf = createWallClock(fromMs, toMs, range.zone);
  const sums = new Map<MonthQuality, Sums>();
  for await (const chunk of splitQuarterHours(fromMs, toMs)) {
    const keys = { key: 'device_id', ids: [deviceId, getEstimatedExportKey(deviceId)] } as const;
    const found = await readQuarterHours(db, keys, chunk, MEASURES);
    const [own, outwards] = [found.get(deviceId), found.get(getEstimatedExportKey(deviceId))];
    for (let ms = chunk.from.getTime(), at = 0; ms < chunk.to.getTime(); ms += QUARTER_HOUR_MS, at++) {
      const of = (name: (typeof MEASURES)[number]) => own?.[name][at] ?? 0;
      const row = monthOf(clockOf(ms).day.date.slice(0, 7));
      const expected = sumExpectedCoverageMs(meter.counted, ms, ms + QUARTER_HOUR_MS);
      const sum = sums.get(row) ?? { imported: 0, exported: 0, estimatedImport: 0, estimatedExport: 0 };
      sums.set(row, sum);
      const estimatedExport = outwards?.energyMilliwattHours[at] ?? 0;
      sum.imported += of('energyMilliwattHours');
      sum.exported += of('exportMilliwattHours');
      sum.estimatedImport += of('estimatedMilliwattHours');
      sum.estimatedExport += estimatedExport;
      row.readings += of('readingCount');
      row.intervals_expected++;
      if (of('coveredMs') + of('exportCoveredMs') === 0) row.intervals_missing++;
      else if (of('estimatedMilliwattHours') + estimatedExport > 0) row.intervals_estimated++;
      else if (of('coveredMs') < expected.imports || of('exportCoveredMs') < expected.exports) row.intervals_partial++;
      else row.intervals_received++;
    }
  }
  for (const [row, { imported, exported, estimatedImport, estimatedExport }] of sums) {
    row.import_kwh = kwh(imported);
    row.export_kwh = kwh(exported);
    row.estimated_import_kwh = kwh(estimatedImport);
    row.estimated_export_kwh = kwh(estimatedExport);
  }
}

const monthAt = (instant: string, range: DayRange) => sql`to_char(${localTimeSql(sql.ref(instant), range)}, 'YYYY-MM')`;

/** Returns, by month, the number of late readings and the changes of consumption by them. */
async function lateIn(db: Database, deviceId: string, range: DayRange) {
  // Raw SQL, here and below: the expression for local months is SQL text.
  const { rows } = await sql<{ month: string; readings: number; hours: number; imported: number; exported: number }>`
    SELECT month, sum(late_readings)::bigint AS readings, count(*) FILTER (WHERE corrections > 0)::int AS hours,
      sum(import_milliwatt_hours)::bigint AS imported, sum(export_milliwatt_hours)::bigint AS exported
    FROM (SELECT ${monthAt('hour', range)} AS month, * FROM late_changes
      WHERE device_id = ${deviceId} AND hour >= ${range.from} AND hour < ${range.to}) l GROUP BY 1`.execute(db);
  return rows;
}

/** Returns, by month, the verdicts on readings that were excluded or treated specially. */
async function verdictsIn(db: Database, deviceId: string, range: DayRange) {
  const { rows } = await sql<{ month: string; verdict: string; count: number }>`
    SELECT month, verdict, count(*)::int AS count FROM (
      SELECT ${monthAt('n.read_at', range)} AS month, n.verdict FROM series_roles s
        JOIN reading_notes n ON n.series_id = s.series_id AND n.read_at > s.counts_from AND n.read_at <= s.counts_until
      WHERE s.device_id = ${deviceId} AND (s.counts_import OR s.counts_export) AND n.read_at > ${range.from} AND n.read_at <= ${range.to}) v
    GROUP BY 1, 2`.execute(db);
  return rows;
}

/** Returns the owner's edits: one row for each month that an edit affects. */
async function editsIn(db: Database, deviceId: string, range: DayRange) {
  const rows = await db
    .selectFrom('reading_edits')
    .select(['edit_id', 'from_at', 'to_at'])
    // The value of an edit for a wrong clock (`instants`) is not reported as an added reading.
    .select((eb) => eb.and([eb('value', 'is not', null), eb('instants', 'is', null)]).as('is_added'))
    .where('device_id', '=', deviceId)
    .where('revoked_at', 'is', null)
    .where('from_at', '<', range.to)
    .where('to_at', '>', range.from)
    .orderBy('edit_id')
    .execute();
  return rows.flatMap(({ edit_id: editId, from_at, to_at, is_added: isAdded }) => {
    const [from, to] = [from_at < range.from ? range.from : from_at, to_at > range.to ? range.to : to_at];
    const last = DateTime.fromMillis(to.getTime() - 1, { zone: range.zone }).toFormat('yyyy-MM');
    const months: string[] = [];
    for (let at = DateTime.fromJSDate(from, { zone: range.zone }).startOf('month'); ; at = at.plus({ months: 1 })) {
      months.push(at.toFormat('yyyy-MM'));
      if (at.toFormat('yyyy-MM') >= last) break;
    }
    return months.map((month) => ({ month, editId, isAdded }));
  });
}

/** Returns the number of rejections by month and reason. Less frequent reasons are combined (null). */
async function rejectionsIn(db: Database, deviceId: string, range: DayRange) {
  const { rows } = await sql<{ month: string; reason: string | null; count: number }>`
    SELECT month, reason, sum(count)::int AS count FROM (
      SELECT month, count(*) AS count,
        CASE WHEN row_number() OVER (PARTITION BY month ORDER BY count(*) DESC, reason) <= ${MAX_REASONS} THEN reason END AS reason
      FROM (SELECT ${monthAt('received_at', range)} AS month, reason FROM rejected_messages
        WHERE device_id = ${deviceId} AND received_at >= ${range.from} AND received_at < ${range.to}) r
      GROUP BY month, r.reason) ranked
    GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2 NULLS LAST`.execute(db);
  return rows;
}
