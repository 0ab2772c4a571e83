import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter, type IncomingMessage } from '#ingest/write/writer.ts';
import { type BillDetails, closeBillPeriod, createBillPeriod, findBillPeriod, recordBill } from '#src/billing/store.ts';
import { AppError } from '#src/core/errors.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { getNativeQuantityName } from '#src/devices/channel-name.ts';
import { createEdit, listEdits, revokeEdit } from '#src/devices/edits/store.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { computeReferenceConsumption, getStartOfQuarterHour } from '#test/reference/consumption.ts';
import { arbitraryEdit, buildReferenceEdit, type RandomEditParameters } from '#test/reference/edits.ts';
import {
  arbitraryHistory,
  arbitraryHistoryWithTotal,
  arbitraryTariffHistory,
  HISTORY_START_MS,
  type ReadingHistory,
} from '#test/reference/histories.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';

/** Tests that bills add up: for any late readings and closing times, the sum of all statements equals the final energy. */
/** Number of random histories. After a change of the billing code, run 200 (BILLED_HISTORIES=200). */
const RUNS = Number(process.env.BILLED_HISTORIES ?? 12);
const SEED = 1;
const DAY_MS = 86_400_000;
/** Current time of the test. It is after the end of every history, and within the retention of the readings. */
const NOW = new Date(Date.UTC(2027, 8, 1));

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());

let made = 0;
async function pair({ limitKw, registerMaxKwh, maxGapMinutes }: Omit<ReadingHistory, 'readings'>) {
  const [userId, deviceId] = [`usr_bill${++made}`, `dev_bill${made}`];
  await database.pool.query(`INSERT INTO users (user_id, email, role) VALUES ($1, $1 || '@example.com', 'homeowner')`, [
    userId,
  ]);
  await database.pool.query(
    `INSERT INTO devices (device_id, user_id, type, location, limit_kw, register_max_kwh, max_gap_minutes, mqtt_secret_sha256)
     VALUES ($1, $2, 'smart_meter', 'test', $3, $4, $5, '')`,
    [deviceId, userId, limitKw, registerMaxKwh, maxGapMinutes],
  );
  return { userId, deviceId };
}

const message = (reading: DecodedReading): IncomingMessage => ({
  topic: `energy/v1/${reading.deviceId}/readings`,
  payload: Buffer.from('{}'),
  receivedAtMs: NOW.getTime(),
  decoded: { deviceId: reading.deviceId, readings: [reading], rejections: [] },
});

/** Edits, or revocations of the latest edit. `before`: index of the step before which the edit or revocation is made. */
const handEdits = fc.array(fc.record({ before: fc.nat(20), edit: arbitraryEdit, isRevoked: fc.boolean() }), {
  maxLength: 6,
});
const EDITING = { author: 'usr_bill', now: NOW, oldest: new Date(0) };

async function editDevice(
  deviceId: string,
  readings: ReadingHistory['readings'],
  drawn: RandomEditParameters,
): Promise<void> {
  const { channel, kind, fromMs, toMs, value } = buildReferenceEdit(readings, drawn);
  const nativeName = channel === null || kind === null ? null : getNativeQuantityName({ channel, kind });
  const wanted = { nativeName, from: new Date(fromMs), to: new Date(toMs), value, reason: 'drawn' };
  await createEdit(db, ALL_ACCOUNTS, deviceId, wanted, EDITING).catch((error) => {
    // The edit may be refused, because a quantity without readings cannot be edited yet.
    if (!(error instanceof AppError)) throw error;
  });
}

/** Lengths of consecutive bill periods, in days. One more period covers the remaining days. */
const lengths = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 7 });
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), which: fc.integer({ min: 1, max: 25 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('make' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('record' as const), which: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('close' as const), which: fc.nat() }) },
);
const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kolkata');

const milliwattHours = (kwh: string) => BigInt(kwh.replace('.', ''));
const sum = (values: readonly bigint[]) => values.reduce((all, one) => all + one, 0n);

function periodsOf(days: readonly number[], zone: string) {
  const dayOf = (offset: number) => new Date(HISTORY_START_MS + offset * DAY_MS).toISOString().slice(0, 10);
  // Starts the first period two days early, so that it begins before the first reading in every time zone.
  let from = -2;
  const counts = [...days, 300];
  return counts.map((count) => {
    const [start, end] = [dayOf(from), dayOf(from + count - 1)];
    from += count;
    const range = createDayRange(start, end, zone);
    return { start, end, zone, from: range.from, to: range.to };
  });
}

/** Expects the parts of a bill period to add up. This must hold at any time. */
function expectToAddUp({ period, versions, known, energy, corrections }: BillDetails): void {
  const last = versions.at(-1);
  if (!last) throw new Error('no version');
  for (const direction of ['imported', 'exported'] as const) {
    const stated = BigInt(last[direction]) + sum(corrections.map((one) => BigInt(one[direction])));
    if (period.closed_at) expect(stated).toBe(BigInt(known[direction]));
  }
  for (const direction of ['import', 'export'] as const) {
    const registers = energy.registers.filter((one) => one.direction === direction);
    const beside = milliwattHours(energy[`${direction}_beside_registers_kwh`]);
    const total = sum(registers.map(({ energy_kwh }) => milliwattHours(energy_kwh ?? '0'))) + beside;
    expect(total).toBe(milliwattHours(energy[`${direction}_kwh`]));
  }
}

/** Whether only registers without tariffs have contributed to the energy. Then the result is exact to the mWh. */
async function isPlain(deviceId: string): Promise<boolean> {
  const { rows } = await database.pool.query(
    `SELECT bool_and(r.kind = 'register' AND s.tariff_since IS NULL) AS plain FROM series_roles r JOIN series s USING (series_id)
     WHERE r.device_id = $1 AND (r.counts_import OR r.counts_export)`,
    [deviceId],
  );
  return rows[0].plain;
}

