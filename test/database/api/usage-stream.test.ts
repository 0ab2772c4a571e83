import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { evaluateChangedHours } from '#src/alerts/evaluate-changes.ts';
import { type AlertEvaluator, startAlertEvaluator } from '#src/alerts/pool.ts';
import { STREAM_LIMITS } from '#src/api/stream-limits.ts';
import { createKey } from '#src/auth/keys.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { publishUsageUpdates } from '#src/delivery/usage-updated.ts';
import { createDevice, deleteDevice, updateDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { type EventStream, openEventStream } from '#test/support/event-stream.ts';
import { addMember, createMemberKeyForHome } from '#test/support/members.ts';
import { createTestMeter, type TestMeter } from '#test/support/meters.ts';

let api: TestApi;
let other: TestApi;
let evaluator: AlertEvaluator;
const handingOn = new AbortController();
const opened: EventStream[] = [];
beforeAll(async () => {
  evaluator = startAlertEvaluator(1);
  api = await startTestApi();
  // A second API on the same database, which acts as another process.
  other = await startTestApi({ database: api.database, handOn: handingOn.signal });
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(async () => {
  await evaluator.close();
  await other.app.close();
  await api.close();
});

const PATH = '/v1/usage/stream';
const open = async (
  key: string,
  more: { query?: string; lastEventId?: string; http2?: boolean; port?: number } = {},
) => {
  const { query = '', port = api.port, ...sent } = more;
  const stream = await openEventStream(port, `${PATH}${query}`, { key, ...sent });
  opened.push(stream);
  if (stream.status === 200) await expect.poll(() => stream.of('ready').length, soon).toBe(1);
  return stream;
};
/** Adds a smart plug to a home. Returns the plug's device id. */
async function addDevice({ userId }: TestMeter): Promise<string> {
  return (await createDevice(api.db, { userId, type: 'smart_plug', location: 'x' })).device.device_id;
}
const minutes = (count: number) => new Date(api.now.getTime() + count * 60_000);
const keyOf = async (userId: string) => (await createKey(api.db, { userId, environment: 'live' })).key;
/** Creates a homeowner with a meter and a key. */
async function home(): Promise<TestMeter & { key: string }> {
  const made = await createTestMeter(api.database);
  return { ...made, key: await keyOf(made.userId) };
}
const person = () => api.user('homeowner', { scopes: [...SCOPES] });
const soon = { interval: 20 };
/** Runs the worker's jobs that evaluate alerts and create events `usage.updated`. */
async function publish(): Promise<void> {
  await evaluateChangedHours(api.database.pool, evaluator, api.now);
  await publishUsageUpdates(api.database.pool, api.now);
}
const publishedHours = (stream: EventStream) =>
  stream
    .of('usage')
    .flatMap(({ data }) => data.hours.map((one: { hour: string; kwh_used: number }) => [one.hour, one.kwh_used]));

describe('live readings', () => {
  test('arrive within a second or two of the commit, at both processes, each device at most once a second', async () => {
    const mine = await home();
    await mine.read([[minutes(-10), 100]], api.now);
    const [here, there] = [await open(mine.key), await open(mine.key, { port: other.port, http2: true })];
    expect([here.status, there.status]).toEqual([200, 200]);
    expect(here.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(here.headers['ratelimit-policy']).toBeDefined();
    for (const stream of [here, there]) {
      // The first events of a new stream contain the current values.
      await expect.poll(() => stream.of('reading').at(-1)?.data.channels[0]?.last_value, soon).toBe(100);
      expect(stream.events[0]).toMatchObject({
        event: 'ready',
        data: { user_id: mine.userId, device_id: null, resumed: null },
      });
    }
    const [before, fromMs] = [here.of('reading').length, Date.now()];
    for (let at = 1; at <= 10; at++) await mine.read([[minutes(-10 + at), 100 + at / 10]], api.now);
    for (const stream of [here, there])
      await expect
        .poll(() => stream.of('reading').at(-1)?.data, soon)
        .toMatchObject({
          device_id: mine.deviceId,
          user_id: mine.userId,
          power_w: null,
          channels: [{ unit: 'kWh', last_value: 101, counts_as: 'import', last_at: minutes(0).toISOString() }],
        });
    expect(here.of('reading').length - before).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - fromMs) / 1_000));
    // An earlier event may contain the same value. The test therefore waits for an event with the time that the last commit has stored.
    const seenAt = async (): Promise<string> => {
      const { rows } = await api.database.pool.query<{ seen_at: Date }>(
        'SELECT seen_at FROM device_heads WHERE device_id = $1',
        [mine.deviceId],
      );
      return (rows[0] as { seen_at: Date }).seen_at.toISOString();
    };
    await expect.poll(() => here.of('reading').at(-1)?.data.seen_at, soon).toBe(await seenAt());
    // Two readings of a second device, in different polls, prove that the service kept polling.
    const sent = here.of('reading').length;
    const second = await addDevice(mine);
    for (const kwh of [1, 2]) {
      await mine.read([[minutes(-10 + kwh), kwh]], api.now, { deviceId: second });
      await expect.poll(() => here.of('reading').at(-1)?.data.channels[0].last_value, soon).toBe(kwh);
    }
    expect(here.of('reading').filter(({ data }) => data.device_id === mine.deviceId)).toHaveLength(sent);
  });

  test('the home’s power is sent with its devices’ measured powers, only to clients that follow the home', async () => {
    const mine = await home();
    await updateDevice(api.db, ALL_ACCOUNTS, await addDevice(mine), { placement: 'excluded' });
    const sendPower = async (seconds: number, power_w: number) => {
      const payload = Buffer.from(JSON.stringify({ ts: new Date(api.now.getTime() + seconds * 1_000), power_w }));
      const message = {
        topic: getReadingsTopic(mine.deviceId),
        payload,
        receivedAtMs: api.now.getTime(),
        replayed: false,
      };
      const incoming = [createIncomingMessage(message)].filter((one) => one !== null);
      const written = await createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() }).write(
        incoming,
      );
      expect(written).toMatchObject({ rejected: 0 });
    };
    await sendPower(-300, 2_000);
    await sendPower(-240, 2_000);
    const [all, one] = [await open(mine.key), await open(mine.key, { query: `?device_id=${mine.deviceId}` })];
    // The latest power reading is four minutes old, which is too old for an event `power`.
    await expect.poll(() => all.of('reading').at(-1)?.data.power_w, soon).toBe(2_000);
    for (const [seconds, watts] of [
      [-9, 2_500],
      [-3, 300],
    ] as const) {
      await sendPower(seconds, watts);
      await expect
        .poll(() => all.of('power').at(-1)?.data, soon)
        .toEqual({
          user_id: mine.userId,
          power_w: watts,
          power_at: new Date(api.now.getTime() + seconds * 1_000).toISOString(),
        });
    }
    expect(all.of('power').map(({ data }) => data.power_w)).toEqual([2_500, 300]);
    // A client that connects later receives the latest event first.
    const late = await open(mine.key);
    await expect.poll(() => late.of('power').map(({ data }) => data.power_w), soon).toEqual([300]);
    expect(one.of('power')).toEqual([]);
  });

  test('belong to one home only, or to one device if the request names it', async () => {
    const [mine, neighbour] = [await home(), await home()];
    const second = await addDevice(mine);
    const [all, one] = [await open(mine.key), await open(mine.key, { query: `?device_id=${second}` })];
    await neighbour.read([[minutes(-1), 5]], api.now);
    await mine.read([[minutes(-1), 7]], api.now);
    await mine.read([[minutes(-1), 8]], api.now, { deviceId: second });
    await expect.poll(() => all.of('reading').length, soon).toBe(2);
    await expect.poll(() => one.of('reading').length, soon).toBe(1);
    expect(one.events.map(({ data }) => data.device_id)).toEqual([second, second]);
    expect(one.events.map(({ id }) => id)).toEqual([undefined, undefined]);
    expect(all.text() + one.text()).not.toContain(neighbour.deviceId);
    expect(await deleteDevice(api.db, { only: mine.userId }, second)).toBe(true);
    expect((await api.send(`${PATH}?device_id=${second}`, { key: mine.key })).status).toBe(404);
  });

  test('of a deleted device are not sent to clients that connect later', async () => {
    const mine = await home();
    const second = await addDevice(mine);
    const first = await open(mine.key);
    await mine.read([[minutes(-1), 7]], api.now);
    await mine.read([[minutes(-1), 8]], api.now, { deviceId: second });
    await expect.poll(() => first.text(), soon).toContain(second);
    expect(await deleteDevice(api.db, { only: mine.userId }, second)).toBe(true);
    // An event of the other device shows that the service has polled again since the deletion.
    await mine.read([[minutes(1), 9]], api.now);
    await expect.poll(() => first.of('reading').at(-1)?.data.channels[0]?.last_value, soon).toBe(9);
    const later = await open(mine.key);
    await expect.poll(() => later.of('reading').at(-1)?.data.channels[0]?.last_value, soon).toBe(9);
    expect(later.text()).not.toContain(second);
  });
});

