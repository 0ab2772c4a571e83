import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { yieldInTurns } from '#src/core/turns.ts';

/** Matches a string that a spreadsheet would interpret as a formula and that is not a number. */
const FORMULA = /^[=+\-@\t\r](?!\d+(\.\d+)?$)/;
/**
 * Puts an apostrophe before a string that looks like a formula, so that every spreadsheet treats it as text (OWASP, CSV
 * injection).
 */
const tamed = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/**
 * Formats rows as CSV. Lines end with LF, booleans are `true` and `false`, and null is empty. By default the columns are the members of the
 * first row.
 */
export const formatCsv = (rows: readonly object[], columns: readonly string[], header: boolean): string =>
  stringify(
    [...rows],
    omitUndefined({
      header,
      columns: columns.length > 0 ? [...columns] : undefined,
      cast: { string: tamed, boolean: String },
    }),
  );

/** Streams rows as CSV, page by page. */
export function streamCsv(pages: AsyncIterable<readonly object[]>, columns: readonly string[]): Readable {
  return Readable.from(
    (async function* () {
      let isFirst = true;
      for await (const page of pages) {
        for await (const rows of yieldInTurns(page)) {
          yield formatCsv(rows, columns, isFirst);
          isFirst = false;
        }
      }
      // Without rows, the header is still sent.
      if (isFirst) yield formatCsv([], columns, true);
    })(),
  );
}
