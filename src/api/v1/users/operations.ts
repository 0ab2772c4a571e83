import { setInterval } from 'node:timers';
import { z } from 'zod';
import { paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { negotiateLanguage } from '#src/api/tables/accept.ts';
import { loadAccessibleUser, requireReadingsReadAccess } from '#src/auth/access.ts';
import { READ_ONLY_SCOPES } from '#src/auth/scopes.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { ACCOUNT_PLANS, ACCOUNT_ROLES } from '#src/database/enums.ts';
import { accountHasSilentDeviceSql, accountNeedsAttentionSql, countDevices } from '#src/devices/fleet/accounts.ts';
import { streamPersonArchive } from '#src/export/archive.ts';
import { assertUsableEmissionSeries } from '#src/tariffs/price-series.ts';
import { eraseUser } from '#src/users/erase.ts';
import * as userStore from '#src/users/store.ts';
import * as shapes from './shape.ts';

export const createUser = defineOperation('POST /v1/users', {
  summary: 'Creates an account. A utility creates accounts of homeowners, an administrator any account.',
  audit: { action: 'user.created', target: 'user_id' },
  scope: 'users:write',
  answer: shapes.createdUserSchema,
  body: shapes.newUserSchema,
  async handle({ db, caller, body }) {
    if (caller.role === 'homeowner') throw new AppError('forbidden');
    if (caller.role === 'utility' && (body.role !== 'homeowner' || body.plan !== undefined)) {
      throw new AppError('forbidden');
    }
    const enrolledBy = caller.role === 'utility' ? caller.userId : undefined;
    const { user_id } = await userStore.createUser(db, { ...omitUndefined(body), enrolledBy });
    return { user_id, status: 'created' };
  },
});

/** Text that the e-mail addresses of the returned users must contain. An empty text matches all users. */
const search = z
  .string()
  .max(254)
  .refine((value) => !value.includes('\0'), 'must not contain NUL')
  .describe('Search text: a part of the e-mail address; case is ignored. Default: all accounts.');

const yesOrNo = z.enum(['true', 'false']);

export const listUsers = defineOperation('GET /v1/users', {
  summary:
    'Lists the accounts that the caller can access, page by page. Filters and counts of devices also need `devices:read`.',
  scope: 'users:read',
  answer: z.array(shapes.listedUserSchema),
  query: z.object({
    search: search.optional(),
    role: z.enum(ACCOUNT_ROLES).optional().describe('Role: only accounts with this role. Default: all roles.'),
    plan: z.enum(ACCOUNT_PLANS).optional().describe('Plan: only accounts on this plan. Default: all plans.'),
    has_attention: yesOrNo
      .optional()
      .describe(
        '`true`: only accounts with a device that has an open problem. `false`: only accounts without one. Default: all accounts.',
      ),
    silent: yesOrNo
      .optional()
      .describe(
        '`true`: only accounts with a device that has been silent for 24 hours. `false`: only accounts without one. Default: all accounts.',
      ),
    include: z
      .enum(['devices'])
      .optional()
      .describe('`devices`: adds the number of devices of each account. Default: none.'),
    ...paginationFields,
  }),
  async handle({ context, db, caller, reach, query, page }) {
    const { search = '', role, plan, has_attention, silent, include } = query;
    const isAboutDevices = [has_attention, silent, include].some((one) => one !== undefined);
    if (isAboutDevices && !caller.scopes.has('devices:read')) throw new AppError('forbidden');
    const now = context.clock();
    const rows = await page('user_id', (at) => {
      const also = [
        ...(has_attention === undefined ? [] : [accountNeedsAttentionSql(has_attention === 'true')]),
        ...(silent === undefined ? [] : [accountHasSilentDeviceSql(silent === 'true', { now, ...at })]),
      ];
      return userStore.listUsers(db, reach, { search, also, ...omitUndefined({ role, plan }), ...at });
    });
    if (include === undefined) return rows.map(shapes.userToResponse);
    const ids = rows.map(({ user_id }) => user_id);
    const counts = await countDevices(db, ids, now);
    const none = { total: 0, silent: 0, faulty: 0 };
    return rows.map((row) => ({ ...shapes.userToResponse(row), devices: counts.get(row.user_id) ?? none }));
  },
});

export const getUser = defineOperation('GET /v1/users/{user_id}', {
  summary: 'Returns one account.',
  scope: 'users:read',
  answer: shapes.userSchema,
  handle: async ({ db, caller, params }) => shapes.userToResponse(await loadAccessibleUser(db, caller, params.user_id)),
});

export const updateUser = defineOperation('PATCH /v1/users/{user_id}', {
  summary:
    'Changes an account. Only administrators can change role and plan. Changing `email` also needs keys:write. The new address is the `pending_email` until a link in a mail to it is used, within 7 days; sending the present address as `email` withdraws it. An administrator’s change takes effect at once. Changing the address or the role ends all keys and sessions of the account.',
  audit: { action: 'user.changed', target: 'user_id' },
  scope: 'users:write',
  answer: shapes.userSchema,
  body: shapes.userPatchSchema,
  async handle({ db, caller, reach, params, body: patch, languages }) {
    if (patch.email !== undefined && !caller.scopes.has('keys:write')) throw new AppError('emailNeedsKeys');
    const { user_id } = await loadAccessibleUser(db, caller, params.user_id);
    if (caller.role !== 'admin' && (patch.role !== undefined || patch.plan !== undefined))
      throw new AppError('forbidden');
    if (typeof patch.emission_series_id === 'string')
      await assertUsableEmissionSeries(db, user_id, patch.emission_series_id);
    const requester = caller.role === 'admin' ? undefined : caller;
    const language = patch.remarks_by_mail ? negotiateLanguage(languages) : undefined;
    const settings = omitUndefined({ ...patch, language });
    return shapes.userToResponse(requireFound(await userStore.updateUser(db, reach, user_id, settings, requester)));
  },
});

export const deleteUser = defineOperation('DELETE /v1/users/{user_id}', {
  summary: 'Deletes an account and all its data. The only administrator cannot be deleted (409).',
  forOwnerOnly: true,
  audit: { action: 'user.deleted', target: 'user_id' },
  scope: 'users:write',
  answer: messageSchema,
  async handle({ db, caller, params }) {
    const { user_id, role } = await loadAccessibleUser(db, caller, params.user_id);
    if (role === 'admin') await userStore.assertOtherAdministrator(db, user_id);
    return respondOrThrowNotFound(await eraseUser(db, user_id), `User ${user_id} and all associated data were deleted`);
  },
});

/** Maximum number of archives that are created at the same time for one account. `MAX_AT_ONCE` is the maximum for the process. */
const MAX_OF_CALLER = 1;
const MAX_AT_ONCE = 8;
/**
 * Time in ms after which the caller is checked again while an archive is created. Reads with a revoked key must end within 10 s.
 */
const CHECKED_EVERY_MS = 5_000;
/** Time in ms after which a client that reads nothing of an archive is considered disconnected. */
const MAX_STALL_MS = 120_000;
const RETRY_AFTER_SECONDS = 30;

/** Accounts for which this process is creating archives, once for each archive. */
const underWay: string[] = [];

export const exportUser = defineOperation('GET /v1/users/{user_id}/export', {
  summary: 'Returns all data of an account as a ZIP of JSON and CSV files, without secrets.',
  forOwnerOnly: true,
  readsFromStandby: true,
  audit: { action: 'user.exported', target: 'user_id' },
  scope: READ_ONLY_SCOPES,
  produces: 'application/zip',
  answer: z.string().meta({ format: 'binary' }),
  async handle({ context: { readDb, clock, dataDir }, db, caller, params, reply, stillAllowed }) {
    requireReadingsReadAccess(caller);
    const { user_id: userId } = await loadAccessibleUser(db, caller, params.user_id);
    if (underWay.filter((one) => one === caller.accountId).length >= MAX_OF_CALLER)
      throw new AppError('tooManyRequests', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    if (underWay.length >= MAX_AT_ONCE) throw new AppError('unavailable');
    let [checkedAtMs, pageAtMs] = [performance.now(), performance.now()];
    const archive = streamPersonArchive(userId, {
      db,
      readDb,
      dataDir,
      now: clock(),
      isForUtility: caller.role === 'utility' && userId !== caller.userId,
      async beforePage() {
        pageAtMs = performance.now();
        if (pageAtMs - checkedAtMs < CHECKED_EVERY_MS) return;
        checkedAtMs = pageAtMs;
        await loadAccessibleUser(db, await stillAllowed(), userId);
      },
    });
    underWay.push(caller.accountId);
    const watch = setInterval(() => {
      if (performance.now() - pageAtMs > MAX_STALL_MS) archive.destroy(new Error('the client does not read'));
    }, CHECKED_EVERY_MS);
    archive.once('close', () => {
      clearInterval(watch);
      underWay.splice(underWay.indexOf(caller.accountId), 1);
    });
    reply.header('Content-Disposition', `attachment; filename="${userId}.zip"`).type('application/zip');
    return archive;
  },
});
