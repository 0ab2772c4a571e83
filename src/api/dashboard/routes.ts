import type { FastifyInstance } from 'fastify';
import { type ApiContext, addOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { AppError } from '#src/core/errors.ts';
import { addAssets } from './assets.ts';
import { addChanges } from './changes.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';
import { perMinute } from './per-minute.ts';
import { addSession, callerOf, checkCsrf, type SignInParts } from './session.ts';

/** Requests of one account's sessions in a minute, in this process: a person needs a few dozen. */
const MOST_A_MINUTE = 600;

/**
 * The developer dashboard: its pages at `/dashboard`, its sessions, and below `/dashboard/v1` every operation of the
 * interface and a few of its own, for who is signed in. A session is no API key: it is looked at here only, a key only
 * below /v1, and its requests do not count against the account's plan.
 */
export function addDashboard(app: FastifyInstance, context: ApiContext, parts: SignInParts): void {
  const isWithin = perMinute(MOST_A_MINUTE, context.clock);
  addAssets(app);
  addSession(app, context, parts);
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (request) => {
      const caller = await callerOf(context, request);
      if (!isWithin(caller.userId)) throw new AppError('tooManyRequests', { retryAfterS: 60 });
      if (request.method !== 'GET' && request.method !== 'HEAD') checkCsrf(parts.secret, request, caller.keyId);
    });
    for (const operation of [...OPERATIONS, ...DASHBOARD_OPERATIONS])
      addOperation(scope, context, { ...operation, path: `/dashboard${operation.path}` });
    addChanges(scope, context);
  });
}
