import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, unprocessable } from '#src/core/errors.ts';
import { mayHaveInexactNumbers, parseExactJson } from '#src/core/exact-json.ts';
import { type CsvBody, CsvRows } from './csv-rows.ts';

/**
 * Maximum number of rows of a CSV body that are parsed: one more than any operation accepts, so that too many are
 * detected.
 */
const MAX_ROWS = 10_001;

type Done = (error: Error | null, value?: unknown) => void;

/**
 * Parses bodies of a content type on the routes of a scope from their text. A body that is not UTF-8 is refused: its bytes would be
 * replaced by U+FFFD, and stored.
 */
function acceptText(
  scope: FastifyInstance,
  type: string,
  read: (request: FastifyRequest, text: string, done: Done) => void,
): void {
  scope.addContentTypeParser(type, { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body as Buffer)) return read(request, body.toString(), done);
    done(new AppError('badRequest', { details: [{ field: 'body', message: 'is not UTF-8' }] }));
  });
}

/** Parses JSON bodies. A scope can replace this parser by another one of this file. */
export function acceptJson(app: FastifyInstance): void {
  const readJson = app.getDefaultJsonParser('error', 'error');
  acceptText(app, 'application/json', (request, text, done) => void readJson(request, text, done));
}

/** Makes the routes of a scope also accept CSV bodies: with this header, or as described by `CsvBody`. */
export function acceptCsv(scope: FastifyInstance, csv: readonly string[] | CsvBody): void {
  const read = async (text: string) => ('read' in csv ? csv.read(text) : rowsOf(text, csv));
  acceptText(scope, 'text/csv', (_request, text, done) => void read(text).then((rows) => done(null, rows), done));
}

/** A SenML pack (RFC 8428), parsed from JSON. */
export class SenmlPack {
  readonly records: unknown;
  constructor(records: unknown) {
    this.records = records;
  }
}

/** Also accepts SenML packs on the routes of a scope. */
export function acceptSenml(scope: FastifyInstance): void {
  // Unknown members are ignored, as in messages, including `__proto__`.
  const readJson = scope.getDefaultJsonParser('remove', 'remove');
  scope.removeContentTypeParser('application/json');
  acceptText(scope, 'application/json', (request, text, done) => void readJson(request, text, done));
  acceptText(scope, 'application/senml+json', (request, text, done) => {
    const read: Done = (error, value) => done(error, error ? undefined : new SenmlPack(value));
    void readJson(request, text, read);
  });
}

/** Parses JSON bodies on the routes of a scope and keeps every digit of numbers; with `members`, only of members with these names. */
export function acceptExactJson(scope: FastifyInstance, members: readonly string[] | undefined): void {
  const readJson = scope.getDefaultJsonParser('error', 'error');
  scope.removeContentTypeParser('application/json');
  acceptText(scope, 'application/json', (request, text, done) => {
    const read: Done = (error, value) =>
      done(error, error || !mayHaveInexactNumbers(text) ? value : parseExactJson(text, members));
    void readJson(request, text, read);
  });
}

function rowsOf(text: string, columns: readonly string[]): CsvRows {
  const [first, ...others] = recordsOf(text);
  const header = columns.join(',');
  if (first?.record.join(',') !== header) throw unprocessable({ field: 'line 1', message: `must be ${header}` });
  const rows = new CsvRows();
  for (const { record, line } of others) {
    if (record.length !== columns.length)
      throw unprocessable({
        field: `line ${line}`,
        message: `must have ${columns.length} columns, as the header`,
      });
    rows.push(Object.fromEntries(columns.map((name, index) => [name, record[index] ?? ''])));
    rows.lines.push(line);
  }
  return rows;
}

/** Splits CSV into records, each with the line on which it ends. */
function recordsOf(text: string): { record: string[]; line: number }[] {
  const lines: number[] = [];
  try {
    const records = parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      to: MAX_ROWS + 1,
      on_record(record, { lines: line }) {
        lines.push(line);
        return record;
      },
    });
    return records.map((record, index) => ({ record, line: lines[index] as number }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines = 1 } = error as { lines?: number };
    throw unprocessable({ field: `line ${lines}`, message: 'is not valid CSV' });
  }
}
