import { buffer } from 'node:stream/consumers';
import { read, SSF, utils, type WorkSheet } from '@e965/xlsx';
import { describe, expect, test } from 'vitest';
import { unzip } from '#test/support/unzip.ts';
import { formatCsv } from './table.ts';
import { streamXlsx } from './xlsx.ts';

const ROWS = [
  {
    date: '2026-10-25',
    hour: '02:00',
    time: '02:15',
    starts_at: '2026-10-25T02:00:00+01:00',
    kwh_used: 1234.567,
    peak_hour: '18:00',
    autarky: 0.25,
    complete: false,
    month: '2026-10',
    cost_currency: 'EUR',
    cost_total: '-1.20',
    cost_import: '0.1234',
    note: '=HYPERLINK("http://x")',
  },
  { date: '2026-10-26', kwh_used: null, cost_total: '1200', note: '<&>\u0001"' },
];
const COLUMNS = Object.keys(ROWS[0] as object);

async function* pagesOf(rows: readonly object[]) {
  yield rows;
}
const made = (rows: readonly object[]) => buffer(streamXlsx(pagesOf(rows), COLUMNS));
/** Reads the sheet of a workbook with an independent library. */
async function sheetOf(rows: readonly object[]): Promise<WorkSheet> {
  const { Sheets } = read(await made(rows), { cellNF: true, cellStyles: true });
  return Sheets.Usage as WorkSheet;
}

test('CSV contains booleans as words, and null as an empty field', () => {
  const rows = [true, false, null].map((complete) => ({ date: '2026-10-25', complete }));
  expect(formatCsv(rows, [], true)).toBe('date,complete\n2026-10-25,true\n2026-10-25,false\n2026-10-25,\n');
});

describe('a workbook', () => {
  test('contains numbers, dates, times and money as cells of those types', async () => {
    const sheet = await sheetOf(ROWS);
    const header = utils.sheet_to_json<string[]>(sheet, { header: 1 })[0] ?? [];
    expect(header).toEqual(COLUMNS.flatMap((name) => (name === 'starts_at' ? [name, 'utc_offset'] : [name])));
    const cell = (name: string, row = 2) => sheet[`${utils.encode_col(header.indexOf(name))}${row}`];
    const shown = (name: string, row = 2) => {
      const { t, v, z } = cell(name, row);
      return [t, t === 'n' ? SSF.format(z, v) : v];
    };
    expect(shown('date')).toEqual(['n', '2026-10-25']);
    expect(shown('hour')).toEqual(['n', '02:00']);
    expect(shown('time')).toEqual(['n', '02:15']);
    expect(shown('starts_at')).toEqual(['n', '2026-10-25 02:00']);
    expect(shown('utc_offset')).toEqual(['s', '+01:00']);
    expect(cell('kwh_used')).toMatchObject({ t: 'n', v: 1234.567, z: '0.000' });
    expect(shown('peak_hour')).toEqual(['n', '18:00']);
    expect(shown('autarky')).toEqual(['n', '25.0%']);
    expect(cell('complete')).toMatchObject({ t: 'b', v: false });
    expect(shown('month')).toEqual(['n', '2026-10']);
    expect(shown('cost_currency')).toEqual(['s', 'EUR']);
    expect(cell('cost_total')).toMatchObject({ t: 'n', v: -1.2, z: '0.00' });
    expect(cell('cost_import')).toMatchObject({ t: 'n', v: 0.1234, z: '0.0000' });
    expect(cell('cost_total', 3)).toMatchObject({ t: 'n', v: 1200, z: '0' });
    expect(cell('kwh_used', 3)?.v).toBeUndefined();
  });

  test('contains no formula, whatever a string begins with', async () => {
    const sheet = await sheetOf(ROWS);
    const column = utils.encode_col(COLUMNS.indexOf('note') + 1);
    expect(sheet[`${column}2`]).toMatchObject({ t: 's', v: '=HYPERLINK("http://x")' });
    expect(sheet[`${column}2`].f).toBeUndefined();
    expect(sheet[`${column}3`]).toMatchObject({ t: 's', v: '<&>"' });
  });

  test('keeps its header row visible, even without other rows', async () => {
    const parts = await unzip(await made([]));
    expect(String(parts.get('xl/worksheets/sheet1.xml'))).toContain(
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
    );
    expect(utils.sheet_to_json(await sheetOf([]), { header: 1 })).toHaveLength(1);
  });

  test('is cut off if the source of its rows fails', async () => {
    const failing = (async function* () {
      yield ROWS;
      throw new Error('the database is away');
    })();
    await expect(buffer(streamXlsx(failing, COLUMNS))).rejects.toThrow('the database is away');
  });
});

test('CSV contains numbers unchanged, and no string that a spreadsheet would interpret as a formula', () => {
  const rows = ['=1+1', '@x', '-1.20', '+3', '-x', '\t=1', 'a=b'].map((value) => ({ value }));
  expect(formatCsv(rows, [], false)).toBe("'=1+1\n'@x\n-1.20\n+3\n'-x\n'\t=1\na=b\n");
  expect(formatCsv([{ value: -3 }], [], false)).toBe('-3\n');
});
