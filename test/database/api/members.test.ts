import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '#src/auth/scopes.ts';
import { deleteEndedSessions } from '#src/auth/sessions.ts';
import { createSignIn, signIn } from '#src/auth/sign-ins.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { eraseUser } from '#src/users/erase.ts';
import { updateUser } from '#src/users/store.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import {
  addMember,
  createMemberKeyForHome,
  getInvitationToken,
  inviteMember,
  type Person,
  readEmailAddress,
  signInBrowser,
} from '#test/support/members.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const person = () => api.user('homeowner', { scopes: [...SCOPES] });
const rows = async (text: string, values: unknown[] = []) => (await api.database.pool.query(text, values)).rows;
const members = (home: Person) => api.send(`/v1/users/${home.userId}/members`, { key: home.key });
const homes = (member: Person) => api.send('/v1/memberships', { key: member.key });
const accept = (member: Person, token: string) =>
  api.send('/v1/memberships', { method: 'POST', key: member.key, body: { token } });
const remove = (home: Person, memberId: string) =>
  api.send(`/v1/users/${home.userId}/members/${memberId}`, { method: 'DELETE', key: home.key });
const eventsOf = async (userId: string) =>
  (await rows(`SELECT type FROM events WHERE user_id = $1 AND type LIKE 'member%' ORDER BY event_id`, [userId])).map(
    ({ type }) => type,
  );
