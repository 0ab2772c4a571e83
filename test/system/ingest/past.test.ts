import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmbeddedBroker } from '#ingest/source/embedded-broker.ts';
import { importFiles } from '#simulators/import-files.ts';
import { createDsmrReaderImport } from '#simulators/importers/dsmr-reader.ts';
import type { ImportReader } from '#simulators/importers/element.ts';
import { createGreenButtonImport } from '#simulators/importers/green-button.ts';
import { createHomeAssistantImport } from '#simulators/importers/home-assistant.ts';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { createDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { startImportBroker } from '#test/support/import-broker.ts';

const HOUR_S = 3_600;
const AT = Date.UTC(2026, 4, 1) / 1_000;

let database: TestDatabase;
let db: Database;
let broker: EmbeddedBroker;
let folder: string;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
  broker = await startImportBroker(database.pool, (deviceId, secret) => isDeviceLoginValid(db, deviceId, secret));
  folder = await mkdtemp(join(tmpdir(), 'past-'));
});
afterAll(async () => {
  await broker.close();
  await database.drop();
  await rm(folder, { recursive: true });
});

let users = 0;
async function meter() {
  const { user_id: userId } = await createUser(db, { email: `past${++users}@example.com`, role: 'homeowner' });
  const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'cellar' });
  const bring = (read: ImportReader, ...files: string[]) =>
    importFiles(db, { deviceId: device.device_id, files, mqttUrl: `mqtt://127.0.0.1:${broker.port}`, read });
  /** Returns the energy of each hour in kWh: import, export, and the estimated part of the import. */
  const hours = async () => {
    const { rows } = await database.pool.query(
      `SELECT energy_milliwatt_hours / 1e6 AS imported, export_milliwatt_hours / 1e6 AS exported, estimated_milliwatt_hours / 1e6 AS estimated
       FROM user_hourly WHERE user_id = $1 ORDER BY hour`,
      [userId],
    );
    return rows.map(({ imported, exported, estimated }) => [Number(imported), Number(exported), Number(estimated)]);
  };
  return { deviceId: device.device_id, bring, hours };
}

