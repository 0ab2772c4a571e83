import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { subscribedAmong, subscriptionsTo } from '#src/events/outbox.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const USERS = 8;
const user = fc.record({
  role: fc.constantFrom('homeowner', 'homeowner', 'utility', 'admin'),
  enrolledBy: fc.option(fc.nat({ max: USERS - 1 })),
});
const webhook = fc.record({
  owner: fc.nat({ max: USERS - 1 }),
  event: fc.constantFrom('usage.updated', 'alert.triggered'),
  status: fc.constantFrom('active', 'paused'),
});
const id = (index: number) => `usr_${index}`;

test('the recipients of events are the same for a set of users as for each of them', async () => {
  const { pool } = database;
  await fc.assert(
    fc.asyncProperty(
      fc.array(user, { minLength: USERS, maxLength: USERS }),
      fc.array(webhook, { maxLength: 4 }),
      async (users, webhooks) => {
        await pool.query('DELETE FROM users');
        await pool.query(
          `INSERT INTO users (user_id, email, role) SELECT id, id || '@example.com', role FROM unnest($1::text[], $2::text[]) u (id, role)`,
          [users.map((_, index) => id(index)), users.map(({ role }) => role)],
        );
        await pool.query(
          `UPDATE users SET enrolled_by = by FROM unnest($1::text[], $2::text[]) u (id, by) WHERE user_id = id`,
          [
            users.map((_, index) => id(index)),
            users.map(({ enrolledBy }) => (enrolledBy === null ? null : id(enrolledBy))),
          ],
        );
        await pool.query(
          `INSERT INTO webhooks (webhook_id, user_id, event, url, auth_token_sealed, status)
           SELECT 'wh_' || place, owner, event, 'https://example.com', '', status
           FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY w (owner, event, status, place)`,
          [
            webhooks.map(({ owner }) => id(owner)),
            webhooks.map(({ event }) => event),
            webhooks.map(({ status }) => status),
          ],
        );
        const { rows: ofEach } = await pool.query(
          `SELECT user_id FROM users u WHERE EXISTS (${subscriptionsTo("'usage.updated'", 'u')}) ORDER BY 1`,
        );
        const { rows: ofAll } = await pool.query(
          `WITH asked AS (SELECT user_id FROM users) SELECT user_id FROM (${subscribedAmong('asked', "'usage.updated'")}) told ORDER BY 1`,
        );
        expect(ofAll).toEqual(ofEach);
      },
    ),
    { numRuns: 100 },
  );
});
