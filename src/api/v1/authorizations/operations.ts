import { z } from 'zod';
import { paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { requireOwnAccount } from '#src/auth/access.ts';
import { listAuthorizations as list } from '#src/auth/authorizations.ts';
import { AppError } from '#src/core/errors.ts';
import { endAuthorizations } from '#src/users/app-access.ts';
import { authorizationSchema, authorizationToResponse } from './shape.ts';

export const listAuthorizations = defineOperation('GET /v1/authorizations', {
  summary: 'Lists the apps that can access the caller’s own home, page by page.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(authorizationSchema),
  query: z.object(paginationFields),
  async handle({ context: { clock }, db, caller, page }) {
    return (await page('authorization_id', (at) => list(db, requireOwnAccount(caller), clock(), at))).map(
      authorizationToResponse,
    );
  },
});

export const endAuthorization = defineOperation('DELETE /v1/authorizations/{authorization_id}', {
  summary:
    'Ends an app’s access to the caller’s home at once, and deletes the alerts and webhooks that the app created.',
  forOwnerOnly: true,
  audit: { action: 'authorization.ended', target: 'authorization_id' },
  scope: 'keys:write',
  answer: shapes.messageSchema,
  async handle({ db, caller, params }) {
    const ids = [params.authorization_id];
    const ended = await endAuthorizations(db, { ids }, 'home', { within: requireOwnAccount(caller) });
    if (ended.length === 0) throw new AppError('notFound');
    return { message: `Authorization ${params.authorization_id} was ended` };
  },
});
