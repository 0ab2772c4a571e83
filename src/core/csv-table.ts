import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { createUnprocessableError } from './errors.ts';

/** CSV table whose first line names its columns. */
interface CsvTable {
  header: string[];
  /** `line`: number of the line on which the row ends, from 1. */
  rows: { line: number; cells: string[] }[];
}

/** Maximum number of characters in a row, and maximum number of columns. */
export const MAX_CSV_ROW_LENGTH = 131_072;
const MAX_COLUMNS = 64;
/** Number of characters that are parsed before other work of the process may run. */
const SLICE = 65_536;

/**
 * Reads a CSV table with quotes as in RFC 4180. Ignores empty lines and blanks around cells. Throws 422 with the line if the text is not
 * such a table or has more than `maxRows` rows.
 */
export async function readCsvTable(text: string, maxRows: number, delimiter = ','): Promise<CsvTable> {
  const options = { bom: true, delimiter, trim: true, skip_empty_lines: true, relax_column_count: true, info: true };
  const parser = Readable.from(slices(text)).compose(parse({ ...options, max_record_size: MAX_CSV_ROW_LENGTH }));
  const table: CsvTable = { header: [], rows: [] };
  let line = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      line = info.lines;
      if (record.length > MAX_COLUMNS) throw wrong(line, `has more than ${MAX_COLUMNS} columns`);
      if (table.header.length === 0) table.header = record;
      else if (table.rows.push({ line, cells: record }) > maxRows)
        throw wrong(line, `the table has more than ${maxRows} rows; split it`);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw wrong(Number((error as { lines?: number }).lines ?? line + 1), 'is not valid CSV');
  }
  return table;
}

const wrong = (line: number, message: string) => createUnprocessableError({ field: `line ${line}`, message });

function* slices(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += SLICE) yield text.slice(from, from + SLICE);
}
