import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKey } from '#src/auth/keys.ts';
import { READ_ONLY_SCOPES, SCOPES } from '#src/auth/scopes.ts';
import { deleteExpiredCapturedMessages } from '#src/delivery/channel.ts';
import { eraseUser } from '#src/users/erase.ts';
import { inviteMember } from '#src/users/members.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { unzip } from '#test/support/unzip.ts';

/** Number of readings. Compressed, the archive is some 8 MB, which does not fit into the buffers of sockets and streams. */
const READINGS = 700_000;

let api: TestApi;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let home: TestMeter & { key: string; keyId: string };
beforeAll(async () => {
  folder = await createTemporaryFolder();
  api = await startTestApi({
    beforeListening(_app, context) {
      context.dataDir = folder.path;
    },
  });
  api.database.pool.on('acquire', () => statements++);
  const made = await createTestMeter(api.database);
  const readings = [
    ['2026-06-14T10:00:00Z', 1],
    ['2026-06-14T11:00:00Z', 2],
  ] as const;
  await made.read(readings, api.now);
  const { key, key_id } = await createKey(api.db, { userId: made.userId, environment: 'live' });
  home = { ...made, key, keyId: key_id };
  await api.database.pool.query(
    `INSERT INTO readings SELECT series_id, timestamptz '2026-06-15' + make_interval(secs => n / 2.0), 0, (random() * 1e9)::bigint
     FROM series, generate_series(1, ${READINGS}) n WHERE device_id = $1`,
    [home.deviceId],
  );
});
afterAll(async () => {
  await api.close();
  await folder.remove();
});

const pathOf = (userId: string) => `/v1/users/${userId}/export`;

