import { listRejected, replayRejected } from '#ingest/rejected.ts';
import type { ApiContext } from '#src/api/context.ts';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import { addOperation } from '#src/api/operation.ts';
import { createAuthenticate } from '#src/auth/authenticate.ts';
import { AppError } from '#src/core/errors.ts';
import { type TestApi, testApi } from './api.ts';

/** An account, and the key that it asks with. */
export interface Person {
  userId: string;
  key: string;
}

/** What the dashboard asks beside the interface, at `/own/v1/…`, asked with keys here: signing in is another test's. */
export interface DashboardApi {
  api: TestApi;
  context: ApiContext;
  /** `stranger`: another utility. */
  people: Record<'admin' | 'utility' | 'stranger' | 'home', Person>;
  /** Asks, and holds a good answer to its shape. */
  ask(path: string, by: { key: string }, sent?: { method?: string; body?: unknown }): ReturnType<TestApi['send']>;
  /** Status of an answer to each of those who ask. */
  statuses(path: string, callers: Record<string, Person>): Promise<Record<string, number>>;
  // biome-ignore lint/suspicious/noExplicitAny: rows of whatever is asked
  sql(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
}

/** Starts the API with the dashboard's operations, an administrator, two utilities, and a home of the first of them. */
export async function dashboardApi(): Promise<DashboardApi> {
  let context: ApiContext | undefined;
  const api = await testApi({
    beforeListening: (app, its) => {
      context = its;
      const authenticate = createAuthenticate(its.db, 'live');
      void app.register(async (scope) => {
        scope.addHook('onRequest', async (request) => {
          const caller = await authenticate((request.headers.authorization ?? '').slice('Bearer '.length), request.ip);
          if (!caller || caller === 'elsewhere') throw new AppError('unauthorized');
          request.caller = caller;
        });
        for (const one of DASHBOARD_OPERATIONS) addOperation(scope, its, { ...one, path: `/own${one.path}` });
      });
    },
  });
  if (!context) throw new Error('the API has no context');
  const { pool, capabilities } = api.database;
  context.rejected = {
    list: (which, page) => listRejected(pool, which, page),
    replay: (which, signal) => replayRejected(pool, which, { retentionMonths: 24, signal }),
  };
  context.rollups = { pool, capabilities, retentionMonths: 24 };
  const [admin, utility, stranger] = [await api.user('admin'), await api.user('utility'), await api.user('utility')];
  const home = await api.user('homeowner', { enrolledBy: utility.userId });
  const ask: DashboardApi['ask'] = async (path, { key }, sent = {}) => {
    const { method = 'GET' } = sent;
    const answer = await api.send(`/own${path}`, { key, ...sent });
    const definition = DASHBOARD_OPERATIONS.find(
      (one) =>
        one.method === method &&
        new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?', 1)[0] ?? ''),
    );
    if (!definition) throw new Error(`${method} ${path} is no operation`);
    if (answer.status < 300) definition.answer.parse(answer.json);
    return answer;
  };
  return {
    api,
    context,
    people: { admin, utility, stranger, home },
    ask,
    statuses: async (path, callers) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(callers).map(async ([name, caller]) => [name, (await ask(path, caller)).status] as const),
        ),
      ),
    sql: (text, values = []) => pool.query(text, values),
  };
}
