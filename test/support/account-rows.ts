import type { Pool } from '#src/database/connect.ts';
import { BUNDLED_RELATIONS } from '#src/database/copy/relations.ts';
import { LOAD_PROFILE_LEVEL, ROLLUP_LEVELS } from '#src/rollups/levels.ts';

/** Columns (`relation.column`) whose values differ between databases, so that a comparison must omit them. */
const OF_THE_DATABASE = new Set([
  'series.series_id',
  'closed_readings.series_id',
  'device_heads.laws',
  'deliveries.place',
  'gateway_announcements.place',
  'webhooks.catching_up_to',
  'webhooks.auth_token_sealed',
  'webhooks.former_token_sealed',
  'idempotent_answers.body_sealed',
  'imports.credentials_sealed',
  'series_sources.secrets_sealed',
  'usage_changes.change_id',
  'usage_changes.user_ids',
  'rejected_messages.rejected_id',
  'rejected_messages.message_id',
]);

const OF_DEVICES = (column: string) => `SELECT ${column} FROM devices WHERE user_id = ANY ($1)`;

/**
 * Returns all rows of the given accounts, by relation, as sorted JSON texts. Numbers that are valid in only one database are replaced by
 * names. With `others`, returns the rows of all other accounts instead.
 */
export async function readAccountRows(
  pool: Pool,
  userIds: readonly string[],
  others = false,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const read = async (relation: string, query: string) => {
    const { rows } = await pool.query(`SELECT row::text AS text FROM (${query}) q (row) ORDER BY 1`, [userIds]);
    found.set(
      relation,
      rows.map(({ text }) => text),
    );
  };
  const is = (whose: string) => (others ? `(${whose}) IS NOT TRUE` : whose);
  for (const { relation, whose } of BUNDLED_RELATIONS) {
    const omittedColumns = [...OF_THE_DATABASE]
      .filter((name) => name.startsWith(`${relation}.`))
      .map((name) => name.split('.')[1]);
    const without = `to_jsonb(r) - '{${omittedColumns.join(',')}}'::text[]`;
    if (relation === 'usage_changes')
      await read(
        relation,
        `SELECT jsonb_build_array(hour, u, costs_only) FROM usage_changes, unnest(user_ids) u WHERE ${is('u = ANY ($1)')} GROUP BY 1`,
      );
    else if (others && relation === 'audit_log')
      // After an account has moved away, the audit log contains `erased…` instead of its id.
      await read(
        relation,
        `SELECT to_jsonb(r) FROM audit_log r WHERE (${whose} OR actor_user_id LIKE 'erased%' OR about_user_id LIKE 'erased%') IS NOT TRUE`,
      );
    // The access of apps, with their subscriptions, ends when a home moves.
    else if (others && relation === 'webhooks')
      await read(relation, `SELECT ${without} FROM webhooks r WHERE user_id <> ALL ($1)`);
    else await read(relation, `SELECT ${without} FROM ${relation} r WHERE ${is(whose)}`);
  }
  for (const relation of ['readings', 'reading_notes', 'lower_kept_readings', 'closed_readings'])
    await read(
      `${relation} by name`,
      `SELECT to_jsonb(r) - 'series_id' || jsonb_build_array(device_id, channel, kind)::jsonb FROM ${relation} r JOIN series USING (series_id)
       WHERE ${is(`device_id IN (${OF_DEVICES('device_id')})`)}`,
    );
  await read(
    'laws by name',
    `SELECT jsonb_build_array(h.device_id, (SELECT jsonb_agg(jsonb_build_array(s.channel, s.kind, entry->1, entry->2) ORDER BY place)
       FROM jsonb_array_elements(laws::jsonb) WITH ORDINALITY l (entry, place) JOIN series s ON s.series_id = (entry->>0)::bigint AND s.device_id = h.device_id))
     FROM device_heads h WHERE ${is('user_id = ANY ($1)')}`,
  );
  for (const { relation } of [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS])
    await read(relation, `SELECT to_jsonb(r) FROM ${relation} r WHERE ${is("split_part(user_id, '/', 1) = ANY ($1)")}`);
  return found;
}

/** Returns the relations whose rows differ between two results of `readAccountRows`. */
export const findDifferingAccountRows = (one: Map<string, string[]>, other: Map<string, string[]>): string[] =>
  [...one].flatMap(([relation, rows]) => {
    const theirs = other.get(relation) ?? [];
    if (JSON.stringify(rows) === JSON.stringify(theirs)) return [];
    const at = rows.findIndex((row, index) => row !== theirs[index]);
    return [`${relation}: ${rows.length}, ${theirs.length} rows; ${rows[at]} is ${theirs[at]}`];
  });
