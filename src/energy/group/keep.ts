import { MINUTE_MS } from '#src/core/units.ts';
import { type Pool, queryOf } from '#src/database/connect.ts';
import type { Home } from '../home/home.ts';
import { type KeptDevice, keepPasts } from '../usage/pasts.ts';
import { compositionOf } from './composition.ts';
import { groupOf } from './homes.ts';
import { keepMonth, type MonthParts, monthsToKeep } from './keep-month.ts';
import { atOnce, moveKeptBefore, restIfNothingIsKept, takeChangedDays, yesterdayOf } from './progress.ts';

/** Smaller groups are added up when they are asked for: a year of days in a tenth of a second. */
const LEAST_HOMES = 50;
/** How often it is looked whether a group is still made of what it was made of; until then it is added up. */
const LOOK_AGAIN_MS = 5 * MINUTE_MS;
/** How long a pass waits for writers; then the next one goes on. */
const WAIT_MS = 5_000;
/** How long one pass begins another piece of work: a month of a group. */
const PASS_MS = 10_000;

/** What a pass needs. */
export interface KeepParts extends MonthParts {
  pool: Pool;
  now: Date;
  /** Closed hours of users are materialised by a refresh, which closes open ones, too. */
  continuousAggregates: boolean;
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
 * One pass that keeps the sums of groups by day and month, and what a month under way came to so far, of UTC and of the zone of each group's owner: removes those that hold no longer, and adds up
 * what is missing, latest first. What is kept is what adding up answers (`keptSums` says when it holds), so nothing depends on when this
 * runs but how long answers take. A month of a group in one transaction; safe to kill at any point. Returns how many sums it kept.
 */
export async function keepGroupSums(parts: KeepParts): Promise<number> {
  const { pool, now, signal, passMs = PASS_MS } = parts;
  const untilMs = performance.now() + passMs;
  const isOver = () => signal?.aborted === true || performance.now() >= untilMs;
  await takeChangedDays(pool);
  // Raw SQL: what no store but this one reads, here and below.
  const { rows: due } = await pool.query<Kept>(
    `SELECT g.group_id AS "groupId", u.timezone AS zone FROM home_groups g JOIN users u USING (user_id) LEFT JOIN kept_groups k USING (group_id)
     WHERE k.looked_at IS NULL OR k.looked_at < $1 OR k.looked_at > $3 OR k.composition IS NOT NULL AND k.before < $2 ORDER BY k.looked_at NULLS FIRST, g.group_id`,
    [new Date(now.getTime() - LOOK_AGAIN_MS), yesterdayOf(now), new Date(now.getTime() + LOOK_AGAIN_MS)],
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
      for (const [index, month] of (await monthsToKeep(parts.db, homes, { zone, before })).entries()) {
        isDone &&= !isOver();
        if (isDone) sums += await keepMonth(parts, group.groupId, month, index === 0);
      }
    }
    if (isDone) await pool.query('UPDATE kept_groups SET looked_at = $2 WHERE group_id = $1', [group.groupId, now]);
  }
  await restIfNothingIsKept(pool);
  return sums;
}

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
    const group = await groupOf(trx, await homesOf(trx, groupId), new Set());
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
    for await (const homes of group.composed()) await keepPasts(trx, homes.flatMap(keptDevices), before);
    return before;
  });
}

/** The devices of a home whose pasts are kept, and the parts of those that produce. */
function keptDevices({ userId, devices }: Home): KeptDevice[] {
  const whole = Map.groupBy(devices, ({ deviceId, partOf }) => partOf ?? deviceId);
  return [...whole.values()].flatMap((parts) => {
    const produces = parts.some(({ placement }) => placement === 'production');
    const kept = parts.filter(({ partOf }) => partOf === null || produces);
    return kept.map(({ deviceId }) => ({ key: deviceId, userId, produces }));
  });
}
