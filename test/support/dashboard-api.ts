import { afterAll, beforeAll } from 'vitest';
import { listRejectedMessages, replayRejectedMessages } from '#ingest/replay-rejected.ts';
import type { ApiContext } from '#src/api/context.ts';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import { addOperation } from '#src/api/operation.ts';
import { createAuthenticator } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import { startTestApi, type TestApi } from './api.ts';

/** An account and its key. */
export interface Person {
  userId: string;
  key: string;
}

/** The operations that only the dashboard uses (`/own/v1/…`), called with API keys. */
interface DashboardApi {
  api: TestApi;
  context: ApiContext;
  /** Callers with API keys. `stranger`: a utility in which the home is not enrolled. */
  people: Record<'admin' | 'utility' | 'stranger' | 'home', Person>;
  /** Sends a request. If it succeeds, validates the response against the schema of the operation. */
  ask(path: string, by: { key: string }, sent?: { method?: string; body?: unknown }): ReturnType<TestApi['send']>;
  /** Returns the response status for each of several callers. */
  statuses(path: string, callers: Record<string, Person>): Promise<Record<string, number>>;
  // biome-ignore lint/suspicious/noExplicitAny: the columns of the rows depend on the query
  sql(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}

/**
 * Registers hooks that start and stop an API with the dashboard's operations. Its accounts are an administrator, two utilities, and a home
 * of the first utility. Outside a test, only the property `people` can be used.
 */
export function setUpDashboardApi(): DashboardApi {
  const people = { admin: {}, utility: {}, stranger: {}, home: {} } as DashboardApi['people'];
  const own = {
    people,
    ask: async (path, { key }, sent = {}) => {
      const { method = 'GET' } = sent;
      const answer = await own.api.send(`/own${path}`, { key, ...sent });
      const definition = DASHBOARD_OPERATIONS.find(
        (one) =>
          one.method === method &&
          new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? ''),
      );
      if (!definition) throw new Error(`${method} ${path} is no operation`);
      if (answer.status < 300) definition.answer.parse(answer.json);
      return answer;
    },
    statuses: async (path, callers) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(callers).map(async ([name, caller]) => [name, (await own.ask(path, caller)).status] as const),
        ),
      ),
    sql: (text, values = []) => own.api.database.pool.query(text, values),
    // The hooks set the remaining properties when they start the API.
  } as Omit<DashboardApi, 'api' | 'context'> as DashboardApi;
  beforeAll(async () => {
    const { api } = Object.assign(own, await startApi());
    const { admin, utility, stranger, home } = people;
    Object.assign(admin, await api.user('admin'));
    for (const one of [utility, stranger]) Object.assign(one, await api.user('utility'));
    Object.assign(home, await api.user('homeowner', { enrolledBy: utility.userId }));
  });
  afterAll(() => own.api.close());
  return own;
}

async function startApi(): Promise<Pick<DashboardApi, 'api' | 'context'>> {
  let context: ApiContext | undefined;
  const api = await startTestApi({
    beforeListening: (app, its) => {
      context = its;
      const authenticate = createAuthenticator(its.db, 'live');
      void app.register(async (scope) => {
        scope.addHook('onRequest', async (request) => {
          const caller = await authenticate((request.headers.authorization ?? '').slice('Bearer '.length), request.ip);
          if (typeof caller === 'string') throw new AppError(caller);
          request.caller = caller;
        });
        for (const one of DASHBOARD_OPERATIONS) addOperation(scope, its, { ...one, path: `/own${one.path}` });
      });
    },
  });
  if (!context) throw new Error('the API has no context');
  const { pool, capabilities } = api.database;
  context.rejected = {
    list: (which, page) => listRejectedMessages(pool, which, page),
    replay: (which, signal) => replayRejectedMessages(pool, which, { retentionMonths: 24, signal }),
  };
  context.rollups = { pool, capabilities, retentionMonths: 24 };
  return { api, context };
}
