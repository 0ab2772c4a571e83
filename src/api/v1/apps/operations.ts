import { z } from 'zod';
import { paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { requireOwnAccount } from '#src/auth/access.ts';
import * as appStore from '#src/auth/apps.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import * as shapes from './shape.ts';

/** Throws 403 for homeowners, who may authorize apps but not register them. */
function checkRegistrar({ role }: Caller): void {
  if (role === 'homeowner') throw new AppError('forbidden');
}

export const createApp = defineOperation('POST /v1/apps', {
  summary:
    'Registers an app, which can then request access to homes by OAuth 2.1. For utilities and administrators. The secret of a confidential app is shown once.',
  forOwnerOnly: true,
  audit: { action: 'app.created', target: 'app_id' },
  scope: 'keys:write',
  answer: shapes.createdAppSchema,
  body: shapes.newAppSchema,
  async handle({ context: { clock }, db, caller, body }) {
    checkRegistrar(caller);
    const settings = { ...body, notification_url: body.notification_url ?? null };
    const { app: made, secret } = await appStore.createApp(db, requireOwnAccount(caller), settings, clock());
    return { ...shapes.appToResponse(made), ...(secret !== null && { client_secret: secret }) };
  },
});

export const listApps = defineOperation('GET /v1/apps', {
  summary: 'Lists the apps that the caller’s account registered, page by page.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(shapes.appSchema),
  query: z.object(paginationFields),
  async handle({ db, caller, page }) {
    checkRegistrar(caller);
    return (await page('app_id', (at) => appStore.listApps(db, requireOwnAccount(caller), at))).map(
      shapes.appToResponse,
    );
  },
});

export const getApp = defineOperation('GET /v1/apps/{app_id}', {
  summary: 'Returns one app.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: shapes.appSchema,
  async handle({ db, caller, reach, params }) {
    checkRegistrar(caller);
    return shapes.appToResponse(requireFound(await appStore.findApp(db, reach, params.app_id)));
  },
});

export const updateApp = defineOperation('PATCH /v1/apps/{app_id}', {
  summary: 'Changes an app. Removed scopes end at once, also for issued tokens.',
  forOwnerOnly: true,
  audit: { action: 'app.changed', target: 'app_id' },
  scope: 'keys:write',
  answer: shapes.appSchema,
  body: shapes.appPatchSchema,
  async handle({ db, caller, reach, params, body }) {
    checkRegistrar(caller);
    const appId = params.app_id;
    const { type } = requireFound(await appStore.findApp(db, reach, appId));
    if (body.redirect_uris && !shapes.areRedirectsAllowed(type, body.redirect_uris))
      throw createUnprocessableError({ field: 'redirect_uris', message: shapes.INVALID_REDIRECT_MESSAGE });
    return shapes.appToResponse(requireFound(await appStore.updateApp(db, reach, appId, omitUndefined(body))));
  },
});

export const deleteApp = defineOperation('DELETE /v1/apps/{app_id}', {
  summary: 'Deletes an app, and ends all its authorizations at once. Each home gets a mail.',
  forOwnerOnly: true,
  audit: { action: 'app.deleted', target: 'app_id' },
  scope: 'keys:write',
  answer: messageSchema,
  async handle({ db, caller, reach, params }) {
    checkRegistrar(caller);
    return respondOrThrowNotFound(
      await appStore.deleteApp(db, reach, params.app_id),
      `App ${params.app_id} was deleted`,
    );
  },
});
