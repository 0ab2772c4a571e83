import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { listRejectedMessages, replayRejectedMessages } from '#ingest/replay-rejected.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { deleteExpiredRejectedMessages } from '#src/jobs/delete-expired.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';

const run = promisify(execFile);
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const energy = async (...given: string[]) => {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  const { stdout } = await run(process.execPath, [TESTED_PROGRAM, 'rejected', ...given], { env });
  return stdout;
};

async function sendMessage(
  deviceId: string,
  payload: string | Buffer,
  receivedAtMs = Date.now(),
  replayed = false,
): Promise<void> {
  const raw = { topic: `energy/v1/${deviceId}/readings`, payload: Buffer.from(payload), receivedAtMs, replayed };
  const message = createIncomingMessage(raw);
  if (!message) throw new Error('no decoder');
  await createReadingBatchWriter(database.pool).write([message]);
}

test('rejected messages are listed with their reasons, and stored by a replay once they are usable', async () => {
  const { deviceId } = await createTestMeter(database);
  const other = await createTestMeter(database);
  // At first the device does not exist, so its messages are rejected. One of them would be rejected anyway, because it is invalid: it
  // contains a bell character.
  await database.pool.query('UPDATE devices SET deleted_at = now() WHERE device_id = $1', [deviceId]);
  const at = Date.now() - 60_000;
  await sendMessage(
    deviceId,
    JSON.stringify([{ energy_total_kwh: 100 }, { ts: at - 600_000, energy_total_kwh: 99 }]),
    at,
  );
  await sendMessage(deviceId, '{"energy_total_kwh": "\u0007 much"}');
  await sendMessage(other.deviceId, Buffer.from([0xff, 0x00]));
  expect(await energy('list', '--device', other.deviceId)).toContain('payload is not UTF-8');
  const listed = (await energy('list', '--device', deviceId, '--json'))
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(listed.map(({ reason }) => reason)).toEqual([expect.stringContaining('JSON'), 'unknown or deleted device']);
  expect(await energy('list', '--device', deviceId)).not.toContain('\u0007');

  await database.pool.query('UPDATE devices SET deleted_at = NULL WHERE device_id = $1', [deviceId]);
  expect(JSON.parse(await energy('replay', '--device', deviceId, '--json'))).toEqual({
    messages: 2,
    stored: 2,
    rejected: 1,
    cut: 0,
  });
  const { rows } = await database.pool.query(
    'SELECT read_at, value FROM readings JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1',
    [deviceId],
  );
  // A reading without a timestamp gets its time of receipt.
  expect(rows.map(({ read_at, value }) => [read_at.getTime(), value])).toEqual([
    [at - 600_000, 99_000_000],
    [at, 100_000_000],
  ]);
  expect((await energy('list', '--device', deviceId, '--json')).trim().split('\n')).toHaveLength(1);
  expect((await energy('list', '--device', other.deviceId, '--json')).trim().split('\n')).toHaveLength(1);
  expect(await energy('replay', '--since', '2999-01-01T00:00:00Z')).toContain('0 messages replayed');
});

test('a message that still cannot be written is rejected again, and does not end the replay', async () => {
  const { pool } = database;
  const { deviceId } = await createTestMeter(database);
  await pool.query('UPDATE devices SET deleted_at = now() WHERE device_id = $1', [deviceId]);
  const at = Date.now() - 600_000;
  for (const kwh of [1, 2, 3])
    await sendMessage(deviceId, JSON.stringify({ ts: at + kwh * 60_000, energy_total_kwh: kwh }));
  await pool.query('UPDATE devices SET deleted_at = NULL WHERE device_id = $1', [deviceId]);
  await pool.query('ALTER TABLE readings ADD CONSTRAINT poison CHECK (value <> 2000000)');
  const replayed = await replayRejectedMessages(pool, { deviceId }, { retentionMonths: 13 });
  await pool.query('ALTER TABLE readings DROP CONSTRAINT poison');
  expect(replayed).toMatchObject({ messages: 3, stored: 2, rejected: 1 });
  const listed = await listRejectedMessages(pool, { deviceId }, { limit: 10 });
  expect(listed.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^cannot be written: .*poison/)]);
});

