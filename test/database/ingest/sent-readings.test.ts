import fc from 'fast-check';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { HttpsReadingsWriter } from '#ingest/https-readings.ts';
import { createIncomingMessage } from '#ingest/incoming.ts';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createKey } from '#src/auth/keys.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createUser } from '#src/users/store.ts';
import { arbitraryHistory, type ReadingHistory } from '#test/reference/histories.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { startBroker } from '#test/support/broker.ts';
import { type FamilyCase, getFamilyCases } from '#test/support/family-cases.ts';

/** Number of random histories. Each is sent in three ways: over MQTT, over HTTPS, and over both. */
const HISTORIES = Number(process.env.SENT_HISTORIES ?? 8);
/** Current time of the test. It is after the end of every history, and within the retention of the readings. */
const NOW_MS = Date.UTC(2027, 8, 1);

let api: TestApi;
let broker: EmbeddedBroker;
beforeAll(async () => {
  api = await startTestApi();
  broker = await startBroker({
    receive(message, receipt) {
      const incoming = createIncomingMessage({ ...message, receivedAtMs: api.now.getTime() });
      const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
      if (incoming) void writer.write([incoming]).then(() => receipt.done());
      return true;
    },
  });
});
afterAll(async () => {
  await broker.close();
  await api.close();
});

const MEMBERS: Partial<Record<DecodedReading['kind'], (value: number) => object>> = {
  register: (value) => ({ energy_total_kwh: value / 1e6 }),
  interval: (value) => ({ energy_kwh: value / 1e6 }),
  power: (value) => ({ power_w: value / 1e3 }),
  temperature: (value) => ({ temperature_c: value / 1e3 }),
  setpoint: (value) => ({ setpoint_c: value / 1e3 }),
  heating: (value) => ({ heating: value === 1 }),
  humidity: (value) => ({ humidity_percent: value / 1e3 }),
};

/** Returns the JSON element that a device sends for a reading. */
const elementOf = ({ kind, channel, readAtMs, intervalMs, value }: ReadingHistory['readings'][number]) => ({
  ts: readAtMs,
  channel,
  ...MEMBERS[kind]?.(value),
  ...(intervalMs > 0 ? { interval_s: intervalMs / 1_000 } : {}),
});

async function pair(settings: { limitKw?: number; registerMaxKwh?: number | null; maxGapMinutes?: number } = {}) {
  const { user_id: userId } = await createUser(api.db, {
    email: `${crypto.randomUUID()}@example.com`,
    role: 'homeowner',
  });
  const { limitKw = 100, registerMaxKwh = null, maxGapMinutes = 90 } = settings;
  const columns = { limit_kw: limitKw, register_max_kwh: registerMaxKwh, max_gap_minutes: maxGapMinutes };
  const { device } = await createDevice(api.db, { userId, type: 'smart_meter', location: 'x', ...columns });
  return { userId, deviceId: device.device_id };
}

/** Returns everything that is stored for a device and its home, without ids. */
async function storedOf({ userId, deviceId }: { userId: string; deviceId: string }) {
  const ask = async (text: string, id = deviceId) => (await api.database.pool.query(text, [id])).rows;
  return {
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
    hours: await ask(
      `SELECT (to_jsonb(h) - 'user_id') AS row FROM user_hourly h WHERE user_id = $1 ORDER BY h.hour`,
      userId,
    ),
  };
}

/** JSON elements of readings, grouped by message, in order of arrival. */
type Messages = object[][];

/** Sends messages one after another, by MQTT or as HTTPS requests. Returns the results of the HTTPS requests. */
async function sendAll(
  deviceId: string,
  { mqtt: published = [], https: posted = [] }: { mqtt?: Messages; https?: Messages },
) {
  const options = { now: () => NOW_MS, retentionMonths: 13 };
  const [publishing, posting] = [
    createReadingBatchWriter(api.database.pool, options),
    createReadingBatchWriter(api.database.pool, options),
  ];
  const sending = new HttpsReadingsWriter(posting, () => NOW_MS);
  const sender = { id: 'key', confirm: async () => {} };
  const results: { length: number; stored: number; duplicates: number; rejections: readonly object[] }[] = [];
  const publish = async () => {
    for (const body of published) {
      const payload = Buffer.from(JSON.stringify(body));
      const message = createIncomingMessage({
        topic: getReadingsTopic(deviceId),
        payload,
        receivedAtMs: NOW_MS,
        replayed: false,
      });
      if (message) await publishing.write([message]);
    }
  };
  const post = async () => {
    for (const body of posted)
      results.push({
        length: body.length,
        ...(await sending.write({ deviceId, format: 'native', body, bytes: 100, sender })),
      });
  };
  await Promise.all([publish(), post()]);
  while ((await recomputeChangedDevices(api.database.pool, publishing)) > 0);
  return results;
}

const arbitraryRanks = fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 });
const delivery = fc.record({
  history: arbitraryHistory,
  /** Random numbers that determine the order in which the readings arrive, by transport. */
  ranks: fc.record({ mqtt: arbitraryRanks, https: arbitraryRanks }),
  sizes: fc.array(fc.constantFrom(1, 5, 40, 200), { minLength: 1, maxLength: 5 }),
  /** Transports of the third device's readings. Successive readings use the entries of the list in turn. */
  ways: fc.array(fc.constantFrom('mqtt' as const, 'https' as const, 'both' as const), { minLength: 1, maxLength: 6 }),
});
type Ways = (typeof delivery extends fc.Arbitrary<infer T> ? T : never)['ways'];

