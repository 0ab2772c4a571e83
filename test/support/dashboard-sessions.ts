import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type Answer, type TestApi, testApi } from './api.ts';
import { openEventStream } from './event-stream.ts';

/** When each test begins. */
export const NOON = new Date('2026-06-15T12:00:00Z');

/** No limit that a test would reach. */
export const MANY = { minute: 1_000_000, day: 1_000_000 };

/** The cookie of a session, as an answer sets it. */
export const cookieOf = ({ headers }: Answer) => /^[^;]+/.exec(String(headers['set-cookie']))?.[0] ?? '';

/** The address that an account has. */
export const emailIn = async ({ db }: TestApi, userId: string) =>
  (await db.selectFrom('users').select('email').where('user_id', '=', userId).executeTakeFirstOrThrow()).email;

/** Headers of somebody who is signed in. */
interface SignedIn {
  [header: string]: string;
  cookie: string;
  'x-csrf-token': string;
}

/**
 * Registers what starts the API before a file's tests and ends it, and sets it to noon, with nothing mailed, before each; `begin` gets it before the
 * first. Answers what people do to sign in.
 */
export function dashboardSessions(begin: (api: TestApi) => void) {
  let api: TestApi;
  beforeAll(async () => {
    api = await testApi();
    begin(api);
  });
  afterAll(() => api.close());
  beforeEach(() => {
    api.now = NOON;
    api.mailed.length = 0;
  });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    api.send(path, { method: 'POST', body, headers });
  const emailOf = (userId: string) => emailIn(api, userId);
  /** Waits for so many mails since noon; the last of them. */
  const mailed = async (count: number) => {
    await expect.poll(() => api.mailed.length).toBe(count);
    return api.mailed[count - 1] as (typeof api.mailed)[number];
  };
  return {
    /** Lets it be so many minutes after noon. */
    later(minutes: number) {
      api.now = new Date(NOON.getTime() + minutes * 60_000);
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
      return { cookie: cookieOf(answer), 'x-csrf-token': answer.json.csrf_token };
    },
    /** Listens until it is closed, or ended. */
    follow: ({ cookie }: { cookie: string }) => openEventStream(api.port, '/dashboard/v1/changes', { cookie }),
  };
}
