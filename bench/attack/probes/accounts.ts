import { unzip } from '../../../test/support/unzip.ts';
import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe, ProbeFailedError } from '../probe.ts';
import {
  confirmEmail,
  findMailsTo,
  openSession,
  requestMailedToken,
  requestSessionStatus,
  requestSignIn,
  signIn,
  waitForConfirmationToken,
} from '../sign-in.ts';
import { type AttackedInstallation, pause } from '../world.ts';
import { expectKeyRejectedEverywhere } from './changed-accounts.ts';

const MAIL = { needs: ['dataDir'] as const };

const acts = async (world: AttackedInstallation, userId: string) =>
  (await world.must('GET', `/v1/audit?user_id=${userId}&limit=200`)).json as Record<string, unknown>[];

const IDEMPOTENCY: readonly Probe[] = [
  defineProbe('an idempotent answer is given again to the same key alone', async (world) => {
    const owner = await world.person('homeowner');
    const narrow = await world.key(owner, { scopes: ['keys:write', 'devices:write'] });
    for (const [path, body, secret] of [
      ['/v1/keys', { scopes: ['keys:write'] }, 'key'],
      ['/v1/devices', { type: 'meter', location: 'x' }, 'mqtt'],
    ] as const) {
      const sent = { body, headers: { 'idempotency-key': `first-${secret}` } };
      const first = await world.must('POST', path, { key: owner.key, ...sent });
      const again = await world.must('POST', path, { key: owner.key, ...sent });
      assertProbeCondition(again.text === first.text, `POST ${path} again did not give the first answer`);
      const other = await world.ask('POST', path, { key: narrow.key, ...sent });
      const isSame = JSON.stringify(other.json?.[secret]) === JSON.stringify(first.json[secret]);
      assertProbeCondition(!isSame, `POST ${path} gave another key what was made for the first`);
    }
  }),
  defineProbe('one idempotency key asked twenty times at once makes one thing, over all processes', async (world) => {
    const { key } = await world.person('homeowner');
    const sent = { key, body: { name: 'x' }, headers: { 'idempotency-key': 'once' } };
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.ask('POST', '/v1/gateways', sent)));
    const bad = answers.find(({ status }) => status !== 201 && status !== 409);
    assertProbeCondition(bad === undefined, `answered ${bad?.status}`);
    expectAllowedValue((await world.must('GET', '/v1/gateways', { key })).json.length, [1], 'gateways made');
  }),
  defineProbe(
    'an idempotency key with another body is 409, with its members in another order the same request',
    async (world) => {
      const { key } = await world.person('homeowner');
      const post = (raw: string) =>
        world.ask('POST', '/v1/devices', { key, raw, headers: { 'idempotency-key': 'ordered' } });
      const first = await post('{"type":"meter","location":"x"}');
      expectAllowedValue(
        (await post('{"location":"x","type":"meter"}')).text,
        [first.text],
        'the same in another order',
      );
      expectAllowedValue((await post('{"type":"meter","location":"y"}')).status, [409], 'another body');
    },
  ),
];

