import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_CACHED_SERIES } from '#ingest/write/device-state.ts';
import { createDeviceHeadCache } from '#ingest/write/head-cache.ts';
import { createReadingBatchWriter, type IncomingMessage, type ReadingBatchWriter } from '#ingest/write/writer.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const HOUR_MS = 3_600_000;
const startMs = (Math.floor(Date.now() / HOUR_MS) - 5) * HOUR_MS;

/** Returns a message with one reading for each channel. `value`: mW or 0.001 °C. */
const messageOf = (
  deviceId: string,
  channels: readonly string[],
  minute: number,
  { value = 1_000_000, kind = 'power' }: { value?: number; kind?: 'power' | 'temperature' } = {},
): IncomingMessage => ({
  topic: '',
  payload: Buffer.alloc(0),
  receivedAtMs: Date.now(),
  decoded: {
    deviceId,
    rejections: [],
    readings: channels.map((channel, element) => ({
      deviceId,
      channel,
      kind,
      readAtMs: startMs + minute * 60_000,
      intervalMs: 0,
      value,
      element,
    })),
  },
});
const channelsTo = (count: number) => Array.from({ length: count }, (_, index) => `c${index}/import`);
const rowsOf = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

test('a device has a maximum number of channels, and readings of further ones become rejections', async () => {
  const { deviceId } = await createTestMeter(database);
  const writer = createReadingBatchWriter(database.pool, { maxChannels: 3 });
  expect(await writer.write([messageOf(deviceId, channelsTo(5), 0)])).toMatchObject({
    stored: 3,
    duplicates: 0,
    rejected: 2,
    loaded: 1,
  });
  const reasons = await rowsOf(`SELECT DISTINCT reason FROM rejected_messages WHERE reason LIKE '%MAX_CHANNELS%'`);
  expect(reasons).toEqual([{ reason: 'more than 3 channels of one device (MAX_CHANNELS)' }]);
  // Existing channels are still stored, even with a new quantity.
  expect(await writer.write([messageOf(deviceId, channelsTo(4), 1, { kind: 'temperature' })])).toMatchObject({
    stored: 3,
    rejected: 1,
  });
});

/** Creates a device that has more channels than the writer caches, and a device with few channels. */
async function devices(): Promise<{
  large: { deviceId: string; userId: string };
  small: { deviceId: string; userId: string };
}> {
  const [large, small] = [await createTestMeter(database), await createTestMeter(database)];
  const before = createReadingBatchWriter(database.pool, { maxChannels: 10_000 });
  await before.write([
    messageOf(large.deviceId, channelsTo(MAX_CACHED_SERIES + 88), 0),
    messageOf(small.deviceId, channelsTo(3), 0),
  ]);
  return { large, small };
}
const countingStatesOf = async (deviceId: string): Promise<[number, number, unknown][]> =>
  JSON.parse((await rowsOf('SELECT laws FROM device_heads WHERE device_id = $1', [deviceId]))[0].laws);

test('of a device with very many channels, those not in the batch do not change, and its head is not cached', async () => {
  const { large, small } = await devices();
  const before = new Map((await countingStatesOf(large.deviceId)).map((state) => [state[0], state]));
  expect(before.size).toBe(MAX_CACHED_SERIES + 88);
  const memory = createDeviceHeadCache();
  const writer = createReadingBatchWriter(database.pool, { memory });
  const send = (minute: number) =>
    writer.write(
      [large, small].map(({ deviceId }) => messageOf(deviceId, ['c1/import'], minute, { value: minute * 100_000 })),
    );
  for (let minute = 1; minute <= 90; minute += 10) {
    const written = await send(minute);
    expect(written).toMatchObject({ stored: 2, rejected: 0, large: [large.deviceId] });
  }
  expect(memory.get(large.deviceId)).toBeNull();
  const after = await countingStatesOf(large.deviceId);
  expect(after).toHaveLength(before.size);
  const [{ series_id }] = await rowsOf(`SELECT series_id FROM series WHERE device_id = $1 AND channel = 'c1/import'`, [
    large.deviceId,
  ]);
  for (const state of after) if (state[0] !== Number(series_id)) expect(state).toEqual(before.get(state[0]));
  const totals = await Promise.all(
    [large, small].map(({ userId }) => sumImportedMilliwattHours(database, 'user_hourly', userId)),
  );
  expect(totals[0]).toBe(totals[1]);
});

test('late readings, known and new quantities of a device with very many channels have the same results as for any other', async () => {
  const { large, small } = await devices();
  const writer: ReadingBatchWriter = createReadingBatchWriter(database.pool);
  const send = (channels: readonly string[], minute: number, of: Parameters<typeof messageOf>[3] = {}) =>
    writer.write([large, small].map(({ deviceId }) => messageOf(deviceId, channels, minute, of)));
  await send(['c0/import', 'c2/import'], 30);
  await send(['c0/import'], 10, { value: 3_000_000 });
  await send(['c0/import'], 10, { value: 3_000_000 });
  await send(['c1/import'], 40, { kind: 'temperature', value: 21_000 });
  await send(['c0/import', 'c1/import', 'c2/import'], 70);
  const hours = await Promise.all(
    [large, small].map(({ userId }) =>
      rowsOf('SELECT hour, energy_milliwatt_hours, covered_ms FROM user_hourly WHERE user_id = $1 ORDER BY 1', [
        userId,
      ]),
    ),
  );
  expect(hours[0]).toEqual(hours[1]);
  expect(hours[0]?.length).toBeGreaterThan(0);
});

test('a device with too many channels gets no further one, and its channels continue', async () => {
  const { large } = await devices();
  const writer = createReadingBatchWriter(database.pool);
  const before = await countingStatesOf(large.deviceId);
  expect(await writer.write([messageOf(large.deviceId, ['new/import', 'c7/import'], 1)])).toMatchObject({
    stored: 1,
    rejected: 1,
  });
  expect(await writer.write([messageOf(large.deviceId, ['new/import'], 2)])).toMatchObject({ stored: 0, rejected: 1 });
  expect(await countingStatesOf(large.deviceId)).toHaveLength(before.length);
  // A writer with a higher limit of channels stores further channels.
  const wider = createReadingBatchWriter(database.pool, { maxChannels: 10_000 });
  expect(await wider.write([messageOf(large.deviceId, ['new/import'], 3)])).toMatchObject({ stored: 1, rejected: 0 });
  expect(await countingStatesOf(large.deviceId)).toHaveLength(before.length + 1);
});
