import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { READ_ONLY_SCOPES } from '#src/auth/scopes.ts';
import { startTestApi, type TestApi, UNLIMITED_REQUEST_COUNTER, writeLoadProfile } from '#test/support/api.ts';

let api: TestApi;
type Person = { userId: string; key: string };
let utility: Person;
let other: Person;
let admin: Person;
let home: Person;
let neighbour: Person;
let foreign: Person;

beforeAll(async () => {
  api = await startTestApi({ counter: async () => UNLIMITED_REQUEST_COUNTER });
  utility = await api.user('utility');
  other = await api.user('utility');
  admin = await api.user('admin');
  home = await api.user('homeowner', { enrolledBy: utility.userId });
  neighbour = await api.user('homeowner', { enrolledBy: utility.userId });
  foreign = await api.user('homeowner', { enrolledBy: other.userId });
});
afterAll(() => api.close());

const as = (who: Person) => (path: string, method?: string, body?: unknown) =>
  api.send(path, { key: who.key, ...(method && { method }), ...(body !== undefined && { body }) });
const make = async (body: object, who = utility): Promise<string> => {
  const { status, json } = await as(who)('/v1/groups', 'POST', body);
  expect({ status, json }).toMatchObject({ status: 201 });
  return json.group_id;
};

describe('groups', () => {
  test('are created, listed page by page, changed and removed by their owner', async () => {
    const owner = await api.user('utility');
    const district = await make({ name: 'District', kind: 'district' }, owner);
    const feeder = await make({ name: 'Feeder', parent_group_id: district }, owner);
    expect(district).toMatch(/^grp_[0-9a-z]{26}$/);
    const first = await as(owner)('/v1/groups?limit=1');
    expect(first.json).toEqual([
      {
        group_id: district,
        user_id: owner.userId,
        name: 'District',
        kind: 'district',
        parent_group_id: null,
        members: 0,
        created_at: expect.any(String),
      },
    ]);
    const next = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? '';
    expect((await as(owner)(next)).json).toMatchObject([{ group_id: feeder, parent_group_id: district, kind: null }]);
    const changed = await as(owner)(`/v1/groups/${feeder}`, 'PATCH', {
      name: 'F',
      kind: 'feeder',
      parent_group_id: null,
    });
    expect(changed.json).toMatchObject({ name: 'F', kind: 'feeder', parent_group_id: null });
    expect((await as(owner)(`/v1/groups/${feeder}`, 'PATCH', {})).status).toBe(200);
    expect((await as(owner)(`/v1/groups/${feeder}`, 'DELETE')).status).toBe(200);
    expect((await as(owner)(`/v1/groups/${feeder}`)).status).toBe(404);
    expect((await as(admin)(`/v1/groups?user_id=${owner.userId}`)).json).toHaveLength(1);
  });

  test('form a tree: no cycle, no other owner’s group, eight levels at most', async () => {
    const ids = [await make({ name: '1' })];
    for (let level = 2; level <= 8; level++) ids.push(await make({ name: `${level}`, parent_group_id: ids.at(-1) }));
    const refused = async (path: string, method: string, body: object) => {
      const { status, json } = await as(utility)(path, method, body);
      expect({ status, field: json.details?.[0].field }).toEqual({ status: 422, field: 'parent_group_id' });
      return json.details[0].message;
    };
    expect(await refused('/v1/groups', 'POST', { name: '9', parent_group_id: ids.at(-1) })).toMatch(/8 levels/);
    const [top = '', second = ''] = ids;
    expect(await refused(`/v1/groups/${top}`, 'PATCH', { parent_group_id: top })).toMatch(/itself/);
    expect(await refused(`/v1/groups/${top}`, 'PATCH', { parent_group_id: ids.at(-1) })).toMatch(/below it/);
    const above = await make({ name: '0' });
    expect(await refused(`/v1/groups/${top}`, 'PATCH', { parent_group_id: above })).toMatch(/8 levels/);
    expect(await refused(`/v1/groups/${above}`, 'PATCH', { parent_group_id: 'grp_x' })).toMatch(/same owner/);
    const others = await make({ name: 'x' }, other);
    expect(await refused(`/v1/groups/${above}`, 'PATCH', { parent_group_id: others })).toMatch(/same owner/);
    expect((await as(utility)(`/v1/groups/${second}`, 'DELETE')).status).toBe(409);
  });

  test('two concurrent changes form no cycle', async () => {
    const [a, b] = [await make({ name: 'a' }), await make({ name: 'b' })];
    const statuses = await Promise.all(
      [
        [a, b],
        [b, a],
      ].map(async ([one, under]) => {
        return (await as(utility)(`/v1/groups/${one}`, 'PATCH', { parent_group_id: under })).status;
      }),
    );
    expect(statuses.toSorted()).toEqual([200, 422]);
  });

  test('belong to utilities and administrators only', async () => {
    expect((await as(home)('/v1/groups', 'POST', { name: 'x' })).status).toBe(403);
    expect((await as(home)('/v1/groups')).json).toEqual([]);
    expect((await as(admin)('/v1/groups', 'POST', { name: 'x', user_id: home.userId })).status).toBe(422);
    expect((await as(utility)('/v1/groups', 'POST', { name: 'x', user_id: other.userId })).status).toBe(404);
    expect((await as(admin)('/v1/groups', 'POST', { name: 'x', user_id: utility.userId })).status).toBe(201);
    const mine = await make({ name: 'x' });
    for (const who of [other, home, foreign]) {
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '', { name: 'y' }],
        ['DELETE', ''],
        ['GET', '/users'],
        ['POST', '/users', { add: [home.userId] }],
        ['PUT', `/users/${home.userId}`],
        ['DELETE', `/users/${home.userId}`],
        ['GET', '/energy-insights'],
      ] as const)
        for (const id of [mine, 'grp_00000000000000000000000000', 'x', '%00', 'a'.repeat(2_000)])
          expect({ method, path, id, status: (await as(who)(`/v1/groups/${id}${path}`, method, body)).status }).toEqual(
            {
              method,
              path,
              id,
              status: 404,
            },
          );
    }
  });
});

