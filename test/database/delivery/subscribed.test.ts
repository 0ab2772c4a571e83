import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userEventSubscriptionsSql, usersWithEventReceiversSql } from '#src/events/outbox.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const USERS = 8;
const user = fc.record({
  role: fc.constantFrom('homeowner', 'homeowner', 'utility', 'admin'),
  enrolledBy: fc.option(fc.nat({ max: USERS - 1 })),
});
const webhook = fc.record({
  owner: fc.nat({ max: USERS - 1 }),
  events: fc.uniqueArray(fc.constantFrom('usage.updated', 'alert.triggered', 'remark.raised'), { minLength: 1 }),
  status: fc.constantFrom('active', 'paused'),
});
const id = (index: number) => `usr_${index}`;

test('the recipients of events are the same for a set of users as for each user individually', async () => {
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
        for (const [place, { owner, events, status }] of webhooks.entries())
          await pool.query(
            `INSERT INTO webhooks (webhook_id, user_id, event, events, url, auth_token_sealed, status)
             VALUES ($1, $2, $3, $4, 'https://example.com', '', $5)`,
            [`wh_${place}`, id(owner), events[0], events, status],
          );
        const { rows: ofEach } = await pool.query(
          `SELECT user_id FROM users u WHERE EXISTS (${userEventSubscriptionsSql("'usage.updated'", 'u')}) ORDER BY 1`,
        );
        const { rows: ofAll } = await pool.query(
          `WITH asked AS (SELECT user_id FROM users) SELECT user_id FROM (${usersWithEventReceiversSql('asked', "'usage.updated'")}) told ORDER BY 1`,
        );
        expect(ofAll).toEqual(ofEach);
        // An owner must receive the events to which its own webhook is subscribed, wherever this webhook is in the list.
        const subscribed = webhooks.filter(({ events }) => events.includes('usage.updated'));
        for (const { owner } of subscribed) expect(ofAll).toContainEqual({ user_id: id(owner) });
        if (subscribed.length === 0) expect(ofAll).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
