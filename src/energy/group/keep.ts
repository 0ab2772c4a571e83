import { DateTime } from 'luxon';
import { type Database, type Pool, queryOf } from '#src/database/connect.ts';
import { keepPasts } from '../home/keep-pasts.ts';
import { dayRange, type Range } from '../ranges.ts';
import { addedUp, type Told } from './add-up.ts';
import { daysOf, gapsIn, isWholeMonth, monthOf, monthsOf } from './buckets.ts';
import { compositionOf } from './composition.ts';
import { type GroupOfHomes, groupOf } from './homes.ts';
import { moveKeptBefore, restIfNothingIsKept, takeChangedDays, yesterdayOf } from './progress.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Smaller groups are added up when they are asked for: a year of days in a tenth of a second. */
const LEAST_HOMES = 50;
/** How often it is looked whether a group is still made of what it was made of; until then it is added up. */
const LOOK_AGAIN_MS = 5 * MINUTE_MS;
/** How long a pass waits for writers; then the next one goes on. */
const WAIT_MS = 5_000;
/** How long one pass begins another piece of work: a month of a group. */
const PASS_MS = 20_000;
const NOTHING: ReadonlySet<never> = new Set();

/** What a pass needs. `homesOf`: the homes that count of a group and of those below it, in order. */
export interface KeepParts {
  pool: Pool;
  db: Database;
  now: Date;
  /** Closed hours of users are materialised by a refresh, which closes open ones, too. */
  continuousAggregates: boolean;
  homesOf(db: Database, groupId: string): Promise<string[]>;
  leastHomes?: number;
  passMs?: number;
  /** For writers that began before the time moved before which sums are kept. */
  waitMs?: number;
  signal?: AbortSignal;
}

interface Kept {
  groupId: string;
  zone: string;
}

/**
 * One pass that keeps the sums of groups by day and month, of UTC and of the zone of each group's owner: removes those that hold no longer, and adds up
 * what is missing, latest first. What is kept is what adding up answers (`keptSums` says when it holds), so nothing depends on when this
 * runs but how long answers take. A month of a group in one transaction; safe to kill at any point. Returns how many sums it kept.
 */
export async function keepGroupSums(parts: KeepParts): Promise<number> {
  const { pool, now, signal, passMs = PASS_MS } = parts;
  const untilMs = performance.now() + passMs;
  const isOver = () => signal?.aborted === true || performance.now() >= untilMs;
  await takeChangedDays(pool);
  // Raw SQL, here and below: what no store but this one reads.
  const { rows: due } = await pool.query<Kept>(
    `SELECT g.group_id AS "groupId", u.timezone AS zone FROM home_groups g JOIN users u USING (user_id) LEFT JOIN kept_groups k USING (group_id)
     WHERE k.looked_at IS NULL OR k.looked_at < $1 OR k.composition IS NOT NULL AND k.before < $2 ORDER BY k.looked_at NULLS FIRST, g.group_id`,
    [new Date(now.getTime() - LOOK_AGAIN_MS), yesterdayOf(now)],
  );
  let sums = 0;
  let hasMoved = false;
  for (const group of due) {
    if (isOver()) return sums;
    const homes = await parts.homesOf(parts.db, group.groupId);
    const isLarge = homes.length >= (parts.leastHomes ?? LEAST_HOMES);
    if (isLarge && !hasMoved) {
      await moveKeptBefore(pool, now, { isClosing: !parts.continuousAggregates, waitMs: parts.waitMs ?? WAIT_MS });
      hasMoved = true;
    }
    const before = isLarge ? await begin(parts, group) : await leaveOut(parts, group, homes.length);
    if (before === null) continue;
    let isDone = true;
    for (const zone of new Set(['UTC', group.zone])) {
      for (const month of await monthsToKeep(parts.db, homes, { zone, before })) {
        isDone &&= !isOver();
        if (isDone) sums += await keepMonth(parts, group.groupId, month);
      }
    }
    if (isDone) await pool.query('UPDATE kept_groups SET looked_at = $2 WHERE group_id = $1', [group.groupId, now]);
  }
  await restIfNothingIsKept(pool);
  return sums;
}