const EMAIL: readonly Probe[] = [
  defineProbe('a key without keys:write changes no e-mail address', async (world) => {
    const owner = await world.person('homeowner', { scopes: ['users:read', 'users:write'] });
    const path = `/v1/users/${owner.userId}`;
    const body = { email: `taken-over-${owner.email}` };
    expectAllowedValue((await world.ask('PATCH', path, { key: owner.key, body })).status, [403], 'PATCH of the e-mail');
    const other = { key: owner.key, body: { timezone: 'Europe/Berlin' } };
    expectAllowedValue((await world.ask('PATCH', path, other)).status, [200], 'PATCH of the time zone');
  }),
  defineProbe(
    'a utility does not change the e-mail address of a homeowner who has signed in',
    async (world) => {
      const utility = await world.person('utility');
      const home = await world.person('homeowner', { enrolledBy: utility });
      await signIn(world, home.email);
      const sent = { key: utility.key, body: { email: `moved-${home.email}` } };
      expectAllowedValue(
        (await world.ask('PATCH', `/v1/users/${home.userId}`, sent)).status,
        [403],
        'PATCH of the e-mail',
      );
    },
    MAIL,
  ),
  defineProbe(
    'a changed e-mail address ends keys, sessions and mailed links, and is told to the old one',
    async (world) => {
      const { userId, email, key } = await world.person('homeowner');
      const session = await signIn(world, email);
      const from = world.address();
      const { token } = await requestMailedToken(world, email, from);
      await world.must('PATCH', `/v1/users/${userId}`, { key, body: { email: `new-${email}` } });
      expectAllowedValue(await openSession(world, token, from), [null], 'a session by the link that was mailed before');
      const confirmed = await confirmEmail(world, await waitForConfirmationToken(world, `new-${email}`));
      expectAllowedValue(confirmed.status, [201], 'the link to the new address');
      await expectKeyRejectedEverywhere(world, key);
      expectAllowedValue(await requestSessionStatus(world, session), [401], 'the session of before');
      for (let turn = 0; turn < 60; turn++, await pause(250))
        if ((await findMailsTo(world, email)).some(({ subject }) => !subject.startsWith('Sign in'))) return;
      throw new ProbeFailedError('nothing was mailed to the old address');
    },
    MAIL,
  ),
  defineProbe(
    'strangers who ask for sign-in mails do not use up the owner’s',
    async (world) => {
      const { email } = await world.person('homeowner');
      // Loopback address of the owner's browser. The owner has signed in from this address before.
      const own = world.address();
      const { token, answer } = await requestMailedToken(world, email, own);
      const cookie = String(answer.headers['set-cookie']).split(';')[0] as string;
      const body = { token };
      const opened = await world.ask('POST', '/dashboard/session', { body, from: own, headers: { cookie } });
      const known = /__Secure-energy_browser=[^;]+/.exec(String(opened.headers['set-cookie']))?.[0];
      for (let stranger = 0; stranger < 4; stranger++) {
        const from = world.address();
        for (let asks = 0; asks < 8; asks++) await requestSignIn(world, email, from);
      }
      await pause(500);
      const before = (await findMailsTo(world, email)).length;
      const headers = known === undefined ? {} : { headers: { cookie: known } };
      await world.ask('POST', '/dashboard/sign-in', { body: { email }, from: own, ...headers });
      for (let turn = 0; turn < 40; turn++, await pause(50))
        if ((await findMailsTo(world, email)).length > before) return;
      throw new ProbeFailedError('the owner gets no mail after 32 requests of strangers');
    },
    MAIL,
  ),
  defineProbe(
    'a sign-in code cannot be guessed: the fifth wrong one is the last',
    async (world) => {
      const { email } = await world.person('homeowner');
      const { sign_in_id } = (await requestMailedToken(world, email, world.address())).answer.json;
      const code = /(\d{4}) (\d{4})/.exec((await findMailsTo(world, email))[0]?.subject ?? '');
      const right = `${code?.[1]}${code?.[2]}`;
      const guess = (text: string) =>
        world.ask('POST', '/dashboard/session', { body: { sign_in_id, code: text }, from: world.address() });
      for (let wrong = 0; wrong < 5; wrong++) await guess(String((Number(right) + 1 + wrong) % 1e8).padStart(8, '0'));
      expectAllowedValue((await guess(right)).status, [422, 429], 'the right code after five wrong ones');
    },
    MAIL,
  ),
  defineProbe(
    'a session changes nothing without its CSRF token, and is no API key',
    async (world) => {
      const session = await signIn(world, (await world.person('homeowner')).email);
      const { cookie } = session;
      const post = (headers: Record<string, string>) =>
        world.ask('POST', '/dashboard/v1/gateways', { body: { name: 'x' }, headers });
      expectAllowedValue((await post({ cookie })).status, [403], 'without a token');
      expectAllowedValue((await post({ cookie, 'x-csrf-token': 'x' })).status, [403], 'with a made-up token');
      expectAllowedValue((await post({ ...session })).status, [201], 'with its token');
      expectAllowedValue(
        (await world.ask('GET', '/v1/devices', { headers: { cookie } })).status,
        [401],
        'GET /v1/devices',
      );
    },
    MAIL,
  ),
  defineProbe(
    'sessions are listed, and ended one by one',
    async (world) => {
      const { email } = await world.person('homeowner');
      const [first, second] = [await signIn(world, email), await signIn(world, email)];
      const listed = await world.ask('GET', '/dashboard/v1/sessions', { headers: { ...first } });
      expectAllowedValue(listed.status, [200], 'GET /dashboard/v1/sessions');
      expectAllowedValue(listed.json.length, [2], 'sessions listed');
      const other = listed.json.find((one: { is_current: boolean }) => !one.is_current);
      const path = `/dashboard/v1/sessions/${other.session_id}`;
      expectAllowedValue(
        (await world.ask('DELETE', path, { headers: { ...first } })).status,
        [200],
        'DELETE of the other',
      );
      expectAllowedValue(await requestSessionStatus(world, second), [401], 'the session that was ended');
      expectAllowedValue(await requestSessionStatus(world, first), [200], 'the one that is left');
    },
    MAIL,
  ),
];

