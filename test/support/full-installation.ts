import { loadGatewayWithAnnouncements, saveAnnouncements } from '#ingest/gateways/announcements.ts';
import { closeBillPeriod, createBillPeriod } from '#src/billing/store.ts';
import { createDatabase, type PoolClient } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { packHoursIntoDays } from '#src/rollups/pack.ts';
import { startTestApi, type TestApiResponse } from './api.ts';
import type { TestDatabase } from './database.ts';
import { createTestMeter, type TestMeter } from './meters.ts';

const DAY_MS = 86_400_000;

/** Credentials and stored responses of users, which must remain valid after a move. */
export interface UserCredentials {
  admin: { userId: string; key: string };
  /** Session cookies and CSRF token of a signed-in browser, as request headers. */
  browser: { cookie: string; 'x-csrf-token': string };
  /** A sign-in code that has been mailed but not yet used. */
  code: { sign_in_id: string; code: string };
  /** A POST request with its Idempotency-Key, and its response. */
  post: { path: string; body: object; headers: { 'idempotency-key': string }; answer: TestApiResponse };
  gatewayId: string;
  webhookId: string;
}

/**
 * SQL statements, by relation, for rows that take too long to create through the service. $1: a user; $2: the user's device; $3: a series;
 * $4: a gateway.
 */