describe('homes of a group', () => {
  test('are the ones within its owner’s reach, each once', async () => {
    const group = await make({ name: 'x' });
    const path = `/v1/groups/${group}/users`;
    const put = await as(utility)(`${path}/${home.userId}`, 'PUT');
    expect([put.status, put.json]).toEqual([200, { group_id: group, added: 1, removed: 0, members: 1 }]);
    expect((await as(utility)(`${path}/${home.userId}`, 'PUT')).json.added).toBe(0);
    for (const id of [foreign.userId, admin.userId, 'usr_00000000000000000000000000', 'x', '%00'])
      expect({ id, status: (await as(utility)(`${path}/${id}`, 'PUT')).status }).toEqual({ id, status: 404 });
    // An administrator cannot add a home of another utility either, because the group belongs to this utility.
    expect((await as(admin)(`${path}/${foreign.userId}`, 'PUT')).status).toBe(404);
    const bulk = { add: [neighbour.userId, foreign.userId], remove: [home.userId] };
    const refused = await as(utility)(path, 'POST', bulk);
    expect([refused.status, refused.json.details.map(({ field }: { field: string }) => field)]).toEqual([
      404,
      ['add.1'],
    ]);
    expect((await as(utility)(path)).json.map((one: { user_id: string }) => one.user_id)).toEqual([home.userId]);
    const done = await as(utility)(path, 'POST', { add: [neighbour.userId, neighbour.userId], remove: ['x'] });
    expect([done.status, done.json]).toEqual([200, { group_id: group, added: 1, removed: 0, members: 2 }]);
    const page = await as(utility)(`${path}?limit=1`);
    expect([page.json.length, page.headers.link]).toEqual([1, expect.stringContaining('rel="next"')]);
    expect((await as(utility)(`${path}/${home.userId}`, 'DELETE')).json.members).toBe(1);
    expect((await as(utility)(`${path}/${home.userId}`, 'DELETE')).status).toBe(404);
  });

  test('are removed with their account, and a group with its owner', async () => {
    const owner = await api.user('utility');
    const gone = await api.user('homeowner', { enrolledBy: owner.userId });
    const group = await make({ name: 'x' }, owner);
    await as(owner)(`/v1/groups/${group}/users/${gone.userId}`, 'PUT');
    await as(owner)(`/v1/users/${gone.userId}`, 'DELETE');
    expect((await as(owner)(`/v1/groups/${group}`)).json.members).toBe(0);
    await as(admin)(`/v1/users/${owner.userId}`, 'DELETE');
    expect((await as(admin)(`/v1/groups/${group}`)).status).toBe(404);
  });

  test('are recorded in the audit log, with their group', async () => {
    const group = await make({ name: 'x' });
    await as(utility)(`/v1/groups/${group}/users/${home.userId}`, 'PUT');
    const acts = (await as(admin)(`/v1/audit?user_id=${utility.userId}&limit=2`)).json;
    expect(acts).toMatchObject([
      { action: 'group.home_added', target: home.userId, details: { group_id: group } },
      { action: 'group.created', target: group },
    ]);
  });
});

