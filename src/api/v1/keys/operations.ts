import { z } from 'zod';
import { paginationFields, userIdField } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import {
  checkNewKeyAllowed,
  getAccessibleAccounts,
  getAccessibleAccountsOfRole,
  getAllowedKeyExpiry,
  getDeviceKeyAuthor,
  isExpiryLater,
  loadAccessibleUser,
  requireOwnAccount,
  requireStorableId,
  resolveRequestedUserId,
} from '#src/auth/access.ts';
import type { Caller, MemberHome } from '#src/auth/authenticate.ts';
import { lockHome } from '#src/auth/homes.ts';
import * as keyStore from '#src/auth/keys.ts';
import {
  DEFAULT_SCOPES,
  DEVICE_SCOPES,
  isScope,
  MEMBER_SCOPES,
  READ_ONLY_SCOPES,
  SCOPES_FOR_HOMEOWNERS,
  type Scope,
} from '#src/auth/scopes.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { assertMayManageDevice, lockDevice } from '#src/devices/management.ts';
import { findGroup } from '#src/groups/store.ts';
import * as shapes from './shape.ts';

export const createKey = defineOperation('POST /v1/keys', {
  summary:
    'Creates a key, which is shown only once. A key can create only keys whose scopes it has itself and that do not outlive it. A utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most. A key of one device (`device_id`) can only write its readings; creating it also needs devices:write. A key for the home of another account (`home_user_id`) needs a membership of that home.',
  forOwnerOnly: true,
  audit: { action: 'key.created', target: 'key_id' },
  scope: 'keys:write',
  answer: shapes.createdKeySchema,
  body: shapes.newKeySchema,
  async handle({
    context,
    db,
    caller,
    reach,
    body: { user_id, name, scopes, group_id, device_id, home_user_id, expires_at, allowed_addresses },
  }) {
    const ownerId = user_id ?? caller.userId;
    const isForHomeowner = caller.role === 'utility' && ownerId !== caller.userId;
    const isOfDevice = device_id !== undefined;
    const all = group_id === undefined ? DEFAULT_SCOPES : READ_ONLY_SCOPES;
    const ofAccount = isForHomeowner ? SCOPES_FOR_HOMEOWNERS : all;
    const home = home_user_id === undefined ? undefined : await reachOwnHome(db, caller, home_user_id);
    if (home) checkHomeKey({ user_id, group_id, device_id }, caller);
    const ofHome = home && DEFAULT_SCOPES.filter((scope) => MEMBER_SCOPES[home.access].includes(scope));
    const wanted = scopes ?? [...(isOfDevice ? DEVICE_SCOPES : (ofHome ?? ofAccount))];
    if (home && wanted.some((scope) => !MEMBER_SCOPES[home.access].includes(scope))) throw new AppError('memberScopes');
    const allowedAddresses = allowed_addresses ?? caller.allowedAddresses ?? [];
    checkNewKeyAllowed(caller, ownerId, wanted, allowedAddresses, { isOfDevice });
    if (isOfDevice) checkDeviceKey(wanted, group_id);
    const expiresAt = getAllowedKeyExpiry(caller, endOf(expires_at, context.clock())) ?? undefined;
    if (group_id !== undefined && wanted.some((scope) => !READ_ONLY_SCOPES.includes(scope))) {
      throw createUnprocessableError({
        field: 'scopes',
        message: 'must all end in :read, except readings:read, because the key is limited to a group',
      });
    }
    // Locks the account. Otherwise a concurrent change of its role, which ends all keys, could miss the new key.
    const user = await loadAccessibleUser(db, caller, user_id, { isHeld: true });
    const group = group_id === undefined ? null : await findGroup(db, reach, requireStorableId(group_id));
    // For a group of another account, throws the same error as for a group that does not exist.
    if (group_id !== undefined && group?.user_id !== user.user_id) throw new AppError('notFound');
    if (isOfDevice) {
      // The creator of the key and its owner must both have access to the device. The lock prevents the device's deletion
      // meanwhile.
      for (const one of [reach, getAccessibleAccountsOfRole({ role: user.role, userId: user.user_id })])
        if (!(await lockDevice(db, one, requireStorableId(device_id)))) throw new AppError('notFound');
    }
    const device = isOfDevice ? { id: device_id, madeBy: getDeviceKeyAuthor(caller) } : undefined;
    const of = { userId: user.user_id, environment: context.environment, scopes: wanted, allowedAddresses };
    return shapes.createdKeyToResponse(
      await keyStore.createKey(db, { ...of, ...omitUndefined({ name, expiresAt, groupId: group_id, device, home }) }),
    );
  },
});

export const listKeys = defineOperation('GET /v1/keys', {
  summary: 'Lists the keys of a user that are not revoked, page by page, without the secret keys themselves.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(shapes.keySchema),
  query: z.object({ user_id: userIdField.optional(), ...paginationFields }),
  async handle({ db, caller, reach, query: { user_id }, page }) {
    const userId = await resolveRequestedUserId(db, caller, user_id);
    const rows = await page('key_id', (at) => keyStore.listKeys(db, reach, userId, at));
    return rows.map(shapes.keyToResponse);
  },
});