test('control characters from a device do not reach the terminal, in the topic or in the reason', async () => {
  await database.pool.query(
    `INSERT INTO rejected_messages (received_at, topic, payload, reason)
     VALUES (now(), E'gw/\\u001b[2J\\nx', 'payload', E'because of \\u009b31m\\r')`,
  );
  const listed = await energy('list', '--limit', '1');
  expect(listed).toMatch(/^[^\n]* {2}gw\/·\[2J·x\n {2}because of ·31m·\n {2}payload\n$/);
  // With --json, the text is not altered, because a program will read it.
  expect(JSON.parse(await energy('list', '--limit', '1', '--json')).topic).toBe('gw/\u001b[2J\nx');
});

test('the payload of a message with thousands of bad elements is stored a few times, listed for each, and replayed once', async () => {
  const { deviceId } = await createTestMeter(database);
  const at = Date.now() - 60_000;
  const elements = [...Array.from({ length: 3_000 }, () => 1), { energy_total_kwh: 7 }, { energy_total_kwh: 'x' }];
  await sendMessage(deviceId, JSON.stringify(elements), at);
  await sendMessage(deviceId, '[2, 3]', at);
  const { rows } = await database.pool.query(
    `SELECT element, reason, octet_length(payload) AS bytes FROM rejected_messages WHERE device_id = $1 ORDER BY rejected_id`,
    [deviceId],
  );
  expect(rows.map(({ element }) => element)).toEqual([
    ...Array.from({ length: 3_000 }, (_, index) => index),
    3_001,
    0,
    1,
  ]);
  expect(rows.filter(({ bytes }) => bytes > 0).map(({ element, bytes }) => [element, bytes])).toEqual([
    ...Array.from({ length: 10 }, (_, index) => [index, JSON.stringify(elements).length]),
    [0, 6],
    [1, 6],
  ]);
  const page = await listRejectedMessages(database.pool, { deviceId }, { limit: 4 });
  expect(page.map(({ element, payload }) => [element, payload])).toEqual([
    [1, '[2, 3]'],
    [0, '[2, 3]'],
    [3_001, JSON.stringify(elements)],
    [2_999, JSON.stringify(elements)],
  ]);
  expect(await replayRejectedMessages(database.pool, { deviceId }, { retentionMonths: 13 })).toMatchObject({
    messages: 2,
    stored: 0,
    rejected: 3_003,
    cut: 0,
  });
  const again = await listRejectedMessages(database.pool, { deviceId }, { limit: 200 });
  expect(again[0]).toMatchObject({ element: 1, payload: '[2, 3]' });
  const { rows: counted } = await database.pool.query(
    'SELECT count(*)::int AS n, count(message_id)::int AS others FROM rejected_messages WHERE device_id = $1',
    [deviceId],
  );
  expect(counted).toEqual([{ n: 3_003, others: 3_001 }]);
});

test('a replay that rejects messages again does not make their device faulty', async () => {
  const { deviceId } = await createTestMeter(database);
  const state = async () =>
    (await database.pool.query('SELECT recent_rejects, is_faulty FROM devices WHERE device_id = $1', [deviceId])).rows;
  const from = Date.now() - 3_600_000;
  const readings = Array.from({ length: 30 }, (_, index) => ({ ts: from + index * 60_000, energy_total_kwh: index }));
  for (let count = 0; count < 30; count++) await sendMessage(deviceId, `{"energy_total_kwh": "much ${count}"}`);
  await sendMessage(deviceId, JSON.stringify(readings));
  const before = await state();
  expect(before).toMatchObject([{ is_faulty: false }]);
  const result = await replayRejectedMessages(database.pool, { deviceId }, { retentionMonths: 13 });
  expect(result).toMatchObject({ messages: 30, stored: 0, rejected: 30 });
  expect(await state()).toEqual(before);
});

test('a retained message without a timestamp is refused in every replay, however late', async () => {
  const { deviceId } = await createTestMeter(database);
  const at = Date.now() - 3_600_000;
  await sendMessage(deviceId, JSON.stringify([{ power_w: 2_300 }, { ts: at - 60_000, power_w: 'x' }]), at, true);
  expect(await replayRejectedMessages(database.pool, { deviceId }, { retentionMonths: 13 })).toMatchObject({
    messages: 1,
    stored: 0,
    rejected: 2,
  });
  // A second replay rejects the reading again, because the stored rejection still has the flag of a retained message.
  expect(await replayRejectedMessages(database.pool, { deviceId }, { retentionMonths: 13 })).toMatchObject({
    stored: 0,
  });
  const { rows } = await database.pool.query('SELECT 1 FROM series WHERE device_id = $1', [deviceId]);
  expect(rows).toEqual([]);
});

test('the list is limited to the latest entries', async () => {
  const { deviceId } = await createTestMeter(database);
  await database.pool.query('DELETE FROM rejected_messages');
  for (let index = 0; index < 10; index++) await sendMessage(deviceId, Buffer.alloc(10_000, 0xff));
  await database.pool.query(
    `INSERT INTO rejected_messages (received_at, topic, payload, reason) VALUES (now() - interval '91 days', 't', '', 'old')`,
  );
  const ids = async () => (await database.pool.query('SELECT rejected_id FROM rejected_messages ORDER BY 1')).rows;
  const before = await ids();
  await deleteExpiredRejectedMessages(database.pool, new Date());
  expect(await ids()).toEqual(before.slice(0, 10));
  await deleteExpiredRejectedMessages(database.pool, new Date(), 31_000);
  expect(await ids()).toEqual(before.slice(7, 10));
  // All rows of a message are deleted together with the message's payload.
  await sendMessage(deviceId, JSON.stringify(Array.from({ length: 100 }, () => 1)));
  await deleteExpiredRejectedMessages(database.pool, new Date(), 100 * 200);
  expect(await ids()).toEqual([]);
});

test('a device has a maximum number of channels; existing ones continue, and so do its neighbours', async () => {
  const [flooding, neighbour] = [await createTestMeter(database), await createTestMeter(database)];
  const at = Date.now() - 60_000;
  const counts = (count: number, ms: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({ ts: ms, channel: `c${index}/import`, energy_total_kwh: 1 })),
    );
  await sendMessage(flooding.deviceId, counts(60, at));
  await sendMessage(flooding.deviceId, counts(5_000, at + 1_000));
  await sendMessage(neighbour.deviceId, counts(1, at));
  const { rows } = await database.pool.query(
    `SELECT device_id, count(DISTINCT channel)::int AS channels, count(*)::int AS readings
     FROM series JOIN readings USING (series_id) WHERE device_id = ANY ($1) GROUP BY 1 ORDER BY 2`,
    [[flooding.deviceId, neighbour.deviceId]],
  );
  expect(rows).toEqual([
    { device_id: neighbour.deviceId, channels: 1, readings: 1 },
    { device_id: flooding.deviceId, channels: 64, readings: 124 },
  ]);
  expect(await energy('list', '--device', flooding.deviceId)).toContain('more than 64 channels');
});
