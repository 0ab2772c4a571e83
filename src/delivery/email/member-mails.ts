import type { Database } from '#src/database/connect.ts';
import type { MemberAccess } from '#src/database/enums.ts';

/** Addresses of the two accounts of a membership, or of an invitation. */
export interface MembershipPeople {
  homeEmail: string;
  /** Address of the member's account, or the address that was invited. */
  memberEmail: string;
  /** Whether the invitation was not accepted yet. */
  isInvitation: boolean;
}

/**
 * Loads the accounts of the membership that an event is about; null if it is about none, or if an account was erased or the invitation was
 * withdrawn. The addresses are not stored in events, so that the erasure of one account leaves none in the other.
 */
export async function loadMembershipPeople(
  db: Database,
  { type, data }: { type: string; data: Record<string, unknown> },
): Promise<MembershipPeople | null> {
  if (!isMemberMail(type)) return null;
  const row = await db
    .selectFrom('home_members as m')
    .innerJoin('users as home', 'home.user_id', 'm.user_id')
    .leftJoin('users as member', 'member.user_id', 'm.member_user_id')
    .select(['home.email as home_email', 'member.email as member_email', 'm.email', 'm.accepted_at'])
    .where('member_id', '=', String(data.member_id))
    .executeTakeFirst();
  if (!row) return null;
  const { home_email: homeEmail, member_email, email, accepted_at } = row;
  return { homeEmail, memberEmail: member_email ?? email, isInvitation: accepted_at === null };
}

/** Whether a mail is about a membership. */
export const isMemberMail = (type: string): boolean => /^member(ship)?\./.test(type);

const CANNOT = 'cannot change members, API keys or the e-mail address, and cannot export or delete the account';
const MAY: Record<MemberAccess, string> = {
  read: 'see everything of the home; change nothing',
  manage: `see and change everything of the home, devices included; ${CANNOT}`,
};

const WHY: Record<string, string> = {
  owner: 'the owner of the home ended it',
  member: 'the member left',
  erased: 'the other account was deleted',
  role: 'the role of an account was changed',
};

const GONE = 'an account that was deleted';

/** Describes an event about a membership in one sentence. Pure. */
export function describeMemberMail(type: string, people: MembershipPeople | null): string {
  const { homeEmail = GONE, memberEmail = GONE } = people ?? {};
  if (type === 'member.invited') return `${homeEmail} invites you to its home`;
  if (type === 'member.joined') return `${memberEmail} is now a member of your home`;
  if (type === 'membership.began') return `You are now a member of the home of ${homeEmail}`;
  if (type === 'member.ended') return `${memberEmail} is no longer a member of your home`;
  return `You are no longer a member of the home of ${homeEmail}`;
}

/** Returns the details of a mail about a membership as pairs of label and text. Pure. */
export function memberDetails(
  type: string,
  data: Record<string, unknown>,
  people: MembershipPeople | null,
): [string, string][] {
  const access: [string, string] = ['A member can', MAY[data.access as MemberAccess] ?? String(data.access)];
  if (type === 'member.invited')
    return [
      ['Invited', people?.memberEmail ?? GONE],
      access,
      ['How long', 'the link works once, for 7 days; without an account, one is made for this address'],
      ['If you do not know the sender', 'do nothing: without the link nothing happens'],
    ];
  if (type === 'member.joined')
    return [access, ['If you do not want this', 'sign in, and end the membership on the page Account']];
  if (type === 'membership.began')
    return [access, ['What you can do', 'sign in, and choose the home on the page Account']];
  const why: [string, string] = ['Why', WHY[String(data.because)] ?? String(data.because)];
  if (type === 'membership.ended')
    return [why, ['What ended', 'your access, and the API keys and webhooks that you made for this home']];
  const passwords = (data.passwords ?? []) as { id: string; name: string }[];
  return [
    why,
    ['What ended', 'the access, and the API keys and webhooks that the member made for your home'],
    ...(passwords.length > 0
      ? [['What you should do', 'renew these passwords, which the member knows'] as [string, string]]
      : []),
    ...passwords.map(({ id, name }): [string, string] => [id, name.replace(/\s+/g, ' ').trim()]),
  ];
}
