import type { FastifyInstance } from 'fastify';
import { createConcurrencyLimiter, takeConcurrencySlot } from '#src/api/concurrency-limiter.ts';
import type { ApiContext } from '#src/api/context.ts';
import { addOperation } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { AppError } from '#src/core/errors.ts';
import { addDashboardAssets } from './assets.ts';
import { authenticateCaller, checkCsrf } from './caller.ts';
import { addChangeStream } from './changes.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';
import { addPasskeyChallenges } from './passkeys.ts';
import { addProviderSignIn } from './provider.ts';
import { addSessionRoutes, type SignInDependencies } from './session.ts';

/** Limits of the requests of one account's pages to this process. */
const SHARE = { perMinute: 240, atOnce: 6, mayWait: 24, waitMs: 30_000 };

/**
 * Adds the developer dashboard: its pages at `/dashboard`, its sessions, and its operations below `/dashboard/v1`, which include all
 * operations of the public API. Operations below `/dashboard/v1` accept only sessions, and do not count against the limits of the account's
 * plan. `handOn`: aborted when clients should connect to another process.
 */
export function addDashboardRoutes(
  app: FastifyInstance,
  context: ApiContext,
  parts: SignInDependencies,
  handOn?: AbortSignal,
): void {
  const shares = createConcurrencyLimiter(SHARE, context.clock);
  addDashboardAssets(app);
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      const caller = await authenticateCaller(context, request);
      if (!(await takeConcurrencySlot(shares, caller.userId, reply)))
        throw new AppError('tooManyRequests', { retryAfterSeconds: 5 });
      if (request.method !== 'GET' && request.method !== 'HEAD') checkCsrf(parts.secret, request, caller.keyId);
    });
    for (const operation of [...OPERATIONS, ...DASHBOARD_OPERATIONS])
      addOperation(scope, context, { ...operation, path: `/dashboard${operation.path}` });
  });
  addChangeStream(app, context, handOn);
  addSessionRoutes(app, context, parts);
  addPasskeyChallenges(app, context, parts);
  const { oidc } = parts;
  if (oidc) addProviderSignIn(app, context, { ...parts, oidc });
}
