import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDsmrReaderImport } from './dsmr-reader.ts';
import { createImportCounts, type ImportedReadingElement } from './element.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dsmr-reader-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(lines: string[]) {
  const file = join(directory, 'export.csv');
  await writeFile(file, lines.join('\r\n'));
  const counts = createImportCounts();
  const elements: ImportedReadingElement[] = [];
  for await (const element of createDsmrReaderImport()(file, counts, () => {})) elements.push(element);
  return { elements, counts };
}

// Header lines of dsmr-reader 5: the names of its fields, with each word capitalised. A name that contains a comma is in quotes.
const HOURS =
  'Hour Start,Electricity 1 (Dutch Users: Low Tariff),Electricity 2 (Dutch Users: Normal Tariff),Electricity 1 Returned (Dutch Users: Low Tariff),Electricity 2 Returned (Dutch Users: Normal Tariff),Gas';
const UREN =
  'Begintijd Uur,Elektriciteit 1 (Nederlandse Gebruikers: Daltarief),Elektriciteit 2 (Piektarief),Elektriciteit 1 Teruggeleverd (Nederlandse Gebruikers: Daltarief),Elektriciteit 2 Teruggeleverd (Piektarief),Gas';
const DAYS =
  'Date,Electricity Tariff 1 Diff,Electricity Tariff 2 Diff,Electricity Tariff 1 Returned Diff,Electricity Tariff 2 Returned Diff,Gas Diff,Electricity Tariff 1 Cost,Electricity Tariff 2 Cost,Gas Cost,Fixed Cost,Total Cost,Electricity Reading Timestamp,Electricity Tariff 1 Reading,Electricity Tariff 2 Reading,Electricity Tariff 1 Reading,Electricity Tariff 2 Reading,Gas Reading Timestamp,Gas Reading';
const DAGEN =
  'Datum,Elektriciteit Tarief 1 Verbruikt,Elektriciteit Tarief 2 Verbruikt,Elektriciteit Tarief 1 Teruggeleverd,Elektriciteit Tarief 2 Teruggeleverd,Gas Verbruikt,Elektriciteit Tarief 1 Kosten,Elektriciteit Tarief 2 Kosten,Gaskosten,Vaste Kosten,Totale Kosten,Tijdstip Elektriciteitsmeterstand,Elektriciteit Tarief 1 Gemeten,Elektriciteit Tarief 2 Gemeten,Elektriciteit Tarief 1 Gemeten,Elektriciteit Tarief 2 Gemeten,Tijdstip Gasmeterstand,Gasmeting';

describe('an export of dsmr-reader', () => {
  test.each([
    ['English', HOURS],
    ['Dutch', UREN],
  ])('by the hour, in %s, is imported as intervals of both tariffs and of gas', async (_language, header) => {
    const { elements, counts } = await read([
      header,
      '2026-03-29T01:00:00+01:00,0.25,0.0,0.0,1.5,0.125',
      '2026-03-29T03:00:00+02:00,0.0,0.75,0.0,0.0,0.0',
    ]);
    const at = (ts: string, channel: string, energy_kwh: number) => ({ ts, channel, energy_kwh, interval_s: 3_600 });
    // The export channel of the first tariff has no readings, because no energy was exported in this tariff.
    expect(elements).toEqual([
      at('2026-03-29T01:00:00.000Z', 'import/t1', 0.25),
      at('2026-03-29T01:00:00.000Z', 'import/t2', 0),
      at('2026-03-29T01:00:00.000Z', 'export/t2', 1.5),
      at('2026-03-29T01:00:00.000Z', 'gas/m3', 0.125),
      at('2026-03-29T02:00:00.000Z', 'import/t1', 0),
      at('2026-03-29T02:00:00.000Z', 'import/t2', 0.75),
      at('2026-03-29T02:00:00.000Z', 'export/t2', 0),
      at('2026-03-29T02:00:00.000Z', 'gas/m3', 0),
    ]);
    expect(counts).toMatchObject({ rows: 2, unreadable: 0 });
  });

  test.each([
    ['English', DAYS, '2026-01-01'],
    ['Dutch', DAGEN, '01-01-2026'],
  ])('by the day, in %s, is imported as register readings of the meter', async (_language, header, date) => {
    const { elements, counts } = await read([
      header,
      `${date},1,2,0,0,3,0.1,0.2,0.3,0,0.6,2026-01-01T00:00:05+01:00,1000.125,2000.5,0.0,0.0,2026-01-01T00:00:00+01:00,500.25`,
      `${date},1,2,0,0,,0.1,0.2,,0,0.3,,,,,,,`,
    ]);
    expect(elements).toEqual([
      { ts: '2025-12-31T23:00:05.000Z', channel: 'import/t1', energy_total_kwh: 1_000.125 },
      { ts: '2025-12-31T23:00:05.000Z', channel: 'import/t2', energy_total_kwh: 2_000.5 },
      { ts: '2025-12-31T23:00:00.000Z', channel: 'gas/m3', energy_total_kwh: 500.25 },
    ]);
    expect(counts).toMatchObject({ rows: 2, empty: 1, notes: [expect.stringContaining('hour totals')] });
  });

  test('with invalid rows is imported with a report of them, and another file is rejected with advice', async () => {
    const { elements, counts } = await read([
      HOURS,
      'soon,1,2,3,4,5',
      '2026-01-01T00:00:00+01:00,1,-2,3,4,5',
      '2026-01-01T01:00:00+01:00',
    ]);
    expect([elements, counts.unreadable]).toEqual([[], 3]);
    expect(counts.firstUnreadable).toContain('soon');
    await expect(read(['Read At,Degrees Celcius', '2026-01-01T00:00:00+01:00,7'])).rejects.toThrow(
      'choose Export, then hour totals',
    );
    await expect(read([])).rejects.toThrow('empty');
  });
});
