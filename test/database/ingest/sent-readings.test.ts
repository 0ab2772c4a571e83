import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { toIncoming } from '#ingest/incoming.ts';
import { SentReadingsWriter } from '#ingest/sent-readings.ts';
import { createWriter } from '#ingest/write/writer.ts';
import { createDb } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { readingsTopic } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { arbitraryHistory } from '#test/reference/histories.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';

/** Number of random histories; each is sent in three ways. */
const HISTORIES = Number(process.env.SENT_HISTORIES ?? 20);
/** After the end of every history, and within its retention. */
const NOW_MS = Date.UTC(2027, 8, 1);

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const MEMBERS: Partial<Record<DecodedReading['kind'], (value: number) => object>> = {
  register: (value) => ({ energy_total_kwh: value / 1e6 }),
  interval: (value) => ({ energy_kwh: value / 1e6 }),
  power: (value) => ({ power_w: value / 1e3 }),
  temperature: (value) => ({ temperature_c: value / 1e3 }),
  setpoint: (value) => ({ setpoint_c: value / 1e3 }),
  heating: (value) => ({ heating: value === 1 }),
  humidity: (value) => ({ humidity_percent: value / 1e3 }),
};

/** Writes a reading as a device sends it. */
const elementOf = ({ kind, channel, readAtMs, intervalMs, value }: Omit<DecodedReading, 'deviceId' | 'element'>) => ({
  ts: readAtMs,
  channel,
  ...MEMBERS[kind]?.(value),
  ...(intervalMs > 0 ? { interval_s: intervalMs / 1_000 } : {}),
});

async function pair(settings: { limitKw: number; registerMaxKwh: number | null; maxGapMinutes: number }) {
  const db = createDb(database.pool);
  const { user_id: userId } = await createUser(db, { email: `${crypto.randomUUID()}@example.com`, role: 'homeowner' });
  const { limitKw, registerMaxKwh, maxGapMinutes } = settings;
  const law = { limit_kw: limitKw, register_max_kwh: registerMaxKwh, max_gap_minutes: maxGapMinutes };
  const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'x', ...law });
  return device.device_id;
}

/** Returns all that is stored of a device, without ids. */
async function storedOf(deviceId: string) {
  const ask = async (text: string) => (await database.pool.query(text, [deviceId])).rows;
  return {
    device: await ask('SELECT status FROM devices WHERE device_id = $1'),
    readings: await ask(
      `SELECT channel, kind, read_at, interval_ms, value FROM readings JOIN series USING (series_id)
       WHERE device_id = $1 ORDER BY channel, kind, read_at, interval_ms`,
    ),
    notes: await ask(
      `SELECT channel, kind, read_at, n.interval_ms, verdict FROM reading_notes n JOIN series USING (series_id)
       WHERE device_id = $1 ORDER BY channel, kind, read_at, interval_ms`,
    ),
    series: await ask(
      `SELECT channel, kind, native_name, counts_import, counts_export, meter FROM series WHERE device_id = $1 ORDER BY channel, kind`,
    ),
    head: await ask('SELECT seen_at IS NOT NULL AS is_seen FROM device_heads WHERE device_id = $1'),
    profile:
      await ask(`SELECT (to_jsonb(p) - 'device_id' - 'user_id') AS row FROM device_intervals p WHERE device_id = $1
       ORDER BY p.starts_at`),
  };
}

/** Elements in the order of arrival, in messages. */
type Messages = object[][];

async function sendAll(deviceId: string, messages: Messages, ways: readonly ('mqtt' | 'https' | 'both')[]) {
  const options = { now: () => NOW_MS, retentionMonths: 13 };
  const [mqtt, https] = [createWriter(database.pool, options), createWriter(database.pool, options)];
  const sending = new SentReadingsWriter(https, () => NOW_MS);
  const bodies = new Map<number, { stored: number; duplicates: number; rejections: readonly object[] }>();
  for (const [index, body] of messages.entries()) {
    const way = ways[index % ways.length];
    const payload = Buffer.from(JSON.stringify(body));
    const message = toIncoming({ topic: readingsTopic(deviceId), payload, receivedAtMs: NOW_MS, replayed: false });
    await Promise.all([
      way !== 'https' && message && mqtt.write([message]),
      way !== 'mqtt' &&
        sending
          .write({ deviceId, format: 'native', body, bytes: payload.length })
          .then((result) => bodies.set(index, result)),
    ]);
  }
  return bodies;
}

