import { z } from 'zod';
import { paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { messageSchema, respondOrThrowNotFound } from '#src/api/shapes.ts';
import { loadAccessibleUser, requireOwnAccount } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, requireFound } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { endMembership } from '#src/users/end-membership.ts';
import * as memberStore from '#src/users/members.ts';
import type { User } from '#src/users/store.ts';
import * as shapes from './shape.ts';

export const inviteMember = defineOperation('POST /v1/users/{user_id}/members', {
  summary:
    'Invites a person to the caller’s own home, by a mail whose link is valid for 7 days. At most 10 mails a day, and 20 members and invitations. Only homeowners can invite, and only homeowners can become members.',
  forOwnerOnly: true,
  audit: { action: 'member.invited', target: 'member_id' },
  scope: 'keys:write',
  answer: shapes.memberSchema,
  body: shapes.newMemberSchema,
  async handle({ context: { clock }, db, caller, params, body }) {
    // Administrators can access every home, but cannot invite people to it.
    if (caller.role !== 'homeowner') throw new AppError('forbidden');
    const home = await reachHome(db, caller, params.user_id);
    return shapes.memberToResponse(await memberStore.inviteMember(db, home, { ...body, now: clock() }));
  },
});

export const listMembers = defineOperation('GET /v1/users/{user_id}/members', {
  summary: 'Lists the members of a home and the valid invitations to it, page by page.',
  forOwnerOnly: true,
  scope: 'keys:write',
  answer: z.array(shapes.memberSchema),
  query: z.object(paginationFields),
  async handle({ context: { clock }, db, caller, params, page }) {
    const { user_id } = await reachHome(db, caller, params.user_id);
    return (await page('member_id', (at) => memberStore.listHomeMembers(db, user_id, clock(), at))).map(
      shapes.memberToResponse,
    );
  },
});

export const removeMember = defineOperation('DELETE /v1/users/{user_id}/members/{member_id}', {
  summary:
    'Ends a membership at once, with the keys and webhooks that the member created for the home, or withdraws an invitation. Owner and member get a mail; the owner’s mail lists the passwords that the member saw.',
  forOwnerOnly: true,
  audit: { action: 'member.removed', target: 'member_id' },
  scope: 'keys:write',
  answer: messageSchema,
  async handle({ context: { clock }, db, caller, params }) {
    const { user_id } = await reachHome(db, caller, params.user_id);
    return ended(db, { home: user_id }, params.member_id, clock());
  },
});

export const acceptMembership = defineOperation('POST /v1/memberships', {
  summary:
    'Makes the caller’s account a member of a home, by the token of an invitation. A mail must have confirmed the account’s address: a sign-in link, or the invitation itself.',
  forOwnerOnly: true,
  audit: { action: 'member.joined', target: 'member_id' },
  scope: 'users:write',
  answer: shapes.membershipSchema,
  body: shapes.invitationAcceptanceSchema,
  async handle({ context: { clock, mailedIdOf }, db, caller, body: { token } }) {
    const account = requireFound(await memberStore.findAcceptingAccount(db, requireOwnAccount(caller)));
    const memberId = mailedIdOf?.('member', token) ?? null;
    return shapes.membershipToResponse(await memberStore.acceptInvitation(db, memberId, account, clock()));
  },
});

export const listMemberships = defineOperation('GET /v1/memberships', {
  summary: 'Lists the homes of other accounts of which the caller’s account is a member, page by page.',
  forOwnerOnly: true,
  scope: 'users:read',
  answer: z.array(shapes.membershipSchema),
  query: z.object(paginationFields),
  async handle({ db, caller, page }) {
    return (await page('member_id', (at) => memberStore.listMemberships(db, requireOwnAccount(caller), at))).map(
      shapes.membershipToResponse,
    );
  },
});

export const leaveMembership = defineOperation('DELETE /v1/memberships/{member_id}', {
  summary:
    'Ends a membership of the caller’s account at once, with the keys and webhooks that it created for the home. Owner and member get a mail.',
  forOwnerOnly: true,
  audit: { action: 'member.left', target: 'member_id' },
  scope: 'users:write',
  answer: messageSchema,
  handle: ({ context: { clock }, db, caller, params }) =>
    ended(db, { member: requireOwnAccount(caller) }, params.member_id, clock()),
});

/** Returns the home whose members the request concerns. Throws 403 for utilities, which may not access the members of homes. */
function reachHome(db: Database, caller: Caller, userId: string): Promise<User> {
  if (caller.role === 'utility') throw new AppError('forbidden');
  return loadAccessibleUser(db, caller, userId);
}

async function ended(db: Database, of: { home: string } | { member: string }, memberId: string, now: Date) {
  return respondOrThrowNotFound(await endMembership(db, of, memberId, now), `Membership ${memberId} was ended`);
}
