import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { streamJsonPages } from '#src/api/long-responses.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { MAX_ROWS_WITHOUT_YIELD, yieldChunksWithBreaks } from '#src/core/turns.ts';
import { MEDIA_TYPES, type TableFormat } from './accept.ts';
import { streamXlsx } from './xlsx.ts';

/** A reply whose media type can be set. */
interface Typed {
  type(name: string): unknown;
}

/**
 * Formats rows as a table. Default columns: all members of the rows, in the order in which they first appear. Returns a short CSV
 * as a text, and every other table as a stream.
 */
export function formatTable(
  reply: Typed,
  format: TableFormat,
  rows: readonly object[],
  columns: readonly string[] = [],
): string | Readable {
  const all = columns.length > 0 ? columns : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (format === 'xlsx' || rows.length > MAX_ROWS_WITHOUT_YIELD)
    return formatTablePages(reply, format, yieldChunksWithBreaks(rows), all);
  reply.type(`${MEDIA_TYPES.csv}; charset=utf-8`);
  return formatCsv(rows, all, true);
}

/** Formats rows that arrive page by page as a table, and sets the media type. */
function formatTablePages(
  reply: Typed,
  format: TableFormat,
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
): Readable {
  reply.type(format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES.xlsx);
  return format === 'csv' ? streamCsv(pages, columns) : streamXlsx(pages, columns);
}

/**
 * Streams rows that arrive page by page, as JSON or as a table. `about`: members before the rows in JSON. `columns`: columns of
 * the table.
 */
export function streamTablePages(
  reply: Typed,
  format: TableFormat | 'json',
  about: object,
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
): Readable {
  if (format !== 'json') return formatTablePages(reply, format, pages, columns);
  reply.type('application/json; charset=utf-8');
  return streamJsonPages(about, pages);
}

/** Matches a string that a spreadsheet would interpret as a formula. Numbers are excluded. */
const FORMULA = /^[=+\-@\t\r](?!\d+(\.\d+)?$)/;
/** Puts an apostrophe before a string that looks like a formula (OWASP, CSV injection). */
const tamed = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Formats rows as CSV with line ends LF. Null becomes an empty value. Default columns: the members of the first row. */
export const formatCsv = (rows: readonly object[], columns: readonly string[], header: boolean): string =>
  stringify(
    [...rows],
    omitUndefined({
      header,
      columns: columns.length > 0 ? [...columns] : undefined,
      cast: { string: tamed, boolean: String },
    }),
  );

function streamCsv(pages: AsyncIterable<readonly object[]>, columns: readonly string[]): Readable {
  return Readable.from(
    (async function* () {
      let isFirst = true;
      for await (const page of pages) {
        for await (const rows of yieldChunksWithBreaks(page)) {
          yield formatCsv(rows, columns, isFirst);
          isFirst = false;
        }
      }
      // If there are no rows, sends only the header.
      if (isFirst) yield formatCsv([], columns, true);
    })(),
  );
}
