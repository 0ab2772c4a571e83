import { z } from 'zod';
import { createdAtSchema, instantSchema, pickMembers } from '#src/api/shapes.ts';
import { MEMBER_ACCESS_LEVELS } from '#src/database/enums.ts';
import type { Member, Membership } from '#src/users/members.ts';
import { created_at, type Examples, user_id } from '../example-ids.ts';

const ACCESS =
  '`read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account.';
const memberId = z.string().describe('Id of the membership.');
const access = z.enum(MEMBER_ACCESS_LEVELS).describe(ACCESS);

export const newMemberSchema = z.strictObject({
  email: z.email().max(254).describe('Address to which the invitation is mailed.'),
  access,
});

export const memberSchema = z
  .strictObject({
    member_id: memberId,
    email: z.string().describe('E-mail address of the member’s account, or of the invited person.'),
    access,
    status: z.enum(['invited', 'active']).describe('`invited` until the invitation is accepted.'),
    created_at: createdAtSchema,
    expires_at: instantSchema.nullable().describe('Expiry time of the invitation. Null: the invitation was accepted.'),
    accepted_at: instantSchema.nullable().describe('Time at which the invitation was accepted. Null: not yet.'),
    last_used_at: instantSchema
      .nullable()
      .describe('Time of the last use of a key that the member created for the home. Null: never.'),
  })
  .meta({ id: 'Member' });

export const invitationAcceptanceSchema = z.strictObject({
  token: z.string().min(1).max(200).describe('Token from the link in the mail.'),
});

export const membershipSchema = z
  .strictObject({
    member_id: memberId,
    home_user_id: z.string().describe('Id of the home’s account. Requests in a session pass it as `user_id`.'),
    home_email: z.string().describe('E-mail address of the home’s account.'),
    access,
    accepted_at: instantSchema.describe('Time at which the invitation was accepted.'),
  })
  .meta({ id: 'Membership' });

/** Converts a stored member or invitation to its form in responses. */
export const memberToResponse = (row: Member): z.output<typeof memberSchema> => ({
  ...pickMembers(memberSchema, row),
  status: row.accepted_at ? 'active' : 'invited',
});

export const membershipToResponse = (row: Membership): z.output<typeof membershipSchema> =>
  pickMembers(membershipSchema, row);

const exampleMember = {
  member_id: 'mem_01k8xqd7t4x8b2f6hw9ja3m5ry',
  email: 'robin@example.com',
  access: 'read',
  created_at,
};
const invited = {
  ...exampleMember,
  status: 'invited',
  expires_at: '2026-06-08T09:30:00.000Z',
  accepted_at: null,
  last_used_at: null,
};
const active = { ...invited, status: 'active', expires_at: null, accepted_at: '2026-06-02T18:04:11.000Z' };
const exampleMembership = {
  member_id: exampleMember.member_id,
  home_user_id: user_id,
  home_email: 'home@example.com',
  access: 'read',
  accepted_at: active.accepted_at,
};

export const MEMBER_EXAMPLES = {
  inviteMember: { body: { email: exampleMember.email, access: 'read' }, answer: invited },
  listMembers: { answer: [active] },
  removeMember: { answer: { message: `Membership ${exampleMember.member_id} was ended` } },
  acceptMembership: { body: { token: `${exampleMember.member_id}.3kq0Zx9yV5m2nB7cT1wR4g` }, answer: exampleMembership },
  listMemberships: { answer: [exampleMembership] },
  leaveMembership: { answer: { message: `Membership ${exampleMember.member_id} was ended` } },
} satisfies Examples;
