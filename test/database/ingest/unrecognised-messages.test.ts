import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUnrecognisedMessageCounter, saveUnrecognisedCounts } from '#ingest/gateways/unrecognised.ts';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { getHomeUsageTopic } from '#src/devices/topics.ts';
import { deleteExpiredUnrecognisedMessages } from '#src/jobs/delete-expired.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Creates a homeowner's gateway, and a worker that writes all messages of the gateway in one batch. */
async function household() {
  const { userId, key } = await api.user('homeowner');
  const { json } = await api.send('/v1/gateways', { key, method: 'POST', body: { name: 'home' } });
  const gatewayId: string = json.gateway_id;
  const writer = createReadingBatchWriter(api.database.pool);
  return {
    userId,
    key,
    gatewayId,
    path: `/v1/gateways/${gatewayId}/unread`,
    async receive(...messages: [topic: string, payload: string | Buffer][]) {
      const receivedAtMs = Date.now();
      api.now = new Date(receivedAtMs);
      const batch = messages.flatMap(
        ([topic, payload]) =>
          createIncomingMessage({
            topic: `gw/${gatewayId}/${topic}`,
            payload: Buffer.from(payload as string),
            receivedAtMs,
            replayed: false,
          }) ?? [],
      );
      await writer.write(batch);
    },
    unread: async () => (await api.send(`/v1/gateways/${gatewayId}/unread`, { key })).json,
  };
}

test('mapped messages are removed from the unrecognised ones: devices that share a topic are distinguished by content', async () => {
  const home = await household();
  const body = (idx: number, total: number) => JSON.stringify({ idx, total });
  await home.receive(['house/data', body(51, 1)], ['house/data', body(52, 7)], ['house/else', '{"x":1}']);
  expect((await home.unread()).map(({ shape }: { shape: string }) => shape)).toEqual(['house/data', 'house/else']);
  const entry = { topic: 'house/data', path: '$.total', unit: 'kWh', meaning: 'import' };
  const mapping = [
    { ...entry, where: { '$.idx': 51 }, device: 'fridge' },
    { ...entry, where: { '$.idx': 52 }, device: 'dryer' },
  ];
  const patch = (decoder_config: object) =>
    api.send(`/v1/gateways/${home.gatewayId}`, { key: home.key, method: 'PATCH', body: { decoder_config } });
  expect((await patch({ mapping: [{ ...mapping[0], where: { '$..idx': 51 } }] })).status).toBe(422);
  expect((await patch({ mapping: [{ ...mapping[0], where: {} }] })).status).toBe(422);
  expect((await patch({ mapping })).status).toBe(200);
  expect((await home.unread()).map(({ shape }: { shape: string }) => shape)).toEqual(['house/else']);
  await home.receive(['house/data', body(51, 2)], ['house/data', body(52, 8)]);
  const { json } = await api.send('/v1/devices/discovered', { key: home.key });
  expect(json.map(({ native_id }: { native_id: string }) => native_id).sort()).toEqual(['dryer', 'fridge']);
});

test('messages that no family recognises are counted by topic shape, with one example', async () => {
  const home = await household();
  await home.receive(
    ['solar/1712345678/live', '{"mode":1520}'],
    ['solar/1798765432/live', '{"mode":3}'],
    ['tele/plug/SENSOR', '{"ENERGY":{"Total":1}}'],
    ['bytes', Buffer.from([0xff, 0x00])],
    ['long', `${'x'.repeat(4_095)}ä${'x'.repeat(100)}`],
    ['kept/message/taken/back', ''],
    ['energy-usage/abc/usr_1/state', '{}'],
    [getHomeUsageTopic(home.userId), '{}'],
  );
  expect(await home.unread()).toEqual([
    expect.objectContaining({
      shape: 'bytes',
      example: expect.objectContaining({ payload: '/wA=', encoding: 'base64' }),
    }),
    expect.objectContaining({
      shape: 'long',
      example: expect.objectContaining({ payload: 'x'.repeat(4_095), encoding: 'utf-8', payload_bytes: 4_197 }),
    }),
    {
      shape: 'solar/+/live',
      count: 2,
      first_seen_at: api.now.toISOString(),
      last_seen_at: api.now.toISOString(),
      example: {
        topic: 'solar/1712345678/live',
        payload: '{"mode":1520}',
        encoding: 'utf-8',
        payload_bytes: 13,
        received_at: api.now.toISOString(),
      },
    },
  ]);
  const first = await api.send(`${home.path}?limit=1`, { key: home.key });
  const next = /<([^>]+)>/.exec(String(first.headers.link))?.[1] ?? '';
  expect(
    (await api.send(`${next.replace('limit=1', 'limit=2')}`, { key: home.key })).json.map(
      ({ shape }: { shape: string }) => shape,
    ),
  ).toEqual(['long', 'solar/+/live']);
});