test(`${RUNS} random histories with late readings are billed to the milliwatt-hour, whenever bills are closed`, async () => {
  let [plain, corrected] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        { weight: 4, arbitrary: arbitraryHistory },
        { weight: 1, arbitrary: arbitraryTariffHistory },
        { weight: 1, arbitrary: arbitraryHistoryWithTotal },
      ),
      fc.infiniteStream(fc.nat(1_000_000)),
      lengths,
      zones,
      fc.array(act, { minLength: 10, maxLength: 30 }),
      handEdits,
      async (history, order, days, zone, acts, edits) => {
        const { userId, deviceId } = await pair(history);
        const readings = history.readings.map((reading) => ({ ...reading, deviceId, element: 0 }));
        const ranks = new Map(readings.map((reading) => [reading, order.next().value as number]));
        const queue = readings.toSorted((a, b) => (ranks.get(a) as number) - (ranks.get(b) as number)).map(message);
        const writer = createReadingBatchWriter(database.pool, { now: () => NOW.getTime() });
        const periods = periodsOf(days, zone);
        const open: string[] = [];
        const closed: string[] = [];
        const make = async () => {
          const next = periods.shift();
          if (!next) return;
          const { period } = await createBillPeriod(db, { userId, deviceId }, next, NOW);
          open.push(period.bill_period_id);
        };
        const close = async (which: number) => {
          const [id] = open.splice(which % open.length, 1);
          if (!id) return;
          expectToAddUp((await closeBillPeriod(db, ALL_ACCOUNTS, id, NOW)) as BillDetails);
          closed.push(id);
        };
        for (const [index, { kind, which }] of acts.entries()) {
          for (const { edit, isRevoked } of edits.filter(({ before }) => before === index)) {
            const last = isRevoked ? (await listEdits(db, ALL_ACCOUNTS, deviceId, { limit: 10 })).at(-1) : undefined;
            if (last) await revokeEdit(db, ALL_ACCOUNTS, deviceId, last.edit_id, EDITING);
            else await editDevice(deviceId, history.readings, edit);
          }
          if (kind === 'deliver' && queue.length > 0) await writer.write(queue.splice(0, which));
          else if (kind === 'make') await make();
          else if (kind === 'record' && open.length > 0)
            expectToAddUp(
              (await recordBill(db, ALL_ACCOUNTS, open[which % open.length] as string, NOW)) as BillDetails,
            );
          else if (kind === 'close' && open.length > 0) await close(which);
        }
        while (periods.length > 0) await make();
        // Makes at least one statement before the last readings arrive.
        await close(0);
        if (queue.length > 0) await writer.write(queue);
        await recomputeChangedDevices(database.pool, writer);
        await database.settle(NOW);
        while (open.length > 1) await close(open.length - 1);
        await close(0);

        const bills: BillDetails[] = [];
        for (const id of closed) bills.push((await findBillPeriod(db, ALL_ACCOUNTS, id)) as BillDetails);
        for (const bill of bills) expectToAddUp(bill);
        const made = await listEdits(db, ALL_ACCOUNTS, deviceId, { limit: 10 });
        const inForce = made
          .filter(({ revoked_at }) => !revoked_at)
          .map(({ from_at, to_at, ...edit }) => ({ ...edit, fromMs: from_at.getTime(), toMs: to_at.getTime() }));
        const rows = [...computeReferenceConsumption(readings, history, getStartOfQuarterHour, inForce).values()];
        for (const direction of ['import', 'export'] as const) {
          const name = direction === 'import' ? ('imported' as const) : ('exported' as const);
          const billed = sum(
            bills.map(({ versions }) => milliwattHours(versions.at(-1)?.statement[`billed_${direction}_kwh`] ?? '')),
          );
          const waiting = sum(
            bills.flatMap(({ corrections }) =>
              corrections.filter(({ isBilled }) => !isBilled).map((one) => BigInt(one[name])),
            ),
          );
          expect(billed + waiting).toBe(sum(rows.map((row) => (direction === 'import' ? row.energy : row.exported))));
        }
        corrected += bills.filter(({ corrections }) => corrections.length > 0).length;
        if (!(await isPlain(deviceId))) return;
        plain++;
        for (const { energy } of bills)
          expect([energy.import_beside_registers_kwh, energy.export_beside_registers_kwh]).toEqual([
            '0.000000',
            '0.000000',
          ]);
      },
    ),
    // With few histories, the seed is fixed, because the expectations below could fail by chance.
    { numRuns: RUNS, endOnFailure: true, ...(process.env.BILLED_HISTORIES === undefined ? { seed: SEED } : {}) },
  );
  expect([plain > RUNS / 8, corrected > RUNS / 4]).toEqual([true, true]);
});

test('showing a closed bill takes a constant number of queries, however many were closed since', async () => {
  const billed = await pair({ limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 });
  let asked = 0;
  const counting = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      asked++;
      return result;
    },
  });
  const [first, ...others] = periodsOf([1, 1, 1, 1, 1], 'UTC');
  const close = async (range: NonNullable<typeof first>) => {
    const { period } = await createBillPeriod(db, billed, range, NOW);
    await closeBillPeriod(db, ALL_ACCOUNTS, period.bill_period_id, NOW);
    return period.bill_period_id;
  };
  const id = await close(first as NonNullable<typeof first>);
  const cost = async () => {
    asked = 0;
    await findBillPeriod(counting, ALL_ACCOUNTS, id);
    return asked;
  };
  const alone = await cost();
  for (const range of others) await close(range);
  expect([alone > 4, (await cost()) - alone]).toEqual([true, 0]);
});
