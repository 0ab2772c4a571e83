import { z } from 'zod';
import { pageFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { requireOwnAccount } from '#src/auth/access.ts';
import {
  createApp as create,
  findApp as find,
  listApps as list,
  deleteApp as remove,
  updateApp as update,
} from '#src/auth/apps.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import {
  appPatchSchema,
  appSchema,
  appToResponse,
  areRedirectsAllowed,
  createdAppSchema,
  newAppSchema,
  REDIRECT_NEEDS_PUBLIC,
} from './shape.ts';

/** Throws 403 for homeowners, because they may authorize apps but not register them. */
function checkRegistrar({ role }: Caller): void {
  if (role === 'homeowner') throw new AppError('forbidden');
}

export const createApp = defineOperation('POST /v1/apps', {
  summary:
    'Registers an app, which can then request access to homes by OAuth 2.1. For utilities and administrators. The secret of a confidential app is shown once.',
  forOwnerOnly: true,
  audit: { action: 'app.created', target: 'app_id' },
  scope: 'keys:write',
  answer: createdAppSchema,
  body: newAppSchema,
  async handle({ context: { clock }, db, caller, body }) {
    checkRegistrar(caller);
    const settings = { ...body, notification_url: body.notification_url ?? null };
    const { app: made, secret } = await create(db, requireOwnAccount(caller), settings, clock());
    return { ...appToResponse(made), ...(secret !== null && { client_secret: secret }) };
  },
});

export const listApps = defineOperation('GET /v1/apps', {
  summary: 'Lists the apps that the caller’s account registered, page by page.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(appSchema),
  query: z.object(pageFields),
  async handle({ db, caller, page }) {
    checkRegistrar(caller);
    return (await page('app_id', (at) => list(db, requireOwnAccount(caller), at))).map(appToResponse);
  },
});

export const getApp = defineOperation('GET /v1/apps/{app_id}', {
  summary: 'Returns one app.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: appSchema,
  async handle({ db, caller, reach, params }) {
    checkRegistrar(caller);
    return appToResponse(requireFound(await find(db, reach, params.app_id)));
  },
});

export const updateApp = defineOperation('PATCH /v1/apps/{app_id}', {
  summary: 'Changes an app. Removed scopes end at once, also for issued tokens.',
  forOwnerOnly: true,
  audit: { action: 'app.changed', target: 'app_id' },
  scope: 'keys:write',
  answer: appSchema,
  body: appPatchSchema,
  async handle({ db, caller, reach, params, body }) {
    checkRegistrar(caller);
    const appId = params.app_id;
    const { type } = requireFound(await find(db, reach, appId));
    if (body.redirect_uris && !areRedirectsAllowed(type, body.redirect_uris))
      throw createUnprocessableError({ field: 'redirect_uris', message: REDIRECT_NEEDS_PUBLIC });
    return appToResponse(requireFound(await update(db, reach, appId, omitUndefined(body))));
  },
});

export const deleteApp = defineOperation('DELETE /v1/apps/{app_id}', {
  summary: 'Deletes an app, and ends all its authorizations at once. Each home gets a mail.',
  forOwnerOnly: true,
  audit: { action: 'app.deleted', target: 'app_id' },
  scope: 'keys:write',
  answer: shapes.messageSchema,
  async handle({ db, caller, reach, params }) {
    checkRegistrar(caller);
    return shapes.messageOrNotFound(await remove(db, reach, params.app_id), `App ${params.app_id} was deleted`);
  },
});
