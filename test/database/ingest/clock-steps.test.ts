import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Pipeline } from '#ingest/pipeline.ts';
import { startReceiptStamper } from '#ingest/receipts.ts';
import { replayRejectedMessages } from '#ingest/replay-rejected.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createUntimedSeriesRecorder } from '#ingest/write/untimed-series.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { listEdits, revokeEdit } from '#src/devices/edits/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import {
  computeReferenceImportByHour,
  countReadingsWithoutTime,
  type HostClockEvent,
} from '#test/reference/receipts.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter, sumImportedMilliwattHours } from '#test/support/meters.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
/** Start of the tests in true time, three days ago, so that no time is later than this machine's clock. */
const BEGIN = Math.floor(Date.now() / HOUR) * HOUR - 3 * DAY;
const log = pino({ level: 'silent' });

let database: TestDatabase;
let hosts = 0;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Creates a host with its own clock. It receives messages without a timestamp. */
async function startHost(host = `host-${++hosts}`, state = { true: BEGIN, offset: 0 }) {
  const { pool } = database;
  const wallMs = () => state.true + state.offset;
  const clocks = { wallMs, monotonicMs: () => state.true, believedMs: () => state.true };
  const receipts = await startReceiptStamper(pool, { ...clocks, log, host });
  const writer = createReadingBatchWriter(pool, { now: wallMs, untimed: createUntimedSeriesRecorder(receipts.host) });
  const pipeline = new Pipeline({ writer, log, onRoom() {} });
  const receive = receipts.stamp(pipeline, () => {});
  return {
    host,
    state,
    set: (offset: number) => {
      state.offset = offset;
    },
    /** Sends a message. Resolves when the message has been committed. */
    send(deviceId: string, body: object): Promise<void> {
      const payload = Buffer.from(JSON.stringify(body));
      return new Promise((done) => {
        receive({ topic: getReadingsTopic(deviceId), payload, receivedAtMs: wallMs(), replayed: false }, { done });
      });
    },
    async settle() {
      while ((await recomputeChangedDevices(pool, writer)) > 0);
    },
    async stop() {
      await receipts.stop();
      await pipeline.drain(1_000);
    },
  };
}

type Host = Awaited<ReturnType<typeof startHost>>;

/** Sends `count` messages, one per minute of true time. `body` returns a message, given the true hours since the start. */
async function minutes(host: Host, deviceId: string, count: number, body: (hours: number) => object): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    host.state.true += MINUTE;
    await host.send(deviceId, body((host.state.true - BEGIN) / HOUR));
  }
}
const kwh = async (userId: string) => (await sumImportedMilliwattHours(database, 'user_hourly', userId)) / 1e6;
const register = (hours: number) => ({ energy_total_kwh: Number((1_000 + hours * 2).toFixed(3)) });

test('a register without times loses nothing and counts nothing twice when the clock is set back', async () => {
  const home = await createTestMeter(database);
  const host = await startHost();
  await minutes(host, home.deviceId, 90, register);
  host.set(-HOUR + 12_345);
  await minutes(host, home.deviceId, 120, register);
  await host.settle();
  const db = createDatabase(database.pool);
  const edits = await listEdits(db, ALL_ACCOUNTS, home.deviceId, { limit: 10 });
  expect(edits.map(({ author, channel, kind }) => ({ author, channel, kind }))).toEqual([
    { author: 'clock', channel: 'import', kind: 'register' },
  ]);
  // Energy between the first and the last of 210 readings at 2 kW, one per minute.
  expect(await kwh(home.userId)).toBeCloseTo((209 * 2) / 60, 2);
  await host.stop();
});

