import type { Pool, PoolClient } from '#src/database/connect.ts';
import { readColumns } from '#src/database/copy/copy-rows.ts';
import { type CopiedRelation, STREAMED_RELATIONS } from '#src/database/copy/relations.ts';
import type { CopySourceAndTarget } from '#src/database/copy/synchronise.ts';
import { getSeparateQuantityKey, SEPARATELY_STORED_QUANTITIES } from '#src/database/meter.ts';
import { checkUserRollups } from '#src/rollups/check.ts';
import { COLUMN_BY_MEASURE, PACKED_DAYS_TABLE, STORED_HOURS_TABLE } from '#src/rollups/levels.ts';
import { rebuildUserRollupTables } from '#src/rollups/rebuild.ts';
import { markDaysStale, refreshUntilComplete, runWithRefreshLocked } from '#src/rollups/refresh.ts';
import type { MoveInstallation } from './installations.ts';

// Raw SQL: temporary tables, and views of relations whose names are known only at run time.

const viewOf = (relation: string): string => `part_${relation}`;
const OF_SERIES = 'series_id IN (SELECT arrives_as FROM part_series)';
const OF_USERS = 'user_id IN (SELECT user_id FROM part_users)';

/** Relations that are copied while the accounts are open, and once more when the accounts are closed. The load profile comes last. */
export const STREAMED_ACCOUNT_RELATIONS: readonly CopiedRelation[] = [
  ...STREAMED_RELATIONS.map(({ relation, by }) => ({
    relation,
    by,
    part: { view: viewOf(relation), whose: OF_SERIES },
  })),
  ...[STORED_HOURS_TABLE, PACKED_DAYS_TABLE].map(({ relation, time }) => ({
    relation,
    by: time,
    part: { view: viewOf(relation), whose: OF_USERS },
  })),
];

/** Returns the name of the view, created by `prepareAccountViews`, that contains the moving accounts' rows of a relation. */
export const getAccountViewName = (relation: string): string => viewOf(relation);

/**
 * Returns the keys under which the load profile and the aggregates store the accounts' rows: account ids, and keys of meters that are
 * aggregated separately.
 */
export const listConsumptionKeys = (userIds: readonly string[]): string[] =>
  userIds.flatMap((userId) => [
    userId,
    ...SEPARATELY_STORED_QUANTITIES.map((meter) => getSeparateQuantityKey(userId, meter)),
  ]);

interface Series {
  series_id: number;
  device_id: string;
  channel: string;
  kind: string;
}

/** Returns the series of the accounts' devices. Series of closed accounts are stored in the table `parcels`, as JSON. */
async function seriesOf(source: PoolClient, userIds: readonly string[]): Promise<Series[]> {
  const { rows } = await source.query(
    `SELECT series_id, device_id, channel, kind FROM series JOIN devices USING (device_id) WHERE user_id = ANY ($1)
     UNION ALL
     SELECT (row->>'series_id')::bigint, row->>'device_id', row->>'channel', row->>'kind' FROM parcels WHERE relation = 'series'
     ORDER BY 1`,
    [userIds],
  );
  return rows;
}

/**
 * Prepares a database session of each installation for a move. Assigns ids of the target to the accounts' series. Creates views of the
 * accounts' rows that contain the target's ids.
 */
export async function prepareAccountViews(
  { source, target }: CopySourceAndTarget,
  userIds: readonly string[],
): Promise<void> {
  const series = await seriesOf(source, userIds);
  const values = [
    series.map(({ device_id }) => device_id),
    series.map(({ channel }) => channel),
    series.map(({ kind }) => kind),
  ];
  const list = 'unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY n (device_id, channel, kind, place)';
  await target.query(
    `INSERT INTO arriving_series (series_id, device_id, channel, kind)
     SELECT nextval(pg_get_serial_sequence('series', 'series_id')), device_id, channel, kind FROM (
       SELECT n.* FROM ${list} WHERE NOT EXISTS (SELECT FROM arriving_series a
         WHERE (a.device_id, a.channel, a.kind) = (n.device_id, n.channel, n.kind)) ORDER BY place) n`,
    values,
  );
  const { rows } = await target.query(
    `SELECT a.series_id FROM ${list} JOIN arriving_series a USING (device_id, channel, kind) ORDER BY place`,
    values,
  );
  const arriveAs = rows.map(({ series_id }) => series_id);
  await Promise.all([
    openEnd(source, userIds, { series: series.map(({ series_id }) => series_id), arriveAs }),
    openEnd(target, userIds, { series: arriveAs, arriveAs }),
  ]);
}

