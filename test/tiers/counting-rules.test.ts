import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { CountingSettings } from '#ingest/normalise/counting-rule.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { AppError } from '#src/core/errors.ts';
import { DATABASE_TIERS } from '#src/database/capabilities.ts';
import { createDatabase } from '#src/database/connect.ts';
import { getSeparateQuantityKey } from '#src/database/meter.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { getNativeQuantityName } from '#src/devices/channel-name.ts';
import { createEdit, listEdits, revokeEdit } from '#src/devices/edits/store.ts';
import { updateDevice } from '#src/devices/store.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { refreshRollups } from '#src/rollups/refresh.ts';
import {
  type AggregateRow,
  type BucketStartFunction,
  computeReferenceConsumption,
  getStartOfDay,
  getStartOfHour,
  getStartOfMonth,
  getStartOfQuarterHour,
} from '#test/reference/consumption.ts';
import {
  arbitraryEdit,
  buildReferenceEdit,
  type RandomEditParameters,
  type ReferenceEdit,
} from '#test/reference/edits.ts';
import {
  arbitraryHistory,
  arbitraryHistoryWithNewQuantities,
  arbitrarySettings,
  arbitraryTariffHistory,
  HISTORY_START_MS,
  type ReadingHistory,
} from '#test/reference/histories.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestDeviceHeadCache, DEVICE_HEAD_CACHE_KINDS } from '#test/support/head-caches.ts';
import { createTestMeter } from '#test/support/meters.ts';

/**
 * HISTORIES: number of random histories of readings. PER_RUN: number of histories that are written together. This file tests only what the
 * database adds to the counting rules (ingest/write/plan.test.ts).
 */
const HISTORIES = Number(
  process.env.COUNTING_HISTORIES ?? (DATABASE_TIERS[inject('tier')].continuousAggregates ? 300 : 60),
);
const PER_RUN = Math.min(50, Math.ceil(HISTORIES / 2));
/** Current time of the tests: after all histories, and within the retention of their readings. */
const NOW_MS = Date.UTC(2027, 8, 1);

/** Each run has its own database, without materialised data. */
let database: TestDatabase;
async function freshDatabase(): Promise<void> {
  await database?.drop();
  database = await createTestDatabase();
}
beforeAll(freshDatabase);
afterAll(() => database.drop());

interface Device {
  deviceId: string;
  userId: string;
  history: ReadingHistory;
  readings: DecodedReading[];
}

let made = 0;

