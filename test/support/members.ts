import { expect } from 'vitest';
import { createCsrfToken, openSession } from '#src/auth/sessions.ts';
import { createMailedToken } from '#src/core/secrets.ts';
import type { MemberAccessLevel } from '#src/database/enums.ts';
import type { TestApi, TestApiResponse } from './api.ts';

const SECRET = 'the secret of the tests';

export interface Person {
  userId: string;
  key: string;
}

/** Headers of a browser that is signed in. */
export type BrowserHeaders = Record<'cookie' | 'x-csrf-token', string>;

/** Signs an account in to the dashboard, like the link in its sign-in mail. */
export async function signInBrowser(api: TestApi, userId: string): Promise<BrowserHeaders> {
  const { session_id, secret } = await openSession(api.db, userId, api.now);
  return { cookie: `__Secure-energy_session=${secret}`, 'x-csrf-token': createCsrfToken(SECRET, session_id) };
}

export async function readEmailAddress(api: TestApi, userId: string): Promise<string> {
  const { rows } = await api.database.pool.query('SELECT email FROM users WHERE user_id = $1', [userId]);
  return rows[0].email;
}

/** Returns the token in the link of an invitation mail. */
export const getInvitationToken = (memberId: string): string => createMailedToken(SECRET, 'member', memberId);

export const inviteMember = (
  api: TestApi,
  home: Person,
  email: string,
  access: MemberAccessLevel = 'read',
): Promise<TestApiResponse> =>
  api.send(`/v1/users/${home.userId}/members`, { method: 'POST', key: home.key, body: { email, access } });

/** Makes an account a member of a home, through an invitation to the account's e-mail address. Returns the id of the membership. */
export async function addMember(
  api: TestApi,
  home: Person,
  member: Person,
  access: MemberAccessLevel,
): Promise<string> {
  const invited = await inviteMember(api, home, await readEmailAddress(api, member.userId), access);
  expect(invited.status).toBe(201);
  const token = getInvitationToken(invited.json.member_id);
  const accepted = await api.send('/v1/memberships', { method: 'POST', key: member.key, body: { token } });
  expect(accepted.status).toBe(201);
  return invited.json.member_id;
}

/** Creates an API key with which a member accesses a home. */
export async function createMemberKeyForHome(
  api: TestApi,
  home: Person,
  member: Person,
  more: object = {},
): Promise<string> {
  const body = { home_user_id: home.userId, ...more };
  const { status, json } = await api.send('/v1/keys', { method: 'POST', key: member.key, body });
  expect({ status, home: json.home_user_id }).toEqual({ status: 201, home: home.userId });
  return json.key;
}
