import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startTestApi, type TestApi, type TestApiResponse } from './api.ts';
import { openEventStream } from './event-stream.ts';

/** Time at which each test begins. */
export const TEST_START = new Date('2026-06-15T12:00:00Z');

/** Rate limits that are too high to be reached. */
export const UNREACHABLE_RATE_LIMITS = { minute: 1_000_000, day: 1_000_000 };

export const getSessionCookie = ({ headers }: TestApiResponse) =>
  /^[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';

/** Returns the e-mail address of an account. */
export const findEmailAddress = async ({ db }: TestApi, userId: string) =>
  (await db.selectFrom('users').select('email').where('user_id', '=', userId).executeTakeFirstOrThrow()).email;

interface SignedIn {
  [header: string]: string;
  cookie: string;
  'x-csrf-token': string;
}

/**
 * Registers hooks that start and stop the API of a test file. `begin` receives the API before the first test. Before each test, the clock
 * is set to noon and the mails are cleared. Returns functions for signing in.
 */
export function setUpDashboardSessions(begin: (api: TestApi) => void) {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
    begin(api);
  });
  afterAll(() => api.close());
  beforeEach(() => {
    api.now = TEST_START;
    api.mailed.length = 0;
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    api.send(path, { method: 'POST', body, headers });
  const emailOf = (userId: string) => findEmailAddress(api, userId);
  /** Waits until `count` mails have been sent since noon, and returns the last one. */
  const mailed = async (count: number) => {
    await expect.poll(() => api.mailed.length).toBe(count);
    return api.mailed[count - 1] as (typeof api.mailed)[number];
  };
  return {
    /** Sets the clock to the given number of minutes after noon. */
    later(minutes: number) {
      api.now = new Date(TEST_START.getTime() + minutes * 60_000);
    },
    post,
    emailOf,
    mailed,
    async signedIn(userId: string): Promise<SignedIn> {
      const before = api.mailed.length;
      await post('/dashboard/sign-in', { email: await emailOf(userId) });
      const { token } = await mailed(before + 1);
      const answer = await post('/dashboard/session', { token });
      expect(answer.status).toBe(201);
      return { cookie: getSessionCookie(answer), 'x-csrf-token': answer.json.csrf_token };
    },
    /** Opens an event stream. It ends when the test closes it or the server ends it. */
    follow: ({ cookie }: { cookie: string }) => openEventStream(api.port, '/dashboard/v1/changes', { cookie }),
  };
}
