import { MINUTE_MS } from '#src/core/units.ts';
import { createQueryFunction, type Pool } from '#src/database/connect.ts';
import type { Home } from '../home/home.ts';
import { type DeviceWithStoredHistory, storeDeviceHistory } from '../usage/device-history.ts';
import { computeCompositionHash } from './composition.ts';
import { loadGroupHomes } from './homes.ts';
import {
  advanceGroupSumsBound,
  getStartOfYesterday,
  invalidateSumsOfChangedDays,
  runInSnapshot,
  stopRecordingChangesIfUnused,
} from './progress.ts';
import { listMonthsToStore, type StoreMonthDependencies, storeMonthSums } from './store-month.ts';

/** Minimum number of homes in a group for which sums are stored. For smaller groups, sums are computed on request. */
const MIN_HOMES = 50;
/**
 * Interval in ms at which changes of a group's homes are detected. After a change, sums are computed on request until they are stored
 * again.
 */
const LOOK_AGAIN_MS = 5 * MINUTE_MS;
/** Maximum time in ms that a run waits for earlier write transactions. */
const WAIT_MS = 5_000;
/** Time in ms after which a run begins no further month. */
const PASS_MS = 10_000;

interface StoreGroupSumsOptions extends StoreMonthDependencies {
  pool: Pool;
  now: Date;
  /** Whether a separate job refreshes the sums of users. */
  continuousAggregates: boolean;
  leastHomes?: number;
  passMs?: number;
  waitMs?: number;
  signal?: AbortSignal;
}

interface Kept {
  groupId: string;
  zone: string;
}

/**
 * Stores the sums of groups by day and month, in UTC and in the zone of each group's owner, latest first. Deletes invalid ones. Stored sums
 * equal computed ones, so they affect only response times. Each month of a group is one transaction. Returns the number of sums stored.
 */
export async function storeGroupSums(parts: StoreGroupSumsOptions): Promise<number> {
  const { pool, now, signal, passMs = PASS_MS } = parts;
  const untilMs = performance.now() + passMs;
  const isOver = () => signal?.aborted === true || performance.now() >= untilMs;
  await invalidateSumsOfChangedDays(pool);
  // Raw SQL: the tables are not declared for typed queries, because only this module reads them.
  const { rows: due } = await pool.query<Kept>(
    `SELECT g.group_id AS "groupId", u.timezone AS zone FROM home_groups g JOIN users u USING (user_id) LEFT JOIN kept_groups k USING (group_id)
     WHERE k.looked_at IS NULL OR k.looked_at < $1 OR k.looked_at > $3 OR k.composition IS NOT NULL AND k.before < $2 ORDER BY k.looked_at NULLS FIRST, g.group_id`,
    [new Date(now.getTime() - LOOK_AGAIN_MS), getStartOfYesterday(now), new Date(now.getTime() + LOOK_AGAIN_MS)],
  );
  let sums = 0;
  let hasMoved = false;
  for (const group of due) {
    if (isOver()) return sums;
    const homes = await parts.homesOf(parts.db, group.groupId);
    const isLarge = homes.length >= (parts.leastHomes ?? MIN_HOMES);
    if (isLarge && !hasMoved) {
      await advanceGroupSumsBound(pool, now, {
        isClosing: !parts.continuousAggregates,
        waitMs: parts.waitMs ?? WAIT_MS,
      });
      hasMoved = true;
    }
    const before = isLarge ? await begin(parts, group) : await leaveOut(parts, group, homes.length);
    if (before === null) continue;
    let isDone = true;
    for (const zone of new Set(['UTC', group.zone])) {
      for (const [index, month] of (await listMonthsToStore(parts.db, homes, { zone, before })).entries()) {
        isDone &&= !isOver();
        if (isDone) sums += await storeMonthSums(parts, group.groupId, month, index === 0);
      }
    }
    if (isDone) await pool.query('UPDATE kept_groups SET looked_at = $2 WHERE group_id = $1', [group.groupId, now]);
  }
  await stopRecordingChangesIfUnused(pool);
  return sums;
}

async function leaveOut({ pool, now }: StoreGroupSumsOptions, { groupId }: Kept, homes: number): Promise<null> {
  await pool.query('DELETE FROM kept_groups WHERE group_id = $1 AND composition IS NOT NULL', [groupId]);
  await pool.query(
    `INSERT INTO kept_groups (group_id, homes, before, looked_at) SELECT $1, $2, '-infinity', $3 WHERE EXISTS (SELECT FROM home_groups WHERE group_id = $1)
     ON CONFLICT (group_id) DO UPDATE SET homes = $2, looked_at = $3`,
    [groupId, homes, now],
  );
  return null;
}

/**
 * Records the homes of a group, and deletes its sums if the homes have changed. Returns the time up to which sums may be stored, or null.
 */
function begin({ db, homesOf }: StoreGroupSumsOptions, { groupId }: Kept): Promise<Date | null> {
  return runInSnapshot(db, async (trx, before) => {
    if (before === null) return null;
    const query = createQueryFunction(trx);
    const group = await loadGroupHomes(trx, await homesOf(trx, groupId), new Set());
    const { rows } = await query<{ composition: Buffer; before: Date }>(
      `SELECT composition, before FROM kept_groups k WHERE group_id = $1 AND composition IS NOT NULL
         AND homes = (SELECT count(*) FROM kept_group_homes h WHERE h.group_id = k.group_id)`,
      [groupId],
    );
    const stays = rows[0]?.composition.equals(await computeCompositionHash(group, rows[0].before)) ?? false;
    if (!stays) await query('DELETE FROM kept_groups WHERE group_id = $1', [groupId]);
    await query(
      `INSERT INTO kept_groups (group_id, homes, composition, before) VALUES ($1, $2, $3, $4)
       ON CONFLICT (group_id) DO UPDATE SET composition = $3, before = $4, looked_at = NULL`,
      [groupId, group.userIds.length, await computeCompositionHash(group, before), before],
    );
    if (!stays)
      await query('INSERT INTO kept_group_homes (group_id, user_id) SELECT $1, unnest($2::text[])', [
        groupId,
        group.userIds,
      ]);
    for await (const homes of group.composed()) await storeDeviceHistory(trx, homes.flatMap(keptDevices), before);
    return before;
  });
}

/** Returns the devices of a home and the groups of their channels for which facts from their history are stored. */
function keptDevices({ userId, devices }: Home): DeviceWithStoredHistory[] {
  const whole = Map.groupBy(devices, ({ deviceId, partOf }) => partOf ?? deviceId);
  return [...whole.values()].flatMap((parts) => {
    const produces = parts.some(({ placement }) => placement === 'production');
    const storedParts = parts.filter(({ partOf }) => partOf === null || produces);
    return storedParts.map(({ deviceId }) => ({ key: deviceId, userId, produces }));
  });
}
