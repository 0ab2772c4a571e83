import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPipeline } from '#ingest/pipeline.ts';
import { startReceipts } from '#ingest/receipts.ts';
import { replayRejected } from '#ingest/rejected.ts';
import { computeChanged } from '#ingest/write/changed-devices.ts';
import { createUntimed } from '#ingest/write/untimed.ts';
import { createWriter } from '#ingest/write/writer.ts';
import { createDb } from '#src/database/connect.ts';
import { EVERYBODY } from '#src/database/reach.ts';
import { listEdits, revokeEdit } from '#src/devices/edits/store.ts';
import { readingsTopic } from '#src/devices/topics.ts';
import { type TestDatabase, testDatabase } from '#test/support/database.ts';
import { meter, totalMilliwattHours } from '#test/support/meters.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** A clock hour of some days ago, in true time: nothing of it lies ahead of the clock of the test. */
const BEGIN = Math.floor(Date.now() / HOUR) * HOUR - 3 * DAY;
const log = pino({ level: 'silent' });

let database: TestDatabase;
let hosts = 0;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** A host with a clock of the test's own, through which messages without a time arrive. */
async function startHost(host = `host-${++hosts}`, state = { true: BEGIN, offset: 0 }) {
  const { pool } = database;
  const wallMs = () => state.true + state.offset;
  const clocks = { wallMs, monotonicMs: () => state.true, believedMs: () => state.true };
  const receipts = await startReceipts(pool, { ...clocks, log, host });
  const writer = createWriter(pool, { now: wallMs, untimed: createUntimed(receipts.host) });
  const pipeline = createPipeline({ writer, log, onRoom() {} });
  const receive = receipts.stamp(pipeline, () => {});
  return {
    host,
    state,
    set: (offset: number) => {
      state.offset = offset;
    },
    /** Resolves when the message is committed, and not before. */
    send(deviceId: string, body: object): Promise<void> {
      const payload = Buffer.from(JSON.stringify(body));
      return new Promise((done) => {
        receive({ topic: readingsTopic(deviceId), payload, receivedAtMs: wallMs(), replayed: false }, { done });
      });
    },
    async settle() {
      while ((await computeChanged(pool, writer)) > 0);
    },
    async stop() {
      await receipts.stop();
      await pipeline.drain(1_000);
    },
  };
}

type Host = Awaited<ReturnType<typeof startHost>>;

/** So many minutes of a device that sends each minute, of true time; `body`: by true hours since the beginning. */
async function minutes(host: Host, deviceId: string, count: number, body: (hours: number) => object): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    host.state.true += MINUTE;
    await host.send(deviceId, body((host.state.true - BEGIN) / HOUR));
  }
}
const kwh = async (userId: string) => (await totalMilliwattHours(database, 'user_hourly', userId)) / 1e6;
const register = (hours: number) => ({ energy_total_kwh: Number((1_000 + hours * 2).toFixed(3)) });

test('a register that sends no time loses nothing and counts nothing twice when the clock is set back', async () => {
  const home = await meter(database);
  const host = await startHost();
  await minutes(host, home.deviceId, 90, register);
  host.set(-HOUR + 12_345);
  await minutes(host, home.deviceId, 120, register);
  await host.settle();
  const db = createDb(database.pool);
  const edits = await listEdits(db, EVERYBODY, home.deviceId, { limit: 10 });
  expect(edits.map(({ author, channel, kind }) => ({ author, channel, kind }))).toEqual([
    { author: 'clock', channel: 'import', kind: 'register' },
  ]);
  // From the first reading to the last of 210 minutes, at 2 kW.
  expect(await kwh(home.userId)).toBeCloseTo((209 * 2) / 60, 2);
  await host.stop();
});

test('a power that sends no time counts the stretch once; the edit can be revoked', async () => {
  const home = await meter(database);
  const host = await startHost();
  await minutes(host, home.deviceId, 90, () => ({ power_w: 1_000 }));
  host.set(-HOUR + 12_345);
  await minutes(host, home.deviceId, 120, () => ({ power_w: 3_000 }));
  await host.settle();
  // Half an hour at 1 kW, two hours at 3 kW, and the minute between.
  const once = await kwh(home.userId);
  expect(once).toBeGreaterThan(0.5 + 6 - 0.1);
  expect(once).toBeLessThan(0.5 + 6 + 0.1);
  const db = createDb(database.pool);
  const [edit] = await listEdits(db, EVERYBODY, home.deviceId, { limit: 10 });
  const now = new Date(host.state.true);
  const editing = { author: home.userId, now, oldest: new Date(0) };
  await revokeEdit(db, EVERYBODY, home.deviceId, edit?.edit_id ?? '', editing);
  await host.settle();
  expect(await kwh(home.userId)).not.toBeCloseTo(once, 1);
  await host.stop();
});

