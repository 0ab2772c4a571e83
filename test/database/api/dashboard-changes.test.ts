import { request } from 'node:https';
import { describe, expect, test } from 'vitest';
import { STREAM_LIMITS } from '#src/api/stream-limits.ts';
import type { TestApi } from '#test/support/api.ts';
import { setUpDashboardSessions, TEST_START } from '#test/support/dashboard-sessions.ts';
import { createTestMeter } from '#test/support/meters.ts';

let api: TestApi;
const { signedIn, follow } = setUpDashboardSessions((made) => {
  api = made;
});

/** Returns the events that a listener receives within `forMs`. */
const listen = async (userId: string | null, headers: Record<string, string>, forMs: number) => {
  const path = `/dashboard/v1/changes${userId === null ? '' : `?user_id=${userId}`}`;
  const options = { host: '127.0.0.1', port: api.port, path, headers, rejectUnauthorized: false };
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const asked = request(options, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      const end = () => done({ status: response.statusCode ?? 0, text });
      response.on('end', end);
      setTimeout(() => {
        end();
        asked.destroy();
      }, forMs);
    });
    asked.on('error', fail);
    asked.end();
  });
};

describe('changes', () => {
  test('are announced on arrival to callers that can access the account', async () => {
    const { userId } = await api.user('homeowner');
    const { userId: utility } = await api.user('utility');
    const { userId: enrolled } = await api.user('homeowner', { enrolledBy: utility });
    const home = await createTestMeter(api.database);
    const mine = await signedIn(userId);
    const theirs = await signedIn(utility);
    expect((await listen(enrolled, mine, 500)).status).toBe(403);
    expect((await listen(userId, theirs, 500)).status).toBe(404);
    expect((await listen(enrolled, theirs, 500)).status).toBe(200);
    expect((await listen(null, {} as typeof mine, 500)).status).toBe(401);

    const ofMeter = await signedIn(home.userId);
    const [notified, quiet] = [await follow(ofMeter), await follow(mine)];
    const count = () => notified.of('readings').length;
    await home.read([['2026-06-15T11:00:00Z', 1]], TEST_START);
    await expect.poll(count).toBe(1);
    // This reading arrives within ten seconds of the previous one, so last_seen_at, whose precision is ten seconds, does not change.
    await home.read([['2026-06-15T11:15:00Z', 1.1]], TEST_START);
    await expect.poll(count).toBe(2);
    // Waits until the process has polled the database again.
    await new Promise((done) => setTimeout(done, 2_500));
    expect(count()).toBe(2);
    expect(quiet.text().replaceAll(': still here\n\n', '')).toBe('retry: 3000\n\n');
    for (const one of [notified, quiet]) one.close();
  });

  test('have a maximum number of listeners per account', async () => {
    const { userId } = await api.user('homeowner');
    const mine = await signedIn(userId);
    const answers = await Promise.all(Array.from({ length: 25 }, () => follow(mine)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(200), ...Array(5).fill(429)]);
    expect((await api.send('/dashboard/v1/changes', { method: 'HEAD', headers: mine })).status).toBe(404);
    for (const one of answers) one.close();
    await expect.poll(async () => (await listen(null, mine, 100)).status).toBe(200);
  });

  test('leave room for others when a utility and its homes use all of theirs', async () => {
    const { userId: utility } = await api.user('utility');
    const enrolled = await Promise.all([1, 2, 3].map(() => api.user('homeowner', { enrolledBy: utility })));
    const theirs: { cookie: string }[] = [];
    for (const userId of [utility, ...enrolled.map((one) => one.userId)]) theirs.push(await signedIn(userId));
    const usual = STREAM_LIMITS.ofUtility;
    STREAM_LIMITS.ofUtility = 4;
    const opened: Awaited<ReturnType<typeof follow>>[] = [];
    try {
      for (const cookie of theirs) opened.push(await follow(cookie));
      for (const cookie of theirs) opened.push(await follow(cookie));
      opened.push(await follow(await signedIn((await api.user('homeowner')).userId)));
      const statuses = opened.map(({ status }) => status);
      expect(statuses).toEqual([...Array(4).fill(200), ...Array(4).fill(429), 200]);
    } finally {
      STREAM_LIMITS.ofUtility = usual;
      for (const one of opened) one.close();
    }
  });
});