/** Of what is added up in one transaction: at one moment, and not while changed days are taken. `before`: up to when sums may be kept. */
const atOnce = <T>(db: Database, run: (trx: Database, before: Date | null) => Promise<T>): Promise<T> =>
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const { rows } = await queryOf(trx)<{ before: Date | number }>(
        'SELECT kept_before AS before FROM group_sums_progress FOR SHARE',
        [],
      );
      const before = rows[0]?.before;
      return run(trx, before instanceof Date ? before : null);
    });

/** Notes that a group is too small. */
async function leaveOut({ pool, now }: KeepParts, { groupId }: Kept, homes: number): Promise<null> {
  await pool.query('DELETE FROM kept_groups WHERE group_id = $1 AND composition IS NOT NULL', [groupId]);
  await pool.query(
    `INSERT INTO kept_groups (group_id, homes, before, looked_at) SELECT $1, $2, '-infinity', $3 WHERE EXISTS (SELECT FROM home_groups WHERE group_id = $1)
     ON CONFLICT (group_id) DO UPDATE SET homes = $2, looked_at = $3`,
    [groupId, homes, now],
  );
  return null;
}

/** Notes what a group is made of; what was kept of another composition goes. Answers up to when sums may be kept, null where they may not yet. */
function begin({ db, homesOf }: KeepParts, { groupId }: Kept): Promise<Date | null> {
  return atOnce(db, async (trx, before) => {
    if (before === null) return null;
    const query = queryOf(trx);
    const group = await groupOf(trx, await homesOf(trx, groupId), NOTHING);
    const { rows } = await query<{ composition: Buffer; before: Date }>(
      `SELECT composition, before FROM kept_groups k WHERE group_id = $1 AND composition IS NOT NULL
         AND homes = (SELECT count(*) FROM kept_group_homes h WHERE h.group_id = k.group_id)`,
      [groupId],
    );
    const stays = rows[0]?.composition.equals(await compositionOf(group, rows[0].before)) ?? false;
    if (!stays) await query('DELETE FROM kept_groups WHERE group_id = $1', [groupId]);
    await query(
      `INSERT INTO kept_groups (group_id, homes, composition, before) VALUES ($1, $2, $3, $4)
       ON CONFLICT (group_id) DO UPDATE SET composition = $3, before = $4, looked_at = NULL`,
      [groupId, group.userIds.length, await compositionOf(group, before), before],
    );
    if (!stays)
      await query('INSERT INTO kept_group_homes (group_id, user_id) SELECT $1, unnest($2::text[])', [
        groupId,
        group.userIds,
      ]);
    for await (const homes of group.composed()) await keepPasts(trx, homes, before);
    return before;
  });
}

/** The months of which days are kept, the last first: from the first one of which anything is stored. */
async function monthsToKeep(
  db: Database,
  homes: readonly string[],
  { zone, before }: { zone: string; before: Date },
): Promise<Range[]> {
  const { rows } = await queryOf(db)<{ first: Date | null }>(
    `SELECT min(d.first) AS first FROM unnest($1::text[]) u (user_id)
     CROSS JOIN LATERAL (SELECT min(day) AS first FROM closed_user_daily c WHERE c.user_id = u.user_id) d`,
    [homes],
  );
  const first = rows[0]?.first;
  if (!first || first >= before) return [];
  const dayOf = (time: Date) => DateTime.fromJSDate(time, { zone });
  const start = dayOf(first).startOf('month').toISODate() ?? '';
  const lastDay = dayOf(before).minus({ days: 1 }).toISODate() ?? '';
  return start > lastDay ? [] : monthsOf(dayRange(start, lastDay, zone)).reverse();
}