const ROWS: Record<string, string> = {
  ingest_slots: 'INSERT INTO ingest_slots VALUES (0, true), (1, false)',
  alert_firings: `INSERT INTO alert_firings SELECT alert_id, date_trunc('day', now()), '', now(), 9007199254740993, event_id, now() FROM alerts, events LIMIT 1`,
  usage_untold: `INSERT INTO usage_untold VALUES ($1, date_trunc('hour', now()))`,
  usage_told: 'INSERT INTO usage_told VALUES ($1, now())',
  reading_edits: `INSERT INTO reading_edits VALUES ('edt_1', $2, 'import', 'register', '2026-06-15T12:00Z', '2026-06-15T12:00:00.001Z', 9007199254740993, 'read ☀ "off"', $1, now(), $1, now(), DEFAULT, DEFAULT, DEFAULT, DEFAULT),
    ('edt_2', $2, 'import', 'register', '2026-06-15T12:00Z', '2026-06-15T13:00Z', NULL, 'set back', 'clock', now(), NULL, NULL, true, DEFAULT, DEFAULT, '{1781524800000,1781525700001}')`,
  lower_kept_readings: `INSERT INTO lower_kept_readings VALUES ($3, now() - interval '1 year', 0)`,
  closed_readings: `INSERT INTO closed_readings VALUES ($3, now() - interval '1 year', 0, 1)`,
  quantity_changes: `INSERT INTO quantity_changes VALUES ($2, 'import', now(), 'better')`,
  discovered_devices: `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, channels, device_id)
    VALUES ('dsc_1', $4, 'p1', 'meter ☀ "1"', '[{"channel": "import", "unit": null, "deep": [1.50, "\\u00e9"]}]', $2)`,
  device_silences: `INSERT INTO device_silences VALUES ($2, now() - interval '2 days', $1, true, now() - interval '1 day')`,
  silence_watches: `INSERT INTO silence_watches VALUES (now() - interval '2 days', now() - interval '1 day')`,
  believed_time: 'INSERT INTO believed_time (at, confirmations) VALUES (now(), 2)',
  host_clocks: `INSERT INTO host_clocks VALUES ('here', now(), now())`,
  clock_steps: `INSERT INTO clock_steps VALUES ('here', now(), now() - interval '1 hour')`,
  untimed_series: `INSERT INTO untimed_series VALUES ('here', $2, 'import', 'register')`,
  login_places: `INSERT INTO login_places VALUES ($2, gen_random_uuid(), gen_random_uuid())`,
  source_hosts: `INSERT INTO source_hosts VALUES ('prices.example.com', now())`,
  raised_remarks: `INSERT INTO raised_remarks SELECT $1, 'standby', 'home ☀', event_id, now() FROM events LIMIT 1`,
  daily_runs: `INSERT INTO daily_runs VALUES ('rollup check', date_trunc('day', now()))`,
  unread_messages: `INSERT INTO unread_messages VALUES ($4, 'solar/+', 9007199254740993, now(), now(), 'solar/1', '\\x00ff', 2, now())`,
  temporary_secrets: `INSERT INTO temporary_secrets VALUES (decode('01', 'hex'), $2, now() + interval '1 hour')`,
  imports: `INSERT INTO imports (import_id, user_id, rows, created, users_created, differing) VALUES ('imp_1', $1, 2, 1, 0, '[{"row": "line 3", "members": []}]')`,
  provisioning_batches: `INSERT INTO provisioning_batches (batch_id, user_id, owner_user_id, name, type, location, secret_sha256, serials, max_devices, claimed, expires_at)
    VALUES ('prb_1', $1, $1, 'Lot ☀', 'meter', 'x', sha256('a'), '{S1,"S,2"}', 2, 1, now())`,
  device_claims: `INSERT INTO device_claims VALUES ($2, 'prb_1', sha256('b'), now())`,
  passkeys: `INSERT INTO passkeys VALUES ('pky_1', $1, 'bGFtcA', '\\xa5ff', 4294967295, 'localhost', 'phone ☀ "1"', now(), now()), ('pky_2', $1, 'dHdv', '\\x00', 0, 'localhost', 'x', now(), NULL)`,
  passkey_challenges: `INSERT INTO passkey_challenges SELECT 'sgn_1', 'AAAA', NULL, now() + interval '5 minutes' UNION ALL
    SELECT session_id, 'BBBB', session_id, now() + interval '5 minutes' FROM sessions`,
  identities: `INSERT INTO identities VALUES ('https://login.example.com', 'staff-1', $1, now(), now())`,
  home_members: `INSERT INTO home_members VALUES ('mem_1', $1, 'ünvited@example.com', 'read', now(), 'usr_0', now(), NULL),
    ('mem_2', 'usr_0', 'ünvited@example.com', 'manage', now(), $1, now(), NULL)`,
  apps: `INSERT INTO apps VALUES ('app_1', $1, 'Bright ☀ "1"', 'https://bright.example', 'confidential', '{"https://bright.example/a,b"}', NULL, '{insights:read}', sha256('d'), now()),
    ('app_2', 'usr_0', 'Other', 'https://other.example', 'public', '{http://127.0.0.1/}', 'https://other.example/n', '{insights:read,alerts:write}', NULL, now())`,
  authorizations: `INSERT INTO authorizations VALUES ('aut_1', 'app_1', 'usr_0', '{insights:read}', now(), NULL, now()), ('aut_2', 'app_2', $1, '{insights:read}', now(), now() + interval '30 days', NULL)`,
  oauth_tokens: `INSERT INTO oauth_tokens VALUES (sha256('e'), 'access', 'aut_1', '{"scope": "insights:read"}', now() + interval '1 hour', NULL, NULL, NULL),
    (sha256('f'), 'refresh', 'aut_2', '{"scope": "insights:read"}', now() + interval '1 hour', now(), '\\x00ff', NULL),
    (sha256('g'), 'interaction', NULL, '{}', now() + interval '1 hour', NULL, NULL, NULL), (sha256('h'), 'client', NULL, '{}', now() + interval '1 hour', NULL, NULL, 'app_1')`,
  webhooks: `INSERT INTO webhooks (webhook_id, user_id, event, events, url, authorization_id, is_notice)
    VALUES ('whk_notice', $1, 'usage.updated', '{usage.updated}', 'https://other.example/n', 'aut_2', true)`,
  email_changes: `INSERT INTO email_changes VALUES ($1, 'emc_1', 'ünused@example.com', $1, 'ses_1')`,
  arrivals: `INSERT INTO arrivals (user_id, from_installation) VALUES ($1, 'elsewhere')`,
  endings: `INSERT INTO endings (kind, id) VALUES ('key', 'key_gone')`,
  departures: `INSERT INTO departures (user_id, to_installation, left_at) VALUES ('usr_gone', 'elsewhere', now())`,
  departed_logins: `INSERT INTO departed_logins VALUES ('dev_gone', 'usr_gone')`,
  parcels: `INSERT INTO parcels (relation, row) VALUES ('of another move', '{"number": 9007199254740993}')`,
  departed_messages: `INSERT INTO departed_messages (login, received_at, topic, payload, replayed) VALUES ('dev_gone', now(), 'a', '\\x00', false)`,
  arriving_names: `INSERT INTO arriving_names VALUES ('dev_coming', 'usr_coming')`,
  arriving_series: `INSERT INTO arriving_series VALUES (1000000, 'dev_coming', 'import', 'register')`,
  // A stored sum of a large group, in the format of the background worker.
  kept_groups: `INSERT INTO kept_groups SELECT group_id, 1, sha256('c'), date_trunc('day', now()) - interval '1 day', now() FROM home_groups`,
  kept_group_homes: 'INSERT INTO kept_group_homes SELECT group_id, $1 FROM kept_groups',
  kept_group_sums: `INSERT INTO kept_group_sums SELECT group_id, 'UTC', unit, now()::date - 9, date_trunc('day', now()) - interval '9 days',
    date_trunc('day', now()) - interval '8 days', 1, 0, NULL, '{7}', '{1}', '{0}' FROM kept_groups, unnest('{day,begun}'::text[]) unit`,
  kept_begun_homes: `INSERT INTO kept_begun_homes SELECT group_id, zone, unit, bucket, $1, '{7}', '{1}', '{1}', '{0}', '{0}', '{1}', '{0}' FROM kept_group_sums
    WHERE unit = 'begun'`,
  kept_device_pasts: `INSERT INTO kept_device_pasts VALUES ($2, $1, date_trunc('day', now()) - interval '1 day', now() - interval '41 days', 0)`,
  changed_home_days: `INSERT INTO changed_home_days (user_id, day) VALUES ($1, date_trunc('day', now()) - interval '9 days')`,
  // Rows of relations that exist on only one tier (kind of database server).
  stale_days: `INSERT INTO stale_days SELECT day, day + interval '3 hours', day + interval '4 hours'
    FROM (SELECT date_trunc('day', now()) - interval '9 days') AS old (day) ON CONFLICT DO NOTHING`,
  late_deltas: `INSERT INTO late_deltas VALUES (date_trunc('day', now()) - interval '400 days', $2, $1, date_trunc('day', now()) - interval '400 days', 0, 0, 0, 1, 900000, 0)`,
};

