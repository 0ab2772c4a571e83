import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { type CsvOptions, readCsvReadings } from '#simulators/csv-readings.ts';
import { importFiles } from '#simulators/import-files.ts';
import type { ImportReader } from '#simulators/importers/element.ts';
import { castToMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { startImportBroker } from '#test/support/import-broker.ts';

interface TrueDay {
  date: string;
  kwh: number | null;
  peak_hour_utc: string | null;
  peak_certain: boolean;
  bracket?: { from: string; to: string; kwh: number };
}

const DATA = new URL('../../data/opsd-residential4/', import.meta.url);
const WEEKS = (JSON.parse(readFileSync(new URL('truth.json', DATA), 'utf8')) as { weeks: Record<string, TrueDay[]> })
  .weeks;

const CSV: CsvOptions = {
  timeColumn: 'reading_at_utc',
  valueColumn: 'DE_KN_residential4_grid_import',
  kind: 'register',
  unit: 'kWh',
  intervalSeconds: 3600,
  timeMarks: 'end',
  where: [],
};
const reading =
  (csv: CsvOptions): ImportReader =>
  (file, counts, onBytes) =>
    readCsvReadings(file, csv, counts, onBytes);
const read = reading(CSV);

let database: TestDatabase;
let db: Database;
let broker: EmbeddedBroker;
const userOf = new Map<string, string>();

async function importWeek(file: string) {
  const { user_id: userId } = await createUser(db, { email: `${file}@example.com`, role: 'homeowner' });
  userOf.set(file, userId);
  const created = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const hash = () => db.selectFrom('devices').select('mqtt_secret_sha256').where('user_id', '=', userId).execute();
  const before = await hash();
  const result = await importFiles(db, {
    deviceId: created.device.device_id,
    files: [new URL(file, DATA).pathname],
    mqttUrl: `mqtt://127.0.0.1:${broker.port}`,
    read,
  });
  expect(await hash()).toEqual(before);
  return result;
}

/** Returns the energy of a home by hour in kWh, as read from the hourly aggregate. Each file belongs to one home. */
async function hours(file: string, from: string, to: string) {
  const { rows } = await database.pool.query<Record<'energy_milliwatt_hours' | 'estimated_milliwatt_hours', number>>(
    'SELECT energy_milliwatt_hours, estimated_milliwatt_hours FROM user_hourly WHERE user_id = $1 AND hour >= $2 AND hour < $3',
    [userOf.get(file), from, to],
  );
  const sum = (key: 'energy_milliwatt_hours' | 'estimated_milliwatt_hours') =>
    milliwattHoursToKwh(castToMilliwattHours(rows.reduce((total, row) => total + row[key], 0)));
  return { count: rows.length, kwh: sum('energy_milliwatt_hours'), estimatedKwh: sum('estimated_milliwatt_hours') };
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
  broker = await startImportBroker(database.pool, (deviceId, secret) => isDeviceLoginValid(db, deviceId, secret));
});
afterAll(async () => {
  await broker.close();
  await database.drop();
});

describe('the register of a real home, imported over MQTT', () => {
  it('is sent with its original digits, and the device keeps its own secret', async () => {
    expect(await importWeek('gap-2016-04.csv')).toMatchObject({
      rows: 337,
      sent: 283,
      empty: 54,
      unreadable: 0,
      rejected: {},
      left_out: {},
    });
    expect(await importWeek('clean-2017-01.csv')).toMatchObject({ rows: 169, sent: 169, empty: 0, unreadable: 0 });
    const { rows } = await database.pool.query('SELECT reason FROM rejected_messages');
    expect(rows).toEqual([]);
  });

  it('has the daily kWh and peak hours that were computed independently', async () => {
    for (const [file, days] of Object.entries(WEEKS)) {
      for (const day of days.filter(({ kwh }) => kwh !== null)) {
        const { rows } = await database.pool.query(
          'SELECT energy_milliwatt_hours, estimated_milliwatt_hours, peak_hour FROM user_daily WHERE user_id = $1 AND day = $2',
          [userOf.get(file), day.date],
        );
        const [row] = rows;
        expect([day.date, milliwattHoursToKwh(row.energy_milliwatt_hours)]).toEqual([day.date, day.kwh]);
        expect(row.estimated_milliwatt_hours).toBe(0);
        if (day.peak_certain) expect(row.peak_hour?.getTime()).toBe(Date.parse(day.peak_hour_utc as string));
      }
    }
  });

  it('keeps the energy of silent days, spread over them and marked as estimated', async () => {
    const days = WEEKS['gap-2016-04.csv'] as TrueDay[];
    const gap = days.find(({ date }) => date === '2016-04-23')?.bracket as NonNullable<TrueDay['bracket']>;
    expect(await hours('gap-2016-04.csv', gap.from, gap.to)).toEqual({
      count: 55,
      kwh: gap.kwh,
      estimatedKwh: gap.kwh,
    });
    for (const { bracket } of days) {
      if (bracket) expect((await hours('gap-2016-04.csv', bracket.from, bracket.to)).kwh).toBe(bracket.kwh);
    }
  });

  it('can be interrupted at any time, and the device keeps its own secret', async () => {
    const { device, secret } = await createDevice(db, {
      userId: userOf.get('clean-2017-01.csv') as string,
      type: 'smart_meter',
      location: 'attic',
    });
    const interrupt = new AbortController();
    const stopped = importFiles(db, {
      deviceId: device.device_id,
      files: [new URL('clean-2017-01.csv', DATA).pathname],
      mqttUrl: `mqtt://127.0.0.1:${broker.port}`,
      read,
      signal: interrupt.signal,
      onBytes: () => interrupt.abort(new Error('stopped by hand')),
    });
    await expect(stopped).rejects.toThrow('stopped by hand');
    expect(await isDeviceLoginValid(db, device.device_id, secret)).toBe(true);
  });

  it('reports how many readings add no energy, and why', async () => {
    const { user_id: userId } = await createUser(db, { email: 'overlaps@example.com', role: 'homeowner' });
    const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'attic' });
    const folder = await mkdtemp(join(tmpdir(), 'overlaps-'));
    const file = join(folder, 'overlaps.csv');
    // Readings of half-hour intervals that begin every quarter-hour. Every second interval therefore overlaps an earlier one that was
    // counted, and is omitted.
    const rows = Array.from(
      { length: 8 },
      (_, index) => `${new Date(Date.UTC(2017, 0, 2) + index * 900_000).toISOString()},1`,
    );
    await writeFile(file, ['time,kwh', ...rows].join('\n'));
    const csv: CsvOptions = { ...CSV, timeColumn: 'time', valueColumn: 'kwh', kind: 'interval', intervalSeconds: 1800 };
    const mqttUrl = `mqtt://127.0.0.1:${broker.port}`;
    const options = { deviceId: device.device_id, files: [file], mqttUrl, read: reading(csv) };
    const result = await importFiles(db, options);
    expect(result).toMatchObject({ sent: 8, rejected: {}, left_out: { overlap: 4 } });
    // If a channel has a register, the channel's interval readings do not count.
    await importFiles(db, { ...options, read: reading({ ...csv, kind: 'register' }) });
    expect(await importFiles(db, options)).toMatchObject({ sent: 8, rejected: {}, left_out: { uncounted: 8 } });
    const gas = { ...csv, channel: 'gas', kind: 'register' as const };
    expect(await importFiles(db, { ...options, read: reading(gas) })).toMatchObject({ sent: 8, left_out: {} });
    await rm(folder, { recursive: true });
  });
});