let addresses = 0;
const address = () => `invited.${++addresses}@example.org`;
const page = (token: string, method = 'GET') =>
  api.send(`/invitation/${token}`, {
    method,
    ...(method === 'POST' && { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  });

describe('an invitation', () => {
  test('is mailed, accepted by its token once, and listed to both accounts', async () => {
    const [home, member] = [await person(), await person()];
    const email = await readEmailAddress(api, member.userId);
    const { status, json: invited, text } = await inviteMember(api, home, email, 'manage');
    expect([status, invited]).toEqual([
      201,
      {
        member_id: expect.stringMatching(/^mem_/),
        email,
        access: 'manage',
        status: 'invited',
        created_at: api.now.toISOString(),
        expires_at: new Date(api.now.getTime() + 7 * 86_400_000).toISOString(),
        accepted_at: null,
        last_used_at: null,
      },
    ]);
    expect(text).not.toContain(getInvitationToken(invited.member_id));
    expect((await members(home)).json).toEqual([invited]);
    const token = getInvitationToken(invited.member_id);
    const accepted = await accept(member, token);
    const membership = {
      member_id: invited.member_id,
      home_user_id: home.userId,
      home_email: await readEmailAddress(api, home.userId),
      access: 'manage',
      accepted_at: api.now.toISOString(),
    };
    expect([accepted.status, accepted.json]).toEqual([201, membership]);
    expect((await homes(member)).json).toEqual([membership]);
    expect((await members(home)).json).toEqual([
      { ...invited, status: 'active', expires_at: null, accepted_at: api.now.toISOString() },
    ]);
    expect((await accept(member, token)).status).toBe(422);
    expect([await eventsOf(home.userId), await eventsOf(member.userId)]).toEqual([
      ['member.invited', 'member.joined'],
      ['membership.began'],
    ]);
    const acts = await rows(
      'SELECT action, actor_user_id, about_user_id FROM audit_log WHERE target = $1 ORDER BY audit_id',
      [invited.member_id],
    );
    expect(acts).toEqual([
      { action: 'member.invited', actor_user_id: home.userId, about_user_id: home.userId },
      { action: 'member.joined', actor_user_id: member.userId, about_user_id: home.userId },
    ]);
  });

  test('can be created only by the home’s own account, and with valid values', async () => {
    const utility = await api.user('utility');
    const home = await api.user('homeowner', { enrolledBy: utility.userId });
    const path = `/v1/users/${home.userId}/members`;
    const send = async (by: Person, body: unknown = { email: address(), access: 'read' }) =>
      (await api.send(path, { method: 'POST', key: by.key, body })).status;
    for (const other of [utility, await api.user('admin'), await person()]) expect(await send(other)).toBe(403);
    const [narrow] = [await api.user('homeowner', { scopes: ['users:read', 'users:write'] })];
    expect(await send(narrow)).toBe(403);
    const email = address();
    for (const body of [
      {},
      { email },
      { email, access: 'all' },
      { email: 'x', access: 'read' },
      { email, access: 'read', more: 1 },
    ])
      expect(await send(home, body)).toBe(422);
    expect(await send(home, { email: await readEmailAddress(api, home.userId), access: 'read' })).toBe(409);
    expect(await send(home, { email, access: 'read' })).toBe(201);
    expect(await send(home, { email: email.toUpperCase(), access: 'manage' })).toBe(409);
    // An administrator can list a home's members; its utility cannot.
    expect((await api.send(path, { key: utility.key })).status).toBe(403);
    expect((await api.send(path, { key: (await api.user('admin')).key })).json).toHaveLength(1);
  });

  test('can be sent to ten addresses a day, and a home has at most twenty members and invitations', async () => {
    const home = await person();
    const status = async () => (await inviteMember(api, home, address())).status;
    for (let sent = 0; sent < 10; sent++) expect(await status()).toBe(201);
    const eleventh = await inviteMember(api, home, address());
    expect([eleventh.status, Number(eleventh.headers['retry-after']) > 86_000]).toEqual([429, true]);
    // A withdrawn invitation still counts for the daily limit.
    await remove(home, (await members(home)).json[0].member_id);
    expect(await status()).toBe(429);
    const nextDay = () =>
      rows(`UPDATE events SET created_at = created_at - interval '1 day' WHERE user_id = $1`, [home.userId]);
    await nextDay();
    for (let sent = 0; sent < 10; sent++) expect(await status()).toBe(201);
    await nextDay();
    expect(await status()).toBe(201);
    expect(await status()).toBe(409);
    expect((await members(home)).json).toHaveLength(20);
  });

  test('never leads to more memberships than permitted, even if several are accepted concurrently', async () => {
    const [home, member] = [await person(), await person()];
    const twice = await Promise.all(
      [address(), address()].map(async (email) => (await inviteMember(api, home, email)).json.member_id),
    );
    await rows('UPDATE users SET signed_in_at = now() WHERE user_id = $1', [member.userId]);
    const answers = await Promise.all(twice.map((memberId) => accept(member, getInvitationToken(memberId))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    for (let more = 1; more < 20; more++) await addMember(api, await person(), member, 'read');
    const { member_id } = (await inviteMember(api, await person(), address())).json;
    expect((await accept(member, getInvitationToken(member_id))).status).toBe(409);
    expect((await homes(member)).json).toHaveLength(20);
  });

  test('can be accepted within seven days, by homeowners whose address was confirmed by mail', async () => {
    const home = await person();
    const memberId = async (email = address()) => (await inviteMember(api, home, email)).json.member_id;
    for (const role of ['utility', 'admin'] as const) {
      const other = await api.user(role);
      const token = getInvitationToken(await memberId(await readEmailAddress(api, other.userId)));
      expect((await accept(other, token)).status).toBe(409);
      expect((await page(token, 'POST')).status).toBe(409);
    }
    // An account that has never signed in cannot accept an invitation to another address.
    const token = getInvitationToken(await memberId());
    const unconfirmed = await person();
    const refused = await accept(unconfirmed, token);
    expect([refused.status, refused.json.code]).toEqual([403, 'address_not_confirmed']);
    const options = { userId: unconfirmed.userId, secret: 'the secret of the tests', now: api.now, validMs: 60_000 };
    const made = await createSignIn(api.db, options);
    await signIn(api.db, { token: made?.token ?? '' }, { ...options, from: { userAgent: null, address: null } });
    expect((await accept(unconfirmed, token)).status).toBe(201);
    // The service refuses the home's own owner, malformed and forged tokens, and invitations that have expired or been withdrawn.
    const other = getInvitationToken(await memberId());
    expect((await accept(home, other)).status).toBe(409);
    for (const wrong of [
      'x',
      `${other}x`,
      other.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
      '\0',
      getInvitationToken('mem_00000000000000000000000000'),
    ])
      expect((await accept(await person(), wrong)).status).toBe(422);
    const now = api.now;
    api.now = new Date(now.getTime() + 7 * 86_400_000);
    expect((await accept(unconfirmed, other)).status).toBe(422);
    expect((await page(other)).status).toBe(404);
    expect((await members(home)).json.map((one: { status: string }) => one.status)).toEqual(['active']);
    await deleteEndedSessions(api.db, api.now);
    expect(await rows('SELECT FROM home_members WHERE user_id = $1', [home.userId])).toHaveLength(1);
    api.now = now;
    const withdrawn = await memberId();
    expect((await remove(home, withdrawn)).status).toBe(200);
    expect((await accept(await person(), getInvitationToken(withdrawn))).status).toBe(422);
  });
});

describe('the page of an invitation', () => {
  test('has one form and no script, and makes an account that can sign in, but signs nobody in', async () => {
    const home = await person();
    const email = address();
    const token = getInvitationToken((await inviteMember(api, home, email, 'manage')).json.member_id);
    const shown = await page(token);
    expect([shown.status, shown.text.match(/<form/g)?.length, /<script|javascript:/i.test(shown.text)]).toEqual([
      200,
      1,
      false,
    ]);
    expect(shown.text).toContain(email);
    expect(String(shown.headers['content-security-policy'])).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(String(shown.headers['content-security-policy'])).not.toContain('script-src');
    expect(await rows('SELECT FROM users WHERE email = $1', [email])).toHaveLength(0);
    const accepted = await page(token, 'POST');
    expect([accepted.status, accepted.headers['set-cookie']]).toEqual([200, undefined]);
    const [made] = await rows('SELECT user_id, role, plan, signed_in_at FROM users WHERE email = $1', [email]);
    expect(made).toMatchObject({ role: 'homeowner', plan: 'free', signed_in_at: null });
    expect((await page(token, 'POST')).status).toBe(404);
    expect((await page('mem_x.y')).status).toBe(404);
    expect((await members(home)).json).toMatchObject([{ email, status: 'active', access: 'manage' }]);
    const browser = await signInBrowser(api, made.user_id);
    const { json } = await api.send('/dashboard/v1/memberships', { headers: browser });
    expect(json).toMatchObject([{ home_user_id: home.userId }]);
  });
});

test('the page of an invitation is in the browser’s language, or else in the home’s', async () => {
  const home = await person();
  await updateUser(api.db, ALL_ACCOUNTS, home.userId, { language: 'de' });
  const email = address();
  const token = getInvitationToken((await inviteMember(api, home, email)).json.member_id);
  const shown = async (languages: string) =>
    (await api.send(`/invitation/${token}`, { headers: { 'accept-language': languages } })).text;
  for (const part of ['<html lang="fr">', 'Accepter l’invitation']) expect(await shown('fr-BE')).toContain(part);
  for (const part of ['<html lang="de">', 'Einladung annehmen']) expect(await shown('sv')).toContain(part);
  const dutch = { 'accept-language': 'nl', 'content-type': 'application/x-www-form-urlencoded' };
  const accepted = await api.send(`/invitation/${token}`, { method: 'POST', raw: '', headers: dutch });
  expect(accepted.text).toContain(`${email} is nu lid van het huis van `);
  // An account that is created on the invitation page gets the language of the page, also for its first mail.
  expect(await rows('SELECT language FROM users WHERE email = $1', [email])).toEqual([{ language: 'nl' }]);
  const over = await api.send(`/invitation/${token}`, { headers: { 'accept-language': 'es' } });
  expect([over.status, over.text]).toEqual([404, expect.stringContaining('Esta invitación no es válida')]);
  const lost = await api.send('/nowhere', { headers: { accept: 'text/html', 'accept-language': 'de-AT' } });
  expect([lost.status, lost.text]).toEqual([404, expect.stringContaining('Diese Seite gibt es nicht.')]);
});

describe('the end of a membership', () => {
  test.each(['owner', 'member'] as const)('by the %s ends its keys and webhooks at once', async (by) => {
    const [home, member] = [await person(), await person()];
    const memberId = await addMember(api, home, member, 'manage');
    const [key, browser] = [await createMemberKeyForHome(api, home, member), await signInBrowser(api, member.userId)];
    const hook = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' };
    const made = (await api.send('/v1/webhooks', { method: 'POST', key, body: hook })).json.webhook_id;
    const own = (await api.send('/v1/webhooks', { method: 'POST', key: home.key, body: hook })).json.webhook_id;
    const turned = (await api.send('/v1/webhooks', { method: 'POST', key: home.key, body: hook })).json.webhook_id;
    const patch = (id: string, body: unknown) => api.send(`/v1/webhooks/${id}`, { method: 'PATCH', key, body });
    expect((await patch(turned, { url: 'https://example.org/mine' })).status).toBe(200);
    expect((await patch(own, { auth_token: 'another secret token' })).status).toBe(200);
    const device = { type: 'plug', location: 'Attic' };
    const paired = (await api.send('/v1/devices', { method: 'POST', key, body: device })).json.device_id;
    const users = (credentials: object) => api.send('/dashboard/v1/devices', credentials);
    const named = `/dashboard/v1/devices?user_id=${home.userId}`;
    expect((await api.send(named, { headers: browser })).json).toHaveLength(1);
    expect((await users({ headers: browser })).json).toHaveLength(0);
    if (by === 'owner') expect((await remove(home, memberId)).status).toBe(200);
    else {
      const path = `/v1/memberships/${memberId}`;
      expect((await api.send(path, { method: 'DELETE', key: home.key })).status).toBe(404);
      expect((await api.send(path, { method: 'DELETE', key: member.key })).status).toBe(200);
    }
    const change = await api.send('/v1/devices', { method: 'POST', key, body: device });
    expect([change.status, change.json.code]).toEqual([401, 'key_revoked']);
    await expect.poll(async () => (await api.send('/v1/devices', { key })).status, { timeout: 1_000 }).toBe(401);
    expect((await api.send(named, { headers: browser })).status).toBe(403);
    expect((await api.send(`/dashboard/v1/devices/${paired}`, { headers: browser })).status).toBe(404);
    const remaining = (await api.send('/v1/webhooks', { key: home.key })).json.map(
      (one: { webhook_id: string }) => one.webhook_id,
    );
    expect([remaining, remaining.includes(made)]).toEqual([[own], false]);
    expect([(await members(home)).json, (await homes(member)).json]).toEqual([[], []]);
    const [endedEvent] = await rows(`SELECT data FROM events WHERE user_id = $1 AND type = 'member.ended'`, [
      home.userId,
    ]);
    expect(endedEvent.data).toEqual({
      member_id: memberId,
      access: 'manage',
      because: by,
      passwords: [
        { id: paired, name: 'Attic (plug)' },
        { id: own, name: hook.url },
      ],
    });
    expect((await eventsOf(member.userId)).at(-1)).toBe('membership.ended');
    expect((await remove(home, memberId)).status).toBe(404);
    await addMember(api, home, member, 'read');
  });

  test('waits for a running change, and takes effect before each later one', async () => {
    const [home, member] = [await person(), await person()];
    const memberId = await addMember(api, home, member, 'manage');
    const key = await createMemberKeyForHome(api, home, member);
    const client = await api.database.pool.connect();
    try {
      // Locks the membership, as a concurrent request of the member would.
      await client.query('BEGIN');
      await client.query('SELECT FROM home_members WHERE member_id = $1 FOR SHARE', [memberId]);
      const ending = remove(home, memberId);
      await expect.poll(async () => (await rows(`SELECT FROM pg_locks WHERE NOT granted`)).length).toBeGreaterThan(0);
      await client.query('COMMIT');
      expect((await ending).status).toBe(200);
    } finally {
      client.release();
    }
    const changes = await Promise.all(
      Array.from({ length: 5 }, () => api.send('/v1/gateways', { method: 'POST', key, body: { name: 'late' } })),
    );
    expect(changes.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await rows('SELECT FROM gateways WHERE user_id = $1', [home.userId])).toHaveLength(0);
  });

  test('is a consequence of the erasure of either account, which changes nothing else in the other account', async () => {
    const [home, member, other] = [await person(), await person(), await person()];
    await addMember(api, home, member, 'manage');
    await addMember(api, home, other, 'read');
    const [key, readKey] = [
      await createMemberKeyForHome(api, home, member),
      await createMemberKeyForHome(api, home, other),
    ];
    const paired = await api.send('/v1/devices', { method: 'POST', key, body: { type: 'plug', location: 'x' } });
    await eraseUser(api.db, member.userId);
    expect((await api.send('/v1/devices', { key: home.key })).json).toMatchObject([
      { device_id: paired.json.device_id },
    ]);
    expect((await members(home)).json).toHaveLength(1);
    const [endedEvent] = await rows(`SELECT data FROM events WHERE user_id = $1 AND type = 'member.ended'`, [
      home.userId,
    ]);
    expect(endedEvent.data).toMatchObject({ because: 'erased', passwords: [{ id: paired.json.device_id }] });
    const acts = await rows(`SELECT actor_user_id FROM audit_log WHERE action = 'device.paired' AND target = $1`, [
      paired.json.device_id,
    ]);
    expect(acts[0].actor_user_id).toMatch(/^erased_/);
    await eraseUser(api.db, home.userId);
    expect((await api.send('/v1/gateways', { method: 'POST', key: readKey, body: { name: 'x' } })).status).toBe(401);
    expect((await api.send('/v1/users', { key: other.key })).json).toMatchObject([{ user_id: other.userId }]);
    expect([(await homes(other)).json, (await eventsOf(other.userId)).at(-1)]).toEqual([[], 'membership.ended']);
    const traces = await rows(`SELECT data FROM events WHERE data::text LIKE '%' || $1 || '%'`, [home.userId]);
    expect(traces).toEqual([]);
  });

  test.each(['home', 'member'] as const)('is a consequence of a role change of the %s', async (which) => {
    const admin = await api.user('admin');
    const [home, member] = [await person(), await person()];
    await addMember(api, home, member, 'read');
    const path = `/v1/users/${which === 'home' ? home.userId : member.userId}`;
    expect((await api.send(path, { method: 'PATCH', key: admin.key, body: { role: 'utility' } })).status).toBe(200);
    expect(await rows('SELECT FROM home_members WHERE user_id = $1 AND ended_at IS NULL', [home.userId])).toEqual([]);
  });
});

describe('a key for the home of another account', () => {
  test('reaches that home only, counts against the member’s limits, and shows its last use to the owner', async () => {
    const [home, member] = [await person(), await person()];
    const before = await api.send('/v1/keys', { method: 'POST', key: member.key, body: { home_user_id: home.userId } });
    expect(before.status).toBe(403);
    await addMember(api, home, member, 'manage');
    const key = await createMemberKeyForHome(api, home, member);
    const device = (
      await api.send('/v1/devices', { method: 'POST', key: home.key, body: { type: 'x', location: 'x' } })
    ).json;
    expect((await api.send('/v1/devices', { key })).json).toMatchObject([{ device_id: device.device_id }]);
    expect((await api.send(`/v1/energy-insights?user_id=${home.userId}`, { key })).json.user_id).toBe(home.userId);
    expect((await api.send('/v1/energy-insights', { key })).json.user_id).toBe(home.userId);
    expect((await api.send(`/v1/devices?user_id=${member.userId}`, { key })).status).toBe(403);
    expect((await api.send('/v1/users', { key })).json).toMatchObject([{ user_id: home.userId }]);
    // The member's other keys give access to the member's own account only.
    expect((await api.send(`/v1/devices?user_id=${home.userId}`, { key: member.key })).status).toBe(403);
    expect((await api.send(`/v1/devices/${device.device_id}`, { key: member.key })).status).toBe(404);
    const counted = await rows('SELECT counted FROM request_counts WHERE counted = ANY ($1)', [
      [home.userId, member.userId],
    ]);
    const countedHome = (await rows('SELECT day_count FROM request_counts WHERE counted = $1', [home.userId]))[0];
    expect(counted.map((one) => one.counted)).toContain(member.userId);
    await api.send('/v1/devices', { key });
    expect((await rows('SELECT day_count FROM request_counts WHERE counted = $1', [home.userId]))[0]).toEqual(
      countedHome,
    );
    await expect.poll(async () => (await members(home)).json[0].last_used_at).not.toBeNull();
    const acts = await rows(`SELECT DISTINCT actor_user_id FROM audit_log WHERE about_user_id = $1`, [home.userId]);
    expect(acts.map((one) => one.actor_user_id).sort()).toEqual([home.userId, member.userId].sort());
  });

  test('has at most the scopes of the membership, and cannot create further keys', async () => {
    const utility = await api.user('utility');
    const home = await person();
    const member = await api.user('homeowner', { enrolledBy: utility.userId, scopes: [...SCOPES] });
    await addMember(api, home, member, 'read');
    const make = async (body: object, by = member) =>
      (await api.send('/v1/keys', { method: 'POST', key: by.key, body: { home_user_id: home.userId, ...body } }))
        .status;
    expect(await make({ scopes: ['alerts:write'] })).toBe(403);
    expect(await make({ scopes: ['keys:write'] })).toBe(403);
    expect(await make({ user_id: home.userId })).toBe(422);
    expect(await make({ group_id: 'grp_x' })).toBe(422);
    expect(await make({ device_id: 'dev_x' })).toBe(422);
    expect(await make({ user_id: member.userId }, utility)).toBe(403);
    expect(await make({}, home)).toBe(403);
    expect(await make({ user_id: member.userId })).toBe(201);
    const narrow = ['insights:read', 'alerts:read', 'devices:read'];
    const { key_id, scopes } = (
      await api.send('/v1/keys', {
        method: 'POST',
        key: member.key,
        body: { home_user_id: home.userId, scopes: narrow },
      })
    ).json;
    expect(scopes).toEqual(narrow);
    const rotate = (by: Person) => api.send(`/v1/keys/${key_id}/rotate`, { method: 'POST', key: by.key, body: {} });
    expect((await rotate(utility)).status).toBe(403);
    expect((await rotate(await api.user('admin'))).status).toBe(403);
    const rotated = await rotate(member);
    expect([rotated.status, rotated.json.home_user_id]).toEqual([201, home.userId]);
    expect((await api.send('/v1/devices', { key: rotated.json.key })).status).toBe(200);
    const listed = (await api.send('/v1/keys', { key: member.key })).json;
    expect(listed.filter((one: { home_user_id?: string }) => one.home_user_id === home.userId)).toHaveLength(3);
    expect((await api.send('/v1/keys', { key: home.key })).json).toHaveLength(1);
  });
});