async function openEnd(
  client: PoolClient,
  userIds: readonly string[],
  { series, arriveAs }: { series: readonly number[]; arriveAs: readonly number[] },
): Promise<void> {
  await client.query('CREATE TEMPORARY TABLE part_series (series_id bigint PRIMARY KEY, arrives_as bigint NOT NULL)');
  await client.query('INSERT INTO part_series SELECT * FROM unnest($1::bigint[], $2::bigint[])', [series, arriveAs]);
  await client.query('CREATE TEMPORARY TABLE part_users (user_id text COLLATE "C" PRIMARY KEY)');
  await client.query('INSERT INTO part_users SELECT unnest($1::text[])', [listConsumptionKeys(userIds)]);
  await client.query('ANALYZE part_series; ANALYZE part_users');
  for (const { relation, part } of STREAMED_ACCOUNT_RELATIONS) {
    const { columns } = await readColumns(client, relation);
    const ofSeries = columns.includes('series_id');
    const shown = columns.map((name) => (name === 'series_id' ? 'p.arrives_as AS series_id' : `r.${name}`)).join(', ');
    const from = ofSeries ? `${relation} r JOIN part_series p USING (series_id)` : `${relation} r WHERE r.${OF_USERS}`;
    await client.query(`CREATE TEMPORARY VIEW ${part?.view} AS SELECT ${shown} FROM ${from}`);
  }
}

// Raw SQL: the names of the relations are known only at run time.

const EVER = new Date(0);

const monthOf = (time: Date): Date => new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth(), 1));

/** Returns the keys (see `listConsumptionKeys`) for which the load profile or an aggregate contains rows. */
export async function findKeysWithRows(pool: Pool, keys: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT k AS key FROM unnest($1::text[]) k WHERE EXISTS (SELECT FROM device_hours WHERE user_id = k)
       OR EXISTS (SELECT FROM device_days WHERE user_id = k) OR EXISTS (SELECT FROM closed_user_daily WHERE user_id = k)`,
    [keys],
  );
  return rows.map(({ key }) => key);
}

/** Recomputes the aggregates that differ from the copied load profile. */
export async function repairAggregates(target: MoveInstallation, keys: readonly string[]): Promise<void> {
  const wrong: string[] = [];
  for (const key of keys) if (!(await isRight(target, key, EVER))) wrong.push(key);
  await recomputeAggregates(target, wrong, EVER);
}

/** Recomputes the aggregates of the keys from the month of `since` on. */
export async function recomputeAggregates(
  { pool, database }: MoveInstallation,
  keys: readonly string[],
  since: Date,
): Promise<void> {
  if (keys.length === 0) return;
  const from = monthOf(since);
  if (!database.capabilities.continuousAggregates) {
    for (const key of keys) await rebuildUserRollupTables(pool, key, from);
    return;
  }
  const { rows } = await pool.query(
    `SELECT date_trunc('day', ${STORED_HOURS_TABLE.time}, 'UTC') AS day FROM ${STORED_HOURS_TABLE.relation} WHERE user_id = ANY ($1) AND ${STORED_HOURS_TABLE.time} >= $2
     UNION SELECT day FROM closed_user_daily WHERE user_id = ANY ($1) AND day >= $2`,
    [keys, from],
  );
  await markDaysStale(
    pool,
    rows.map(({ day }) => day),
  );
  await refreshUntilComplete(pool, new Date());
}

/** Throws if an aggregate of a key differs from its load profile, from the month of `since` on. */
export async function assertAggregatesMatch(
  target: MoveInstallation,
  keys: readonly string[],
  since: Date,
): Promise<void> {
  const wrong: string[] = [];
  for (const key of keys) if (!(await isRight(target, key, monthOf(since)))) wrong.push(key);
  if (wrong.length > 0)
    throw new Error(`the aggregates of ${wrong.slice(0, 10).join(', ')} differ from their load profile`);
}

async function isRight({ pool, database }: MoveInstallation, key: string, since: Date): Promise<boolean> {
  const differences = database.capabilities.continuousAggregates
    ? await runWithRefreshLocked(pool, (client) => checkUserRollups(client, key, since))
    : await checkUserRollups(pool, key, since);
  return differences.length === 0;
}

/**
 * Returns the total consumption of the accounts and meters in `keys` (see `listConsumptionKeys`), in mWh as text. `relation`: the relation
 * whose rows are added up. It does not contain the latest hour of a device, which may still change.
 */
export async function readTotalConsumption(
  pool: Pool,
  relation: 'closed_device_hourly' | 'closed_user_daily',
  keys: readonly string[],
): Promise<string> {
  const { rows } = await pool.query(
    `SELECT coalesce(sum(${COLUMN_BY_MEASURE.energyMilliwattHours}), 0)::text AS total FROM ${relation} WHERE user_id = ANY ($1)`,
    [keys],
  );
  return rows[0].total;
}
