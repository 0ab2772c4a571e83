import { expect, test } from 'vitest';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { BUNDLED_RELATIONS, RELATIONS_DELETED_ON_MOVE } from '#src/database/copy/relations.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { closeAccountsAtSource, reopenAccounts } from '#src/start/users-move/close.ts';
import { moveUsers } from '#src/start/users-move/move-users.ts';
import { createUser } from '#src/users/store.ts';
import { createMovableAccounts, createMoveOptions } from '#test/support/account-moves.ts';
import { findDifferingAccountRows } from '#test/support/account-rows.ts';
import { fillInstallation } from '#test/support/full-installation.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';
import { countRows, setUpTwoDatabases } from '#test/support/two-databases.ts';

/** Tests of account moves that fail after the accounts were closed at the source. They do not depend on the tier of the target. */
const two = setUpTwoDatabases();

/** Creates every kind of reference between an account that moves and an account that stays, in both directions. */
async function createReferences(pool: Pool, movingId: string, stayingId: string): Promise<void> {
  const { rows } = await pool.query('SELECT group_id FROM home_groups WHERE user_id = $1 LIMIT 1', [movingId]);
  const both = [movingId, stayingId];
  for (const [text, values] of [
    ["INSERT INTO home_groups (group_id, user_id, name) VALUES ('grp_other', $1, 'x')", [stayingId]],
    ["INSERT INTO group_members VALUES ($3, $2), ('grp_other', $1)", [...both, rows[0].group_id]],
    [
      `INSERT INTO api_keys (key_id, user_id, key_sha256, prefix, scopes, group_id) VALUES ('key_other', $1, '\\x01', 'x', '{}', $2)`,
      [stayingId, rows[0].group_id],
    ],
    [
      `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed)
       SELECT 'whk_other', $1, event, url, auth_token_sealed FROM webhooks WHERE NOT is_notice LIMIT 1`,
      [stayingId],
    ],
    [
      `INSERT INTO deliveries (delivery_id, event_id, webhook_id, target, status, next_attempt_at, created_at)
       SELECT 'dlv_other_' || event_id, event_id, 'whk_other', 'whk_other', status, now(), now()
       FROM (VALUES ('evt_1', 'succeeded'), ('evt_2', 'pending')) e (event_id, status)`,
      [],
    ],
    [
      `INSERT INTO home_members (member_id, user_id, email, access, created_at, member_user_id, accepted_at)
       VALUES ('mem_other', $1, 'member@example.com', 'manage', now(), $2, now())`,
      [stayingId, movingId],
    ],
    [
      `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed, member_id)
       SELECT 'whk_member', $1, event, url, auth_token_sealed, 'mem_other' FROM webhooks WHERE NOT is_notice LIMIT 1`,
      [stayingId],
    ],
    [
      `INSERT INTO api_keys (key_id, user_id, key_sha256, prefix, scopes, member_id) VALUES ('key_member', $1, '\\x04', 'x', '{}', 'mem_other')`,
      [movingId],
    ],
    [
      `INSERT INTO apps VALUES ('app_goes', $1, 'x', 'https://a.example', 'public', '{https://a.example/}', NULL, '{insights:read}', NULL, now()),
         ('app_stays', $2, 'x', 'https://a.example', 'public', '{https://a.example/}', NULL, '{insights:read}', NULL, now())`,
      both,
    ],
    // Two authorizations: in the first, the account of the app moves; in the second, the account of the home moves.
    [
      `INSERT INTO authorizations VALUES ('aut_app', 'app_goes', $2, '{insights:read}', now(), NULL, NULL),
         ('aut_home', 'app_stays', $1, '{insights:read}', now(), NULL, NULL)`,
      both,
    ],
    [
      `INSERT INTO oauth_tokens VALUES ('\\x11', 'access', 'aut_app', '{}', now(), NULL, NULL), ('\\x12', 'refresh', 'aut_home', '{}', now(), now(), '\\x00')`,
      [],
    ],
    // Tokens that the apps have for themselves, without an authorization by a home.
    [
      `INSERT INTO oauth_tokens (token_sha256, kind, payload, expires_at, app_id)
       VALUES ('\\x13', 'client', '{}', now(), 'app_goes'), ('\\x14', 'client', '{}', now(), 'app_stays')`,
      [],
    ],
    [
      `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed, authorization_id)
       SELECT 'whk_' || a, u, event, url, auth_token_sealed, a FROM (SELECT * FROM webhooks WHERE NOT is_notice LIMIT 1) w, (VALUES ('aut_app', $2), ('aut_home', $1)) v (a, u)`,
      both,
    ],
    [
      `INSERT INTO alerts (alert_id, user_id, type, threshold_hours, delivery, authorization_id)
       VALUES ('alr_app', $2, 'no_data', 5, 'email', 'aut_app'), ('alr_home', $1, 'no_data', 5, 'email', 'aut_home')`,
      both,
    ],
    [
      "INSERT INTO alert_firings (alert_id, period_start, event_id, fired_at) VALUES ('alr_app', now(), 'x', now())",
      [],
    ],
    [
      `INSERT INTO provisioning_batches (batch_id, user_id, owner_user_id, name, type, location, secret_sha256, max_devices, expires_at)
       VALUES ('prb_2', $1, $2, 'x', 'meter', 'x', '\\x02', 9, now()), ('prb_3', $2, $1, 'x', 'meter', 'x', '\\x03', 9, now())`,
      both,
    ],
  ] as const)
    await pool.query(text, [...values]);
}

