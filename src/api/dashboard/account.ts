import { z } from 'zod';
import { createBoundedArraySchema, idField, paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import * as shapes from '#src/api/shapes.ts';
import { createImport, getDeviceImporter } from '#src/api/v1/imports/operations.ts';
import { validateDeviceRows } from '#src/api/v1/imports/rows.ts';
import { importQuerySchema, importToResponse, MAX_IMPORTED_DEVICES } from '#src/api/v1/imports/shape.ts';
import { loadAccessibleUser, requireOwnAccount } from '#src/auth/access.ts';
import { closeSessionAndEmailChanges, listSessions as list } from '#src/auth/sessions.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { previewDeviceImport } from '#src/onboarding/import.ts';
import { findImportsWithUnfetchedPasswords, findRowsWithDifferentSettings } from '#src/onboarding/imports.ts';
import { shouldAskForTimezone } from '#src/users/store.ts';
import { importCheckSchema, sessionSchema, timezoneQuestionSchema, unfetchedImportsSchema } from './shapes.ts';

// The operations in this file are for the dashboard's pages about an account.

export const listSessions = defineOperation('GET /v1/sessions', {
  summary: 'Lists the caller’s own sessions with their browsers, page by page.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(sessionSchema),
  query: z.object({ ...paginationFields }),
  async handle({ context: { clock }, db, caller, page }) {
    const sessions = await page('session_id', (at) => list(db, caller.userId, clock(), at));
    return sessions.map((one) => ({ ...one, is_current: one.session_id === caller.keyId }));
  },
});

export const endUserSession = defineOperation('DELETE /v1/sessions/{session_id}', {
  summary: 'Ends one of the caller’s own sessions.',
  forOwnerOnly: true,
  audit: { action: 'session.ended', target: 'session_id' },
  scope: 'keys:write',
  answer: shapes.messageSchema,
  handle: async ({ db, caller, params }) =>
    shapes.respondOrThrowNotFound(
      await closeSessionAndEmailChanges(db, caller.userId, params.session_id),
      `Session ${params.session_id} was ended`,
    ),
});

export const getTimezoneQuestion = defineOperation('GET /v1/timezone-question', {
  summary: 'Returns whether the dashboard should ask for the time zone of an account, because nobody has set it.',
  scope: 'users:read',
  answer: timezoneQuestionSchema,
  query: z.object({ user_id: idField.optional() }),
  async handle({ db, caller, query }) {
    const { user_id } = await loadAccessibleUser(db, caller, query.user_id);
    return { is_asked: await shouldAskForTimezone(db, user_id) };
  },
});

/** Maximum number of imports in the list. */
const MOST = 20;

export const listUnfetchedImports = defineOperation('GET /v1/waiting-imports', {
  summary: 'Lists the imports of the account whose passwords have not been fetched yet, latest first.',
  forOwnerOnly: true,
  scope: 'devices:write',
  answer: unfetchedImportsSchema,
  async handle({ db, caller }) {
    return (await findImportsWithUnfetchedPasswords(db, requireOwnAccount(caller), MOST)).map(importToResponse);
  },
});

const { csvBody, bodyLimitBytes } = createImport;

export const checkImport = defineOperation('POST /v1/import-check', {
  summary:
    'Validates an import of a table of devices: returns its result, and every error with its line. Imports nothing.',
  changes: 'nothing',
  scope: 'devices:write',
  answer: importCheckSchema,
  status: 200,
  query: importQuerySchema,
  // The schema accepts any rows, so that the handler can report all invalid rows instead of only the first.
  body: createBoundedArraySchema(z.record(z.string(), z.unknown()), 1, MAX_IMPORTED_DEVICES),
  ...omitUndefined({ csvBody, bodyLimitBytes }),
  async handle({ db, caller, address, query, body, rowName }) {
    const checked = await validateDeviceRows(body, rowName);
    const importer = getDeviceImporter({ caller, address, query }, checked.devices);
    const { plan, newUsers } = await previewDeviceImport(db, importer, checked.rows);
    return {
      rows: body.length,
      created: plan.create.length,
      existing: plan.existing.length,
      users_created: newUsers,
      differing: findRowsWithDifferentSettings(plan),
      mistakes: [...checked.mistakes, ...plan.errors],
    };
  },
});
