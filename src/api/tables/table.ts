import type { Readable } from 'node:stream';
import { inTurns, ROWS_OF_A_TURN } from '#src/core/turns.ts';
import { MEDIA_TYPES, type TableFormat } from './accept.ts';
import { csvOf, csvText } from './csv.ts';
import { xlsxOf } from './xlsx.ts';

/** Receives the media type of a response. */
interface Typed {
  type(name: string): unknown;
}

/**
 * Formats rows as a table. By default its columns are the members of the rows, in order of appearance. A short CSV is a text, every other
 * table a stream.
 */
export function tableOf(
  reply: Typed,
  format: TableFormat,
  rows: readonly object[],
  columns: readonly string[] = [],
): string | Readable {
  const all = columns.length > 0 ? columns : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (format === 'xlsx' || rows.length > ROWS_OF_A_TURN) return tableOfPages(reply, format, inTurns(rows), all);
  reply.type(`${MEDIA_TYPES.csv}; charset=utf-8`);
  return csvText(rows, all, true);
}

/** Formats rows that come page by page as a table. */
export function tableOfPages(
  reply: Typed,
  format: TableFormat,
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
): Readable {
  reply.type(format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES.xlsx);
  return format === 'csv' ? csvOf(pages, columns) : xlsxOf(pages, columns);
}
