import { readCsvTable } from '#src/core/csv-table.ts';
import { AppError } from '#src/core/errors.ts';
import { canHaveInexactNumbers, parseExactJson } from '#src/core/exact-json.ts';
import { compileJsonPath } from '#src/core/json-path.ts';
import { findElements, getElementText, parseXml } from '#src/core/xml.ts';
import { parseResponseTime, resolveResponseTimes } from './answer-times.ts';
import { MAX_RESPONSE_ROWS, type SourceResponseRow, TOO_MANY_ROWS_MESSAGE } from './response-rows.ts';
import type { ResponseRowPaths } from './source.ts';

/** Time and value of a row as text, if the row contains them. */
interface TextRow {
  startsAt: string | undefined;
  value: string | undefined;
}

/**
 * Reads the rows of a response in any format. If the response cannot be read, returns a sentence that describes the error. `zone`: time
 * zone of local times.
 */
export async function readResponseRows(
  text: string,
  paths: ResponseRowPaths,
  zone: string,
): Promise<SourceResponseRow[] | string> {
  const rows = await READERS[paths.format](text.replace(/^\uFEFF/, ''), paths);
  if (typeof rows === 'string') return rows;
  const times = rows.map(({ startsAt }) => (startsAt === undefined ? null : parseResponseTime(startsAt.trim())));
  return resolveResponseTimes(times, zone).map((time, index) =>
    'problem' in time ? time : { startsAtMs: time.ms, value: rows[index]?.value },
  );
}

const READERS: Record<
  ResponseRowPaths['format'],
  (text: string, paths: ResponseRowPaths) => Promise<TextRow[] | string>
> = {
  json: readJson,
  csv: readCsv,
  xml: readXml,
};

async function readJson(
  text: string,
  { items = '$', starts_at, value }: ResponseRowPaths,
): Promise<TextRow[] | string> {
  const [listAt, startAt, valueAt] = [items, starts_at, value].map(compileJsonPath);
  if (!listAt || !startAt || !valueAt) return 'a path is not valid';
  let answer: unknown;
  try {
    answer = canHaveInexactNumbers(text) ? parseExactJson(text) : JSON.parse(text);
  } catch {
    return 'the response is not JSON';
  }
  const list = listAt(answer);
  if (!Array.isArray(list)) return 'items does not name a list in the response';
  if (list.length > MAX_RESPONSE_ROWS) return TOO_MANY_ROWS_MESSAGE;
  return list.map((item) => ({ startsAt: scalar(startAt(item)), value: scalar(valueAt(item)) }));
}

const scalar = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

async function readCsv(text: string, { starts_at, value }: ResponseRowPaths): Promise<TextRow[] | string> {
  const separator = separatorOf(text);
  try {
    const { header, rows } = await readCsvTable(text, MAX_RESPONSE_ROWS, separator);
    const [startColumn, valueColumn] = [header.indexOf(starts_at), header.indexOf(value)];
    if (startColumn < 0) return 'the response has no column that starts_at names';
    if (valueColumn < 0) return 'the response has no column that value names';
    // Spreadsheets with decimal commas separate cells by semicolons.
    const decimal = (cell: string | undefined) => (separator === ';' ? cell?.replace(',', '.') : cell);
    return rows.map(({ cells }) => ({ startsAt: cells[startColumn], value: decimal(cells[valueColumn] || undefined) }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return 'the response is not a CSV table of at most 10,000 rows';
  }
}

/** Returns the separator of a CSV table: a semicolon if its header has semicolons and no commas. */
function separatorOf(text: string): ',' | ';' {
  const header = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  return header.includes(';') && !header.includes(',') ? ';' : ',';
}

async function readXml(text: string, { items = '', starts_at, value }: ResponseRowPaths): Promise<TextRow[] | string> {
  const root = await parseXml(text);
  if (!root) return 'the response is not XML, or declares a document type';
  const rows = findElements(root, items);
  if (rows.length > MAX_RESPONSE_ROWS) return TOO_MANY_ROWS_MESSAGE;
  return rows.map((row) => ({ startsAt: getElementText(row, starts_at), value: getElementText(row, value) }));
}
