import type { PoolClient } from '../connect.ts';
import { copyRows, readColumns } from './copy-rows.ts';
import { BUNDLED_RELATIONS, RELATIONS_DELETED_ON_MOVE } from './relations.ts';

// Raw SQL: relation names are known only at run time; rows are handled as JSON.

/**
 * In the table `parcels`, this prefix marks relations whose rows do not move. The rows are stored so that they can be restored if the move
 * fails.
 */
const RETURNING = 'returned:';

/** Moves all rows of accounts into the table `parcels`, in the caller's transaction, which has locked the accounts. */
export async function packAccounts(client: PoolClient, userIds: readonly string[]): Promise<void> {
  for (const { relation, whose } of RELATIONS_DELETED_ON_MOVE)
    await client.query(
      `INSERT INTO parcels (relation, row) SELECT '${RETURNING}${relation}', to_jsonb(t) FROM ${relation} t WHERE ${whose}`,
      [userIds],
    );
  for (const { relation, whose, stays } of BUNDLED_RELATIONS.toReversed()) {
    if (relation === 'usage_changes') await packChangedHours(client, userIds);
    else if (relation === 'events') await packEvents(client, userIds);
    else {
      const taken = stays
        ? `SELECT * FROM ${relation} WHERE ${whose}`
        : `DELETE FROM ${relation} WHERE ${whose} RETURNING *`;
      await client.query(
        `WITH taken AS (${taken}) INSERT INTO parcels (relation, row) SELECT '${relation}', to_jsonb(t) FROM taken t`,
        [userIds],
      );
    }
  }
}

/**
 * Moves the accounts' entries out of the queue of changed hours, for which alerts must be evaluated. A row of the queue may also contain
 * other accounts, which remain.
 */
export async function packChangedHours(client: PoolClient, userIds: readonly string[]): Promise<void> {
  const theirs = 'ARRAY(SELECT u FROM unnest(user_ids) u WHERE u = ANY ($1))';
  const others = 'ARRAY(SELECT u FROM unnest(c.user_ids) u WHERE u <> ALL ($1))';
  await client.query(
    `WITH taken AS MATERIALIZED (
       SELECT change_id, hour, user_ids, costs_only, is_held FROM usage_changes WHERE user_ids && $1 ORDER BY change_id FOR UPDATE
     ), parcelled AS (
       INSERT INTO parcels (relation, row)
       SELECT 'usage_changes', jsonb_build_object('change_id', change_id, 'hour', hour, 'user_ids', ${theirs}, 'costs_only', costs_only, 'is_held', is_held) FROM taken
     )
     UPDATE usage_changes c SET user_ids = ${others} FROM taken t WHERE c.change_id = t.change_id`,
    [userIds],
  );
}

/** Moves the accounts' events. If another account's subscription has pending deliveries of an event, a copy of the event remains. */
async function packEvents(client: PoolClient, userIds: readonly string[]): Promise<void> {
  await client.query(
    `WITH taken AS (SELECT * FROM events WHERE user_id = ANY ($1) FOR UPDATE)
     INSERT INTO parcels (relation, row) SELECT 'events', to_jsonb(t) FROM taken t`,
    [userIds],
  );
  await client.query(
    `UPDATE events e SET user_id = w.user_id FROM deliveries d JOIN webhooks w USING (webhook_id)
     WHERE d.event_id = e.event_id AND d.status = 'pending' AND e.user_id = ANY ($1)`,
    [userIds],
  );
  await client.query('DELETE FROM events WHERE user_id = ANY ($1)', [userIds]);
}

/** Copies the rows of the moving accounts from the source into the temporary table `incoming` at the target. */
export async function copyAccountBundle(source: PoolClient, target: PoolClient): Promise<void> {
  await target.query(
    'CREATE TEMPORARY TABLE incoming (place bigint PRIMARY KEY, relation text NOT NULL, row jsonb NOT NULL) ON COMMIT DROP',
  );
  const along = `SELECT place, relation, row FROM parcels WHERE NOT starts_with(relation, '${RETURNING}')`;
  await copyRows(source, along, target, 'incoming (place, relation, row)');
  await target.query('CREATE INDEX ON incoming (relation); ANALYZE incoming');
}

const NUMBERED =
  'CREATE TEMPORARY TABLE numbered (relation text, was bigint, is_now bigint, PRIMARY KEY (relation, was)) ON COMMIT DROP';

/** Assigns new numbers to changed hours that return to the source after a failed move, because the previous ones may be in use. */
export async function renumberChangedHours(source: PoolClient): Promise<void> {
  await source.query(NUMBERED);
  await number(source, 'usage_changes', 'change_id');
}

