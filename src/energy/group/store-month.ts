import { DateTime } from 'luxon';
import { HOUR_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { createDayRange, type DayRange, splitByMonth } from '../ranges.ts';
import { findFirstStoredDay, homesLoadProfileSql, openHoursBeforeSql } from '../usage/groups.ts';
import {
  computeGroupBuckets,
  type GroupBucket,
  getRangeAfterDay,
  splitHomesIntoBatches,
  streamUsageOfPlainHomes,
} from './add-up.ts';
import { findMissingDays, getFirstDayOfMonth, isWholeMonth, listDays } from './buckets.ts';
import { computeCompositionHash } from './composition.ts';
import { type GroupOfHomes, loadGroupHomes } from './homes.ts';
import { deleteMonthToDate, storeMonthToDate, storeMonthToDateHomes } from './month-to-date.ts';
import type { BucketPartUsage } from './part.ts';
import { runInSnapshot } from './progress.ts';
import { loadStoredSums } from './stored-sums.ts';

// Raw SQL: lists are passed as single parameters.

/** `homesOf` returns the homes of a group and of its subgroups, in order. */
export interface StoreMonthDependencies {
  db: Database;
  homesOf(db: Database, groupId: string): Promise<string[]>;
}

/** Returns the months whose sums by day should be stored, latest first. */
export async function listMonthsToStore(
  db: Database,
  homes: readonly string[],
  { zone, before }: { zone: string; before: Date },
): Promise<DayRange[]> {
  const first = await findFirstStoredDay(db, homes);
  if (!first || first >= before) return [];
  const dayOf = (time: Date) => DateTime.fromJSDate(time, { zone });
  const start = dayOf(first).startOf('month').toISODate() ?? '';
  const lastDay = dayOf(before).minus({ days: 1 }).toISODate() ?? '';
  return start > lastDay ? [] : splitByMonth(createDayRange(start, lastDay, zone)).reverse();
}

type Sum = Omit<GroupBucket, 'measures'> & {
  unit: 'day' | 'month';
  range: DayRange;
  used: number | null;
  estimated: number | null;
};

/** Stores the missing sums of a month, and returns their number. `isLatest`: also stores the sum of the current month so far. */
export async function storeMonthSums(
  { db, homesOf }: StoreMonthDependencies,
  groupId: string,
  month: DayRange,
  isLatest: boolean,
): Promise<number> {
  const { rows } = await createQueryFunction(db)<{ name: string }>(
    `SELECT unit || ' ' || bucket AS name FROM kept_group_sums
     WHERE group_id = $1 AND zone = $2 AND bucket BETWEEN $3 AND $4 AND (unit <> 'begun' OR ends_at >= $5)`,
    [groupId, month.zone, month.start, month.end, month.to],
  );
  const there = new Set(rows.map(({ name }) => name));
  const gaps = findMissingDays(listDays(month), (day) => there.has(`day ${day}`));
  const isMonthMissing = isWholeMonth(month) && !there.has(`month ${getFirstDayOfMonth(month)}`);
  const isBegunMissing =
    isLatest &&
    ![`month ${getFirstDayOfMonth(month)}`, `begun ${getFirstDayOfMonth(month)}`].some((name) => there.has(name));
  if (gaps.length === 0 && !isMonthMissing && !isBegunMissing) return 0;
  return runInSnapshot(db, async (trx, before) => {
    if (before === null) return 0;
    const group = await loadGroupHomes(trx, await homesOf(trx, groupId), new Set());
    if (!(await isMadeOf(trx, groupId, group))) return 0;
    const isClosed = await closedness(trx, group.userIds, before);
    const sums: Sum[] = [];
    for (const { start, end } of gaps) {
      const days = [...listDays({ start, end })].map((day) => createDayRange(day, day, month.zone));
      for (const run of runsOf(days.filter(isClosed))) sums.push(...(await sumsOf(trx, group, run, 'day')));
    }
    if (isMonthMissing && isClosed(month)) sums.push(...(await sumsOf(trx, group, month, 'month')));
    await insert(trx, groupId, sums);
    if (!isLatest) return sums.length;
    const isWhole = there.has(`month ${getFirstDayOfMonth(month)}`) || sums.some(({ unit }) => unit === 'month');
    const [first] = runsOf([...listDays(month)].map((day) => createDayRange(day, day, month.zone)).filter(isClosed));
    const wanted = !isWhole && first?.start === month.start ? first : null;
    return sums.length + (wanted ? await keepBegunMonth(trx, groupId, group, wanted) : 0);
  });
}

/** Stores the sum of the current month so far. If a valid sum is stored already, adds only the later days. */
async function keepBegunMonth(trx: Database, groupId: string, group: GroupOfHomes, days: DayRange): Promise<number> {
  const { monthToDate } = await loadStoredSums(trx, groupId, group, { range: days, groupBy: 'month' });
  if (monthToDate && monthToDate.end >= days.end) return 0;
  if (!monthToDate) await deleteMonthToDate(trx, groupId, days.zone);
  const rest = monthToDate ? getRangeAfterDay(monthToDate.end, days) : days;
  const parts = new Map<number, BucketPartUsage>();
  const add = ({ used, estimated, ...one }: BucketPartUsage) => {
    const known = parts.get(one.part);
    parts.set(one.part, { ...one, used: used + (known?.used ?? 0), estimated: estimated + (known?.estimated ?? 0) });
  };
  for (const part of monthToDate?.parts ?? []) add(part);
  for await (const added of streamUsageOfPlainHomes(trx, group.plain, rest, 'month'))
    for (const part of added) add(part);
  const now = { groupId, zone: days.zone, month: days.start, end: days.end, parts: [...parts.values()] };
  await storeMonthToDate(trx, now, days);
  for await (const composed of group.composed()) {
    for (const homes of splitHomesIntoBatches(composed, rest, 'month'))
      await storeMonthToDateHomes(trx, now, homes, homesLoadProfileSql(homes, rest, 'month', monthToDate));
  }
  return 1;
}

function runsOf(days: readonly DayRange[]): DayRange[] {
  const runs: DayRange[] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last?.to.getTime() === day.from.getTime()) Object.assign(last, { to: day.to, end: day.end });
    else runs.push({ ...day });
  }
  return runs;
}

