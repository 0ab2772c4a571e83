import type { Database } from '#src/database/connect.ts';
import { textNamed, type Words } from '../words/words.ts';

/** Addresses of the two accounts of a membership, or of an invitation. */
export interface MembershipPeople {
  homeEmail: string;
  /** Address of the member's account, or the address that was invited. */
  memberEmail: string;
  /** Whether the invitation is still open. */
  isInvitation: boolean;
}

/**
 * Loads the two accounts of the membership that an event concerns. Null if it concerns no membership, an account was
 * erased, or the invitation was withdrawn. Events do not store the addresses, so that the erasure of one account leaves
 * no address of it with the other.
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

/** Describes an event about a membership in one sentence. Pure. */
export function describeMemberMail(type: string, people: MembershipPeople | null, { members: w }: Words): string {
  const { homeEmail: home = w.deletedHome, memberEmail: member = w.deletedMember } = people ?? {};
  if (type === 'member.invited') return w.invited({ home });
  if (type === 'member.joined') return w.joined({ member });
  if (type === 'membership.began') return w.began({ home });
  return type === 'member.ended' ? w.memberEnded({ member }) : w.membershipEnded({ home });
}

/** Returns the details of a mail about a membership as pairs of label and text. Pure. */
export function memberDetails(
  type: string,
  data: Record<string, unknown>,
  people: MembershipPeople | null,
  { common, members: w }: Words,
): [string, string][] {
  const access: [string, string] = [w.can, textNamed(w.access, data.access)];
  if (type === 'member.invited')
    return [
      [w.address, people?.memberEmail ?? w.deletedMember],
      access,
      [common.lasts, w.lasts],
      [w.stranger, w.strangerText],
    ];
  if (type === 'member.joined') return [access, [w.unwanted, w.unwantedText]];
  if (type === 'membership.began') return [access, [common.canDo, w.choose]];
  const why: [string, string] = [common.why, textNamed(w.why, data.because)];
  if (type === 'membership.ended') return [why, [common.ended, w.yourAccess]];
  const passwords = (data.passwords ?? []) as { id: string; name: string }[];
  return [
    why,
    [common.ended, w.theirAccess],
    ...(passwords.length > 0 ? [[w.should, w.renew] as [string, string]] : []),
    ...passwords.map(({ id, name }): [string, string] => [id, name.replace(/\s+/g, ' ').trim()]),
  ];
}