/** Assigns numbers from this database's sequences to incoming rows, and updates all references to them. */
export async function renumberIncomingRows(target: PoolClient): Promise<void> {
  await target.query(NUMBERED);
  for (const one of BUNDLED_RELATIONS) if (one.number !== undefined) await number(target, one.relation, one.number);
  await target.query('ANALYZE numbered');
  await refer(target, 'closed_readings', 'series_id', 'series');
  await refer(target, 'rejected_messages', 'message_id', 'rejected_messages');
  // `catching_up_to` refers to a delivery. If this delivery no longer exists, the one with the next lower number replaces it.
  await target.query(
    `UPDATE incoming i SET row = i.row || jsonb_build_object('catching_up_to', (
       SELECT max(n.is_now) FROM incoming d JOIN numbered n ON n.relation = 'deliveries' AND n.is_now = (d.row->>'place')::bigint
       WHERE d.relation = 'deliveries' AND d.row->>'webhook_id' = i.row->>'webhook_id' AND n.was <= (i.row->>'catching_up_to')::bigint))
     WHERE i.relation = 'webhooks' AND i.row->>'catching_up_to' IS NOT NULL`,
  );
  // The value of `laws` is built as text, because `jsonb` would change its spaces. The state of a device must be copied byte by byte.
  await target.query(
    `UPDATE incoming i SET row = i.row || jsonb_build_object('laws', (
       SELECT '[' || coalesce(string_agg(format('[%s,%s,%s]', n.is_now, entry->1, entry->2), ',' ORDER BY place), '') || ']'
       FROM json_array_elements((i.row->>'laws')::json) WITH ORDINALITY l (entry, place)
       JOIN numbered n ON n.relation = 'series' AND n.was = (entry->>0)::bigint))
     WHERE i.relation = 'device_heads'`,
  );
}

async function number(target: PoolClient, relation: string, column: string): Promise<void> {
  const fresh =
    relation === 'series'
      ? `SELECT (i.row->>'series_id')::bigint AS was, a.series_id AS is_now FROM incoming i JOIN arriving_series a
           ON (a.device_id, a.channel, a.kind) = (i.row->>'device_id', i.row->>'channel', i.row->>'kind')
         WHERE i.relation = 'series'`
      : `SELECT was, nextval(pg_get_serial_sequence('${relation}', '${column}')) AS is_now FROM (
           SELECT (row->>'${column}')::bigint AS was FROM incoming WHERE relation = '${relation}' ORDER BY 1) i`;
  await target.query(`INSERT INTO numbered SELECT '${relation}', was, is_now FROM (${fresh}) n`);
  await refer(target, relation, column, relation);
}

async function refer(target: PoolClient, relation: string, column: string, numbers: string): Promise<void> {
  await target.query(
    `UPDATE incoming i SET row = i.row || jsonb_build_object('${column}', n.is_now) FROM numbered n
     WHERE i.relation = '${relation}' AND n.relation = '${numbers}' AND n.was = (i.row->>'${column}')::bigint`,
  );
}

const SEALED = /_sealed$/;

/** Encrypts the values of columns named `*_sealed` with this installation's key. `reseal` throws if it cannot decrypt a value. */
export async function reencryptIncomingValues(target: PoolClient, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  const { rows } = await target.query(
    `SELECT place, (SELECT jsonb_object_agg(key, value) FROM jsonb_each_text(row) WHERE key LIKE '%\\_sealed' AND value IS NOT NULL) AS sealed
     FROM incoming WHERE EXISTS (SELECT FROM jsonb_object_keys(row) key WHERE key LIKE '%\\_sealed') AND jsonb_typeof(row) = 'object'`,
  );
  for (const { place, sealed } of rows) {
    const resealed = Object.entries((sealed ?? {}) as Record<string, string>)
      .filter(([name]) => SEALED.test(name))
      .map(([name, hex]) => [name, `\\x${reseal(Buffer.from(hex.slice(2), 'hex')).toString('hex')}`]);
    await target.query('UPDATE incoming SET row = row || $2::jsonb WHERE place = $1', [
      place,
      Object.fromEntries(resealed),
    ]);
  }
}

/**
 * Inserts the rows of `incoming` into their relations. Throws if a row already exists, unless the relation is declared `stays` or
 * `replaces`.
 */