const TRAIL: readonly Probe[] = [
  defineProbe('the audit log tells who made a key for whom, and from where', async (world) => {
    const { userId, keyId } = await world.person('homeowner');
    const made = (await acts(world, userId)).find(({ target }) => target === keyId);
    assertProbeCondition(made !== undefined, 'the key is not in GET /v1/audit');
    for (const member of ['at', 'actor_user_id', 'actor_key_id', 'address', 'action'])
      assertProbeCondition(typeof made[member] === 'string', `${member} is ${made[member]}`);
  }),
  defineProbe('the audit log cannot be changed', async (world) => {
    const [one] = (await world.must('GET', '/v1/audit?limit=1')).json;
    for (const method of ['DELETE', 'PATCH', 'PUT', 'POST'])
      for (const path of ['/v1/audit', `/v1/audit/${one.audit_id}`]) {
        const { status } = await world.ask(method, path, { key: world.target.adminKey, body: {} });
        expectAllowedValue(status, [400, 404], `${method} ${path}`);
      }
  }),
  defineProbe('nothing is left of an erased account but that it was erased', async (world) => {
    const { userId, email, key } = await world.person('homeowner');
    const device = await world.device({ userId });
    await world.must('POST', '/v1/keys', { key, body: { name: `name of ${email}` } });
    await world.must('DELETE', `/v1/users/${userId}`);
    const trail = (await world.must('GET', '/v1/audit?limit=200')).text;
    for (const [what, text] of Object.entries({
      'its address': email,
      'its id as the actor': `"actor_user_id":"${userId}"`,
    }))
      assertProbeCondition(!trail.includes(text), `the audit log has ${what}`);
    for (const path of [
      `/v1/users/${userId}`,
      `/v1/devices/${device.deviceId}`,
      `/v1/energy-insights?user_id=${userId}`,
      `/v1/users/${userId}/export`,
    ])
      expectAllowedValue(
        (await world.ask('GET', path, { key: world.target.adminKey })).status,
        [404],
        `GET ${path.slice(0, 20)}…`,
      );
  }),
];

const EXPORT: readonly Probe[] = [
  defineProbe('an export has what is known of a person, and no secret', async (world) => {
    const owner = await world.person('homeowner');
    const device = await world.device(owner);
    const answer = await world.ask('GET', `/v1/users/${owner.userId}/export`, { key: owner.key });
    expectAllowedValue(answer.status, [200], 'GET /v1/users/…/export');
    const all = [...(await unzip(answer.bytes)).values()].map(String).join('\n');
    for (const known of [owner.email, device.deviceId])
      assertProbeCondition(all.includes(known), `${known} is not in it`);
    for (const [what, secret] of [
      ['key', owner.key],
      ['device password', device.password],
    ] as const)
      assertProbeCondition(!all.includes(secret), `the ${what} is in it`);
  }),
  defineProbe('an export needs every scope that reads', async (world) => {
    const owner = await world.person('homeowner');
    const { key } = await world.key(owner, { scopes: ['users:read', 'devices:read'] });
    expectAllowedValue(
      (await world.ask('GET', `/v1/users/${owner.userId}/export`, { key })).status,
      [403],
      'GET …/export',
    );
  }),
];

export const ACCOUNT_PROBES: readonly Probe[] = [...IDEMPOTENCY, ...EMAIL, ...TRAIL, ...EXPORT];