test('no example of a message received by radio is stored, and messages of a known family are not counted', async () => {
  const home = await household();
  await home.receive(
    ['rtlamr/12345678/state', '{"reading":"77","lastseen":"2026-07-05T19:00:00Z"}'],
    ['home/OpenMQTTGateway/BTtoMQTT/1234567', '{"id":"A4:C1:38:12:34:56","temperature_C":21}'],
    ['piped', '{"EndpointID":12345678}'],
    [
      'wmbusmeters/neighbour',
      '{"_":"telegram","media":"warm water","meter":"x","name":"n","id":"12345678","total_m3":1}',
    ],
    ['rtl_433/host/events', '{"model":"SCM","id":12345678}'],
  );
  expect(await home.unread()).toEqual(
    ['home/OpenMQTTGateway/BTtoMQTT/+', 'piped', 'rtlamr/+/state'].map((shape) =>
      expect.objectContaining({ shape, count: 1, example: null }),
    ),
  );
  const { rows } = await api.database.pool.query(
    `SELECT FROM unread_messages u WHERE gateway_id = $1 AND u::text ~ '12345678|A4:C1'`,
    [home.gatewayId],
  );
  expect(rows).toEqual([]);
});

test('unrecognised messages are visible to the owner and to callers that can access the gateway; for others it does not exist', async () => {
  const [home, stranger] = [await household(), await api.user('homeowner')];
  const [utility, admin] = [await api.user('utility'), await api.user('admin')];
  const keyless = await api.user('homeowner', { scopes: ['insights:read'] });
  const statusOf = async (path: string, key: string) => (await api.send(path, { key })).status;
  expect(await statusOf(home.path, admin.key)).toBe(200);
  for (const { key } of [stranger, utility]) expect(await statusOf(home.path, key)).toBe(404);
  for (const id of ['gwy_none', '%00', 'x'.repeat(300)]) {
    expect([id, await statusOf(`/v1/gateways/${id}/unread`, home.key)]).toEqual([id, 404]);
  }
  expect(await statusOf(home.path, keyless.key)).toBe(403);
  // A key that is limited to a group can list the kinds of unrecognised messages, but not their content.
  await home.receive(['solar/1234567890/live', '{"mode":1520}']);
  const { json: group } = await api.send('/v1/groups', { key: admin.key, method: 'POST', body: { name: 'Street' } });
  const place = `/v1/groups/${group.group_id}/users/${home.userId}`;
  expect((await api.send(place, { key: admin.key, method: 'PUT' })).status).toBeLessThan(300);
  const { json: limited } = await api.send('/v1/keys', {
    key: admin.key,
    method: 'POST',
    body: { name: 'Street', scopes: ['devices:read'], group_id: group.group_id },
  });
  expect((await api.send(home.path, { key: limited.key })).json).toMatchObject([
    { shape: 'solar/+/live', count: 1, example: null },
  ]);
  expect((await home.unread())[0].example.payload).toBe('{"mode":1520}');
});

test('200 topic shapes per gateway are counted separately, and all others together, for any number of topics', async () => {
  const home = await household();
  const words = Array.from(
    { length: 450 },
    (_, index) => `${'abcdefghij'[index % 10]}${String.fromCharCode(97 + ((index / 10) | 0))}x`,
  );
  await home.receive(...words.map((word): [string, string] => [`a/${word}`, '1']));
  const { rows } = await api.database.pool.query(
    `SELECT count(*)::int AS shapes, sum(messages)::int AS messages, sum(messages) FILTER (WHERE shape = '#')::int AS further
     FROM unread_messages WHERE gateway_id = $1`,
    [home.gatewayId],
  );
  expect(rows).toEqual([{ shapes: 201, messages: 450, further: 250 }]);
  // Another worker, which has not loaded the stored kinds of messages, must not add any beyond the maximum.
  const other = createUnrecognisedMessageCounter();
  const note = (topic: string) => other.note(home.gatewayId, { topic, payload: Buffer.from('1'), receivedAtMs: 0 });
  for (const topic of ['new/one', 'new/two', 'a/aax']) note(topic);
  await runInTransaction(api.database.pool, (client) => other.save(client, [home.gatewayId]));
  const after = await api.database.pool.query(
    `SELECT shape, messages FROM unread_messages WHERE gateway_id = $1 AND shape IN ('#', 'a/aax', 'new/one') ORDER BY shape`,
    [home.gatewayId],
  );
  expect(after.rows).toEqual([
    { shape: '#', messages: 252 },
    { shape: 'a/aax', messages: 2 },
  ]);
});