describe('an imported history', () => {
  test('from Home Assistant equals its sums, across a replaced meter and a night without data, and continues at the meter’s register', async () => {
    const file = join(folder, 'home-assistant_v2.db');
    const made = new DatabaseSync(file);
    made.exec(`CREATE TABLE statistics_meta (id INTEGER PRIMARY KEY, statistic_id, unit_of_measurement, has_sum);
      CREATE TABLE statistics (id INTEGER PRIMARY KEY, metadata_id, start_ts FLOAT, state FLOAT, sum FLOAT);
      INSERT INTO statistics_meta VALUES (1, 'sensor.grid', 'kWh', 1)`);
    const rows = [
      [0, 7_000, 0],
      [1, 7_001, 1],
      // The meter has been replaced. The new meter's register starts at 900.
      [2, 900.5, 1.5],
      [3, 902.5, 3.5],
      // Home Assistant was not running for three hours.
      [7, 906.5, 7.5],
    ];
    for (const [hour, state, sum] of rows)
      made
        .prepare('INSERT INTO statistics (metadata_id, start_ts, state, sum) VALUES (1, ?, ?, ?)')
        .run(AT + (hour as number) * HOUR_S, state as number, sum as number);
    made.close();
    const { deviceId, bring, hours } = await meter();
    const read = createHomeAssistantImport({ entity: 'sensor.grid' });
    expect(await bring(read, file)).toMatchObject({ sent: 5, rejected: {}, left_out: {} });
    const expected = [
      [1, 0, 0],
      [0.5, 0, 0],
      [2, 0, 0],
      [1, 0, 1],
      [1, 0, 1],
      [1, 0, 1],
      [1, 0, 1],
    ];
    expect(await hours()).toEqual(expected);
    expect(await bring(read, file)).toMatchObject({ sent: 5, left_out: {} });
    expect(await hours()).toEqual(expected);
    // From now on, the new meter sends readings itself. Its register continues at 906.5, so there is no jump.
    const live = join(folder, 'live.csv');
    await writeFile(
      live,
      `entity_id,state,last_changed\nsensor.live,907,2026-05-01T09:00:00.000Z\nsensor.live,907.25,2026-05-01T10:00:00.000Z\n`,
    );
    await bring(createHomeAssistantImport({ entity: 'sensor.live' }), live);
    expect((await hours()).slice(-2)).toEqual([
      [0.5, 0, 0],
      [0.25, 0, 0],
    ]);
    const { rows: notes } = await database.pool.query(
      'SELECT verdict FROM reading_notes JOIN series USING (series_id) WHERE device_id = $1',
      [deviceId],
    );
    expect(notes).toEqual([]);
  });

  test('from Home Assistant can be imported again after corrected sums and a replaced meter, without counting a jump', async () => {
    const bringing = async (name: string, rows: readonly (readonly [hour: number, state: number, sum: number])[]) => {
      const file = join(folder, name);
      const made = new DatabaseSync(file);
      made.exec(`CREATE TABLE statistics_meta (id INTEGER PRIMARY KEY, statistic_id, unit_of_measurement, has_sum);
        CREATE TABLE statistics (id INTEGER PRIMARY KEY, metadata_id, start_ts FLOAT, state FLOAT, sum FLOAT);
        INSERT INTO statistics_meta VALUES (1, 'sensor.grid', 'kWh', 1)`);
      const insert = made.prepare('INSERT INTO statistics (metadata_id, start_ts, state, sum) VALUES (1, ?, ?, ?)');
      for (const [hour, state, sum] of rows) insert.run(AT + hour * HOUR_S, state, sum);
      made.close();
      return file;
    };
    const total = async () => (await home.hours()).reduce((sum, [imported = 0]) => sum + imported, 0);
    const home = await meter();
    const read = createHomeAssistantImport({ entity: 'sensor.grid' });
    const before = Array.from({ length: 100 }, (_, hour) => [hour, 1_000 + hour, hour] as const);
    expect(await home.bring(read, await bringing('before.db', before))).toMatchObject({ sent: 100, rejected: {} });
    expect(await total()).toBeCloseTo(99);
    // In Home Assistant's data, the sums are corrected by 5 from hour 50 on. At hour 100, the meter is replaced by a used one, whose
    // register shows 40.
    const after = Array.from(
      { length: 200 },
      (_, hour) => [hour, hour < 100 ? 1_000 + hour : hour - 60, hour < 50 ? hour : hour + 5] as const,
    );
    const file = await bringing('after.db', after);
    for (const _ of ['once', 'twice'])
      expect(await home.bring(read, file)).toMatchObject({ sent: 200, rejected: {}, left_out: {} });
    expect(await total()).toBeCloseTo(199);
  });

  test('from dsmr-reader has both tariffs, and gas', async () => {
    const file = join(folder, 'dsmrreader-data-export---hour__2026-05-01__2026-05-01.csv');
    const header =
      'Begintijd Uur,Elektriciteit 1 (Nederlandse Gebruikers: Daltarief),Elektriciteit 2 (Piektarief),Elektriciteit 1 Teruggeleverd (Nederlandse Gebruikers: Daltarief),Elektriciteit 2 Teruggeleverd (Piektarief),Gas';
    await writeFile(
      file,
      [
        header,
        '2026-05-01T06:00:00+02:00,0.25,0.5,0.0,0.0,0.125',
        '2026-05-01T12:00:00+02:00,0.0,0.125,0.0,1.5,0.0',
      ].join('\r\n'),
    );
    const { deviceId, bring, hours } = await meter();
    // The file is imported twice. It contains gas as well as electricity.
    for (const _ of ['once', 'twice'])
      expect(await bring(createDsmrReaderImport(), file)).toMatchObject({
        rows: 2,
        sent: 8,
        rejected: {},
        left_out: {},
      });
    expect(await hours()).toEqual([
      [0.75, 0, 0],
      [0.125, 1.5, 0],
    ]);
    const { rows } = await database.pool.query('SELECT channel FROM series WHERE device_id = $1 ORDER BY 1', [
      deviceId,
    ]);
    expect(rows.map(({ channel }) => channel)).toEqual(['export/t2', 'gas/m3', 'import/t1', 'import/t2']);
  });

  test('from a utility has the energy of its interval blocks, counts overlapping ones once, and reports them', async () => {
    const file = join(folder, 'usage.xml');
    const point = '/espi/1_1/resource/UsagePoint/1';
    const entry = (self: string, content: string, related = '') =>
      `<entry><link rel="self" href="${self}"/><link rel="up" href="${self.replace(/\/[^/]+$/, '')}"/>${related}<content>${content}</content></entry>`;
    const reading = (hour: number, value: number) =>
      `<IntervalReading><cost>7</cost><timePeriod><duration>3600</duration><start>${AT + hour * HOUR_S}</start></timePeriod><value>${value}</value></IntervalReading>`;
    const block = (id: number, direction: number, readings: string) =>
      entry(
        `${point}/MeterReading/${direction}/IntervalBlock/${id}`,
        `<IntervalBlock xmlns="http://naesb.org/espi">${readings}</IntervalBlock>`,
      );
    const flows = [1, 19].map((flow) => [
      entry(
        `${point}/MeterReading/${flow}`,
        '<MeterReading xmlns="http://naesb.org/espi"/>',
        `<link rel="related" href="/ReadingType/${flow}"/>`,
      ),
      entry(
        `/ReadingType/${flow}`,
        `<ReadingType xmlns="http://naesb.org/espi"><flowDirection>${flow}</flowDirection><powerOfTenMultiplier>0</powerOfTenMultiplier><uom>72</uom></ReadingType>`,
      ),
    ]);
    const halfPast = `<IntervalReading><timePeriod><duration>3600</duration><start>${AT + 1_800}</start></timePeriod><value>9000</value></IntervalReading>`;
    await writeFile(
      file,
      `<feed xmlns="http://www.w3.org/2005/Atom">${flows.flat().join('')}${block(1, 1, reading(0, 500) + reading(1, 250))}${block(2, 1, reading(1, 250) + halfPast)}${block(1, 19, reading(0, 1_500) + reading(1, 0))}</feed>`,
    );
    const { bring, hours } = await meter();
    expect(await bring(createGreenButtonImport(), file)).toMatchObject({
      rows: 6,
      sent: 6,
      rejected: {},
      left_out: { overlap: 1 },
      notes: [expect.stringContaining('Costs')],
    });
    expect(await hours()).toEqual([
      [0.5, 1.5, 0],
      [0.25, 0, 0],
    ]);
  });
});