/** Whether a group still consists of the given homes. */
async function isMadeOf(trx: Database, groupId: string, group: GroupOfHomes): Promise<boolean> {
  const { rows } = await createQueryFunction(trx)<{ composition: Buffer; before: Date }>(
    'SELECT composition, before FROM kept_groups WHERE group_id = $1 AND composition IS NOT NULL',
    [groupId],
  );
  return rows[0]?.composition.equals(await computeCompositionHash(group, rows[0].before)) ?? false;
}

/**
 * Returns a test whether a range can no longer change: it has ended before `before`, and no device's latest hour, which may still change,
 * is in it.
 */
async function closedness(
  trx: Database,
  userIds: readonly string[],
  before: Date,
): Promise<(range: DayRange) => boolean> {
  const { rows } = await createQueryFunction(trx)<{ hour: Date }>(
    openHoursBeforeSql('SELECT unnest($1::text[])', '$2'),
    [userIds, before],
  );
  const open = rows.map(({ hour }) => hour.getTime());
  return ({ from, to }) => to <= before && !open.some((ms) => ms < to.getTime() && ms + HOUR_MS > from.getTime());
}

async function sumsOf(trx: Database, group: GroupOfHomes, range: DayRange, unit: Sum['unit']): Promise<Sum[]> {
  const computed = new Map((await computeGroupBuckets(trx, group, range, unit)).map((one) => [one.bucket, one]));
  const ranges = unit === 'month' ? [range] : [...listDays(range)].map((day) => createDayRange(day, day, range.zone));
  return ranges.map((one) => {
    const { measures, peak } = computed.get(one.start) ?? {};
    const used = measures?.used ?? null;
    const estimated = measures?.estimated ?? null;
    return { bucket: one.start, unit, range: one, used, estimated, peak: peak ?? null };
  });
}

async function insert(trx: Database, groupId: string, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return;
  const column = <T>(of: (sum: Sum) => T) => sums.map(of);
  await createQueryFunction(trx)(
    `INSERT INTO kept_group_sums (group_id, zone, unit, bucket, starts_at, ends_at, used_milliwatt_hours, estimated_milliwatt_hours, peak)
     SELECT $1, $2, s.* FROM unnest($3::text[], $4::date[], $5::timestamptz[], $6::timestamptz[], $7::bigint[], $8::bigint[], $9::bigint[]) s
     ON CONFLICT DO NOTHING`,
    [
      groupId,
      sums[0]?.range.zone,
      column(({ unit }) => unit),
      column(({ bucket }) => bucket),
      column(({ range }) => range.from),
      column(({ range }) => range.to),
      column(({ used }) => used),
      column(({ estimated }) => estimated),
      column(({ peak }) => peak),
    ],
  );
}
