import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { yieldChunksWithBreaks } from '#src/core/turns.ts';
import { DAY_MS } from '#src/core/units.ts';

/** Style of a spreadsheet cell: an index into `NUMBER_FORMATS`. */
type CellStyle = number;

/** Number formats of cells (ECMA-376, part 1, 18.8.31). The first is for texts, and the second for the header. */
const NUMBER_FORMATS = [
  'General',
  'General',
  'yyyy\\-mm\\-dd',
  'yyyy\\-mm',
  'hh:mm',
  'yyyy\\-mm\\-dd\\ hh:mm',
  '0.000',
  '0.0%',
  '0.0',
  // The remaining formats are for money and emissions, with 0 to 6 decimals.
  '0',
  '0.0',
  '0.00',
  '0.000',
  '0.0000',
  '0.00000',
  '0.000000',
] as const;
const HEADER_STYLE: CellStyle = 1;
const [DATE, MONTH, TIME, INSTANT, ENERGY, SHARE, TENTHS, MONEY] = [2, 3, 4, 5, 6, 7, 8, 9];

/** Number of days from 1899-12-30, which is day 0 of spreadsheets, to 1970-01-01. */
const DAYS_BEFORE_1970 = 25_569;
const serialOf = (iso: string): number => Date.parse(iso) / DAY_MS + DAYS_BEFORE_1970;

/** A cell: a number as text for the XML, a boolean, or a text, which is never interpreted as a formula. */
type Cell =
  | { kind: 'number'; text: string; style: CellStyle }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'text'; text: string };

const number = (value: number | string, style: CellStyle): Cell => ({ kind: 'number', text: String(value), style });

/** Converts a value to a spreadsheet cell, by the value's type and its column. Null: an empty cell. */
function formatCell(column: string, value: unknown): Cell | null {
  if (value === null || value === undefined || value === '') return null;
  if (typeof value === 'number') return number(value, numberStyle(column));
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return number(serialOf(text), DATE);
  if (/^\d{4}-\d\d$/.test(text)) return number(serialOf(text), MONTH);
  const [, hours, minutes] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
  if (hours && minutes) return number((Number(hours) * 60 + Number(minutes)) / 1_440, TIME);
  // The cell contains the local time in the response's time zone.
  if (column === 'starts_at') return number(serialOf(`${text.slice(0, 19)}Z`), INSTANT);
  const [, fraction] = /^-?\d+(?:\.(\d{1,6}))?$/.exec(text) ?? [null, null];
  if (/^(cost|emissions)_/.test(column) && fraction !== null) return number(text, MONEY + (fraction?.length ?? 0));
  return { kind: 'text', text };
}

function numberStyle(column: string): CellStyle {
  if (/_kwh$|^(kwh|m3)_used$|_m3$/.test(column)) return ENERGY;
  if (column === 'autarky' || column === 'coverage') return SHARE;
  return /_c$|_c_|percent$/.test(column) ? TENTHS : 0;
}

/** Compression level of the sheet. Higher levels take longer and save little. */
const COMPRESSION_LEVEL = 3;
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Width of each column, in characters. A time fits into this width. */
const WIDTH = 17;
/**
 * Name of the column with the UTC offset of `starts_at`. It distinguishes the two hours with the same local time when clocks are
 * set back.
 */
const OFFSET = 'utc_offset';

/** Files of a workbook other than its sheet, by path (ECMA-376, part 1). */
const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Usage" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': stylesXml(),
};

/** Streams a workbook whose rows arrive page by page. Building the workbook in memory would delay other requests by a second. */
export function streamXlsx(pages: AsyncIterable<readonly object[]>, columns: readonly string[]): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const sheet = Readable.from(sheetXml(pages, withOffset(columns)), { objectMode: false });
  sheet.on('error', (error: Error) => output.destroy(error));
  output.on('close', () => sheet.destroy());
  zip.on('error', (error: Error) => output.destroy(error));
  for (const [name, text] of Object.entries(PARTS)) zip.addBuffer(Buffer.from(text), name);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', { compressionLevel: COMPRESSION_LEVEL });
  zip.end();
  return output;
}

const withOffset = (columns: readonly string[]): string[] =>
  columns.flatMap((column) => (column === 'starts_at' ? [column, OFFSET] : [column]));

async function* sheetXml(pages: AsyncIterable<readonly object[]>, columns: readonly string[]): AsyncGenerator<Buffer> {
  const header = columns.map((name) => `<c s="${HEADER_STYLE}" t="inlineStr">${inline(name)}</c>`).join('');
  yield Buffer.from(
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${columns.length}" width="${WIDTH}" customWidth="1"/></cols><sheetData><row>${header}</row>`,
  );
  for await (const page of pages)
    for await (const rows of yieldChunksWithBreaks(page))
      yield Buffer.from(rows.map((row) => rowXml(row, columns)).join(''));
  yield Buffer.from('</sheetData></worksheet>');
}

function rowXml(row: object, columns: readonly string[]): string {
  const values = row as Record<string, unknown>;
  const cells = columns.map((column) =>
    cellXml(column === OFFSET ? offsetCell(values.starts_at) : formatCell(column, values[column])),
  );
  return `<row>${cells.join('')}</row>`;
}

const offsetCell = (instant: unknown): Cell | null =>
  typeof instant === 'string' ? { kind: 'text', text: instant.slice(19).replace('Z', '+00:00') } : null;

function cellXml(cell: Cell | null): string {
  if (cell === null) return '<c/>';
  if (cell.kind === 'number') return `<c s="${cell.style}"><v>${cell.text}</v></c>`;
  if (cell.kind === 'boolean') return `<c t="b"><v>${cell.value ? 1 : 0}</v></c>`;
  return `<c t="inlineStr">${inline(cell.text)}</c>`;
}

const inline = (text: string): string => `<is><t xml:space="preserve">${escaped(text)}</t></is>`;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
/** Escapes text for XML, and removes the control characters that XML cannot contain. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this expression finds control characters to remove them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>]/g, (one) => ESCAPES[one] as string);

function stylesXml(): string {
  const first = 164;
  const formats = NUMBER_FORMATS.map(
    (code, index) => `<numFmt numFmtId="${first + index}" formatCode="${code}"/>`,
  ).join('');
  const styles = NUMBER_FORMATS.map((_code, index) => {
    const bold = index === HEADER_STYLE ? ' fontId="1" applyFont="1"' : ' fontId="0"';
    return `<xf numFmtId="${first + index}"${bold} fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`;
  }).join('');
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${NUMBER_FORMATS.length}">${formats}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${NUMBER_FORMATS.length}">${styles}</cellXfs></styleSheet>`;
}