export async function unpackAccounts(client: PoolClient): Promise<void> {
  // An account has rows in few relations. While it is closed, each statement for an empty relation would take time.
  const { rows } = await client.query('SELECT DISTINCT relation FROM incoming');
  const arrived = new Set<string>(rows.map(({ relation }) => relation));
  for (const { relation, stays, replaces, mayName } of BUNDLED_RELATIONS) {
    if (!arrived.has(relation)) continue;
    if (mayName !== undefined) await clearUnknownAccount(client, relation, mayName);
    const { columns, key, fixed } = await readColumns(client, relation);
    const list = columns.join(', ');
    const changed = columns.filter((name) => !key.includes(name) && !fixed.includes(name));
    const update = `DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    const onConflict = stays || replaces ? `ON CONFLICT (${key.join(', ')}) ${replaces ? update : 'DO NOTHING'}` : '';
    await client.query(
      `INSERT INTO ${relation} (${list}) OVERRIDING SYSTEM VALUE
       SELECT ${columns.map((name) => `r.${name}`).join(', ')} FROM incoming i, jsonb_populate_record(NULL::${relation}, i.row) r
       WHERE i.relation = '${relation}' ORDER BY i.place ${onConflict}`,
    );
  }
}

/** Sets a column of `incoming` to null if it refers to an unknown account. Must run after the accounts were inserted. */
async function clearUnknownAccount(client: PoolClient, relation: string, column: string): Promise<void> {
  await client.query(
    `UPDATE incoming SET row = row || '{"${column}": null}' WHERE relation = '${relation}'
       AND NOT EXISTS (SELECT FROM users WHERE user_id = row->>'${column}')`,
  );
}

/** After a failed move, restores rows that do not move with an account, if the rows to which they refer still exist. */
export async function restoreRowsAfterFailedMove(client: PoolClient): Promise<void> {
  for (const { relation, column } of RELATIONS_DELETED_ON_MOVE) {
    const { columns, key } = await readColumns(client, relation);
    const from = `incoming i, jsonb_populate_record(NULL::${relation}, i.row) r WHERE i.relation = '${RETURNING}${relation}'`;
    const isThere = await whereReferred(client, relation);
    if (column !== undefined) {
      const same = key.map((name) => `t.${name} = r.${name}`).join(' AND ');
      await client.query(
        `UPDATE ${relation} t SET ${column} = r.${column} FROM ${from} AND ${same} AND t.${column} IS NULL AND ${isThere}`,
      );
    } else
      await client.query(
        `INSERT INTO ${relation} (${columns.join(', ')}) OVERRIDING SYSTEM VALUE
         SELECT ${columns.map((name) => `r.${name}`).join(', ')} FROM ${from} AND ${isThere} ORDER BY i.place ON CONFLICT DO NOTHING`,
      );
  }
}

/** Returns an SQL condition: all rows exist to which the foreign keys of a row `r` refer. */
async function whereReferred(client: PoolClient, relation: string): Promise<string> {
  const { rows } = await client.query(
    `SELECT a.attname AS column, confrelid::regclass::text AS parent, p.attname AS key
     FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1]
       JOIN pg_attribute p ON p.attrelid = confrelid AND p.attnum = confkey[1]
     WHERE contype = 'f' AND conrelid = $1::regclass`,
    [relation],
  );
  const each = rows.map(
    ({ column, parent, key }) =>
      `(r.${column} IS NULL OR EXISTS (SELECT FROM ${parent} p WHERE p.${key} = r.${column}))`,
  );
  return ['true', ...each].join(' AND ');
}

/** Throws if the copied rows of the accounts differ from the rows that were inserted into the relations. */
export async function assertBundleEqualsRows(client: PoolClient, userIds: readonly string[]): Promise<void> {
  const print = `count(*)::text || ' ' || coalesce(sum(('x' || substr(md5(row::text), 1, 15))::bit(60)::bigint), 0)::text`;
  // Rows of relations declared `stays` are copied and also remain at the source.
  const { rows } = await client.query(
    BUNDLED_RELATIONS.filter(({ stays }) => !stays)
      .map(
        ({ relation, whose }) =>
          `SELECT '${relation}' AS relation, (SELECT ${print} FROM incoming WHERE relation = '${relation}') AS came,
             (SELECT ${print} FROM (SELECT to_jsonb(t) AS row FROM (SELECT * FROM ${relation} WHERE ${whose}) t) t) AS is_there`,
      )
      .join(' UNION ALL '),
    [userIds],
  );
  for (const { relation, came, is_there } of rows)
    if (came !== is_there) throw new Error(`${relation} differs after it was put in: ${came}, ${is_there}`);
}