/** Creates a user and a device for each history. Every third user has two devices. */
async function pair(histories: ReadingHistory[]): Promise<Device[]> {
  const devices = histories.map((history, index) => {
    const deviceId = `dev_${++made}`;
    const userId = `usr_${made - (index % 3 === 1 ? 1 : 0)}`;
    const readings = history.readings.map((reading) => ({ ...reading, deviceId, element: 0 }));
    return { deviceId, userId, history, readings };
  });
  await database.pool.query(
    `INSERT INTO users (user_id, email, role) SELECT DISTINCT id, id || '@example.com', 'homeowner' FROM unnest($1::text[]) id`,
    [devices.map((d) => d.userId)],
  );
  await database.pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, limit_kw, register_max_kwh, max_gap_minutes, mqtt_secret_sha256)
     SELECT d.*, '' FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::float8[]) d`,
    [
      devices.map((d) => d.deviceId),
      devices.map((d) => d.userId),
      devices.map(() => 'smart_meter'),
      devices.map(() => 'test'),
      devices.map((d) => d.history.limitKw),
      devices.map((d) => d.history.registerMaxKwh),
      devices.map((d) => d.history.maxGapMinutes),
    ],
  );
  return devices;
}

const message = (readings: DecodedReading[]): IncomingMessage => ({
  topic: `energy/v1/${readings[0]?.deviceId}/readings`,
  payload: Buffer.from('{}'),
  receivedAtMs: NOW_MS,
  decoded: { deviceId: readings[0]?.deviceId ?? '', readings, rejections: [] },
});

interface Delivery {
  /** Sort key of each message. Messages with equal keys keep their order. */
  order: number[];
  /** Indices of messages that are sent twice. */
  again: number[];
  batchSizes: number[];
  shuffled: boolean;
  /** Times at which aggregates are refreshed, in hours after the start of the histories. */
  passesAtHours: number[];
  /** Kind of cache that each of the two writers has. */
  memories: (typeof DEVICE_HEAD_CACHE_KINDS)[number][];
  /** Manual edits, revocations, and changes of a device's settings, made while readings arrive. */
  edits: { device: number; edit: RandomEditParameters; isRevoked: boolean; settings: CountingSettings | null }[];
}

const delivery: fc.Arbitrary<Delivery> = fc.record({
  order: fc.array(fc.nat(1_000_000), { minLength: 400, maxLength: 400 }),
  again: fc.array(fc.nat(), { maxLength: 200 }),
  batchSizes: fc.array(fc.constantFrom(1, 7, 40, 300, 2_000), { minLength: 1, maxLength: 10 }),
  shuffled: fc.boolean(),
  passesAtHours: fc.array(fc.nat(24 * 8), { minLength: 1, maxLength: 6 }),
  memories: fc.array(fc.constantFrom(...DEVICE_HEAD_CACHE_KINDS), { minLength: 2, maxLength: 2 }),
  edits: fc.array(
    fc.record({
      device: fc.nat(),
      edit: arbitraryEdit,
      isRevoked: fc.boolean(),
      settings: fc.option(arbitrarySettings, { nil: null, freq: 3 }),
    }),
    {
      minLength: PER_RUN,
      maxLength: 2 * PER_RUN,
    },
  ),
});

/** Sends all readings through two concurrent writers, one per message, in random order, and some repeatedly. */
async function deliver(devices: Device[], how: Delivery): Promise<void> {
  const { order, again, batchSizes, shuffled, passesAtHours, memories } = how;
  const all = devices.flatMap((device) => device.readings.map((reading) => message([reading])));
  const rank = (index: number) =>
    (shuffled ? 1 : 0.02) * (order[index % order.length] ?? 0) + index * (shuffled ? 7 : 5_000);
  const ranked = all.map((one, index) => ({
    one,
    rank: rank(index) % (shuffled ? 1_000_003 : Number.MAX_SAFE_INTEGER),
  }));
  const messages = ranked.sort((a, b) => a.rank - b.rank).map(({ one }) => one);
  for (const index of again) {
    const repeated = messages[index % messages.length] as IncomingMessage;
    messages.splice(index % messages.length, 0, repeated);
    messages.push(repeated);
  }
  const writers = memories.map((kind) =>
    createReadingBatchWriter(database.pool, { now: () => NOW_MS, memory: createTestDeviceHeadCache(kind) }),
  );
  const queue = [...messages];
  const refreshing = async () => {
    if (!database.capabilities.continuousAggregates) return;
    for (let turn = 0; queue.length > 0; turn++) {
      const hours = passesAtHours[turn % passesAtHours.length] as number;
      await refreshRollups(database.pool, new Date(HISTORY_START_MS + hours * 3_600_000));
    }
  };
  const editing = async () => {
    const writer = createReadingBatchWriter(database.pool, { now: () => NOW_MS, pieceReadings: 30 });
    for (const [index, { device, edit, isRevoked, settings }] of how.edits.entries()) {
      const of = devices[device % devices.length] as Device;
      await (settings ? setDevice(of, settings) : isRevoked ? revokeLast(of) : editDevice(of, edit));
      if (index % 2 === 0) await recomputeChangedDevices(database.pool, writer);
    }
  };
  await Promise.all([
    refreshing(),
    editing(),
    ...writers.map(async (writer, index) => {
      for (let turn = index; queue.length > 0; turn++) {
        await writer.write(queue.splice(0, batchSizes[turn % batchSizes.length] as number));
      }
    }),
  ]);
  // The last edits must be computed even if no message follows.
  const writer = createReadingBatchWriter(database.pool, { now: () => NOW_MS, pieceReadings: 100 });
  while ((await recomputeChangedDevices(database.pool, writer)) > 0);
  await database.settle(new Date(HISTORY_START_MS + 48 * 3_600_000));
}

const EDITING = { author: 'usr_1', now: new Date(NOW_MS), oldest: new Date(0) };

/** Creates an edit. Ignores the error if the quantity is unknown or the edit exists. */
async function editDevice({ deviceId, history }: Device, drawn: RandomEditParameters): Promise<void> {
  const { channel, kind, fromMs, toMs, value } = buildReferenceEdit(history.readings, drawn);
  const nativeName = channel === null || kind === null ? null : getNativeQuantityName({ channel, kind });
  const wanted = { nativeName, from: new Date(fromMs), to: new Date(toMs), value, reason: 'drawn' };
  await createEdit(createDatabase(database.pool), ALL_ACCOUNTS, deviceId, wanted, EDITING).catch((error) => {
    if (!(error instanceof AppError)) throw error;
  });
}

async function setDevice(of: Device, settings: CountingSettings): Promise<void> {
  of.history = { ...of.history, ...settings };
  const { limitKw: limit_kw, registerMaxKwh: register_max_kwh, maxGapMinutes: max_gap_minutes } = settings;
  const patch = { limit_kw, register_max_kwh, max_gap_minutes };
  await updateDevice(createDatabase(database.pool), ALL_ACCOUNTS, of.deviceId, patch);
}

async function revokeLast({ deviceId }: Device): Promise<void> {
  const db = createDatabase(database.pool);
  const last = (await listEdits(db, ALL_ACCOUNTS, deviceId, { limit: 200 })).at(-1);
  if (last) await revokeEdit(db, ALL_ACCOUNTS, deviceId, last.edit_id, EDITING);
}

/** Returns the edits that are not revoked at the end, by device. */
async function editsInForce(): Promise<Map<string, ReferenceEdit[]>> {
  const { rows } = await database.pool.query('SELECT * FROM reading_edits WHERE revoked_at IS NULL');
  const found = new Map<string, ReferenceEdit[]>();
  for (const { device_id, channel, kind, from_at, to_at, value } of rows) {
    const edit = { channel, kind, fromMs: from_at.getTime(), toMs: to_at.getTime(), value };
    found.set(device_id, [...(found.get(device_id) ?? []), edit]);
  }
  return found;
}

/** Returns rows of a relation as text, one per line. */
async function stored(relation: string, id: string, bucket: string, ids: string[], peak = ''): Promise<string[]> {
  const { rows } = await database.pool.query(
    `SELECT ${id} AS id, ${bucket} AS bucket, energy_milliwatt_hours, estimated_milliwatt_hours, export_milliwatt_hours, reading_count, covered_ms, export_covered_ms
       ${peak && `, ${peak} AS peak`}
     FROM ${relation} WHERE ${id} = ANY ($1)`,
    [ids],
  );
  return rows
    .map((r) =>
      line(r.id, r.bucket.getTime(), [
        r.energy_milliwatt_hours,
        r.estimated_milliwatt_hours,
        r.export_milliwatt_hours,
        r.reading_count,
        r.covered_ms,
        r.export_covered_ms,
        ...(peak ? [r.peak] : []),
      ]),
    )
    .sort();
}

const line = (id: string, at: number | bigint, values: unknown[]) =>
  `${id} ${new Date(Number(at)).toISOString()} ${values.map((v) => (v instanceof Date ? v.toISOString() : String(v))).join(' ')}`;

const valuesOf = (row: AggregateRow) => [
  row.energy,
  row.estimated,
  row.exported,
  row.readings,
  row.covered,
  row.exportCovered,
];

/** Returns whether a row can be the peak of a day or month: energy was used, and at least half of it was measured. */
const isPeak = ({ energy, estimated }: Pick<AggregateRow, 'energy' | 'estimated'>) =>
  energy > 0n && 2n * estimated <= energy;

type PeakOf = (bucket: bigint, hours: Map<bigint, AggregateRow>) => unknown;

const peakOfDay: PeakOf = (start, hours) => {
  const of = [...hours]
    .filter(([at, row]) => getStartOfDay(at) === start && isPeak(row))
    .sort(([a, x], [b, y]) => Number(y.energy - x.energy) || Number(a - b));
  return of[0] ? new Date(Number(of[0][0])) : null;
};

const peakOfMonth: PeakOf = (start, hours) => {
  const totals = new Map<number, { energy: bigint; estimated: bigint }>();
  for (const [at, row] of hours) {
    if (getStartOfMonth(at) !== start) continue;
    const hourOfDay = new Date(Number(at)).getUTCHours();
    const { energy, estimated } = totals.get(hourOfDay) ?? { energy: 0n, estimated: 0n };
    totals.set(hourOfDay, { energy: energy + row.energy, estimated: estimated + row.estimated });
  }
  const peaks = [...totals].filter(([, total]) => isPeak(total));
  return peaks.sort(([a, x], [b, y]) => Number(y.energy - x.energy) || a - b)[0]?.[0] ?? null;
};

function expected(
  devices: Device[],
  edits: ReadonlyMap<string, readonly ReferenceEdit[]>,
  idOf: (d: Device) => string,
  bucket: BucketStartFunction,
  peak?: PeakOf,
): string[] {
  const lines: string[] = [];
  for (const id of new Set(devices.map(idOf))) {
    const mine = devices.filter((d) => idOf(d) === id);
    const sum = (by: BucketStartFunction) => {
      const total = new Map<bigint, AggregateRow>();
      for (const { deviceId, readings, history } of mine) {
        for (const [at, row] of computeReferenceConsumption(readings, history, by, edits.get(deviceId))) {
          const known = total.get(at);
          total.set(
            at,
            known
              ? (Object.fromEntries(
                  Object.keys(row).map((k) => [k, row[k as keyof AggregateRow] + known[k as keyof AggregateRow]]),
                ) as unknown as AggregateRow)
              : row,
          );
        }
      }
      return total;
    };
    const hours = peak ? sum(getStartOfHour) : new Map<bigint, AggregateRow>();
    for (const [at, row] of sum(bucket))
      lines.push(line(id, at, [...valuesOf(row), ...(peak ? [peak(at, hours)] : [])]));
  }
  return lines.sort();
}

const histories = fc.oneof(
  { weight: 4, arbitrary: arbitraryHistory },
  { weight: 1, arbitrary: arbitraryTariffHistory },
  { weight: 2, arbitrary: arbitraryHistoryWithNewQuantities },
);

test(`${HISTORIES} random histories give the reference's kWh in every aggregate, whatever the order of arrival`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(histories, { minLength: PER_RUN, maxLength: PER_RUN }),
      delivery,
      async (histories, how) => {
        await freshDatabase();
        const devices = await pair(histories);
        await deliver(devices, how);
        const edits = await editsInForce();
        const deviceIds = devices.map((d) => d.deviceId);
        const userIds = [...new Set(devices.map((d) => d.userId))];
        const byDevice = (d: Device) => d.deviceId;
        const byUser = (d: Device) => d.userId;
        expect(await stored('device_intervals', 'device_id', 'starts_at', deviceIds)).toEqual(
          expected(devices, edits, byDevice, getStartOfQuarterHour),
        );
        expect(await stored('device_hourly', 'device_id', 'hour', deviceIds)).toEqual(
          expected(devices, edits, byDevice, getStartOfHour),
        );
        expect(await stored('user_hourly', 'user_id', 'hour', userIds)).toEqual(
          expected(devices, edits, byUser, getStartOfHour),
        );
        expect(await stored('user_daily', 'user_id', 'day', userIds, 'peak_hour')).toEqual(
          expected(devices, edits, byUser, getStartOfDay, peakOfDay),
        );
        expect(await stored('user_monthly', 'user_id', 'month', userIds, 'peak_hour')).toEqual(
          expected(devices, edits, byUser, getStartOfMonth, peakOfMonth),
        );
      },
    ),
    { numRuns: Math.ceil(HISTORIES / PER_RUN), endOnFailure: true },
  );
});