/** Requests an archive but does not read the response yet. */
function begin(key: string, userId = home.userId) {
  let received = 0;
  const chunks: Buffer[] = [];
  const asked = request({
    host: '127.0.0.1',
    port: api.port,
    path: pathOf(userId),
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${key}` },
  });
  const ended = new Promise<'complete' | 'broken off'>((done) => {
    asked.on('response', (response) => {
      response.on('close', () => done(response.complete ? 'complete' : 'broken off'));
      response.on('error', () => {});
    });
    asked.on('error', () => done('broken off'));
  });
  const answered = new Promise<import('node:http').IncomingMessage>((done) => asked.on('response', done));
  asked.end();
  return {
    answered,
    ended,
    leave: () => asked.destroy(),
    async read() {
      const response = await answered;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        chunks.push(chunk);
      });
    },
    content: () => Buffer.concat(chunks),
    received: () => received,
  };
}

/** Number of database statements so far, including those of the test. */
let statements = 0;
/** Waits until no statement has been executed for a second. Returns the number of statements so far. */
async function standstill(): Promise<number> {
  for (let seen = -1; seen !== statements; ) {
    seen = statements;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return statements;
}

describe('an export', () => {
  test('is returned only to a caller that reaches the account and has every scope that reads', async () => {
    const utility = await api.user('utility');
    const own = await api.user('homeowner', { enrolledBy: utility.userId });
    const admin = await api.user('admin');
    const status = async (key: string, userId: string) => (await api.send(pathOf(userId), { key })).status;
    const one = async (who: { key: string }, whose: { userId: string }) => status(who.key, whose.userId);
    expect(await one(own, own)).toBe(200);
    expect(await one(utility, own)).toBe(200);
    expect(await one(admin, own)).toBe(200);
    expect(await one(own, admin)).toBe(403);
    expect(await one(utility, admin)).toBe(404);
    expect(await status(admin.key, 'usr_nobody')).toBe(404);
    const reads = [...READ_ONLY_SCOPES];
    const keyWith = async (scopes: typeof reads) =>
      (await createKey(api.db, { userId: own.userId, environment: 'live', scopes })).key;
    expect(await status(await keyWith(reads), own.userId)).toBe(200);
    for (const left of reads)
      expect({
        left,
        status: await status(await keyWith(SCOPES.filter((scope) => scope !== left)), own.userId),
      }).toEqual({ left, status: 403 });
  });

  test('of a home by its utility names no member of the home, and contains no mail to it', async () => {
    const utility = await api.user('utility');
    const home = await api.user('homeowner', { enrolledBy: utility.userId });
    const guest = 'guest.of.the.home@example.org';
    await inviteMember(
      api.db,
      { user_id: home.userId, email: 'home@example.org' },
      { email: guest, access: 'read', now: api.now },
    );
    const mail = join(folder.path, 'mail');
    await mkdir(mail, { recursive: true });
    await writeFile(join(mail, `${home.userId}.evt_9.eml`), `${guest} is a member of your home`);
    const exported = async (key: string) => {
      const asked = begin(key, home.userId);
      await asked.read();
      expect(await asked.ended).toBe('complete');
      return [...(await unzip(asked.content()))].map(([name, content]) => `${name}\n${content}`);
    };
    const admin = await api.user('admin');
    for (const { key } of [home, admin]) {
      const naming = (await exported(key)).filter((file) => file.includes(guest));
      expect(naming.map((file) => file.split('\n')[0])).toEqual([
        'members.json',
        `messages/mail/${home.userId}.evt_9.eml`,
      ]);
    }
    const files = await exported(utility.key);
    expect(files.filter((file) => file.includes(guest))).toEqual([]);
    expect(files.find((file) => file.startsWith('README.txt'))).not.toMatch(
      /^(?:members\.json|memberships\.json|messages\/)/m,
    );
    expect(files.some((file) => file.startsWith('devices.json'))).toBe(true);
    await rm(join(mail, `${home.userId}.evt_9.eml`));
  });

  test('is a ZIP that another program opens, and counts against the limits', async () => {
    const { userId, key } = await api.user('homeowner');
    const asked = begin(key, userId);
    await asked.read();
    const { headers, statusCode } = await asked.answered;
    expect(await asked.ended).toBe('complete');
    expect({ statusCode, ...headers }).toMatchObject({
      statusCode: 200,
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="${userId}.zip"`,
      'cache-control': 'no-store',
      ratelimit: expect.stringContaining('"minute"'),
    });
    const files = await unzip(asked.content());
    expect(JSON.parse(String(files.get('account.json')))).toMatchObject([{ user_id: userId, role: 'homeowner' }]);
    expect(String(files.get('README.txt'))).toContain('readings.csv');
    const head = await api.send(pathOf(userId), { method: 'HEAD', key });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' });
  });

  test('waits for a slow reader without a connection and with constant memory, and ends with a disconnect', async () => {
    const before = statements;
    const asked = begin(home.key);
    await asked.answered;
    // The client does not read the response, so the export must pause.
    await standstill();
    const { rows } = await api.database.pool.query(
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid() AND state <> 'idle'",
    );
    expect(rows[0].count).toBe(0);
    // An account can export only one archive at a time. Its other requests are not affected.
    const again = await api.send(pathOf(home.userId), { key: home.key });
    expect({ status: again.status, after: again.json.retry_after }).toEqual({ status: 429, after: 30 });
    expect((await api.send('/v1/devices', { key: home.key })).status).toBe(200);
    asked.leave();
    // After the client has left, the export ends early.
    const standstillMs = await standstill();
    const statementsBefore = statements;
    const next = begin(home.key);
    await next.read();
    expect(await next.ended).toBe('complete');
    expect(statements - statementsBefore).toBeGreaterThan(standstillMs - before + 10);
    const lines = String((await unzip(next.content())).get('readings.csv')).split('\n').length;
    expect(lines).toBe(READINGS + 2 + 2);
  });

  test('ends within ten seconds after its key is revoked', async () => {
    const asked = begin(home.key);
    const response = await asked.answered;
    await api.database.pool.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [home.keyId]);
    await new Promise((resolve) => setTimeout(resolve, 5_500));
    response.resume();
    expect(await asked.ended).toBe('broken off');
    await api.database.pool.query('UPDATE api_keys SET revoked_at = NULL WHERE key_id = $1', [home.keyId]);
  });

  test('contains stored messages as files, but no mail that gives access; they are deleted with the account, or after a month', async () => {
    const { userId, key } = await api.user('homeowner');
    const other = await api.user('homeowner');
    const files = [
      `mail/${userId}.evt_1.eml`,
      `sms/${userId}.evt_2.json`,
      `mail/${other.userId}.evt_3.eml`,
      'mail/evt_0.eml',
    ];
    await mkdir(join(folder.path, 'mail'), { recursive: true });
    await mkdir(join(folder.path, 'sms'));
    const signIn = `mail/${userId}.sgn_4.access.eml`;
    for (const file of [...files, signIn]) await writeFile(join(folder.path, file), `of ${file}`);
    const asked = begin(key, userId);
    await asked.read();
    await asked.ended;
    const found = await unzip(asked.content());
    expect([...found.keys()].filter((name) => name.startsWith('messages/'))).toEqual([
      `messages/${files[0]}`,
      `messages/${files[1]}`,
    ]);
    expect(String(found.get(`messages/${files[0]}`))).toBe(`of ${files[0]}`);
    await eraseUser(api.db, userId);
    await deleteExpiredCapturedMessages(api.db, folder.path, new Date());
    const there = async () =>
      [...(await readdir(join(folder.path, 'mail'))), ...(await readdir(join(folder.path, 'sms')))].sort();
    expect(await there()).toEqual(['evt_0.eml', `${other.userId}.evt_3.eml`]);
    const longAgo = new Date(Date.now() - 31 * 86_400_000);
    for (const file of files.slice(2)) await utimes(join(folder.path, file), longAgo, longAgo);
    await deleteExpiredCapturedMessages(api.db, folder.path, new Date());
    expect(await there()).toEqual([]);
  });
});