/** Puts readings slightly out of chronological order, and groups them into messages. */
function messagesOf(
  readings: ReadingHistory['readings'],
  ranks: readonly number[],
  sizes: readonly number[],
): Messages {
  const queue = readings
    .toSorted((a, b) => a.readAtMs - b.readAtMs)
    .map((one, index) => ({ element: elementOf(one), rank: index * 100 + (ranks[index % ranks.length] as number) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ element }) => element);
  const messages: Messages = [];
  for (let turn = 0; queue.length > 0; turn++) messages.push(queue.splice(0, sizes[turn % sizes.length] as number));
  return messages;
}

const sentBy = (readings: ReadingHistory['readings'], ways: Ways, way: 'mqtt' | 'https') =>
  readings.filter((_, index) => ['both', way].includes(ways[index % ways.length] as string));

test(`${HISTORIES} random histories by MQTT, by HTTPS and by both at once, in any order, store the same rows`, async () => {
  await fc.assert(
    fc.asyncProperty(delivery, async ({ history, ranks, sizes, ways }) => {
      const { readings } = history;
      const [one, other, both] = [await pair(history), await pair(history), await pair(history)];
      const [, results, more] = await Promise.all([
        sendAll(one.deviceId, { mqtt: messagesOf(readings, ranks.mqtt, sizes) }),
        sendAll(other.deviceId, { https: messagesOf(readings, ranks.https, sizes) }),
        sendAll(both.deviceId, {
          mqtt: messagesOf(sentBy(readings, ways, 'mqtt'), ranks.mqtt, sizes),
          https: messagesOf(sentBy(readings, ways, 'https'), ranks.https, sizes),
        }),
      ]);
      const expected = await storedOf(one);
      expect(await storedOf(other)).toEqual(expected);
      expect(await storedOf(both)).toEqual(expected);
      // Each reading in a request must be either stored, a duplicate or rejected.
      for (const { length, stored, duplicates, rejections } of [...results, ...more])
        expect(stored + duplicates + rejections.length).toBe(length);
    }),
    { numRuns: HISTORIES },
  );
});

/** Adds a timestamp to elements without one, because an HTTPS request with such elements would be rejected. */
function payloadWithTimes({ payload = '', received_at: ts }: FamilyCase['in']): string {
  const timed = (one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) && !('ts' in one) ? { ts, ...one } : one;
  try {
    const json = JSON.parse(payload) as unknown;
    const elements = Array.isArray(json) ? json : [json];
    if (elements.every((one) => timed(one) === one)) return payload;
    return JSON.stringify(Array.isArray(json) ? json.map(timed) : timed(json));
  } catch {
    return payload;
  }
}

// Cases with the retain flag are omitted, because an HTTPS request has no such flag.
test.each(getFamilyCases('native').filter(([, { in: given }]) => !given.replayed))(
  'the case %s stores the same through the broker, by a request and by both at once',
  async (_file, { in: given }) => {
    api.now = new Date(given.received_at);
    const first = JSON.stringify({
      ts: api.now.getTime() - 5_400_000,
      energy_total_kwh: 0,
      power_w: 100,
    });
    const payloads = [first, payloadWithTimes(given)];
    const send = async (ways: ('mqtt' | 'https')[]) => {
      const home = await pair();
      const { key } = await createKey(api.db, {
        userId: home.userId,
        environment: 'live',
        scopes: ['readings:write'],
      });
      const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${broker.port}`, {
        username: home.deviceId,
        password: 'x',
      });
      const by = {
        mqtt: async (payload: string) =>
          void (await client.publishAsync(getReadingsTopic(home.deviceId), payload, { qos: 1 })),
        https: async (payload: string) => {
          const path = `/v1/devices/${home.deviceId}/readings`;
          const { status } = await api.send(path, { method: 'POST', key, raw: payload });
          expect([201, 422, 400]).toContain(status);
        },
      };
      const sendBy = async (way: 'mqtt' | 'https', index: number) => {
        for (const payload of index === 0 ? payloads : payloads.toReversed()) await by[way](payload);
      };
      await Promise.all(ways.map(sendBy));
      await client.endAsync();
      while ((await recomputeChangedDevices(api.database.pool, createReadingBatchWriter(api.database.pool))) > 0);
      const { rows: rejected } = await api.database.pool.query(
        'SELECT element, reason FROM rejected_messages WHERE device_id = $1 ORDER BY element, reason',
        [home.deviceId],
      );
      return { stored: await storedOf(home), rejected };
    };
    const [one, other, both] = [await send(['mqtt']), await send(['https']), await send(['mqtt', 'https'])];
    expect(one.stored.readings.length).toBeGreaterThan(1);
    expect(other.stored).toEqual(one.stored);
    expect(both.stored).toEqual(one.stored);
    // If the body of a request is not JSON, the request is refused, and no rejection is stored.
    expect(other.rejected).toEqual(given.payload === '{"power_w":1' ? [] : one.rejected);
  },
);
