import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pipeline } from '#ingest/pipeline.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const count = async (relation: string) =>
  (await database.pool.query(`SELECT count(*)::int AS count FROM ${relation}`)).rows[0].count;

test('a message waits, unacknowledged, while the schema does not fit this version, and is stored afterwards', async () => {
  const { deviceId } = await createTestMeter(database);
  const log = pino({ level: 'silent' });
  const pipeline = new Pipeline({ writer: createReadingBatchWriter(database.pool), log, onRoom: () => {} });
  // Causes the error of a concurrent migration by a newer version: undefined column (SQLSTATE 42703).
  await database.pool.query('ALTER TABLE device_heads RENAME COLUMN seen_at TO last_seen_at');
  let acknowledged = 0;
  for (let index = 0; index < 3; index++) {
    const payload = Buffer.from(JSON.stringify({ energy_total_kwh: 100 + index }));
    const topic = `energy/v1/${deviceId}/readings`;
    const message = { topic, payload, receivedAtMs: Date.now() - 60_000 + index * 10_000, replayed: false };
    pipeline.receive(message, { done: () => acknowledged++ });
  }
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(acknowledged).toBe(0);
  expect(pipeline.counts.rejected).toBe(0);
  await database.pool.query('ALTER TABLE device_heads RENAME COLUMN last_seen_at TO seen_at');
  await expect.poll(() => acknowledged).toBe(3);
  expect([await count('readings'), await count('rejected_messages')]).toEqual([3, 0]);
  await pipeline.drain(1_000);
});