describe('changed hours', () => {
  test('continue after an interruption exactly where they stopped, without a subscription', async () => {
    const mine = await home();
    const stream = await open(mine.key);
    await mine.read(
      [
        [minutes(-180), 10],
        [minutes(-120), 11],
      ],
      api.now,
    );
    await publish();
    await expect.poll(() => publishedHours(stream), soon).toEqual([['09:00', 1]]);
    const { id: lastEventId } = stream.of('usage')[0] as { id: string };
    stream.close();
    // While the client is disconnected, two usage events are created.
    for (const [at, kwh] of [
      [-60, 13],
      [0, 16],
    ] as const) {
      await mine.read([[minutes(at), kwh]], api.now);
      api.now = minutes(2);
      await publish();
      api.now = minutes(-2);
      await api.database.pool.query("UPDATE usage_told SET told_at = told_at - interval '1 hour'");
    }
    const again = await open(mine.key, { lastEventId, port: other.port });
    await expect
      .poll(() => publishedHours(again), soon)
      .toEqual([
        ['10:00', 2],
        ['11:00', 3],
      ]);
    expect(again.of('ready')[0]).toMatchObject({ id: lastEventId, data: { resumed: true } });
    // A new stream does not contain earlier events.
    const newStream = await open(mine.key);
    const cursor = again.of('usage')[1]?.id;
    expect(newStream.of('ready')[0]).toMatchObject({ id: cursor, data: { resumed: null } });
    // A client can resume with the event id of the stream's start, even if it has not received any event.
    const fromStart = await open(mine.key, { lastEventId: stream.of('ready')[0]?.id as string });
    await expect.poll(() => publishedHours(fromStart).length, soon).toBe(3);
  });

  test('report that events were missed if the last event id is too old, another home’s, or invented', async () => {
    const [mine, neighbour] = [await home(), await home()];
    const first = await open(mine.key);
    const { id } = first.of('ready')[0] as { id: string };
    const resumed = async (key: string, lastEventId: string) =>
      (await open(key, { lastEventId })).of('ready')[0]?.data.resumed;
    expect(await resumed(mine.key, id)).toBe(true);
    expect(await resumed(neighbour.key, id)).toBe(false);
    expect(await resumed(mine.key, `${id}0000`)).toBe(false);
    expect(await resumed(mine.key, 'x'.repeat(5_000))).toBe(false);
    // Simulates that no client has been connected to a stream of the home for a day.
    await api.database.pool.query(
      "UPDATE usage_told SET followed_until = now() - interval '1 second' WHERE user_id = $1",
      [mine.userId],
    );
    expect(await resumed(mine.key, id)).toBe(false);
  });
});

