import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CreatedKey, createKey, revokeKey, rotateKey, updateKeyLimits } from '#src/auth/keys.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createEmailChannel, createSmtpMailer, type Mailer } from '#src/delivery/email/send.ts';
import { notifyExpiringKeys } from '#src/delivery/expiring-keys.ts';
import { createRemarkComposer } from '#src/start/remark-mails.ts';
import { updateUser } from '#src/users/store.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { startMailServer } from '#test/support/mail-server.ts';

const DAY_MS = 86_400_000;
let server: Awaited<ReturnType<typeof startMailServer>>;
let mailer: Mailer;
let deliveries: TestDeliveries;
let userId: string;
/** Time at which the database created the keys. */
let made: Date;
let isFull = false;

beforeAll(async () => {
  server = await startMailServer(() => (isFull ? Object.assign(new Error('disk full'), { responseCode: 452 }) : null));
  mailer = createSmtpMailer(server.url);
  const publicUrl = 'https://energy.example.net';
  deliveries = await createTestDeliveries({
    email: (db) =>
      createEmailChannel({
        db,
        mailer,
        publicUrl,
        secret: 'the secret of the tests',
        composeRemark: createRemarkComposer(),
        from: undefined,
      }),
  });
});
afterAll(async () => {
  await deliveries.close();
  mailer.close();
  await server.close();
});
let people = 0;
beforeEach(async () => {
  userId = await deliveries.user(`anna${people++}@example.com`);
  made = new Date();
  server.messages.length = 0;
});

const after = (days: number) => new Date(made.getTime() + days * DAY_MS);
const keyUntil = (days: number | null, name?: string): Promise<CreatedKey> =>
  createKey(deliveries.db, {
    userId,
    environment: 'live',
    ...(name === undefined ? {} : { name }),
    ...(days === null ? {} : { expiresAt: after(days) }),
  });

/** Returns the mails that are sent if workers look for expiring keys this many days after the keys' creation. */
async function mailsAfter(days: number, workers = 1) {
  deliveries.now = after(days);
  await Promise.all(Array.from({ length: workers }, () => notifyExpiringKeys(deliveries.db, deliveries.now)));
  await deliveries.run();
  const taken = server.messages.splice(0);
  return Promise.all(taken.map((one) => PostalMime.parse(one)));
}
const subjects = async (days: number) => (await mailsAfter(days)).map(({ subject }) => subject);

test('a mail announces a key’s expiry seven days and one day before, once, for any number of workers', async () => {
  await updateUser(deliveries.db, ALL_ACCOUNTS, userId, { timezone: 'Europe/Berlin' });
  const key = await keyUntil(90, 'Nightly\nimport <b>');
  expect(await subjects(82.9)).toEqual([]);
  const week = await mailsAfter(83.1, 4);
  expect(week).toHaveLength(1);
  const [mail] = week;
  expect(mail?.to?.map(({ address }) => address)).toEqual([`anna${people - 1}@example.com`]);
  const mailText = `API key “Nightly import <b>” (${key.prefix}…) ends on `;
  expect(mail?.subject).toContain(mailText);
  expect(mail?.subject).toContain('(Europe/Berlin)');
  expect(mail?.text).toContain(mailText);
  expect(mail?.html).toContain('Nightly import &lt;b&gt;');
  // A later check, for example after a restart or by a worker whose clock differs, sends no second mail.
  expect(await subjects(83.2)).toEqual([]);
  expect(await subjects(88.9)).toEqual([]);
  expect(await mailsAfter(89.1, 4)).toHaveLength(1);
  expect(await subjects(89.9)).toEqual([]);
  expect(await subjects(90.1)).toEqual([]);
  const { rows } = await deliveries.database.pool.query(
    `SELECT (SELECT json_agg(events) FROM events WHERE type = 'key.expiring')::text AS stored,
       (SELECT count(DISTINCT event_id)::int FROM events WHERE type = 'key.expiring' AND user_id = $1) AS events`,
    [userId],
  );
  expect(rows[0].events).toBe(2);
  for (const seen of [rows[0].stored, mail?.text, mail?.html]) expect(seen).not.toContain(key.key.slice(14));
});

test('a mail that the server refuses is sent later', async () => {
  await keyUntil(60);
  isFull = true;
  expect(await subjects(53.5)).toEqual([]);
  isFull = false;
  expect(await subjects(53.51)).toHaveLength(1);
});

test('no mail is sent for a key that was revoked, never expires, is valid for a day, or is valid only for the overlap of its rotation', async () => {
  const revoked = await keyUntil(30);
  await revokeKey(deliveries.db, ALL_ACCOUNTS, revoked.key_id);
  await keyUntil(null);
  await keyUntil(1);
  const rotated = await keyUntil(null);
  await rotateKey(deliveries.db, ALL_ACCOUNTS, rotated.key_id, { environment: 'live', madeBy: 'owner', now: made });
  for (const days of [0.1, 0.5, 0.9, 23.5, 29.5]) expect([days, await subjects(days)]).toEqual([days, []]);
  // If a key is valid for only three days, only the mail before its last day is sent.
  const short = await keyUntil(3);
  expect(await subjects(0.1)).toEqual([]);
  expect(await subjects(2.1)).toEqual([expect.stringContaining(short.prefix)]);
});

test('a moved expiry is announced again, but not one that is set back to its former time', async () => {
  const { key_id } = await keyUntil(30);
  expect(await subjects(24)).toHaveLength(1);
  const moveTo = (days: number, at: number) =>
    updateKeyLimits(deliveries.db, ALL_ACCOUNTS, key_id, { now: after(at), expiresAt: after(days) });
  await moveTo(30, 24.5);
  expect(await subjects(25)).toEqual([]);
  await moveTo(60, 25);
  expect(await subjects(29.5)).toEqual([]);
  expect(await subjects(53.5)).toHaveLength(1);
  // The new expiry is so near that no mail is sent.
  await moveTo(55, 53.6);
  expect(await subjects(54.1)).toEqual([]);
});

test('no key is missed if there are more of them than one check reads', async () => {
  await deliveries.database.pool.query(
    `INSERT INTO api_keys (key_id, user_id, key_sha256, prefix, scopes, created_at, expires_at)
     SELECT 'key_many' || n, $1, sha256(n::text::bytea), 'eus_live_many', '{}', $2, $3 FROM generate_series(1, 1001) n`,
    [userId, made, after(30)],
  );
  expect(await notifyExpiringKeys(deliveries.db, after(24))).toBe(1001);
  expect(await notifyExpiringKeys(deliveries.db, after(24))).toBe(0);
});
