import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { inTurns } from '#src/core/turns.ts';

/** What a spreadsheet takes for a formula, and is no number. */
const FORMULA = /^[=+\-@\t\r](?!\d+(\.\d+)?$)/;
/** A text behind an apostrophe is a text to every spreadsheet (OWASP, CSV injection). */
const tamed = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Rows as CSV; lines end with LF, booleans are `true` and `false`, and null is empty. Without `columns` they are the members of the first row. */
export const csvText = (rows: readonly object[], columns: readonly string[], header: boolean): string =>
  stringify(
    [...rows],
    omitUndefined({
      header,
      columns: columns.length > 0 ? [...columns] : undefined,
      cast: { string: tamed, boolean: String },
    }),
  );

/** CSV of rows that come page by page. */
export function csvOf(pages: AsyncIterable<readonly object[]>, columns: readonly string[]): Readable {
  return Readable.from(
    (async function* () {
      let isFirst = true;
      for await (const page of pages) {
        for await (const rows of inTurns(page)) {
          yield csvText(rows, columns, isFirst);
          isFirst = false;
        }
      }
      // Of nothing the header is told all the same.
      if (isFirst) yield csvText([], columns, true);
    })(),
  );
}