describe('access to the stream', () => {
  test('is for a homeowner itself, for a utility to its homeowners, and not for strangers', async () => {
    const utility = await api.user('utility');
    const [enrolled, stranger] = [await api.user('homeowner', { enrolledBy: utility.userId }), await home()];
    const status = async (key: string, query: string) => (await open(key, { query })).status;
    expect(await status(enrolled.key, `?user_id=${stranger.userId}`)).toBe(403);
    expect(await status(enrolled.key, `?device_id=${stranger.deviceId}`)).toBe(404);
    expect(await status(utility.key, `?user_id=${enrolled.userId}`)).toBe(200);
    expect(await status(utility.key, `?user_id=${stranger.userId}`)).toBe(404);
    expect(await status(utility.key, `?device_id=${stranger.deviceId}`)).toBe(404);
    const admin = await api.user('admin');
    expect(await status(admin.key, `?device_id=${stranger.deviceId}`)).toBe(200);
    expect(await status(admin.key, `?device_id=${stranger.deviceId}&user_id=${enrolled.userId}`)).toBe(404);
    const narrow = await api.user('homeowner', { scopes: ['devices:read'] });
    expect(await status(narrow.key, '')).toBe(403);
    expect(await status(enrolled.key, '?group_by=day')).toBe(400);
    expect((await api.send(PATH, { method: 'HEAD', key: enrolled.key })).status).toBe(200);
  });

  test('ends at both processes soon after the right is lost', async () => {
    const utility = await api.user('utility');
    const movedHome = await api.user('homeowner', { enrolledBy: utility.userId });
    const [revoked, suspended, staying] = [await home(), await home(), await home()];
    const [inside, moved] = [await home(), await home()];
    const here = await createKey(api.db, {
      ...{ userId: inside.userId, environment: 'live' as const, allowedAddresses: ['127.0.0.1'] },
    });
    const owner = await person();
    const member = await person();
    const memberId = await addMember(api, owner, member, 'read');
    const memberKey = await createMemberKeyForHome(api, owner, member);
    const administrator = await api.user('admin');
    const as = { key: administrator.key };
    const { group_id } = (await api.send('/v1/groups', { method: 'POST', ...as, body: { name: 'street' } })).json;
    const grouped = `/v1/groups/${group_id}/users/${moved.userId}`;
    await api.send(grouped, { method: 'PUT', ...as });
    const limited = (await api.send('/v1/keys', { method: 'POST', ...as, body: { group_id } })).json;
    const brief = await createKey(api.db, { userId: staying.userId, environment: 'live' });
    const ending = [
      await open(revoked.key),
      await open(revoked.key, { port: other.port }),
      await open(memberKey),
      await open(memberKey, { port: other.port }),
      await open(suspended.key),
      await open(brief.key),
      await open(utility.key, { query: `?user_id=${movedHome.userId}` }),
      await open(here.key),
      await open(limited.key, { query: `?user_id=${moved.userId}` }),
    ];
    expect(ending.map(({ status }) => status)).toEqual(ending.map(() => 200));
    const stays = await open(staying.key);
    const sql = (text: string, values: unknown[]) => api.database.pool.query(text, values);
    await sql('UPDATE api_keys SET revoked_at = now() WHERE user_id = $1', [revoked.userId]);
    await sql('UPDATE request_counts SET suspended_until_ms = $2 WHERE counted = $1', [
      suspended.userId,
      api.now.getTime() + 900_000,
    ]);
    await sql('UPDATE api_keys SET expires_at = $2 WHERE key_id = $1', [brief.key_id, minutes(1)]);
    await sql('UPDATE users SET enrolled_by = NULL WHERE user_id = $1', [movedHome.userId]);
    await sql('UPDATE api_keys SET allowed_addresses = $2 WHERE key_id = $1', [here.key_id, ['192.0.2.0/24']]);
    await api.send(grouped, { method: 'DELETE', ...as });
    expect((await api.send(`/v1/memberships/${memberId}`, { method: 'DELETE', key: member.key })).status).toBe(200);
    api.now = minutes(2);
    // The service checks access every 0.8 s. On a busy machine, its queries may take long.
    await expect
      .poll(() => ending.map((one) => one.isOver()), { timeout: 4_000, interval: 20 })
      .toEqual(ending.map(() => true));
    for (const one of ending) expect(one.text()).toMatch(/retry: \d+\n\n$/);
    expect(stays.isOver()).toBe(false);
  });
});

