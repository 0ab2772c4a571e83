import type { RequestOptions } from '../client.ts';
import { sendRequest } from '../client.ts';
import {
  assertProbeCondition,
  defineProbe,
  expectAllowedValue,
  type Probe,
  ProbeFailedError,
  ProbeSkippedError,
} from '../probe.ts';
import { type AttackedInstallation, type Person, pause } from '../world.ts';

/** Fails unless every API process rejects the request, including processes that authenticated this person a moment ago. */
async function refusedEverywhere(
  world: AttackedInstallation,
  make: () => Promise<Person>,
  end: (who: Person) => Promise<unknown>,
  change: (who: Person) => [method: string, path: string, body?: unknown],
  refusals: readonly number[],
): Promise<void> {
  for (const [index, api] of world.apis.entries()) {
    const who = await make();
    const known = await sendRequest(api, 'GET', '/v1/devices', { key: who.key });
    expectAllowedValue(known.status, [200], 'a key that is valid');
    await end(who);
    const [method, path, body] = change(who);
    const sent: RequestOptions = { key: who.key, from: world.address(), ...(body === undefined ? {} : { body }) };
    const { status } = await sendRequest(api, method, path, sent);
    expectAllowedValue(status, refusals, `${method} ${path} on process ${index + 1}`);
  }
}

const admin = (world: AttackedInstallation) => () => world.person('admin');
const homeowner = (world: AttackedInstallation) => () => world.person('homeowner');
const erase = (world: AttackedInstallation) => (who: Person) => world.must('DELETE', `/v1/users/${who.userId}`);
const revoke = (world: AttackedInstallation) => (who: Person) => world.must('DELETE', `/v1/keys/${who.keyId}`);
const newcomer = (who: Person, role: string) => ({ email: `by-${who.userId}@attack.example.com`, role });