test('whatever the step back within what a device has sent, nothing counts twice and a register loses nothing', async () => {
  const step = fc.record({
    // Of its past: where all of that lies in the stretch, what a register rose by in it is not counted.
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    before: fc.integer({ min: 3, max: 100 }),
    after: fc.integer({ min: 3, max: 40 }),
    everyMinutes: fc.integer({ min: 1, max: 14 }),
  });
  await fc.assert(
    fc.asyncProperty(step, async ({ share, before, after, everyMinutes }) => {
      const backMinutes = Math.max(1, Math.floor(share * (before - 1) * everyMinutes));
      const [counter, power] = [await meter(database), await meter(database)];
      const host = await startHost();
      const send = async (count: number) => {
        for (let index = 0; index < count; index++) {
          host.state.true += everyMinutes * MINUTE;
          await host.send(counter.deviceId, register((host.state.true - BEGIN) / HOUR));
          await host.send(power.deviceId, { power_w: 1_000 });
        }
      };
      await send(before);
      host.set(-backMinutes * MINUTE + 12_345);
      await send(after);
      await host.settle();
      await host.stop();
      const hours = ((before + after - 1) * everyMinutes) / 60;
      expect(await kwh(counter.userId)).toBeCloseTo(hours * 2, 2);
      expect(await kwh(power.userId)).toBeLessThan(hours + 0.001);
    }),
    { numRuns: 5, endOnFailure: true },
  );
}, 60_000);

test('what carries its own time is not touched by a step of the clock of the host', async () => {
  const home = await meter(database);
  const host = await startHost();
  const timed = (hours: number) => ({ ts: new Date(BEGIN + hours * HOUR).toISOString(), ...register(hours) });
  await minutes(host, home.deviceId, 30, timed);
  host.set(-2 * MINUTE);
  await minutes(host, home.deviceId, 30, timed);
  await host.settle();
  expect(await listEdits(createDb(database.pool), EVERYBODY, home.deviceId, { limit: 10 })).toEqual([]);
  expect(await kwh(home.userId)).toBeCloseTo((59 * 2) / 60, 2);
  await host.stop();
});

test('a start whose clock is behind the newest receipt of its host is a step, too', async () => {
  const home = await meter(database);
  const first = await startHost();
  await minutes(first, home.deviceId, 90, register);
  await first.stop();
  const next = await startHost(first.host, { ...first.state, offset: -HOUR + 12_345 });
  await minutes(next, home.deviceId, 120, register);
  await next.settle();
  expect(await listEdits(createDb(database.pool), EVERYBODY, home.deviceId, { limit: 10 })).toHaveLength(1);
  expect(await kwh(home.userId)).toBeCloseTo((209 * 2) / 60, 2);
  await next.stop();
});

test('plausibility is asked for the time that has passed, not for what the clock shows', async () => {
  const home = await meter(database);
  const host = await startHost();
  // 80 kW of a limit of 100: an hour and a half of it within what the clock shows as half an hour.
  const heavy = (hours: number) => ({ energy_total_kwh: Number((1_000 + hours * 80).toFixed(3)) });
  await minutes(host, home.deviceId, 90, heavy);
  host.set(-HOUR + 12_345);
  await minutes(host, home.deviceId, 120, heavy);
  await host.settle();
  const { rows } = await database.pool.query(
    "SELECT verdict FROM reading_notes JOIN series USING (series_id) WHERE device_id = $1 AND verdict <> 'excluded'",
    [home.deviceId],
  );
  expect(rows).toEqual([]);
  expect(await kwh(home.userId)).toBeCloseTo((209 * 80) / 60, 1);
  await host.stop();
});

test('what a host whose clock was behind has refused counts by a replay, judged by the clock of the replay', async () => {
  const home = await meter(database);
  const writer = createWriter(database.pool);
  const receivedAtMs = Date.now() - 2 * HOUR;
  const { toIncoming } = await import('#ingest/incoming.ts');
  for (const ago of [10, 5]) {
    const body = { ts: new Date(Date.now() - ago * MINUTE).toISOString(), energy_total_kwh: 100 - ago };
    const payload = Buffer.from(JSON.stringify(body));
    const raw = { topic: readingsTopic(home.deviceId), payload, receivedAtMs, replayed: false };
    const message = toIncoming(raw);
    if (message) expect((await writer.write([message])).rejected).toBe(1);
  }
  const replayed = await replayRejected(database.pool, { deviceId: home.deviceId }, { retentionMonths: 13 });
  expect(replayed).toMatchObject({ messages: 2, stored: 2, rejected: 0 });
});