export const updateKey = defineOperation('PATCH /v1/keys/{key_id}', {
  summary:
    'Changes the allowed addresses or the expiry of a key. A key cannot extend a key, itself included, beyond its own expiry. Writes follow the change at once, reads within 10 seconds.',
  forOwnerOnly: true,
  audit: { action: 'key.changed', target: 'key_id' },
  scope: 'keys:write',
  answer: shapes.keySchema,
  body: shapes.keyLimitsSchema,
  async handle({ context: { clock }, db, caller, reach, params: { key_id }, body }) {
    const old = requireFound(await keyStore.findActiveKey(db, reach, key_id));
    const allowedAddresses = body.allowed_addresses;
    await checkChange(db, caller, { ...old, allowed_addresses: allowedAddresses ?? old.allowed_addresses });
    const now = clock();
    const expiresAt = endOf(body.expires_at, now);
    if (expiresAt !== undefined && isExpiryLater(expiresAt, old.expires_at)) getAllowedKeyExpiry(caller, expiresAt);
    const limits = omitUndefined({ expiresAt, allowedAddresses });
    return shapes.keyToResponse(requireFound(await keyStore.updateKeyLimits(db, reach, key_id, { now, ...limits })));
  },
});

export const revokeKey = defineOperation('DELETE /v1/keys/{key_id}', {
  summary: 'Revokes a key. Writes are refused at once, reads within 10 seconds.',
  forOwnerOnly: true,
  audit: { action: 'key.revoked', target: 'key_id' },
  scope: 'keys:write',
  answer: messageSchema,
  handle: async ({ db, reach, params }) =>
    respondOrThrowNotFound(await keyStore.revokeKey(db, reach, params.key_id), `Key ${params.key_id} was revoked`),
});

export const rotateKey = defineOperation('POST /v1/keys/{key_id}/rotate', {
  summary:
    'Creates a new key with the rights of an existing one, which stays valid for `overlap_hours` (24 by default). The new key expires at `expires_at`, by default when the key of the request expires.',
  forOwnerOnly: true,
  audit: { action: 'key.rotated', target: 'key_id' },
  scope: 'keys:write',
  answer: shapes.rotatedKeySchema,
  body: shapes.rotationSchema,
  async handle({ context: { environment, clock }, db, caller, reach, params: { key_id }, body }) {
    await checkChange(db, caller, requireFound(await keyStore.findActiveKey(db, reach, key_id)));
    const expiresAt = getAllowedKeyExpiry(caller, endOf(body?.expires_at, clock())) ?? undefined;
    const overlapMs = body?.overlap_hours === undefined ? undefined : body.overlap_hours * HOUR_MS;
    const { created, oldExpiresAt } = requireFound(
      await keyStore.rotateKey(db, reach, key_id, {
        environment,
        now: clock(),
        madeBy: getDeviceKeyAuthor(caller),
        ...omitUndefined({ overlapMs, expiresAt }),
      }),
    );
    return { ...shapes.createdKeyToResponse(created), old_expires_at: oldExpiresAt.toISOString() };
  },
});

/**
 * Returns a home of which the caller's account is a member, with the membership locked. Throws 403 if the account is not a
 * member.
 */
async function reachOwnHome(db: Database, caller: Caller, homeId: string): Promise<MemberHome> {
  const home = await lockHome(db, requireOwnAccount(caller), requireStorableId(homeId));
  if (!home) throw new AppError('forbidden');
  return home;
}

/**
 * Throws 422 if a key for another account's home is also limited to a group or device, or does not belong to the caller's
 * account.
 */
function checkHomeKey(
  { user_id, ...limits }: { user_id: string | undefined; group_id: string | undefined; device_id: string | undefined },
  { accountId }: Caller,
): void {
  const others = { ...limits, user_id: user_id === accountId ? undefined : user_id };
  const [field] = Object.entries(others).flatMap(([name, id]) => (id === undefined ? [] : [name]));
  if (field !== undefined)
    throw createUnprocessableError({ field, message: 'must not be set together with home_user_id' });
}

/** Throws 422 if a key that is limited to a device has scopes that such keys may not have, or is also limited to a group. */
function checkDeviceKey(wanted: readonly Scope[], groupId: string | undefined): void {
  if (groupId !== undefined)
    throw createUnprocessableError({ field: 'group_id', message: 'must not be set together with device_id' });
  if (wanted.some((scope) => !DEVICE_SCOPES.includes(scope)))
    throw createUnprocessableError({
      field: 'scopes',
      message: 'must be only readings:write, because the key is limited to a device',
    });
}

/**
 * Throws 403 if the caller may not change a key: it could not create such a key, a member of a home owns the key, or a homeowner
 * would change a key of a device that a utility manages.
 */
async function checkChange(db: Database, caller: Caller, key: keyStore.OwnedKey): Promise<void> {
  // Only the member may change its own keys for the home.
  if (key.member_id !== null && key.user_id !== caller.accountId) throw new AppError('forbidden');
  const scopes = key.scopes.filter(isScope);
  checkNewKeyAllowed(caller, key.user_id, scopes, key.allowed_addresses, { isOfDevice: key.device_id !== null });
  if (key.device_id !== null) await assertMayManageDevice(db, getAccessibleAccounts(caller), key.device_id);
}

/** Returns the requested expiry of a key: null for never, undefined for no change. Throws 422 if the time has passed. */
function endOf(expiresAt: string | null | undefined, now: Date): Date | null | undefined {
  if (expiresAt === undefined || expiresAt === null) return expiresAt;
  const end = new Date(expiresAt);
  if (end <= now) throw createUnprocessableError({ field: 'expires_at', message: 'must lie in the future' });
  return end;
}
