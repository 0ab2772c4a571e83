import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toIncoming } from '#ingest/incoming.ts';
import { createWriter } from '#ingest/write/writer.ts';
import { forgetRejected } from '#src/jobs/forget-rejected.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { meter } from '#test/support/meters.ts';

const run = promisify(execFile);
let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const energy = async (...given: string[]) => {
  const env = { PATH: process.env.PATH, DATABASE_URL: database.url };
  const { stdout } = await run(process.execPath, [resolve('bin/energy.js'), 'rejected', ...given], { env });
  return stdout;
};

async function say(deviceId: string, payload: string | Buffer, receivedAtMs = Date.now()): Promise<void> {
  const raw = { topic: `energy/v1/${deviceId}/readings`, payload: Buffer.from(payload), receivedAtMs, replayed: false };
  const message = toIncoming(raw);
  if (!message) throw new Error('no decoder');
  await createWriter(database.pool).write([message]);
}

test('what was rejected is listed with its reason, and stored by a replay once it can be used', async () => {
  const { deviceId } = await meter(database);
  const other = await meter(database);
  // The device is not known yet, as far as the service can tell; and one that stays rubbish, with a letter that rings.
  await database.pool.query('UPDATE devices SET deleted_at = now() WHERE device_id = $1', [deviceId]);
  const at = Date.now() - 60_000;
  await say(deviceId, JSON.stringify([{ energy_total_kwh: 100 }, { ts: at - 600_000, energy_total_kwh: 99 }]), at);
  await say(deviceId, '{"energy_total_kwh": "\u0007 much"}');
  await say(other.deviceId, Buffer.from([0xff, 0x00]));
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
  // Without a time of its own it counts from when it came.
  expect(rows.map(({ read_at, value }) => [read_at.getTime(), value])).toEqual([
    [at - 600_000, 99_000_000],
    [at, 100_000_000],
  ]);
  expect((await energy('list', '--device', deviceId, '--json')).trim().split('\n')).toHaveLength(1);
  expect((await energy('list', '--device', other.deviceId, '--json')).trim().split('\n')).toHaveLength(1);
  expect(await energy('replay', '--since', '2999-01-01T00:00:00Z')).toContain('0 messages replayed');
}, 180_000);

test('what a device wrote does not drive the terminal, in its topic and in the reason neither', async () => {
  await database.pool.query(
    `INSERT INTO rejected_messages (received_at, topic, payload, reason)
     VALUES (now(), E'gw/\\u001b[2J\\nx', 'payload', E'because of \\u009b31m\\r')`,
  );
  const listed = await energy('list', '--limit', '1');
  expect(listed).toMatch(/^[^\n]* {2}gw\/·\[2J·x\n {2}because of ·31m·\n {2}payload\n$/);
  // A program gets it as it is.
  expect(JSON.parse(await energy('list', '--limit', '1', '--json')).topic).toBe('gw/\u001b[2J\nx');
}, 180_000);

test('the list is bounded: the youngest stay', async () => {
  const { deviceId } = await meter(database);
  await database.pool.query('DELETE FROM rejected_messages');
  for (let index = 0; index < 10; index++) await say(deviceId, Buffer.alloc(10_000, 0xff));
  await database.pool.query(
    `INSERT INTO rejected_messages (received_at, topic, payload, reason) VALUES (now() - interval '91 days', 't', '', 'old')`,
  );
  const ids = async () => (await database.pool.query('SELECT rejected_id FROM rejected_messages ORDER BY 1')).rows;
  const before = await ids();
  await forgetRejected(database.pool);
  expect(await ids()).toEqual(before.slice(0, 10));
  await forgetRejected(database.pool, 31_000);
  expect(await ids()).toEqual(before.slice(7, 10));
});