test('an account has a limited number of streams per process, in addition to its other requests', async () => {
  const mine = await home();
  for (let at = 0; at < STREAM_LIMITS.ofAccount; at++) expect((await open(mine.key)).status).toBe(200);
  const refused = await api.send(PATH, { key: mine.key });
  expect(refused).toMatchObject({ status: 429, json: { retry_after: STREAM_LIMITS.retryAfterSeconds } });
  expect(refused.headers['retry-after']).toBe(String(STREAM_LIMITS.retryAfterSeconds));
  expect((await api.send('/v1/devices', { key: mine.key })).status).toBe(200);
  expect((await open(mine.key, { port: other.port })).status).toBe(200);
  opened.pop();
  opened.shift()?.close();
  await expect.poll(async () => (await open(mine.key)).status, soon).toBe(200);
});

test('streams of a utility and its enrolled homes leave room for streams of other accounts', async () => {
  const utility = await api.user('utility');
  const homes = await Promise.all([1, 2, 3].map(() => api.user('homeowner', { enrolledBy: utility.userId })));
  const usual = STREAM_LIMITS.ofUtility;
  STREAM_LIMITS.ofUtility = 4;
  try {
    for (const { key } of [...homes, utility]) expect((await open(key)).status).toBe(200);
    for (const { key } of [...homes, utility]) expect((await api.send(PATH, { key })).status).toBe(429);
    expect((await open((await api.user('homeowner')).key)).status).toBe(200);
  } finally {
    STREAM_LIMITS.ofUtility = usual;
  }
});

test('a process that stops ends its streams, and tells current and new clients when to reconnect', async () => {
  const mine = await home();
  const both = [await open(mine.key, { port: other.port }), await open(mine.key, { port: other.port, http2: true })];
  handingOn.abort();
  await expect.poll(() => both.map((one) => one.isOver()), soon).toEqual([true, true]);
  for (const one of both) expect(one.text()).toMatch(/retry: \d+\n\n$/);
  const late = await open(mine.key, { port: other.port });
  await expect.poll(() => late.isOver(), soon).toBe(true);
});