/** Fills an installation so that every relation has rows: through the service or, if that would take too long, by SQL. */
export async function fillInstallation(database: TestDatabase): Promise<UserCredentials> {
  const { pool } = database;
  const api = await startTestApi({ database: { ...database, drop: async () => {} } });
  api.now = new Date();
  const admin = await api.user('admin');
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    api.send(path, { method: 'POST', key: admin.key, body, headers });
  const hook = { event: 'user.created', url: 'https://example.com/hook', auth_token: 'a token of the receiver' };
  const { webhook_id: webhookId } = (await post('/v1/webhooks', hook)).json;
  await post('/v1/alerts', { type: 'daily_usage', threshold_kwh: 5, delivery: 'email' });
  const series = (await post('/v1/price-series', { name: 'Börse', currency: 'EUR', resolution_minutes: 60 })).json;
  const prices = [{ starts_at: '2026-06-15T12:00:00Z', per_kwh: '-123456789.987654321' }];
  await api.send(`/v1/price-series/${series.series_id}/prices`, { method: 'PUT', key: admin.key, body: prices });
  const grid = (await post('/v1/emission-series', { name: 'Netz ☀', resolution_minutes: 15 })).json.series_id;
  const intensities = [{ starts_at: '2026-06-15T12:15:00Z', grams_per_kwh: '212.4' }];
  await api.send(`/v1/emission-series/${grid}/intensities`, { method: 'PUT', key: admin.key, body: intensities });
  await api.send(`/v1/users/${admin.userId}`, { method: 'PATCH', key: admin.key, body: { emission_series_id: grid } });
  const paths = { format: 'csv', starts_at: 'from', value: 'price', at: ['13:15'] };
  // A source with request headers, for a price series and an emission series.
  const source = { url: 'https://prices.example/day', ...paths, headers: { 'x-key': 'a key of the source' } };
  const patched = { method: 'PATCH', key: admin.key, body: { source } };
  await api.send(`/v1/price-series/${series.series_id}`, patched);
  await api.send(`/v1/emission-series/${grid}`, patched);
  const rates = { import: { series_id: series.series_id, multiply: '1.19' }, standing_per_day: '0.410' };
  await post('/v1/tariffs', { name: 'hourly', valid_from: '2026-01-01', currency: 'EUR', ...rates });
  await post('/v1/alerts', { type: 'monthly_cost', threshold: '123456789.123456789', delivery: 'email' });
  // An account that refers to an account with a higher id.
  const utility = await api.user('utility');
  const people = { path: '/v1/users', headers: { 'idempotency-key': 'once' } };
  const body = { email: 'once@example.com', role: 'homeowner', timezone: 'Europe/Berlin' };
  const answer = await post(people.path, body, people.headers);
  await pool.query(
    "INSERT INTO users (user_id, email, role, enrolled_by) VALUES ('usr_0', 'first@example.com', 'homeowner', $1)",
    [utility.userId],
  );
  // A group whose parent was created later, and a key that is limited to the group.
  const groups: string[] = [];
  for (const name of ['Feeder ☀ "1"', 'District']) groups.push((await post('/v1/groups', { name })).json.group_id);
  const under = { parent_group_id: groups[1] };
  await api.send(`/v1/groups/${groups[0]}`, { method: 'PATCH', key: admin.key, body: under });
  await post(`/v1/groups/${groups[0]}/users`, { add: ['usr_0', admin.userId, answer.json.user_id] });
  await post('/v1/keys', { name: 'feeder', group_id: groups[0] });
  // Two sign-in requests: the code of one has been used, the code of the other has not.
  const signIn = async () => {
    const before = api.mailed.length;
    const email = (await pool.query('SELECT email FROM users WHERE user_id = $1', [admin.userId])).rows[0].email;
    await api.send('/dashboard/sign-in', { method: 'POST', body: { email } });
    while (api.mailed.length === before) await new Promise((resolve) => setTimeout(resolve, 10));
    return api.mailed[before] as { sign_in_id: string; code: string; token: string };
  };
  const { token } = await signIn();
  const session = await api.send('/dashboard/session', { method: 'POST', body: { token } });
  const browser = {
    cookie: /^[^;]+/.exec(String(session.headers['set-cookie']))?.[0] ?? '',
    'x-csrf-token': session.json.csrf_token,
  };
  const { sign_in_id, code } = await signIn();
  const { gateway_id: gatewayId } = (await post('/v1/gateways', { name: 'Grün ☀ "cellar"' })).json;
  await storeAnnouncements(pool, gatewayId, ['tele/a', 'tele/b']);
  const gone = (await post('/v1/devices', { type: 'smart_meter', location: 'gone' })).json.device_id;
  await api.send(`/v1/devices/${gone}`, { method: 'DELETE', key: admin.key });
  await api.app.close();

  const home = await createTestMeter(database);
  const now = Date.now();
  await home.read([...Array(40).keys()].map((day) => [new Date(now - (41 - day) * DAY_MS), 100 + day]));
  // A register that decreases causes a note. A reading with a future time causes a rejection.
  await home.read([
    [new Date(now - 7_200_000), 500],
    [new Date(now - 3_600_000), 1],
    [new Date(now + DAY_MS), 2],
  ]);
  await bill(database, home, now);
  const { rows } = await pool.query('SELECT series_id FROM series WHERE device_id = $1', [home.deviceId]);
  const values = [home.userId, home.deviceId, rows[0].series_id, gatewayId];
  for (const text of Object.values(ROWS)) {
    const used = values.map((_, index) => index).filter((index) => text.includes(`$${index + 1}`));
    const renumbered = used.reduce((sql, index, at) => sql.replaceAll(`$${index + 1}`, `$#${at + 1}`), text);
    await pool.query(
      renumbered.replaceAll('$#', '$'),
      used.map((index) => values[index]),
    );
  }
  if (!database.capabilities.compression) await packHoursIntoDays(pool, new Date());
  return { admin, browser, code: { sign_in_id, code }, post: { ...people, body, answer }, gatewayId, webhookId };
}

