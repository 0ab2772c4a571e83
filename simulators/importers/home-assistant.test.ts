import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createImportCounts, type ImportedReadingElement } from './element.ts';
import { createHomeAssistantImport, type EntityImport, listHomeAssistantSeries } from './home-assistant.ts';
import { computeSumOffset } from './home-assistant-database.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'home-assistant-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(file: string, entity: EntityImport) {
  const counts = createImportCounts();
  const elements: ImportedReadingElement[] = [];
  for await (const element of createHomeAssistantImport(entity)(file, counts, () => {})) elements.push(element);
  return { elements, counts };
}
const registers = (elements: ImportedReadingElement[]) =>
  elements.map((one) => ('energy_total_kwh' in one ? [one.ts.slice(11, 16), one.energy_total_kwh] : one));

const AT = Date.UTC(2026, 4, 1) / 1_000;

/**
 * Creates a database with the tables of Home Assistant's recorder (schema 41 and later): the columns that the import uses, and some others.
 */
function database(name: string, { hasText = false, isOld = false } = {}): { file: string; db: DatabaseSync } {
  const file = join(directory, name);
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE statistics_meta (id INTEGER PRIMARY KEY, statistic_id VARCHAR(255), source VARCHAR(32), unit_of_measurement VARCHAR(255), has_mean BOOLEAN, has_sum BOOLEAN, name VARCHAR(255));
    CREATE TABLE statistics (id INTEGER PRIMARY KEY, created DATETIME, metadata_id INTEGER, ${hasText ? 'start DATETIME,' : ''} ${isOld ? '' : 'created_ts FLOAT, start_ts FLOAT,'} mean FLOAT, min FLOAT, max FLOAT, last_reset DATETIME, state FLOAT, sum FLOAT);
    CREATE TABLE statistics_short_term (id INTEGER PRIMARY KEY, metadata_id INTEGER, start_ts FLOAT, state FLOAT, sum FLOAT);
    INSERT INTO statistics_meta VALUES (1, 'sensor.meter', 'recorder', 'kWh', 0, 1, NULL), (2, 'sensor.plug', 'recorder', 'Wh', 0, 1, NULL),
      (3, 'sensor.temperature', 'recorder', '°C', 1, 0, NULL), (4, 'sensor.gas', 'recorder', 'm³', 0, 1, NULL), (5, 'sensor.cost', 'recorder', 'EUR', 0, 1, NULL);
    INSERT INTO statistics_short_term VALUES (1, 1, ${AT}, 1, 1);`);
  return { file, db };
}
const insert = (db: DatabaseSync, meta: number, hour: number, sum: number | null, state: number | null = null) =>
  db
    .prepare('INSERT INTO statistics (metadata_id, start_ts, sum, state) VALUES (?, ?, ?, ?)')
    .run(meta, AT + hour * 3_600, sum, state);

describe('the database of Home Assistant', () => {
  test("is imported from its sums, which continue across a reset and end at the meter's reading", async () => {
    const { file, db } = database('sums.db');
    // The meter was replaced within the second hour: the old meter showed 5,000, and the new meter started at 0.
    for (const [hour, sum, state] of [
      [0, 10, 5_000],
      [1, 12.5, 0.5],
      [2, 14, 2],
    ] as const)
      insert(db, 1, hour, sum, state);
    insert(db, 2, 0, 1_234_567, 1_234_567);
    insert(db, 3, 0, null);
    insert(db, 4, 0, 7.25);
    insert(db, 5, 0, 3);
    db.close();
    const { elements, counts } = await read(file, { entity: 'sensor.meter' });
    // A shift to the meter's final reading of 2 kWh would make the first sums negative, so the sums are shifted only until the lowest is 0.
    expect(registers(elements)).toEqual([
      ['01:00', 0],
      ['02:00', 2.5],
      ['03:00', 4],
    ]);
    expect(elements[0]).toMatchObject({ channel: 'import', ts: '2026-05-01T01:00:00.000Z' });
    expect(counts.notes).toEqual([expect.stringContaining('not the states')]);
    expect(registers((await read(file, { entity: 'sensor.plug' })).elements)).toEqual([['01:00', 1_234.567]]);
    expect((await read(file, { entity: 'sensor.gas' })).elements).toMatchObject([
      { channel: 'gas/m3', energy_total_kwh: 7.25 },
    ]);
    expect(await listHomeAssistantSeries(file)).toMatchObject([
      { name: 'sensor.gas', unit: 'm³' },
      { name: 'sensor.meter', unit: 'kWh', readings: 3, fromMs: AT * 1_000, toMs: (AT + 3 * 3_600) * 1_000 },
      { name: 'sensor.plug', unit: 'Wh' },
    ]);
    await expect(read(file, { entity: 'sensor.temperature' })).rejects.toThrow(
      'It has: sensor.gas, sensor.meter, sensor.plug',
    );
  });

  test('can have its sums shifted to the register of a meter that was never replaced', () => {
    expect(
      computeSumOffset([
        { sum: 0, state: 900 },
        { sum: 10, state: 910 },
      ]),
    ).toBe(900);
    expect(
      computeSumOffset([
        { sum: -5, state: null },
        { sum: 10, state: null },
      ]),
    ).toBe(5);
    expect(computeSumOffset([])).toBe(0);
  });

  test('is read while Home Assistant writes, and is not changed', async () => {
    const { file, db } = database('open.db');
    insert(db, 1, 0, 1, 1);
    db.exec('BEGIN IMMEDIATE');
    insert(db, 1, 1, 2, 2);
    const before = await readFile(file);
    // Rows of a transaction that has not been committed are not imported.
    expect(registers((await read(file, { entity: 'sensor.meter' })).elements)).toEqual([['01:00', 1]]);
    db.exec('COMMIT');
    expect(registers((await read(file, { entity: 'sensor.meter' })).elements)).toEqual([
      ['01:00', 1],
      ['02:00', 2],
    ]);
    expect(await readFile(file)).toEqual(before);
    db.close();
    const beside = await readdir(directory);
    await read(file, { entity: 'sensor.meter' });
    expect(await readdir(directory)).toEqual(beside);
  });

  test('is read with times stored as text (old version) or in both forms (migrated version)', async () => {
    const old = database('old.db', { hasText: true, isOld: true });
    old.db.exec(
      `INSERT INTO statistics (metadata_id, start, sum) VALUES (1, '2022-01-01 11:00:00.000000', 3), (1, '2022-01-01 10:00:00.000000', 2)`,
    );
    old.db.close();
    expect((await read(old.file, { entity: 'sensor.meter' })).elements).toMatchObject([
      { ts: '2022-01-01T11:00:00.000Z', energy_total_kwh: 2 },
      { ts: '2022-01-01T12:00:00.000Z', energy_total_kwh: 3 },
    ]);
    const both = database('both.db', { hasText: true });
    both.db.exec(
      `INSERT INTO statistics (metadata_id, start, start_ts, sum) VALUES (1, '2022-01-01 10:00:00', NULL, 2), (1, NULL, 1641034800, 3)`,
    );
    both.db.close();
    expect((await read(both.file, { entity: 'sensor.meter' })).elements).toMatchObject([
      { ts: '2022-01-01T11:00:00.000Z' },
      { ts: '2022-01-01T12:00:00.000Z' },
    ]);
  });

  test('is rejected if it is another database', async () => {
    const file = join(directory, 'other.db');
    new DatabaseSync(file).exec('CREATE TABLE x (y)');
    await expect(listHomeAssistantSeries(file)).rejects.toThrow('no table statistics');
    await writeFile(file, `SQLite format 3\0${'x'.repeat(5_000)}`);
    await expect(listHomeAssistantSeries(file)).rejects.toThrow('could not be read');
    // The file has a view instead of a table. A view could return anything and run endlessly.
    const view = join(directory, 'view.db');
    new DatabaseSync(view).exec('CREATE TABLE statistics_meta (id); CREATE VIEW statistics AS SELECT 1 AS sum');
    await expect(listHomeAssistantSeries(view)).rejects.toThrow('no table statistics');
  });
});

describe('a download of Home Assistant', () => {
  const write = async (text: string) => {
    const file = join(directory, 'download.csv');
    await writeFile(file, text);
    return file;
  };

  test('exported from History is imported from its states', async () => {
    const file = await write(
      `entity_id,state,last_changed\nsensor.meter,100.5,2026-05-01T10:00:00.000Z\nsensor.meter,unavailable,2026-05-01T10:05:00.000Z\nsensor.meter,101,2026-05-01T11:00:00.000Z\nsensor.other,7,2026-05-01T10:00:00.000Z\nsensor.meter,x,2026-05-01T12:00:00.000Z\nlight.kitchen,on,2026-05-01T10:00:00.000Z\n`,
    );
    expect(await listHomeAssistantSeries(file)).toMatchObject([
      { name: 'sensor.meter', unit: null, readings: 2 },
      { name: 'sensor.other', readings: 1 },
    ]);
    const { elements, counts } = await read(file, { entity: 'sensor.meter', unit: 'Wh', channel: 'import/t1' });
    expect(elements).toEqual([
      { ts: '2026-05-01T10:00:00.000Z', channel: 'import/t1', energy_total_kwh: 0.1005 },
      { ts: '2026-05-01T11:00:00.000Z', channel: 'import/t1', energy_total_kwh: 0.101 },
    ]);
    expect(counts).toMatchObject({
      skipped: 2,
      empty: 1,
      unreadable: 1,
      notes: ['States of sensor.meter were taken for its register, in Wh.'],
    });
  });

  const day = (hours: number[]) => hours.map((hour) => new Date((AT + hour * 3_600) * 1_000).toISOString()).join(',');

  test('exported from Energy is imported as the energy of each hour', async () => {
    const file = await write(
      `entity_id,type,unit,${day([0, 1, 2, 4])}\nsensor.meter,grid_consumption,kWh,1.5,0,,2\nsensor.meter_cost,grid_consumption_cost,EUR,1,1,1,1\nsensor.gas,gas,m3,0.25,,,\n,calculated,kWh,1,2,3,4\n`,
    );
    expect(await listHomeAssistantSeries(file)).toMatchObject([
      { name: 'sensor.meter', readings: 3 },
      { name: 'sensor.gas', unit: 'm3' },
    ]);
    const { elements, counts } = await read(file, { entity: 'sensor.meter' });
    expect(elements).toEqual([
      { ts: '2026-05-01T01:00:00.000Z', channel: 'import', energy_kwh: 1.5, interval_s: 3_600 },
      { ts: '2026-05-01T02:00:00.000Z', channel: 'import', energy_kwh: 0, interval_s: 3_600 },
      { ts: '2026-05-01T05:00:00.000Z', channel: 'import', energy_kwh: 2, interval_s: 3_600 },
    ]);
    expect(counts).toMatchObject({ skipped: 3, empty: 1 });
    expect((await read(file, { entity: 'sensor.gas' })).elements).toMatchObject([
      { channel: 'gas/m3', energy_kwh: 0.25 },
    ]);
  });

  test('exported by the day, or of any other kind, is rejected with advice', async () => {
    await expect(
      listHomeAssistantSeries(
        await write(`entity_id,type,unit,${day([0, 24])}\nsensor.meter,grid_consumption,kWh,1,2\n`),
      ),
    ).rejects.toThrow('choose a single day');
    await expect(listHomeAssistantSeries(await write(`entity_id,type,unit,${day([2, 1])}\n`))).rejects.toThrow(
      'choose a single day',
    );
    await expect(listHomeAssistantSeries(await write('time,kwh\n1,2\n'))).rejects.toThrow('home-assistant_v2.db');
    expect(await listHomeAssistantSeries(await write(''))).toEqual([]);
  });
});
