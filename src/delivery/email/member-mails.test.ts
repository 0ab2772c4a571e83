import { expect, test } from 'vitest';
import { loadRecipientLocale } from '../words/words.ts';
import { composeMail } from './compose.ts';
import { MEMBER_MAIL_COMPOSERS } from './member-mails.ts';

const people = { homeEmail: 'home@example.com', memberEmail: 'robin@example.com', isInvitation: false };
const reader = await loadRecipientLocale({ language: 'en', timezone: 'UTC' });
const compose = (type: string, data: object, of: typeof people | null = people) =>
  composeMail({ type, data: { member_id: 'mem_1', access: 'manage', ...data }, people: of }, reader, new Map(), null);

test('an invitation names both addresses, the access and how long its link works', () => {
  const link = { is: 'invitation' as const, url: 'https://localhost:8443/invitation/mem_1.x' };
  const event = { type: 'member.invited', data: { access: 'read' }, people };
  const { subject, text } = composeMail(event, reader, new Map(), link);
  expect(subject).toBe('home@example.com invites you to its home');
  for (const part of ['robin@example.com', 'without changing it', '7 days', link.url]) expect(text).toContain(part);
});

test('the end of a membership lists the passwords that the member knows to the owner only', () => {
  const passwords = [{ id: 'dev_1', name: 'Attic\n(plug)' }];
  const owners = compose('member.ended', { because: 'member', passwords });
  expect(owners.subject).toBe('robin@example.com is no longer a member of your home');
  expect(owners.text).toMatch(/the member left[\s\S]*renew these passwords[\s\S]*dev_1: Attic \(plug\)/);
  expect(compose('member.ended', { because: 'owner', passwords: [] }).text).not.toContain('renew');
  const members = compose('membership.ended', { because: 'owner' });
  expect(members.text).toContain('home@example.com');
  expect(members.text).not.toContain('dev_1');
});

test('a mail shows no address of an erased account', () => {
  const { subject, text } = compose('membership.ended', { because: 'erased' }, null);
  expect(subject).toBe('You are no longer a member of the home of an account that was deleted');
  expect(text).toContain('the other account was deleted');
});

test('events of other types cause no mails about members', () => {
  expect(
    ['member.joined', 'membership.began', 'access.ended', 'user.created'].map((type) => type in MEMBER_MAIL_COMPOSERS),
  ).toEqual([true, true, false, false]);
});