/** Returns all rows of the given relations, by relation. */
async function rowsOf(pool: Pool, relations: Iterable<string>): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const relation of relations) {
    const { rows } = await pool.query(`SELECT to_jsonb(t)::text AS text FROM ${relation} t ORDER BY 1`);
    found.set(
      relation,
      rows.map(({ text }) => text),
    );
  }
  return found;
}

test('if a move fails after closing accounts, no data of these or of related accounts are lost', async () => {
  const { source, target } = two;
  const inHand = await fillInstallation(source);
  const userIds = await createMovableAccounts(source, inHand);
  await createReferences(source.pool, inHand.admin.userId, 'usr_0');
  const relations = new Set([...BUNDLED_RELATIONS, ...RELATIONS_DELETED_ON_MOVE].map(({ relation }) => relation));
  // These two relations differ: the audit log records the move, and usage changes get new sequence numbers.
  for (const other of ['audit_log', 'usage_changes']) relations.delete(other);
  const before = await rowsOf(source.pool, relations);
  const step = (text: string) => {
    if (text.startsWith('Opening the accounts there')) throw new Error('it fails');
  };
  await expect(moveUsers(source.url, target.url, createMoveOptions(userIds, { step }))).rejects.toThrow('it fails');
  expect(findDifferingAccountRows(before, await rowsOf(source.pool, relations))).toEqual([]);

  // If an account is deleted while other accounts are closed, the rows that refer to it are not restored. All other rows are.
  await closeAccountsAtSource(source.pool, userIds, { toInstallation: 'elsewhere', redirect: async () => {} });
  const { rows } = await source.pool.query("SELECT relation FROM parcels WHERE starts_with(relation, 'returned:')");
  const parcels = rows.map(({ relation }) => relation);
  expect(RELATIONS_DELETED_ON_MOVE.filter(({ relation }) => !parcels.includes(`returned:${relation}`))).toEqual([]);
  await source.pool.query("DELETE FROM users WHERE user_id = 'usr_0'");
  await reopenAccounts(source.pool, userIds);
  const { rows: users } = await source.pool.query('SELECT count(*)::int AS n FROM users WHERE user_id = ANY ($1)', [
    userIds,
  ]);
  expect(users).toEqual([{ n: userIds.length }]);
  const { rows: batches } = await source.pool.query(
    'SELECT owner_user_id FROM provisioning_batches WHERE user_id = $1',
    [inHand.admin.userId],
  );
  expect(batches).toEqual([{ owner_user_id: null }]);
});

test('if a move fails after closing an account, it opens again at the source, with messages that arrived meanwhile', async () => {
  const { source, target } = two;
  const home = await createTestMeter(source);
  await home.read([[new Date(Date.now() - 3_600_000), 460]]);
  const { rows } = await source.pool.query('SELECT email FROM users');
  let meanwhile: Promise<unknown> = Promise.resolve();
  const step = (text: string) => {
    if (!text.startsWith('Copying data that arrived')) return;
    // After the check of the e-mail address, another account at the target takes it, and a device sends a reading to the source.
    meanwhile = Promise.all([
      createUser(createDatabase(target.pool), { email: rows[0].email, role: 'homeowner' }),
      home.read([[new Date(), 461]]),
    ]);
  };
  await expect(moveUsers(source.url, target.url, createMoveOptions([home.userId], { step }))).rejects.toThrow(
    /users_email/,
  );
  await meanwhile;
  expect(await countRows(source.pool, 'departures')).toBe(0);
  expect(await sumImportedMilliwattHours(source, 'user_daily', home.userId)).toBe(1_000_000);
  expect(await countRows(target.pool, 'users')).toBe(1);
  const { differences } = await checkAllRollups(source.pool, {
    capabilities: source.capabilities,
    since: new Date(0),
    mode: 'check',
  });
  expect(differences).toEqual([]);
});