/** Returns an SQL statement that finds the table of an aggregate. */
const relationOf = ({ capabilities }: TestDatabase, aggregate: string) =>
  capabilities.continuousAggregates
    ? `SELECT format('%I.%I', materialization_hypertable_schema, materialization_hypertable_name) AS name
       FROM timescaledb_information.continuous_aggregates WHERE view_name = '${aggregate}'`
    : `SELECT '${aggregate}' AS name`;

test('the check of the aggregates finds no difference, detects a manipulated row, and repairs it', async () => {
  const since = new Date(Date.UTC(2026, 8, 1));
  const { capabilities, pool } = database;
  const pass = (mode: 'check' | 'repair') => checkAllRollups(pool, { capabilities, since, mode });
  // The aggregates are refreshed before the check, because the refresh within the check would repair the changed rows.
  await database.settle(new Date());
  expect((await pass('check')).differences).toEqual([]);
  const [{ name }] = (await pool.query(relationOf(database, 'closed_user_daily'))).rows;
  const { rowCount } = await pool.query(
    `UPDATE ${name} SET energy_milliwatt_hours = energy_milliwatt_hours + 1
     WHERE (user_id, day) = (SELECT user_id, day FROM ${name} WHERE covered_ms <> 0 ORDER BY 1, 2 LIMIT 1)`,
  );
  expect(rowCount).toBe(1);
  const report = await pass('repair');
  expect(report.differences).toHaveLength(1);
  expect(report.rebuilt).toBe(1);
  expect((await pass('check')).differences).toEqual([]);
});

