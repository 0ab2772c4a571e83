import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createPool, type Pool } from '#src/database/connect.ts';
import { waitForExclusiveLock, withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

const KEY = ADVISORY_LOCKS.packing;

let database: TestDatabase;
let other: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  other = createPool(database.url, { max: 2 });
});
afterAll(async () => {
  await other.end();
  await database.drop();
});

const take = () => withExclusiveLock(other, KEY, async () => 'taken');

test('a holder that is busy elsewhere for a long time keeps its lock', async () => {
  const over = new AbortController();
  const held = withExclusiveLock(database.pool, KEY, async (_session, lost) => {
    await setTimeout(60_000, undefined, { signal: AbortSignal.any([over.signal, lost]) }).catch(() => {});
    return lost.aborted ? 'lost' : 'kept';
  });
  await setTimeout(7_000);
  expect(await take()).toBeNull();
  over.abort();
  expect(await held).toBe('kept');
  expect(await take()).toBe('taken');
});

test("a connection that released a lock has the server's defaults again", async () => {
  const alone = createPool(database.url, { max: 1 });
  const limits = async (query: (text: string) => Promise<{ rows: unknown[] }>) =>
    (
      await query(
        "SELECT current_setting('idle_session_timeout') AS idle, current_setting('idle_in_transaction_session_timeout') AS silent",
      )
    ).rows[0];
  const within = await withExclusiveLock(alone, KEY, (session) => limits((text) => session.query(text)));
  expect(within).toEqual({ idle: '5s', silent: '5s' });
  expect(await limits((text) => alone.query(text))).toEqual({ idle: '0', silent: '0' });
  // `waitForExclusiveLock` sends no heartbeats while the lock is held. PostgreSQL therefore tolerates a longer silence of this session.
  const atStart = await waitForExclusiveLock(alone, KEY, (session) => limits((text) => session.query(text)));
  expect(atStart).toEqual({ idle: '1min', silent: '1min' });
  expect(await limits((text) => alone.query(text))).toEqual({ idle: '0', silent: '0' });
  await alone.end();
});

test('a process that lost its lock is notified, and its session has ended', async () => {
  const seen: unknown[] = [];
  const held = withExclusiveLock(database.pool, KEY, async (session, lost) => {
    const { rows } = await session.query('SELECT pg_backend_pid() AS pid');
    // Waits until PostgreSQL has ended the session, because the client notices the end earlier.
    await other.query('SELECT pg_terminate_backend($1, 30000)', [rows[0].pid]);
    await expect.poll(() => lost.aborted).toBe(true);
    seen.push(await take(), await session.query('SELECT 1').catch((error: Error) => error.message));
  });
  await expect(held).rejects.toThrow();
  expect(seen).toEqual(['taken', expect.stringMatching(/not queryable|terminat/i)]);
});