test('a power without times counts the repeated time once; the edit can be revoked', async () => {
  const home = await createTestMeter(database);
  const host = await startHost();
  await minutes(host, home.deviceId, 90, () => ({ power_w: 1_000 }));
  host.set(-HOUR + 12_345);
  await minutes(host, home.deviceId, 120, () => ({ power_w: 3_000 }));
  await host.settle();
  // Energy of half an hour at 1 kW, of two hours at 3 kW, and of the minute between them.
  const once = await kwh(home.userId);
  expect(once).toBeGreaterThan(0.5 + 6 - 0.1);
  expect(once).toBeLessThan(0.5 + 6 + 0.1);
  const db = createDatabase(database.pool);
  const [edit] = await listEdits(db, ALL_ACCOUNTS, home.deviceId, { limit: 10 });
  const now = new Date(host.state.true);
  const editing = { author: home.userId, now, oldest: new Date(0) };
  await revokeEdit(db, ALL_ACCOUNTS, home.deviceId, edit?.edit_id ?? '', editing);
  await host.settle();
  expect(await kwh(home.userId)).not.toBeCloseTo(once, 1);
  await host.stop();
});

/** Random message times of a series: a message in every `every`-th round, from the round `from` on. Rounds are `everyMs` apart. */
const series = fc.record({ every: fc.integer({ min: 1, max: 4 }), from: fc.nat(30) });
const happening = fc.oneof(
  { weight: 2, arbitrary: fc.record({ rounds: fc.integer({ min: 1, max: 40 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      backMs: fc.oneof(
        fc.integer({ min: 6_000, max: 6 * HOUR }),
        // The clock is set back by this number of rounds of messages, so that it shows exactly the time at which an earlier message arrived.
        fc.integer({ min: 1, max: 90 }).map((rounds) => ({ rounds })),
      ),
      isStart: fc.boolean(),
    }),
  },
);
const history = fc.record({
  registers: fc.array(fc.tuple(series, fc.integer({ min: 1, max: 80 })), { minLength: 1, maxLength: 3 }),
  power: series,
  everyMs: fc.integer({ min: 10_000, max: 9 * MINUTE }),
  happenings: fc.array(happening, { minLength: 3, maxLength: 9 }),
  isSettledBetween: fc.boolean(),
});

test('however often the clock is set back, nothing counts twice and a register loses nothing', async () => {
  await fc.assert(fc.asyncProperty(history, expectNothingLost), { numRuns: 12, endOnFailure: true });
});

/** Sends a random history to homes with a register, with a power, or with both. Expects that no energy is lost. */
async function expectNothingLost(how: typeof history extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const { everyMs, happenings, isSettledBetween } = how;
  const [last] = how.registers.slice(-1) as [(typeof how.registers)[number]];
  const bodies = (kw: number) => (hours: number) => ({ energy_total_kwh: Number((2_140 + hours * kw).toFixed(3)) });
  const homes = [
    ...how.registers.map(([of, kw]) => ({ register: { of, body: bodies(kw) }, power: null })),
    { register: null, power: how.power },
    { register: { of: last[0], body: bodies(last[1]) }, power: how.power },
  ];
  const all = await Promise.all(
    homes.map(async (home) => ({
      ...home,
      ...(await createTestMeter(database)),
      sent: [] as HostClockEvent[],
      powers: [] as HostClockEvent[],
    })),
  );
  let host = await startHost();
  const step = (backToMs: number) => {
    for (const { sent, powers } of all) for (const list of [sent, powers]) list.push({ backToMs });
  };
  let [round, backMs] = [0, 0];
  const send = async () => {
    // The clock is set back between two messages. The service detects the step at the next message.
    host.state.true += everyMs;
    if (backMs > 0) host.set(host.state.offset - backMs);
    const atMs = host.state.true + host.state.offset;
    if (backMs > 0) step(atMs);
    backMs = 0;
    const hours = (host.state.true - BEGIN) / HOUR;
    const sends = (of: { every: number; from: number } | null | undefined) =>
      of && round >= of.from && round % of.every === 0;
    const messages = all.flatMap(({ deviceId, register, power, sent, powers }) => {
      const body = sends(register?.of) ? register?.body(hours) : undefined;
      if (body) sent.push({ atMs, value: Math.round(body.energy_total_kwh * 1e6) });
      if (sends(power)) powers.push({ atMs, value: 1_000_000 });
      return body || sends(power) ? [{ deviceId, body: { ...body, ...(sends(power) && { power_w: 1_000 }) } }] : [];
    });
    // The service detects the step even at a message that it cannot use.
    messages.unshift({ deviceId: 'dev_unknown', body: {} });
    round++;
    await Promise.all(messages.map(({ deviceId, body }) => host.send(deviceId, body)));
  };
  for (const one of [...happenings, { rounds: 12 }]) {
    if ('rounds' in one) for (let count = 0; count < one.rounds; count++) await send();
    else {
      const ms = typeof one.backMs === 'number' ? one.backMs : one.backMs.rounds * everyMs;
      if (!one.isStart) {
        backMs += ms;
        await send();
      } else {
        await host.stop();
        host = await startHost(host.host, { true: host.state.true, offset: host.state.offset - ms });
        step(host.state.true + host.state.offset);
      }
    }
    if (isSettledBetween) await host.settle();
  }
  await host.settle();
  await host.stop();
  for (const { userId, sent, powers } of all) {
    const { rows } = await database.pool.query(
      'SELECT hour, energy_milliwatt_hours::float8 AS energy FROM user_hourly WHERE user_id = $1 AND energy_milliwatt_hours <> 0',
      [userId],
    );
    const wanted = [...computeReferenceImportByHour(sent, powers)].filter(([, energy]) => energy > 0);
    const stored = new Map(rows.map((row) => [row.hour.getTime(), row.energy]));
    // Each interval is rounded to a mWh, so small differences are allowed.
    for (const [at, energy] of wanted)
      expect(Math.abs((stored.get(at) ?? 0) - energy), new Date(at).toISOString()).toBeLessThan(500);
    expect(stored.size).toBe(wanted.length);
    const [first] = sent.flatMap((one) => ('value' in one ? one.value : []));
    const last = countReadingsWithoutTime(sent, 'register').at(-1)?.value;
    if (first !== undefined && last !== undefined && powers.every((one) => !('value' in one)))
      expect(await sumImportedMilliwattHours(database, 'user_hourly', userId)).toBe(last - first);
  }
}

test('a register whose readings all lie in the repeated time continues from the first of them, until the edit is revoked', async () => {
  const home = await createTestMeter(database);
  const host = await startHost();
  await minutes(host, home.deviceId, 30, register);
  // The clock is set back twice. After the second step, it shows an earlier time than after the first one.
  host.set(-HOUR);
  await minutes(host, home.deviceId, 10, register);
  host.set(-2 * HOUR);
  await minutes(host, home.deviceId, 20, register);
  await host.settle();
  expect(await kwh(home.userId)).toBeCloseTo((59 * 2) / 60, 2);
  const notSent = async () =>
    (
      await database.pool.query(
        `SELECT count(*) FILTER (WHERE interval_ms < 0)::int AS carried, count(*) FILTER (WHERE verdict = 'excluded')::int AS passed
         FROM readings JOIN series USING (series_id) LEFT JOIN reading_notes USING (series_id, read_at, interval_ms) WHERE device_id = $1`,
        [home.deviceId],
      )
    ).rows[0];
  expect(await notSent()).toEqual({ carried: 2, passed: 41 });
  const db = createDatabase(database.pool);
  const editing = { author: home.userId, now: new Date(host.state.true), oldest: new Date(0) };
  for (const { edit_id } of await listEdits(db, ALL_ACCOUNTS, home.deviceId, { limit: 10 }))
    await revokeEdit(db, ALL_ACCOUNTS, home.deviceId, edit_id, editing);
  await host.settle();
  expect(await notSent()).toEqual({ carried: 0, passed: 0 });
  await host.stop();
});

test('readings with their own time are not affected by a clock step of the host', async () => {
  const home = await createTestMeter(database);
  const host = await startHost();
  const timed = (hours: number) => ({ ts: new Date(BEGIN + hours * HOUR).toISOString(), ...register(hours) });
  await minutes(host, home.deviceId, 30, timed);
  host.set(-2 * MINUTE);
  await minutes(host, home.deviceId, 30, timed);
  await host.settle();
  expect(await listEdits(createDatabase(database.pool), ALL_ACCOUNTS, home.deviceId, { limit: 10 })).toEqual([]);
  expect(await kwh(home.userId)).toBeCloseTo((59 * 2) / 60, 2);
  await host.stop();
});

test('a start with a clock behind the host’s newest receipt also counts as a clock step', async () => {
  const home = await createTestMeter(database);
  const first = await startHost();
  await minutes(first, home.deviceId, 90, register);
  await first.stop();
  const next = await startHost(first.host, { ...first.state, offset: -HOUR + 12_345 });
  await minutes(next, home.deviceId, 120, register);
  await next.settle();
  expect(await listEdits(createDatabase(database.pool), ALL_ACCOUNTS, home.deviceId, { limit: 10 })).toHaveLength(1);
  expect(await kwh(home.userId)).toBeCloseTo((209 * 2) / 60, 2);
  await next.stop();
});

test('plausibility is judged by the actually elapsed time, not by the clock', async () => {
  const home = await createTestMeter(database);
  const host = await startHost();
  // A load of 80 kW, with a limit of 100 kW. The clock shows a third of the elapsed time, so the power seems to be 240 kW.
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

test('readings that a host refused because its clock was behind count after a replay, judged by the clock of the replay', async () => {
  const home = await createTestMeter(database);
  const writer = createReadingBatchWriter(database.pool);
  const receivedAtMs = Date.now() - 2 * HOUR;
  const { createIncomingMessage } = await import('#ingest/incoming.ts');
  for (const ago of [10, 5]) {
    const body = { ts: new Date(Date.now() - ago * MINUTE).toISOString(), energy_total_kwh: 100 - ago };
    const payload = Buffer.from(JSON.stringify(body));
    const raw = { topic: getReadingsTopic(home.deviceId), payload, receivedAtMs, replayed: false };
    const message = createIncomingMessage(raw);
    if (message) expect((await writer.write([message])).rejected).toBe(1);
  }
  const replayed = await replayRejectedMessages(database.pool, { deviceId: home.deviceId }, { retentionMonths: 13 });
  expect(replayed).toMatchObject({ messages: 2, stored: 2, rejected: 0 });
});

test('a step is recorded once, even if the next receipt could not be stored at first and the worker is killed', async () => {
  const { pool } = database;
  const host = `host-${++hosts}`;
  let [wallMs, monoMs, failures] = [BEGIN, 0, 0];
  /** A pool whose first attempt to store the receipt after the clock step fails. */
  const failing = new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? async (...args: unknown[]) => {
            if (wallMs < BEGIN && failures === 0 && String(args[0]).includes('INSERT INTO host_clocks')) {
              failures++;
              throw new Error('away');
            }
            return Reflect.apply(target.query, target, args);
          }
        : Reflect.get(target, name),
  });
  const clocks = { wallMs: () => wallMs, monotonicMs: () => monoMs, believedMs: () => BEGIN + monoMs };
  const receipts = await startReceiptStamper(failing, { ...clocks, log, host });
  const taken = new Promise<void>((done) => {
    const pass = () => {
      done();
      return true;
    };
    const receive = receipts.stamp({ receive: pass, waiting: () => 0 }, () => {});
    wallMs -= HOUR;
    const message = { topic: '', payload: Buffer.alloc(0), receivedAtMs: wallMs, replayed: false };
    receive(message, { done() {} });
  });
  await taken;
  expect(failures).toBe(1);
  // The process is killed before it has stored its last time of receipt. The next process starts a second later.
  [wallMs, monoMs] = [wallMs + 2 * MINUTE, 0];
  const next = await startReceiptStamper(pool, { ...clocks, log, host });
  const { rows } = await pool.query('SELECT FROM clock_steps WHERE host = $1', [host]);
  expect(rows).toHaveLength(1);
  await receipts.stop();
  await next.stop();
});