describe('energy-insights of a group', () => {
  test('return the homes’ usage together, as JSON and as a table', async () => {
    const owner = await api.user('utility');
    const [one, two] = [
      await api.user('homeowner', { enrolledBy: owner.userId }),
      await api.user('homeowner', { enrolledBy: owner.userId }),
    ];
    const at = (time: string) => Date.parse(`2026-06-10T${time}:00Z`);
    await writeLoadProfile(
      api,
      one.userId,
      new Map([
        [at('07:00'), 2_000_000],
        [at('19:00'), 1_500_000],
      ]),
    );
    await writeLoadProfile(
      api,
      two.userId,
      new Map([
        [at('08:00'), 1_800_000],
        [at('19:15'), 1_000_500],
      ]),
    );
    const district = await make({ name: 'd' }, owner);
    const feeder = await make({ name: 'f', parent_group_id: district }, owner);
    await as(owner)(`/v1/groups/${district}/users`, 'POST', { add: [one.userId, two.userId] });
    await as(owner)(`/v1/groups/${feeder}/users`, 'POST', { add: [two.userId] });
    const path = `/v1/groups/${district}/energy-insights`;
    // Each home used most in the morning, but the sum of both homes was highest in the evening.
    const days = await as(owner)(`${path}?start=2026-06-01&end=2026-06-30`);
    const row = { date: '2026-06-10', kwh_used: 6.301, peak_hour: '19:00' };
    expect(days.json).toEqual({ group_id: district, homes: 2, data: [row] });
    expect((await as(owner)(`/v1/groups/${feeder}/energy-insights?start=2026-06-01&end=2026-06-30`)).json).toEqual({
      group_id: feeder,
      homes: 1,
      data: [{ ...row, kwh_used: 2.801, peak_hour: '08:00' }],
    });
    const month = { date: '2026-06-01', kwh_used: 6.301, peak_hour: '19:00' };
    expect((await as(owner)(`${path}?start=2026-01-01&end=2026-12-31&group_by=month`)).json.data).toEqual([month]);
    expect((await as(owner)(path)).json).toEqual({
      group_id: district,
      homes: 2,
      date_range: { start: '2026-05-17', end: '2026-06-15' },
      kwh_used: 6.301,
      peak_usage_time: '19:00',
    });
    const csv = await api.send(`${path}?start=2026-06-01&end=2026-06-30&group_by=hour&tz=Asia/Kolkata`, {
      key: owner.key,
      headers: { accept: 'text/csv' },
    });
    expect(csv.text.trim().split('\n')).toEqual([
      'date,hour,starts_at,kwh_used,peak_hour',
      '2026-06-10,12:00,2026-06-10T12:00:00+05:30,2,12:00',
      '2026-06-10,13:00,2026-06-10T13:00:00+05:30,1.8,13:00',
      '2026-06-11,00:00,2026-06-11T00:00:00+05:30,2.501,00:00',
    ]);
    const empty = await make({ name: 'e' }, owner);
    expect((await as(owner)(`/v1/groups/${empty}/energy-insights?start=2026-06-01&end=2026-06-30`)).json.data).toEqual(
      [],
    );
    expect((await as(owner)(`/v1/groups/${empty}/energy-insights`)).json).toMatchObject({
      homes: 0,
      kwh_used: 0,
      peak_usage_time: null,
    });
    await as(owner)(`/v1/users/${owner.userId}`, 'PATCH', { timezone: 'Asia/Tokyo' });
    const account = await as(owner)(`${path}?start=2026-06-01&end=2026-06-30&tz=account`);
    expect(account.json.data).toMatchObject([
      { date: '2026-06-10', kwh_used: 3.8, peak_hour: '16:00' },
      { date: '2026-06-11', kwh_used: 2.501, peak_hour: '04:00' },
    ]);
  });

  test('refuse invalid parameters', async () => {
    const group = await make({ name: 'x' });
    for (const [query, status] of [
      ['start=2026-06-01', 422],
      ['group_by=day', 422],
      ['start=2026-06-02&end=2026-06-01', 422],
      ['start=2026-06-01&end=2026-06-02&include=cost', 422],
      ['start=2026-06-01&end=2026-06-02&tz=nowhere', 422],
      ['user_id=x', 400],
      ['start=1990-01-01&end=2026-06-02&group_by=hour', 422],
    ] as const)
      expect({ query, status: (await as(utility)(`/v1/groups/${group}/energy-insights?${query}`)).status }).toEqual({
        query,
        status,
      });
  });
});