const delivery = fc.record({
  history: arbitraryHistory,
  ranks: fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 }),
  sizes: fc.array(fc.constantFrom(1, 5, 40, 200), { minLength: 1, maxLength: 5 }),
  ways: fc.array(fc.constantFrom('mqtt' as const, 'https' as const, 'both' as const), { minLength: 1, maxLength: 6 }),
});

test(`${HISTORIES} random histories by MQTT, by HTTPS and by both store the same rows`, async () => {
  await fc.assert(
    fc.asyncProperty(delivery, async ({ history, ranks, sizes, ways }) => {
      const ranked = history.readings
        .toSorted((a, b) => a.readAtMs - b.readAtMs)
        .map((one, index) => ({ element: elementOf(one), rank: index * 100 + (ranks[index % ranks.length] as number) }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ element }) => element);
      const messages: Messages = [];
      for (let turn = 0; ranked.length > 0; turn++)
        messages.push(ranked.splice(0, sizes[turn % sizes.length] as number));
      const ids = [await pair(history), await pair(history), await pair(history)] as const;
      const [, results] = await Promise.all([
        sendAll(ids[0], messages, ['mqtt']),
        sendAll(ids[1], messages, ['https']),
        sendAll(ids[2], messages, ways),
      ]);
      const [one, other, both] = [await storedOf(ids[0]), await storedOf(ids[1]), await storedOf(ids[2])];
      expect(other).toEqual(one);
      expect(both).toEqual(one);
      // Each reading of a request is stored, a duplicate or rejected.
      for (const [index, { stored, duplicates, rejections }] of results)
        expect(stored + duplicates + rejections.length).toBe(messages[index]?.length);
    }),
    { numRuns: HISTORIES },
  );
});

/** Payloads as in ingest/decoders/native/decode.test.ts, with times of their own. */
const GOLDEN: unknown[] = [
  { energy_total_kwh: 4711.235, power_w: -412.5 },
  { temperature_c: 20.54, setpoint_c: 21, heating: true, humidity_percent: 40 },
  { ts: '2027-08-31T20:30:00+02:00', energy_total_kwh: 1 },
  { ts: (NOW_MS - 1_800_000) / 1_000, energy_total_kwh: 1 },
  { energy_kwh: 0.5, interval_s: 900 },
  [
    { power_w: 1 },
    null,
    { power_w: '1' },
    {},
    { channel: 'A b', power_w: 1 },
    { power_w: 2, channel: 'switch0/import' },
  ],
  { ts: '2027-08-31T18:30:00', energy_total_kwh: 1 },
  [{ power_w: 1, colour: 'red', __proto: 1 }, 7, [], 'x'],
];
const withTime = (one: unknown) =>
  typeof one === 'object' && one !== null && !Array.isArray(one) ? { ts: NOW_MS - 60_000, ...one } : one;

test.each(GOLDEN.map((body) => [JSON.stringify(body), body]))('%s by either way stores the same', async (_, body) => {
  const settings = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 90 };
  const messages = [(Array.isArray(body) ? body.map(withTime) : [withTime(body)]) as object[]];
  const ids = [await pair(settings), await pair(settings), await pair(settings)] as const;
  await sendAll(ids[0], messages, ['mqtt']);
  await sendAll(ids[1], messages, ['https']);
  await sendAll(ids[2], [...messages, ...messages], ['both']);
  const one = await storedOf(ids[0]);
  expect(await storedOf(ids[1])).toEqual(one);
  // Rejections count each time, and make a device faulty.
  expect({ ...(await storedOf(ids[2])), device: one.device }).toEqual(one);
  const rejected = async (id: string) =>
    (await database.pool.query('SELECT element, reason FROM rejected_messages WHERE device_id = $1 ORDER BY 1', [id]))
      .rows;
  expect(await rejected(ids[1])).toEqual(await rejected(ids[0]));
});
