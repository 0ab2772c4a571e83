import type { Database } from '#src/database/connect.ts';
import { findTextOrName, type Words } from '../words/words.ts';
import { collapseWhitespace, type MailRow, type MessageContent } from './content.ts';

/** E-mail addresses of the two accounts of a membership, or of an invitation. */
export interface MembershipAddresses {
  homeEmail: string;
  /** E-mail address of the member's account, or the invited address. */
  memberEmail: string;
  /** Whether the invitation has not been accepted yet. */
  isInvitation: boolean;
}

/**
 * Loads the e-mail addresses of the two accounts of an event's membership. Null if there is no membership or an account was erased. Events
 * contain no addresses, because no address may remain after an erasure.
 */
export async function loadMembershipAddresses(
  db: Database,
  { type, data }: { type: string; data: Record<string, unknown> },
): Promise<MembershipAddresses | null> {
  if (!(type in MEMBER_MAIL_COMPOSERS)) return null;
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

type MemberMail = (words: Words, data: Record<string, unknown>, people: MembershipAddresses | null) => MessageContent;

/** The mails about a membership, by the type of their event. */
export const MEMBER_MAIL_COMPOSERS: Readonly<Record<string, MemberMail>> = {
  'member.invited': ({ common, members: w }, { access }, people) => ({
    sentence: w.invited({ home: people?.homeEmail ?? w.deletedHome }),
    rows: [
      [w.address, people?.memberEmail ?? w.deletedMember],
      [w.can, findTextOrName(w.access, access)],
      [common.lasts, w.lasts],
      [w.stranger, w.strangerText],
    ],
  }),
  'member.joined': ({ members: w }, { access }, people) => ({
    sentence: w.joined({ member: people?.memberEmail ?? w.deletedMember }),
    rows: [
      [w.can, findTextOrName(w.access, access)],
      [w.unwanted, w.unwantedText],
    ],
  }),
  'membership.began': ({ common, members: w }, { access }, people) => ({
    sentence: w.began({ home: people?.homeEmail ?? w.deletedHome }),
    rows: [
      [w.can, findTextOrName(w.access, access)],
      [common.canDo, w.choose],
    ],
  }),
  'membership.ended': ({ common, members: w }, { because }, people) => ({
    sentence: w.membershipEnded({ home: people?.homeEmail ?? w.deletedHome }),
    rows: [
      [common.why, findTextOrName(w.why, because)],
      [common.ended, w.yourAccess],
    ],
  }),
  'member.ended': ({ common, members: w }, { because, passwords }, people) => {
    const theirs = (passwords ?? []) as { id: string; name: string }[];
    return {
      sentence: w.memberEnded({ member: people?.memberEmail ?? w.deletedMember }),
      rows: [
        [common.why, findTextOrName(w.why, because)],
        [common.ended, w.theirAccess],
        ...(theirs.length > 0 ? [[w.should, w.renew] as MailRow] : []),
        ...theirs.map(({ id, name }): MailRow => [id, collapseWhitespace(name)]),
      ],
    };
  },
};