describe('a key that is limited to a group', () => {
  test('only reads, and only a group of its owner', async () => {
    const group = await make({ name: 'x' });
    const foreignGroup = await make({ name: 'y' }, other);
    const ask = (body: object, who = utility) => as(who)('/v1/keys', 'POST', body);
    const made = await ask({ group_id: group });
    expect([made.status, made.json.scopes, made.json.group_id]).toEqual([201, READ_ONLY_SCOPES, group]);
    const refused = await ask({ group_id: group, scopes: ['insights:read', 'devices:write'] });
    expect([refused.status, refused.json.details[0].field]).toEqual([422, 'scopes']);
    for (const group_id of [foreignGroup, 'x', '\0', 'grp_00000000000000000000000000'])
      expect({ group_id, status: (await ask({ group_id })).status }).toEqual({ group_id, status: 404 });
    // An administrator's own key cannot be limited to another owner's group.
    expect((await ask({ group_id: group }, admin)).status).toBe(404);
    expect((await ask({ group_id: group, user_id: utility.userId }, admin)).status).toBe(201);
    const listed = (await as(utility)('/v1/keys?limit=200')).json;
    expect(listed.filter((one: { group_id?: string }) => one.group_id === group)).toHaveLength(2);
    const rotated = await as(utility)(`/v1/keys/${made.json.key_id}/rotate`, 'POST', {});
    expect(rotated.json).toMatchObject({ group_id: group, scopes: READ_ONLY_SCOPES });
  });

  test('ends with its group', async () => {
    const group = await make({ name: 'x' });
    const { key } = (await as(utility)('/v1/keys', 'POST', { group_id: group })).json;
    expect((await api.send('/v1/users', { key })).status).toBe(200);
    await as(utility)(`/v1/groups/${group}`, 'DELETE');
    expect((await api.send('/v1/users', { key })).json).not.toContainEqual(expect.objectContaining({}));
    expect(
      (await as(utility)('/v1/keys?limit=200')).json.map((one: { group_id?: string }) => one.group_id),
    ).not.toContain(group);
  });
});

