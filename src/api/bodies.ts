import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readCsvTable } from '#src/core/csv-table.ts';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { canHaveInexactNumbers, parseExactJson } from '#src/core/exact-json.ts';

export class CsvRows extends Array<Record<string, unknown>> {
  /** Line number of each row in the CSV text, from 1. */
  lines: number[] = [];
}

/** CSV form of a list body. */
export interface CsvBody {
  /** Description of the CSV for the OpenAPI document. */
  described: string;
  /** Parses the text of the body. Throws an error with status 422 if it is invalid CSV. */
  read(text: string): Promise<CsvRows>;
}

/** Returns the name of a row for error messages: its index from 0 or, for a CSV body, the number of its line. */
export const formatRowPosition = (body: unknown, index: number): string =>
  body instanceof CsvRows ? `line ${body.lines[index]}` : String(index);

type Done = (error: Error | null, value?: unknown) => void;

/**
 * Lets the routes of a fastify scope accept bodies of a content type, and parses their text. Refuses a body that is not UTF-8, because
 * invalid bytes would be stored as U+FFFD.
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

/** Parses JSON bodies on all routes. A fastify scope (a group of routes) can replace this parser with another parser of this file. */
export function addJsonParser(app: FastifyInstance): void {
  // The members `__proto__` and `constructor` are not removed, because schemas refuse them like every unknown member.
  const readJson = app.getDefaultJsonParser('ignore', 'ignore');
  acceptText(app, 'application/json', (request, text, done) => void readJson(request, text, done));
}

/** Lets the routes of a fastify scope also accept CSV bodies. `csv`: the names of the columns in the CSV's header, or a `CsvBody`. */
export function addCsvParser(scope: FastifyInstance, csv: readonly string[] | CsvBody): void {
  const read = async (text: string) => ('read' in csv ? csv.read(text) : rowsOf(text, csv));
  acceptText(scope, 'text/csv', (_request, text, done) => void read(text).then((rows) => done(null, rows), done));
}

/** A SenML pack (RFC 8428): a list of records, parsed from JSON. */
export class SenmlPack {
  readonly records: unknown;
  constructor(records: unknown) {
    this.records = records;
  }
}

/** Lets the routes of a fastify scope also accept SenML packs. */
export function addSenmlParser(scope: FastifyInstance): void {
  // Unknown members of a SenML pack, including `__proto__`, are ignored.
  const readJson = scope.getDefaultJsonParser('remove', 'remove');
  scope.removeContentTypeParser('application/json');
  acceptText(scope, 'application/json', (request, text, done) => void readJson(request, text, done));
  acceptText(scope, 'application/senml+json', (request, text, done) => {
    const read: Done = (error, value) => done(error, error ? undefined : new SenmlPack(value));
    void readJson(request, text, read);
  });
}

/**
 * Lets the routes of a fastify scope parse JSON bodies without rounding numbers. `members`: names of the members whose numbers are
 * preserved; by default all.
 */
export function addExactNumberJsonParser(scope: FastifyInstance, members: readonly string[] | undefined): void {
  const readJson = scope.getDefaultJsonParser('ignore', 'ignore');
  scope.removeContentTypeParser('application/json');
  acceptText(scope, 'application/json', (request, text, done) => {
    const read: Done = (error, value) =>
      done(error, error || !canHaveInexactNumbers(text) ? value : parseExactJson(text, members));
    void readJson(request, text, read);
  });
}

/** Parses CSV whose header contains `columns`. The schema checks the number of rows later. */
async function rowsOf(text: string, columns: readonly string[]): Promise<CsvRows> {
  const table = await readCsvTable(text, Number.POSITIVE_INFINITY);
  const header = columns.join(',');
  if (table.header.join(',') !== header)
    throw createUnprocessableError({ field: 'line 1', message: `must be ${header}` });
  const rows = new CsvRows();
  for (const { line, cells } of table.rows) {
    if (cells.length !== columns.length)
      throw createUnprocessableError({
        field: `line ${line}`,
        message: `must have ${columns.length} columns, as the header`,
      });
    rows.push(Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ''])));
    rows.lines.push(line);
  }
  return rows;
}

/** Maximum nesting depth of JSON in a request. Deeper JSON could overflow the stack of recursive functions. */
const MAX_LEVELS = 100;

export function isNestedTooDeeply(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
