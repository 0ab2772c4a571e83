import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CsvOptions, parseReadingTime, readCsvReadings } from '#simulators/csv-readings.ts';
import { createImportCounts } from '#simulators/importers/element.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csv-readings-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const usual: CsvOptions = {
  timeColumn: 'time',
  valueColumn: 'value',
  kind: 'register',
  unit: 'kWh',
  intervalSeconds: 1800,
  timeMarks: 'end',
  where: [],
};

async function read(content: string | Buffer, options: Partial<CsvOptions> = {}) {
  const file = join(directory, typeof content === 'string' ? 'a.csv' : 'a.csv.gz');
  await writeFile(file, content);
  const counts = createImportCounts();
  const elements = [];
  for await (const element of readCsvReadings(file, { ...usual, ...options }, counts)) elements.push(element);
  return { elements, counts };
}

describe('a CSV file', () => {
  it('yields register readings and counts the rows that are not usable', async () => {
    const { elements, counts } = await read('time,value\n2026-01-01T00:00:00Z,1.5\n,2\n2026-01-01T01:00Z,\nsoon,3\n');
    expect(elements).toEqual([{ ts: '2026-01-01T00:00:00.000Z', energy_total_kwh: 1.5 }]);
    const firstUnreadable = 'row 4: time “soon” is no time (ISO 8601, Unix seconds or ms)';
    expect(counts).toMatchObject({ rows: 4, empty: 2, unreadable: 1, firstUnreadable });
    const { counts: further } = await read('time,value\n2026-01-01T00:00:00Z,n/a\n');
    expect(further.firstUnreadable).toBe('row 1: value “n/a” is no number');
  });

  it('may be gzipped, may contain several series, and may use watt-hours', async () => {
    const packed = gzipSync('time,which,value\n1767225600,t1,1001\n1767225600,t2,7\n');
    const { elements, counts } = await read(packed, {
      unit: 'Wh',
      where: [{ column: 'which', value: 't1' }],
      channel: 'import/t1',
    });
    expect(elements).toEqual([{ ts: '2026-01-01T00:00:00.000Z', channel: 'import/t1', energy_total_kwh: 1.001 }]);
    expect(counts).toMatchObject({ rows: 2, skipped: 1 });
  });

  it('stamps an interval with its end, even if the file contains its start', async () => {
    const { elements } = await read('time,value\n2013-01-01 00:00:00.0000000, 0.509 \n', {
      kind: 'interval',
      timeMarks: 'start',
    });
    expect(elements).toEqual([{ ts: '2013-01-01T00:30:00.000Z', energy_kwh: 0.509, interval_s: 1800 }]);
  });

  it.each([
    ['no line break', 'x'],
    ['a quote that stays open', '"\n'],
  ])('with %s is rejected after a limited number of bytes, whatever its length', async (_name, begin) => {
    const file = join(directory, 'long.csv');
    await writeFile(file, `time,value\n${begin}${'x'.repeat(40_000_000)}`);
    const files = [file, join(directory, 'long.csv.gz')];
    await writeFile(files[1] as string, gzipSync(`time,value\n${begin}${'x'.repeat(40_000_000)}`));
    for (const one of files) {
      let bytesRead = 0;
      const onBytes = (bytes: number) => {
        bytesRead = bytes;
      };
      const all = (async () => {
        for await (const _ of readCsvReadings(one, usual, createImportCounts(), onBytes));
      })();
      await expect(all).rejects.toThrow(/line \d+: the row is longer than 131,072 characters/);
      expect(bytesRead).toBeLessThan(2_000_000);
    }
  });

  it('is rejected with a list of its columns if one is missing', async () => {
    await expect(read('when,kwh\n1,2\n')).rejects.toThrow('There is no column "time". Columns: when, kwh');
  });

  it('may contain times in several formats', () => {
    const at = Date.UTC(2026, 0, 1, 12);
    for (const text of ['2026-01-01T12:00:00Z', '2026-01-01 13:00+0100', '1767268800', '1767268800000']) {
      expect(parseReadingTime(text)).toBe(at);
    }
    expect(parseReadingTime('01/02/2026')).toBeNull();
  });
});