test.each(['import', 'gas'])('differing rows of %s beyond the limit are counted, and all repaired', async (channel) => {
  const { capabilities, pool } = database;
  const home = await createTestMeter(database);
  const from = Date.UTC(2026, 1, 1);
  const now = new Date(Date.UTC(2026, 4, 1));
  const hours = 1_300;
  await home.read(
    [...Array(hours).keys()].map((hour) => [new Date(from + hour * 3_600_000), 100 + hour]),
    now,
    { channel },
  );
  await database.settle(now);
  const options = { capabilities, since: new Date(from), userId: home.userId };
  expect(await checkAllRollups(pool, { ...options, mode: 'check' })).toMatchObject({ differing: 0, differences: [] });
  const [{ name }] = (await pool.query(relationOf(database, 'closed_user_hourly'))).rows;
  await pool.query(`UPDATE ${name} SET energy_milliwatt_hours = energy_milliwatt_hours + 1 WHERE user_id = $1`, [
    channel === 'import' ? home.userId : getSeparateQuantityKey(home.userId, 'gas'),
  ]);
  const report = await checkAllRollups(pool, { ...options, mode: 'repair' });
  // The report lists at most 100 of the differences per relation. If the changed relation is a continuous aggregate, its days differ, too.
  expect(report.differing).toBeGreaterThanOrEqual(1_000);
  expect(report.differences).toHaveLength(100);
  expect(await checkAllRollups(pool, { ...options, mode: 'check' })).toMatchObject({ differing: 0, differences: [] });
});
