import { beforeAll, describe, expect, test } from 'vitest';
import { recordDeviceSilences } from '#src/devices/fleet/record-silences.ts';
import { type CallersByRole, setUpCallersByRole } from '#test/support/callers.ts';

let { api, admin, utility, home }: CallersByRole = {} as CallersByRole;
setUpCallersByRole((made) => ({ api, admin, utility, home } = made));
// The service uses the database's clock to determine a device's status.
beforeAll(() => {
  api.now = new Date();
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const minutesAgo = (minutes: number) => new Date(api.now.getTime() - minutes * MINUTE_MS);
const get = (path: string, key = utility.key) => api.send(path, { key });
const list = async (query = '', key = utility.key) => {
  const { status, json } = await get(`/v1/fleet/devices?${query}`, key);
  expect({ query, status, json }).toMatchObject({ query, status: 200 });
  return json as { device_id: string; location: string }[];
};
const names = async (query = '', key = utility.key) => (await list(query, key)).map(({ location }) => location);

async function pair(key: string, location: string, { minutesSinceReading, ...more }: Record<string, unknown> = {}) {
  const { status, json } = await api.send('/v1/devices', {
    key: admin.key,
    method: 'POST',
    body: { user_id: key, type: 'meter', location, ...more },
  });
  expect({ location, status }).toEqual({ location, status: 201 });
  if (typeof minutesSinceReading === 'number') await setLastSeen(json.device_id, minutesSinceReading);
  return json.device_id as string;
}
async function setLastSeen(deviceId: string, ago: number, isFaulty = false) {
  await api.database.pool.query('UPDATE device_heads SET seen_at = $2 WHERE device_id = $1', [
    deviceId,
    minutesAgo(ago),
  ]);
  await api.database.pool.query('UPDATE devices SET says_faulty = $2 WHERE device_id = $1', [deviceId, isFaulty]);
}
/** Records a device behind a gateway as discovered and paired, as ingest does. */
async function placeBehindGateway(gatewayId: string, deviceId: string, family: string) {
  await api.database.pool.query(
    `INSERT INTO discovered_devices (discovery_id, gateway_id, family, native_id, device_id) VALUES ($1, $2, $3, $1, $4)`,
    [`dsc_${deviceId}`, gatewayId, family, deviceId],
  );
}

const ids: Record<string, string> = {};
let otherUtility: { userId: string; key: string };
let foreign: { userId: string; key: string };
let second: { userId: string; key: string };
let gatewayId: string;

beforeAll(async () => {
  otherUtility = await api.user('utility');
  foreign = await api.user('homeowner', { enrolledBy: otherUtility.userId });
  second = await api.user('homeowner', { enrolledBy: utility.userId });
  const paired = async (name: string, ...more: Parameters<typeof pair>) => {
    ids[name] = await pair(...more);
    await api.database.pool.query('UPDATE devices SET created_at = $2 WHERE device_id = $1', [
      ids[name],
      minutesAgo(60 * 24 * 60),
    ]);
  };
  await paired('cellar', home.userId, 'Cellar, main meter', { minutesSinceReading: 1, placement: 'grid' });
  await paired('attic', home.userId, 'attic', { minutesSinceReading: 60 * 30, placement: 'production' });
  await paired('garage', second.userId, 'Garage 12/B', { minutesSinceReading: 60 * 5 });
  await paired('never', second.userId, 'Übergabe');
  await paired('foreign', foreign.userId, 'Cellar of another', { minutesSinceReading: 2 });
  const { json } = await api.send('/v1/gateways', {
    key: admin.key,
    method: 'POST',
    body: { user_id: second.userId, name: 'x' },
  });
  gatewayId = json.gateway_id;
  await placeBehindGateway(gatewayId, ids.garage ?? '', 'tasmota');
  await setLastSeen(ids.garage ?? '', 60 * 5, true);
  await recordDeviceSilences(api.db, api.now);
});

describe('devices of a fleet', () => {
  test('are those that the caller can access, with owner, family, gateway and silence', async () => {
    expect(await names()).toEqual(['Cellar, main meter', 'attic', 'Garage 12/B', 'Übergabe']);
    expect(await names('', otherUtility.key)).toEqual(['Cellar of another']);
    expect(await names('', home.key)).toEqual(['Cellar, main meter', 'attic']);
    expect(await names('', admin.key)).toHaveLength(5);
    const [, attic, garage] = await list();
    const { json: own } = await get(`/v1/users/${second.userId}`);
    expect(garage).toEqual({
      device_id: ids.garage,
      type: 'meter',
      location: 'Garage 12/B',
      status: 'faulty',
      last_seen_at: minutesAgo(300).toISOString(),
      placement: 'consumption',
      upstream_device_id: null,
      attention: ['faulty'],
      user_id: second.userId,
      email: own.email,
      family: 'tasmota',
      gateway_id: gatewayId,
      silent_since: minutesAgo(300).toISOString(),
      created_at: expect.any(String),
    });
    expect(attic).toMatchObject({ family: 'native', gateway_id: null, silent_since: minutesAgo(1_800).toISOString() });
  });

  test('are filtered by state, silence, place, family, attention and account', async () => {
    expect(await names('status=active')).toEqual(['Cellar, main meter']);
    expect(await names('status=faulty')).toEqual(['Garage 12/B']);
    expect(await names('silent_for_hours=1')).toEqual(['attic', 'Garage 12/B', 'Übergabe']);
    expect(await names('silent_for_hours=6')).toEqual(['attic', 'Übergabe']);
    expect(await names('silent_for_hours=31')).toEqual(['Übergabe']);
    expect(await names('placement=production')).toEqual(['attic']);
    expect(await names('family=tasmota')).toEqual(['Garage 12/B']);
    expect(await names('family=native&status=inactive')).toEqual(['attic', 'Übergabe']);
    expect(await names('family=unheard')).toEqual([]);
    expect(await names('attention=faulty')).toEqual(['Garage 12/B']);
    expect(await names('attention=silent')).toEqual(['attic', 'Übergabe']);
    expect(await names('attention=unknown_quantity')).toEqual([]);
    expect(await names('attention=placement_guessed')).toEqual([]);
    expect(await names(`user_id=${second.userId}`)).toEqual(['Garage 12/B', 'Übergabe']);
    expect(await names(`user_id=${second.userId}&status=inactive&silent_for_hours=1`)).toEqual(['Übergabe']);
  });

  test('have the same attention as in /v1/devices', async () => {
    const { pool } = api.database;
    await pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'unknown/x', 'register', false), ($1, 'import', 'register', true), ($2, 'import', 'register', true)`,
      [ids.never, ids.garage],
    );
    expect(await names('attention=unknown_quantity')).toEqual(['Übergabe']);
    // A person paired the home's other device and chose its type, so its measured part of the home (placement) is not guessed.
    expect(await names('attention=placement_guessed')).toEqual(['Garage 12/B']);
    const { json } = await get(`/v1/devices?user_id=${second.userId}`);
    const attention = (all: { attention: string[] }[]) => all.map((one) => one.attention);
    expect(attention((await list(`user_id=${second.userId}`)) as never)).toEqual(attention(json));
    await pool.query('DELETE FROM series WHERE device_id = ANY ($1)', [[ids.never, ids.garage]]);
  });

  test('are found by the beginnings of words, ids and addresses, without wildcards', async () => {
    const { json: owner } = await get(`/v1/users/${second.userId}`);
    expect(await names('text=mai')).toEqual(['Cellar, main meter']);
    expect(await names('text=MAIN+cell')).toEqual(['Cellar, main meter']);
    expect(await names('text=12')).toEqual(['Garage 12/B']);
    expect(await names('text=12%2Fb')).toEqual(['Garage 12/B']);
    expect(await names('text=%C3%BCberg')).toEqual(['Übergabe']);
    expect(await names('text=ellar')).toEqual([]);
    expect(await names(`text=${ids.attic}`)).toEqual(['attic']);
    expect(await names(`text=${owner.email.toUpperCase().slice(0, -4)}`)).toEqual(['Garage 12/B', 'Übergabe']);
    expect(await names(`text=${owner.email}&status=faulty`)).toEqual(['Garage 12/B']);
    expect(await names('text=+++')).toHaveLength(4);
    for (const text of ['%', '_', "'", "x' | 'y", '\\', ':*', '!', '&&&', '<->', '(', 'a:*b', '"', "''", '😀'])
      expect({ text, found: await names(`text=${encodeURIComponent(text)}`) }).toEqual({ text, found: [] });
  });

  test('show and find addresses only for callers that may read accounts', async () => {
    const { key } = await api.user('utility', { scopes: ['devices:read'] });
    expect((await get('/v1/users', key)).status).toBe(403);
    const { json } = await api.send('/v1/keys', {
      key: utility.key,
      method: 'POST',
      body: { scopes: ['devices:read'] },
    });
    const rows = await list('', json.key);
    expect(rows).toHaveLength(4);
    expect(rows.map((one) => (one as unknown as { email: string | null }).email)).toEqual([null, null, null, null]);
    const { json: owner } = await get(`/v1/users/${second.userId}`);
    expect(await names(`text=${owner.email}`, json.key)).toEqual([]);
    expect(await names('text=attic', json.key)).toEqual(['attic']);
  });

  test('cannot be enumerated: foreign, unknown and malformed ids get the same answer', async () => {
    const wanted = async (id: string, key: string) => {
      const { status, text } = await get(`/v1/fleet/devices?user_id=${id}`, key);
      return `${status} ${text}`;
    };
    const unknown = await wanted('usr_00000000000000000000000000', utility.key);
    expect(unknown).toMatch(/^404/);
    for (const id of [foreign.userId, admin.userId, 'x', '%00', ''])
      expect(await wanted(id, utility.key)).toBe(unknown);
    for (const id of [utility.userId, 'x', '%00']) expect(await wanted(id, home.key)).toMatch(/^403/);
    expect(await wanted(home.userId, home.key)).toMatch(/^200/);
    expect(await names(`text=${foreign.userId.slice(4)}`)).toEqual([]);
    expect(await names(`text=${ids.foreign}`)).toEqual([]);
    expect(await names('text=another')).toEqual([]);
    const { key } = await api.user('homeowner', { scopes: ['insights:read'] });
    for (const path of ['/v1/fleet/devices?user_id=x', '/v1/fleet/silence?start=2026-06-01&end=2026-06-02'])
      expect((await get(path, key)).status).toBe(403);
  });

  test('are refused for an invalid filter, with the name of the field', async () => {
    const wrong: [string, number, string][] = [
      ['silent_for_hours=0', 422, 'silent_for_hours'],
      ['silent_for_hours=1.5', 422, 'silent_for_hours'],
      ['silent_for_hours=-1', 422, 'silent_for_hours'],
      ['silent_for_hours=8785', 422, 'silent_for_hours'],
      ['silent_for_hours=', 422, 'silent_for_hours'],
      ['status=broken', 422, 'status'],
      ['placement=roof', 422, 'placement'],
      ['attention=', 422, 'attention'],
      ['family=', 422, 'family'],
      ['family=%00', 422, 'family'],
      ['text=%00', 422, 'text'],
      ['text=', 422, 'text'],
      [`text=${'x'.repeat(255)}`, 422, 'text'],
      ['sort=email', 422, 'sort'],
      ['sort=location,created_at', 422, 'sort'],
      ['limit=201', 422, 'limit'],
      ['cursor=x', 422, 'cursor'],
      ['status=active&status=faulty', 400, 'status'],
      ['state=active', 400, 'state'],
    ];
    for (const [query, status, field] of wrong) {
      const answer = await get(`/v1/fleet/devices?${query}`);
      expect({ query, status: answer.status, field: answer.json.details?.[0]?.field }).toEqual({
        query,
        status,
        field,
      });
    }
  });

  test('are listed in every order, in both directions, with any page size', async () => {
    const orders = {
      created_at: ['Cellar, main meter', 'attic', 'Garage 12/B', 'Übergabe'],
      // Locations are sorted by Unicode code point, so that the order does not depend on the server's locale.
      location: ['attic', 'Cellar, main meter', 'Garage 12/B', 'Übergabe'],
      last_seen_at: ['Übergabe', 'attic', 'Garage 12/B', 'Cellar, main meter'],
    };
    for (const [sort, expected] of Object.entries(orders)) {
      expect({ sort, names: await names(`sort=${sort}`) }).toEqual({ sort, names: expected });
      expect({ sort, names: await names(`sort=-${sort}`) }).toEqual({ sort, names: expected.toReversed() });
      for (const limit of [1, 2, 3]) {
        for (const way of [sort, `-${sort}`]) {
          const all = await walk(`/v1/fleet/devices?sort=${way}&limit=${limit}`);
          expect({ way, limit, all }).toEqual({ way, limit, all: way === sort ? expected : expected.toReversed() });
        }
      }
    }
  });

  test('continue after changes: nothing appears twice, and no unchanged device is omitted', async () => {
    const home = await api.user('homeowner', { enrolledBy: utility.userId });
    const made: string[] = [];
    for (let index = 0; index < 6; index++)
      made.push(await pair(home.userId, `room ${index}`, { minutesSinceReading: 1 }));
    const path = `/v1/fleet/devices?user_id=${home.userId}&sort=location&limit=2`;
    const first = await get(path);
    // Between the two pages, the test deletes the last device of the first page and adds a device that is sorted before it.
    await api.send(`/v1/devices/${made[1]}`, { key: admin.key, method: 'DELETE' });
    await pair(home.userId, 'room 00');
    const rest = await walk(nextOf(first) ?? '');
    expect(rest).toEqual(['room 2', 'room 3', 'room 4', 'room 5']);
  });

  test('of a utility with more than a thousand homes include no other utility’s', async () => {
    const large = await api.user('utility');
    await api.database.pool.query(
      `INSERT INTO users (user_id, email, role, enrolled_by)
       SELECT 'usr_large' || n, 'large' || n || '@example.com', 'homeowner', $1 FROM generate_series(1, 1001) n`,
      [large.userId],
    );
    for (const home of [1, 500]) await pair(`usr_large${home}`, `hall ${home}`);
    expect(await names('sort=-location', large.key)).toEqual(['hall 500', 'hall 1']);
    expect(await names('text=hall', large.key)).toHaveLength(2);
    // Many e-mail addresses contain the text `large`, so the query scans all rows.
    expect(await names('text=large&sort=location', large.key)).toEqual(['hall 1', 'hall 500']);
    expect(await names('text=cellar', large.key)).toEqual([]);
  });

  test('reject a cursor of another order or another list, or one that was forged', async () => {
    const first = await get('/v1/fleet/devices?sort=location&limit=1');
    const cursor = new URL(nextOf(first) ?? '', 'https://x').searchParams.get('cursor') ?? '';
    for (const path of [
      `/v1/fleet/devices?sort=created_at&cursor=${cursor}`,
      `/v1/fleet/devices?cursor=${cursor}`,
      `/v1/devices?cursor=${cursor}`,
      `/v1/fleet/devices?sort=location&cursor=${cursor}x`,
    ])
      expect({ path, status: (await get(path)).status }).toEqual({ path, status: 422 });
  });
});

const nextOf = ({ headers }: { headers: Record<string, unknown> }) =>
  /<([^>]+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
async function walk(path: string, member = 'location'): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | undefined = path; next; ) {
    const answer = await get(next);
    found.push(...answer.json.map((row: Record<string, string>) => row[member]));
    next = nextOf(answer);
  }
  return found;
}

describe('silences', () => {
  test('are recorded once, and end when the device reports again', async () => {
    const { rows } = await api.database.pool.query(
      'SELECT count(*)::int AS count FROM device_silences WHERE ended_at IS NULL',
    );
    expect(await recordDeviceSilences(api.db, api.now)).toEqual({ began: 0, ended: 0 });
    await setLastSeen(ids.garage ?? '', 3, true);
    // Since this change of `last_seen_at`, the worker has not looked for silent devices. The list must be correct nevertheless.
    expect(await names('silent_for_hours=1')).not.toContain('Garage 12/B');
    expect(await names('sort=last_seen_at')).toHaveLength((await list()).length);
    expect(await recordDeviceSilences(api.db, api.now)).toEqual({ began: 0, ended: 1 });
    await setLastSeen(ids.garage ?? '', 2, true);
    const later = new Date(api.now.getTime() + 2 * HOUR_MS);
    expect((await recordDeviceSilences(api.db, later)).began).toBeGreaterThan(0);
    const { rows: now } = await api.database.pool.query(
      'SELECT count(*)::int AS count FROM device_silences WHERE ended_at IS NULL',
    );
    expect(now[0].count).toBeGreaterThan(rows[0].count - 1);
  });

  test('are returned by hour, grouped by devices that stopped together, only for devices that the caller can access', async () => {
    const house = await api.user('homeowner', { enrolledBy: utility.userId });
    const made: string[] = [];
    for (let index = 0; index < 3; index++) made.push(await pair(house.userId, `plug ${index}`));
    const at = new Date('2026-06-10T10:20:00Z').getTime();
    const { pool } = api.database;
    for (const [index, id] of made.entries()) {
      await setLastSeen(id, 1);
      await pool.query(
        'INSERT INTO device_silences (device_id, user_id, began_at, was_heard, ended_at) VALUES ($1, $2, $3, true, $4)',
        [id, house.userId, new Date(at + index * MINUTE_MS), index === 0 ? new Date(at + 3 * HOUR_MS) : null],
      );
    }
    const path = '/v1/fleet/silence?start=2026-06-10&end=2026-06-10';
    const { status, json } = await get(path);
    expect({ status, data: json.data, groups: json.groups }).toEqual({
      status: 200,
      data: [
        {
          starts_at: '2026-06-10T10:00:00Z',
          devices: 3,
          outage: 0,
          gateway: 0,
          home: 3,
          device: 0,
          habit: 0,
          unsure: 0,
        },
      ],
      groups: [
        {
          kind: 'home',
          sure: true,
          because: 'whole_home',
          first_at: '2026-06-10T10:20:00.000Z',
          last_at: '2026-06-10T10:22:00.000Z',
          devices: 3,
          homes: 1,
          heard_again: 1,
          user_id: house.userId,
          gateway_id: null,
          device_ids: made,
        },
      ],
    });
    expect(json.unwatched).toEqual([{ from: '2026-06-10T00:00:00.000Z', to: '2026-06-11T00:00:00.000Z' }]);
    const inKolkata = await get(`${path}&tz=Asia/Kolkata&group_by=hour`);
    expect(inKolkata.json.data[0].starts_at).toBe('2026-06-10T15:00:00+05:30');
    expect((await get(`${path}&tz=Asia/Kolkata&group_by=day`)).json.data[0].starts_at).toBe(
      '2026-06-10T00:00:00+05:30',
    );
    expect((await get(path, admin.key)).json.groups).toHaveLength(1);
    for (const { key } of [otherUtility, home, foreign]) {
      const { json: other } = await get(path, key);
      expect({ data: other.data, groups: other.groups }).toEqual({ data: [], groups: [] });
    }
    expect((await get(path, foreign.key)).json).toMatchObject({ devices: 1, homes: 1 });
    expect((await get(`${path}&limit=1`)).json.groups_left_out).toBe(0);
  });

  test('are refused for invalid parameters, with the name of the field', async () => {
    const wrong: [string, number, string][] = [
      ['', 422, 'start'],
      ['start=2026-06-01', 422, 'end'],
      ['start=2026-06-02&end=2026-06-01', 422, 'end'],
      ['start=2026-06-01&end=2026-07-02', 422, 'end'],
      ['start=2026-02-30&end=2026-03-02', 422, 'start'],
      ['start=2026-06-01&end=2026-06-01&group_by=month', 422, 'group_by'],
      ['start=2026-06-01&end=2026-06-01&tz=Mars', 422, 'tz'],
      ['start=2026-06-01&end=2026-06-01&limit=0', 422, 'limit'],
      ['start=2026-06-01&end=2026-06-01&user_id=x', 400, 'user_id'],
    ];
    for (const [query, status, field] of wrong) {
      const answer = await get(`/v1/fleet/silence?${query}`);
      expect({ query, status: answer.status, field: answer.json.details?.[0]?.field }).toEqual({
        query,
        status,
        field,
      });
    }
    expect((await get('/v1/fleet/silence?start=9999-12-31&end=9999-12-31')).status).toBe(200);
    expect((await get('/v1/fleet/silence?start=1970-01-01&end=1970-01-01')).status).toBe(200);
  });
});

describe('accounts of a fleet', () => {
  test('are filtered by role, plan and attention, and include their number of devices', async () => {
    const users = async (query: string, key = utility.key) =>
      (await get(`/v1/users?${query}`, key)).json.map(({ user_id }: { user_id: string }) => user_id);
    expect(await users('role=utility')).toEqual([utility.userId]);
    expect(await users('role=admin')).toEqual([]);
    expect(await users('plan=enterprise')).toEqual([]);
    expect(await users('role=homeowner&plan=free')).toContain(home.userId);
    const wanting = await users('has_attention=true');
    expect(wanting).toContain(second.userId);
    expect(wanting).not.toContain(utility.userId);
    expect(await users('has_attention=false')).toContain(utility.userId);
    expect([...wanting, ...(await users('has_attention=false'))].sort()).toEqual((await users('')).sort());
    const silent = await users('silent=true');
    expect(silent).toEqual([home.userId, second.userId]);
    const others = await users('silent=false');
    expect(others.filter((id: string) => silent.includes(id))).toEqual([]);
    for (const [query, all] of [
      ['silent=true', silent],
      ['silent=false', others],
    ] as const)
      expect(await walk(`/v1/users?${query}&limit=1`, 'user_id')).toEqual(all);
    const { json } = await get('/v1/users?include=devices');
    const counts = Object.fromEntries(
      json.map((one: { user_id: string; devices: object }) => [one.user_id, one.devices]),
    );
    expect(counts[home.userId]).toEqual({ total: 2, silent: 1, faulty: 0 });
    expect(counts[second.userId]).toEqual({ total: 2, silent: 1, faulty: 1 });
    expect(counts[utility.userId]).toEqual({ total: 0, silent: 0, faulty: 0 });
    expect(Object.keys((await get('/v1/users')).json[0])).not.toContain('devices');
    expect(await users('include=devices&role=homeowner', foreign.key)).toEqual([foreign.userId]);
  });

  test('show nothing about devices to a key that may not read them', async () => {
    const { json } = await api.send('/v1/keys', { key: utility.key, method: 'POST', body: { scopes: ['users:read'] } });
    for (const query of ['has_attention=true', 'silent=false', 'include=devices'])
      expect((await get(`/v1/users?${query}`, json.key)).status).toBe(403);
    expect((await get('/v1/users?role=homeowner', json.key)).status).toBe(200);
    for (const query of ['role=owner', 'plan=', 'silent=yes', 'include=usage', 'has_attention=1'])
      expect((await get(`/v1/users?${query}`)).status).toBe(422);
  });
});