test('a gateway’s counts are written once in ten seconds, and those of a failed batch only once', async () => {
  const home = await household();
  let nowMs = 0;
  const unread = createUnrecognisedMessageCounter(() => nowMs);
  const ids = [home.gatewayId];
  const count = () => unread.note(home.gatewayId, { topic: 'a', payload: Buffer.from('1'), receivedAtMs: 0 });
  const save = () => runInTransaction(api.database.pool, (client) => unread.save(client, ids));
  const counted = async () =>
    (await api.database.pool.query('SELECT messages FROM unread_messages WHERE gateway_id = $1', ids)).rows[0]
      ?.messages;
  const publishedTopics: unknown[] = [];
  for (const atMs of [0, 1_000, 9_999, 10_000]) {
    nowMs = atMs;
    count();
    await save();
    publishedTopics.push(await counted());
  }
  expect(publishedTopics).toEqual([1, 1, 1, 4]);
  nowMs = 20_000;
  count();
  await expect(
    runInTransaction(api.database.pool, async (client) => {
      await unread.save(client, ids);
      throw new Error('fails');
    }),
  ).rejects.toThrow('fails');
  unread.forget(ids);
  count();
  await save();
  expect(await counted()).toBe(5);
});

test('a gateway’s last counts are written without its next message, and at once at a stop', async () => {
  const home = await household();
  const gone = await household();
  await api.send(`/v1/gateways/${gone.gatewayId}`, { key: gone.key, method: 'DELETE' });
  let nowMs = 0;
  const { pool } = api.database;
  const unread = createUnrecognisedMessageCounter(() => nowMs);
  const count = (gatewayId: string) =>
    unread.note(gatewayId, { topic: 'a', payload: Buffer.from('1'), receivedAtMs: 0 });
  const counted = async () =>
    (await home.unread()).map(({ shape, count }: { shape: string; count: number }) => [shape, count]);
  for (const id of [home.gatewayId, gone.gatewayId]) count(id);
  expect([await saveUnrecognisedCounts(pool, unread), await saveUnrecognisedCounts(pool, unread)]).toEqual([2, 0]);
  count(home.gatewayId);
  nowMs = 9_999;
  expect([await saveUnrecognisedCounts(pool, unread), await counted()]).toEqual([0, [['a', 1]]]);
  nowMs = 10_000;
  expect([await saveUnrecognisedCounts(pool, unread), await counted()]).toEqual([1, [['a', 2]]]);
  count(home.gatewayId);
  expect([await saveUnrecognisedCounts(pool, unread, true), await counted()]).toEqual([1, [['a', 3]]]);
  expect(unread.due(true)).toEqual([]);
});

test('an example is replaced after ten minutes, not at each write', async () => {
  const home = await household();
  const worker = createUnrecognisedMessageCounter();
  const writeMessage = async (text: string) => {
    worker.note(home.gatewayId, { topic: 'a', payload: Buffer.from(text), receivedAtMs: Date.now() });
    worker.note(home.gatewayId, { topic: 'b', payload: Buffer.from(text), receivedAtMs: Date.now() });
    // Deletes the gateway from the worker's cache, so that the worker does not remember having written an example of its messages.
    await runInTransaction(api.database.pool, (client) => worker.save(client, [home.gatewayId]));
    worker.forget([home.gatewayId]);
  };
  await writeMessage('first');
  await api.database.pool.query(
    `UPDATE unread_messages SET example_received_at = now() - interval '11 minutes' WHERE gateway_id = $1 AND shape = 'a'`,
    [home.gatewayId],
  );
  await writeMessage('second');
  api.now = new Date();
  expect(
    (await home.unread()).map((one: { count: number; example: { payload: string } }) => [
      one.count,
      one.example.payload,
    ]),
  ).toEqual([
    [2, 'second'],
    [2, 'first'],
  ]);
});

test('examples are deleted after a day, shapes after a month, and all with the gateway', async () => {
  const home = await household();
  await home.receive(['a/b', '1'], ['c/d', '2']);
  const { pool } = api.database;
  const ofHome = 'WHERE gateway_id = $1';
  await pool.query(
    `UPDATE unread_messages SET example_received_at = now() - interval '25 hours' ${ofHome} AND shape = 'a/b'`,
    [home.gatewayId],
  );
  const examples = async () => (await home.unread()).map((one: { example: unknown }) => one.example !== null);
  // The example has reached its maximum age. The API does not return it any more, even before the job has deleted it.
  expect(await examples()).toEqual([false, true]);
  await deleteExpiredUnrecognisedMessages(pool, new Date());
  const { rows } = await pool.query(
    `SELECT shape, example_payload IS NULL AS gone FROM unread_messages ${ofHome} ORDER BY shape`,
    [home.gatewayId],
  );
  expect(rows).toEqual([
    { shape: 'a/b', gone: true },
    { shape: 'c/d', gone: false },
  ]);
  await pool.query(`UPDATE unread_messages SET last_seen_at = now() - interval '31 days' ${ofHome} AND shape = 'a/b'`, [
    home.gatewayId,
  ]);
  await deleteExpiredUnrecognisedMessages(pool, new Date());
  expect((await home.unread()).map(({ shape }: { shape: string }) => shape)).toEqual(['c/d']);
  await api.send(`/v1/gateways/${home.gatewayId}`, { key: home.key, method: 'DELETE' });
  expect((await pool.query(`SELECT FROM unread_messages ${ofHome}`, [home.gatewayId])).rows).toEqual([]);
});