type Sum = Omit<Told, 'measures'> & {
  unit: 'day' | 'month';
  range: Range;
  used: number | null;
  estimated: number | null;
};

/** Adds up what is missing of a month, and keeps it. Returns how many sums. */
async function keepMonth({ db, homesOf }: KeepParts, groupId: string, month: Range): Promise<number> {
  const { rows } = await queryOf(db)<{ name: string }>(
    `SELECT unit || ' ' || bucket AS name FROM kept_group_sums WHERE group_id = $1 AND zone = $2 AND bucket BETWEEN $3 AND $4`,
    [groupId, month.zone, month.start, month.end],
  );
  const there = new Set(rows.map(({ name }) => name));
  const gaps = gapsIn(daysOf(month), (day) => there.has(`day ${day}`));
  const isMonthMissing = isWholeMonth(month) && !there.has(`month ${monthOf(month)}`);
  if (gaps.length === 0 && !isMonthMissing) return 0;
  return atOnce(db, async (trx, before) => {
    if (before === null) return 0;
    const group = await groupOf(trx, await homesOf(trx, groupId), NOTHING);
    if (!(await isMadeOf(trx, groupId, group))) return 0;
    const isClosed = await closedness(trx, group.userIds, before);
    const sums: Sum[] = [];
    for (const { start, end } of gaps) {
      const days = [...daysOf({ start, end })].map((day) => dayRange(day, day, month.zone));
      for (const run of runsOf(days.filter(isClosed))) sums.push(...(await sumsOf(trx, group, run, 'day')));
    }
    if (isMonthMissing && isClosed(month)) sums.push(...(await sumsOf(trx, group, month, 'month')));
    await insert(trx, groupId, sums);
    return sums.length;
  });
}

/** Days that follow each other, as ranges. */
function runsOf(days: readonly Range[]): Range[] {
  const runs: Range[] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last?.to.getTime() === day.from.getTime()) Object.assign(last, { to: day.to, end: day.end });
    else runs.push({ ...day });
  }
  return runs;
}

/** Whether a group is made of what was noted. */
async function isMadeOf(trx: Database, groupId: string, group: GroupOfHomes): Promise<boolean> {
  const { rows } = await queryOf(trx)<{ composition: Buffer; before: Date }>(
    'SELECT composition, before FROM kept_groups WHERE group_id = $1 AND composition IS NOT NULL',
    [groupId],
  );
  return rows[0]?.composition.equals(await compositionOf(group, rows[0].before)) ?? false;
}

/** Tells of a range whether it is over, and no hour of any home in it is still open. */
async function closedness(trx: Database, userIds: readonly string[], before: Date): Promise<(range: Range) => boolean> {
  const { rows } = await queryOf(trx)<{ hour: Date }>(
    'SELECT DISTINCT hour FROM open_hours WHERE user_id = ANY ($1::text[]) AND hour < $2',
    [userIds, before],
  );
  const open = rows.map(({ hour }) => hour.getTime());
  return ({ from, to }) => to <= before && !open.some((ms) => ms < to.getTime() && ms + HOUR_MS > from.getTime());
}

async function sumsOf(trx: Database, group: GroupOfHomes, range: Range, unit: Sum['unit']): Promise<Sum[]> {
  const told = new Map((await addedUp(trx, group, range, unit)).map((one) => [one.bucket, one]));
  const ranges = unit === 'month' ? [range] : [...daysOf(range)].map((day) => dayRange(day, day, range.zone));
  return ranges.map((one) => {
    const { measures, peak } = told.get(one.start) ?? {};
    const used = measures?.used ?? null;
    const estimated = measures?.estimated ?? null;
    return { bucket: one.start, unit, range: one, used, estimated, peak: peak ?? null };
  });
}

async function insert(trx: Database, groupId: string, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return;
  const column = <T>(of: (sum: Sum) => T) => sums.map(of);
  await queryOf(trx)(
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