/** Creates two bills. The second contains an adjustment of the first, because of a late reading. */
async function bill({ pool }: TestDatabase, home: TestMeter, nowMs: number): Promise<void> {
  const db = createDatabase(pool);
  const now = new Date(nowMs);
  const dayBefore = (days: number) => new Date(nowMs - days * DAY_MS).toISOString().slice(0, 10);
  const make = async (from: number, to: number) => {
    const range = createDayRange(dayBefore(from), dayBefore(to), 'UTC');
    return (await createBillPeriod(db, home, range, now)).period.bill_period_id;
  };
  const [first, second] = [await make(20, 16), await make(15, 11)];
  await closeBillPeriod(db, ALL_ACCOUNTS, first, now);
  // This late reading at the end of the first bill's period changes the bill.
  await home.read([[new Date(createDayRange(dayBefore(16), dayBefore(16), 'UTC').to.getTime() - 1_000), 125.25]]);
  await closeBillPeriod(db, ALL_ACCOUNTS, second, now);
}

/** Stores announcements of devices behind a gateway, as ingest does. */
export async function storeAnnouncements(
  pool: TestDatabase['pool'],
  gatewayId: string,
  topics: string[],
): Promise<void> {
  const client: PoolClient = await pool.connect();
  const { rows } = await client.query('SELECT announced FROM gateways WHERE gateway_id = $1', [gatewayId]);
  const known = await loadGatewayWithAnnouncements(client, gatewayId, rows[0].announced);
  const receivedAtMs = Date.now();
  const news = topics.map((topic) => ({ topic, payload: Buffer.from([0, 255, 92, 34]), receivedAtMs }));
  await saveAnnouncements(client, gatewayId, known, news);
  client.release();
}