/** Calls every operation for a home outside a group. The key belongs to a utility or an administrator and is limited to the group. */
describe.each(['utility', 'admin'] as const)('a key of %s that is limited to a group', (role) => {
  const limited = { userId: '', key: '' };
  const ids: Record<'inside' | 'outside', Record<string, string>> = { inside: {}, outside: {} };
  let root = '';
  let below = '';

  beforeAll(async () => {
    const owner = role === 'utility' ? utility : admin;
    root = await make({ name: 'root', parent_group_id: await make({ name: 'above' }, owner) }, owner);
    below = await make({ name: 'below', parent_group_id: root }, owner);
    const beside = await make({ name: 'beside' }, owner);
    for (const [where, group, person] of [
      ['inside', below, home],
      ['outside', beside, neighbour],
    ] as const) {
      await as(owner)(`/v1/groups/${group}/users/${person.userId}`, 'PUT');
      const of = ids[where];
      of.user_id = person.userId;
      of.group_id = group;
      const create = async (path: string, body: object) => (await as(admin)(path, 'POST', body)).json;
      const user_id = person.userId;
      of.device_id = (await create('/v1/devices', { user_id, type: 'smart_meter', location: 'x' })).device_id;
      const alert = { user_id, type: 'daily_usage', threshold_kwh: 5, delivery: 'email' };
      of.alert_id = (await create('/v1/alerts', alert)).alert_id;
      of.gateway_id = (await create('/v1/gateways', { user_id, name: 'x' })).gateway_id;
      of.key_id = (await create('/v1/keys', { user_id, scopes: ['insights:read'] })).key_id;
      const tariff = { user_id, name: 'x', valid_from: role === 'utility' ? '2026-01-01' : '2026-02-01' };
      of.tariff_id = (
        await create('/v1/tariffs', { ...tariff, currency: 'EUR', import: { per_kwh: '0.3' } })
      ).tariff_id;
      const series = { user_id, name: 'x', currency: 'EUR', resolution_minutes: 60 };
      of.series_id = (await create('/v1/price-series', series)).series_id;
      const intensities = { user_id, name: 'x', resolution_minutes: 60 };
      of.emission_series_id = (await create('/v1/emission-series', intensities)).series_id;
      const hook = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' };
      const month = role === 'utility' ? '2026-01' : '2026-02';
      const bill = { user_id, start: `${month}-01`, end: `${month}-28` };
      of.bill_period_id = (await create('/v1/bill-periods', bill)).bill_period_id;
      of.webhook_id = (await as(person)('/v1/webhooks', 'POST', hook)).json.webhook_id;
      of.delivery_id = (await as(person)(`/v1/webhooks/${of.webhook_id}/test`, 'POST')).json.delivery_id;
    }
    Object.assign(limited, {
      userId: owner.userId,
      key: (await as(owner)('/v1/keys', 'POST', { group_id: root })).json.key,
    });
  });

  /** Expected ids in the responses of list operations that have no id in their path. */
  const LISTS: Record<string, () => unknown> = {
    'GET /v1/users': () => [home.userId],
    'GET /v1/groups': () => [root, below],
    'GET /v1/fleet/devices': () => expect.arrayContaining([home.userId]),
    'GET /v1/provisioning-batches': () => [],
  };
  /** Operations on resources of the key's owner that belong to no home. A key that is limited to a group cannot access these resources. */
  const OF_THE_OWNER = ['GET /v1/audit', 'GET /v1/webhooks', 'GET /v1/imports/{import_id}', 'GET /v1/memberships'];
  /** Expected status for a home inside the group, if it is not 200. */
  const STATUS_INSIDE: Record<string, number> = { 'POST /v1/what-if': 422 };
  /** Operations that return one response for all accessible accounts together. */
  const TOGETHER = ['GET /v1/fleet/silence'];

  /** Request bodies of POST operations that only read. The test adds the user id to each body. */
  const READ_BY_POST: Record<string, object> = {
    postEnergyInsights: { interval: 'month' },
    previewAlert: { type: 'peak_usage', threshold_kwh: 5 },
    compareTariffs: {
      start: '2026-01-01',
      end: '2026-01-31',
      tariffs: [{ name: 'other', currency: 'EUR', import: { per_kwh: '0.2' } }],
    },
    whatIf: { start: '2026-01-01', end: '2026-01-31', production_scale: 2 },
    // This request contains no user id, because the gateway in the topic determines the account.
    decodeMessage: { user_id: undefined, topic: 'a', payload: '1' },
  };

  const call = (operation: (typeof OPERATIONS)[number], of: Record<string, string>) => {
    const idOf = (name: string) => of[operation.path.startsWith('/v1/emission-series') ? `emission_${name}` : name];
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => idOf(name) ?? 'x');
    const aboutUser = operation.query && 'user_id' in operation.query.shape && path === operation.path;
    const body = operation.method === 'GET' || operation.method === 'DELETE' ? undefined : { user_id: of.user_id };
    const requestBody = body && { ...body, ...READ_BY_POST[operation.name] };
    return api.send(aboutUser ? `${path}?user_id=${of.user_id}` : path, {
      method: operation.method,
      key: limited.key,
      ...(requestBody && { body: requestBody }),
    });
  };

  test.each(OPERATIONS.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s: returns nothing about homes outside it, nor about its owner',
    async (name, operation) => {
      // The export of an account needs another scope, because it contains single readings.
      const isRead =
        [operation.scope].flat().every((scope) => READ_ONLY_SCOPES.includes(scope)) && operation.name !== 'exportUser';
      const own = { ...ids.outside, user_id: limited.userId };
      const namesHomes = operation.path.includes('{') || 'user_id' in (operation.query?.shape ?? {});
      for (const accounts of !namesHomes && (name in LISTS || TOGETHER.includes(name)) ? [] : [ids.outside, own]) {
        const { status } = await call(operation, accounts);
        expect({ name, status }).toEqual({ name, status: isRead && name !== 'GET /v1/audit' ? 404 : 403 });
      }
      if (name in LISTS) {
        const { json } = await api.send(operation.path, { key: limited.key });
        const shown: string[] = json.map((one: { group_id?: string; user_id: string }) => one.group_id ?? one.user_id);
        expect(shown).toEqual(LISTS[name]?.());
        expect(shown).not.toContain(neighbour.userId);
      } else if (TOGETHER.includes(name)) {
        const { json } = await api.send(`${operation.path}?start=2026-01-01&end=2026-01-02`, { key: limited.key });
        expect(json.homes).toBe(1);
      } else if (isRead && !OF_THE_OWNER.includes(name)) {
        expect({ name, status: (await call(operation, ids.inside)).status }).toEqual({
          name,
          status: STATUS_INSIDE[name] ?? 200,
        });
        // An operation without an id in its path is about the key's owner. A key that is limited to a group cannot access the owner's own
        // data.
        if (!operation.path.includes('{')) {
          const body = READ_BY_POST[operation.name];
          const { status } = await api.send(operation.path, {
            method: operation.method,
            key: limited.key,
            ...(body && { body }),
          });
          expect({ name, status: status === 422 ? 404 : status }).toEqual({ name, status: 404 });
        }
      }
    },
  );

  test('does not see the groups above its own', async () => {
    const { json } = await api.send(`/v1/groups/${root}`, { key: limited.key });
    expect(json.parent_group_id).toBeNull();
    expect((await api.send(`/v1/groups/${below}`, { key: limited.key })).json.parent_group_id).toBe(root);
  });

  test('loses access to a home immediately once the home is removed from the group', async () => {
    const owner = role === 'utility' ? utility : admin;
    const ask = async () => (await api.send(`/v1/users/${home.userId}`, { key: limited.key })).status;
    expect(await ask()).toBe(200);
    await as(owner)(`/v1/groups/${below}/users/${home.userId}`, 'DELETE');
    expect(await ask()).toBe(404);
    await as(owner)(`/v1/groups/${below}/users/${home.userId}`, 'PUT');
    await as(owner)(`/v1/groups/${below}`, 'PATCH', { parent_group_id: null });
    expect(await ask()).toBe(404);
  });
});