/** Requests that change data, which the probes send with revoked keys. */
const CHANGES: Record<string, (who: Person) => [string, string, unknown?]> = {
  'makes no key': () => ['POST', '/v1/keys', {}],
  'pairs no device': () => ['POST', '/v1/devices', { type: 'meter', location: 'x' }],
  'makes no gateway': () => ['POST', '/v1/gateways', { name: 'x' }],
  'makes no alert': ({ userId }) => [
    'POST',
    '/v1/alerts',
    { user_id: userId, type: 'daily_usage', threshold_kwh: 1, delivery: 'email' },
  ],
  'subscribes to nothing': () => [
    'POST',
    '/v1/webhooks',
    { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a long secret' },
  ],
  'changes no account': ({ userId }) => ['PATCH', `/v1/users/${userId}`, { phone: '+4915112345678' }],
  'deletes no account': ({ userId }) => ['DELETE', `/v1/users/${userId}`],
};

export const REVOKED_KEY_PROBES: readonly Probe[] = [
  defineProbe('a deleted administrator creates no user', (world) =>
    refusedEverywhere(world, admin(world), erase(world), (who) => ['POST', '/v1/users', newcomer(who, 'admin')], [401]),
  ),
  defineProbe('a deleted homeowner pairs no device', (world) =>
    refusedEverywhere(
      world,
      homeowner(world),
      erase(world),
      () => ['POST', '/v1/devices', { type: 'meter', location: 'x' }],
      [401],
    ),
  ),
  defineProbe('a demoted administrator creates no administrator', (world) =>
    refusedEverywhere(
      world,
      admin(world),
      ({ userId }) => world.must('PATCH', `/v1/users/${userId}`, { body: { role: 'homeowner' } }),
      (who) => ['POST', '/v1/users', newcomer(who, 'admin')],
      [401],
    ),
  ),
  ...Object.entries(CHANGES).map(([what, change]) =>
    defineProbe(`a revoked key ${what}`, (world) =>
      refusedEverywhere(world, homeowner(world), revoke(world), change, [401]),
    ),
  ),
  defineProbe('a key changes nothing once it has expired', (world) =>
    refusedEverywhere(
      world,
      async () => {
        const who = await world.person('homeowner');
        const expires_at = new Date(Date.now() + 1_500).toISOString();
        return { ...who, ...(await world.key(who, { expires_at })) };
      },
      () => pause(1_600),
      () => ['POST', '/v1/gateways', { name: 'x' }],
      [401],
    ),
  ),
  defineProbe('a key that was rotated without an overlap changes nothing', (world) =>
    refusedEverywhere(
      world,
      homeowner(world),
      ({ keyId }) => world.must('POST', `/v1/keys/${keyId}/rotate`, { body: { overlap_hours: 0 } }),
      () => ['POST', '/v1/gateways', { name: 'x' }],
      [401],
    ),
  ),
  defineProbe(
    'a revoked key reads nothing after ten seconds',
    (world) =>
      refusedEverywhere(
        world,
        homeowner(world),
        async (who) => {
          await revoke(world)(who);
          await pause(10_000);
        },
        () => ['GET', '/v1/devices'],
        [401],
      ),
    { kind: 'waits' },
  ),
  defineProbe('what is made for an account while that is deleted is never a fault of the service', async (world) => {
    const statuses = new Set<number>();
    for (let round = 0; round < 8; round++) {
      const { userId } = await world.person('homeowner');
      const bodies: [string, object][] = [
        ['/v1/devices', { type: 'meter', location: 'x' }],
        ['/v1/gateways', { name: 'x' }],
        ['/v1/keys', {}],
        ['/v1/alerts', { type: 'daily_usage', threshold_kwh: 1, delivery: 'email' }],
      ];
      const making = [...bodies, ...bodies].map(([path, body]) =>
        world.ask('POST', path, { key: world.target.adminKey, body: { ...body, user_id: userId } }),
      );
      const answers = await Promise.all([...making, world.must('DELETE', `/v1/users/${userId}`)]);
      for (const { status } of answers) statuses.add(status);
    }
    const faults = [...statuses].filter((status) => ![200, 201, 404, 409, 429].includes(status));
    assertProbeCondition(faults.length === 0, `answered ${faults.join(', ')}`);
  }),
  defineProbe('a key makes no key that may do more than it may itself', async (world) => {
    const narrow = await world.person('homeowner', { scopes: ['keys:write', 'devices:read'] });
    for (const body of [{}, { scopes: ['users:write'] }, { scopes: ['devices:read', 'devices:write'] }]) {
      const { status } = await world.ask('POST', '/v1/keys', { key: narrow.key, body });
      expectAllowedValue(status, [403], `POST /v1/keys ${JSON.stringify(body)}`);
    }
  }),
  defineProbe('nobody but an administrator gives out roles and plans', async (world) => {
    const [owner, utility] = [await world.person('homeowner'), await world.person('utility')];
    const home = await world.person('homeowner', { enrolledBy: utility });
    const tries: [Person, string, string, object][] = [
      [owner, 'POST', '/v1/users', newcomer(owner, 'homeowner')],
      [utility, 'POST', '/v1/users', newcomer(utility, 'admin')],
      [utility, 'POST', '/v1/users', newcomer(utility, 'utility')],
      [utility, 'POST', '/v1/users', { ...newcomer(utility, 'homeowner'), plan: 'enterprise' }],
      [owner, 'PATCH', `/v1/users/${owner.userId}`, { role: 'admin' }],
      [owner, 'PATCH', `/v1/users/${owner.userId}`, { plan: 'enterprise' }],
      [utility, 'PATCH', `/v1/users/${utility.userId}`, { role: 'admin' }],
      [utility, 'PATCH', `/v1/users/${home.userId}`, { role: 'utility' }],
    ];
    for (const [{ key }, method, path, body] of tries) {
      const { status } = await world.ask(method, path, { key, body });
      expectAllowedValue(status, [403], `${method} ${path.slice(0, 12)} ${JSON.stringify(body)}`);
    }
  }),
  defineProbe('the limits of a plan hold over all keys of the account and all processes', async (world) => {
    const who = await world.person('homeowner', { plan: 'free' });
    const second = await world.key(who);
    const asked = await Promise.all(
      Array.from({ length: 80 }, (_, index) => {
        const api = world.apis[index % world.apis.length] ?? world.target.api;
        return sendRequest(api, 'GET', '/v1/devices', { key: index % 4 < 2 ? who.key : second.key });
      }),
    );
    const policy = /"minute";q=(\d+)/.exec(String(asked[0]?.headers['ratelimit-policy']))?.[1];
    if (Number(policy) >= 80) throw new ProbeSkippedError(`the plan free has ${policy} requests a minute here`);
    const served = asked.filter(({ status }) => status === 200).length;
    const refused = asked.filter(({ status }) => status === 429);
    expectAllowedValue(served, [Number(policy)], 'requests that were served');
    expectAllowedValue(served + refused.length, [80], 'requests that were served or refused');
    if (refused.some(({ headers }) => !(Number(headers['retry-after']) > 0)))
      throw new ProbeFailedError('a 429 without Retry-After');
  }),
  defineProbe('wrong keys are refused by address, and a right key from there is served', async (world) => {
    const from = world.address();
    const statuses: number[] = [];
    for (let tried = 0; tried < 13; tried++)
      statuses.push((await world.ask('GET', '/v1/devices', { key: `eus_live_${'x'.repeat(42)}`, from })).status);
    expectAllowedValue(statuses[0] as number, [401], 'the first wrong key');
    expectAllowedValue(statuses.at(-1) as number, [429], 'the thirteenth wrong key');
    const { key } = await world.person('homeowner');
    expectAllowedValue((await world.ask('GET', '/v1/devices', { key, from })).status, [200], 'a right key');
  }),
];
