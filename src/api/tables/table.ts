import type { Readable } from 'node:stream';
import { ROWS_PER_TURN, yieldInTurns } from '#src/core/turns.ts';
import { MEDIA_TYPES, type TableFormat } from './accept.ts';
import { formatCsv, streamCsv } from './csv.ts';
import { streamXlsx } from './xlsx.ts';

/** Object on which the media type of a response is set. */
interface Typed {
  type(name: string): unknown;
}

/**
 * Formats rows as a table. By default its columns are the members of the rows, in order of appearance. A short CSV is a text, every other
 * table a stream.
 */
export function formatTable(
  reply: Typed,
  format: TableFormat,
  rows: readonly object[],
  columns: readonly string[] = [],
): string | Readable {
  const all = columns.length > 0 ? columns : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (format === 'xlsx' || rows.length > ROWS_PER_TURN) return formatTablePages(reply, format, yieldInTurns(rows), all);
  reply.type(`${MEDIA_TYPES.csv}; charset=utf-8`);
  return formatCsv(rows, all, true);
}

/** Formats rows that come page by page as a table. */
export function formatTablePages(
  reply: Typed,
  format: TableFormat,
  pages: AsyncIterable<readonly object[]>,
  columns: readonly string[],
): Readable {
  reply.type(format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8` : MEDIA_TYPES.xlsx);
  return format === 'csv' ? streamCsv(pages, columns) : streamXlsx(pages, columns);
}
