import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { listCapturedMessages, readCapturedMessage } from '#src/delivery/channel.ts';
import { findRollupLevel } from '#src/rollups/levels.ts';
import { streamLevelCsv, streamSeriesCsv } from './csv-pages.ts';
import { streamOwnerKeys } from './keys.ts';
import { AGGREGATE_FILES, EXPORTED_RELATIONS, type ExportedRelation, SERIES_READINGS_FILES } from './relations.ts';

/** Compression level of the archive. Higher levels take longer and save little. */
const COMPRESSION_LEVEL = 3;

interface ArchiveOptions {
  db: Database;
  /** Database for readings and aggregates: a read replica if there is one. */
  readDb: Database;
  /** Folder of captured mails and SMS. */
  dataDir?: string | undefined;
  now: Date;
  /** Whether a utility exports the data of one of its homes. The archive then contains neither the home's members nor messages. */
  isForUtility?: boolean;
  /** Called before each page is read. If the function throws, the archive ends with this error. */
  beforePage?: () => Promise<void>;
  /** Called with a file's name when the file begins. */
  onFile?: (name: string) => void;
}

/**
 * Streams all data about a person as a ZIP archive. Each page is read by a separate statement, so a slow reader blocks no connection, but
 * the archive is not a consistent snapshot. A caller that stops reading must destroy the stream.
 */
export function streamPersonArchive(userId: string, parts: ArchiveOptions): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  output.on('close', () => current?.destroy());
  zip.on('error', (error: Error) => output.destroy(error));
  for (const [name, pages] of filesOf(userId, parts)) {
    // ZIP64, because the size is unknown in advance and may exceed the limit of other formats.
    const options = { mtime: parts.now, forceZip64Format: true, compressionLevel: COMPRESSION_LEVEL };
    zip.addReadStreamLazy(name, options, (give) => {
      parts.onFile?.(name);
      current = Readable.from(each(pages(), parts.beforePage), { objectMode: false });
      current.on('error', (error: Error) => output.destroy(error));
      if (output.destroyed) current.destroy();
      give(null, current);
    });
  }
  addMessages(zip, userId, parts).then(
    () => zip.end(),
    (error: Error) => output.destroy(error),
  );
  return output;
}

/** Returns the name of each file, with a function that generates its content on demand. */
function filesOf(userId: string, options: ArchiveOptions): [string, () => AsyncIterable<string>][] {
  const { db, readDb, now } = options;
  return [
    ['README.txt', () => readme(userId, options)],
    ...relationsFor(options).map((one): [string, () => AsyncIterable<string>] => [
      `${one.file ?? one.relation}.json`,
      () => jsonOf(db, userId, one),
    ]),
    ...AGGREGATE_FILES.map(({ relation, file }): [string, () => AsyncIterable<string>] => [
      `${file}.csv`,
      () => streamLevelCsv(readDb, userId, findRollupLevel(relation), now),
    ]),
    ...SERIES_READINGS_FILES.map((one): [string, () => AsyncIterable<string>] => [
      `${one.relation}.csv`,
      () => streamSeriesCsv(readDb, userId, one),
    ]),
  ];
}

const relationsFor = ({ isForUtility = false }: ArchiveOptions): readonly ExportedRelation[] =>
  EXPORTED_RELATIONS.filter(({ namesMembers }) => !(isForUtility && namesMembers));

async function addMessages(zip: ZipFile, userId: string, options: ArchiveOptions): Promise<void> {
  const { dataDir, now, isForUtility } = options;
  if (dataDir === undefined || isForUtility) return;
  for (const name of await listCapturedMessages(dataDir, userId))
    zip.addReadStreamLazy(`messages/${name}`, { mtime: now }, (give) =>
      give(null, Readable.from(readCapturedMessage(dataDir, name), { objectMode: false })),
    );
}

/** Yields the pages, and awaits `before` before each page. */
async function* each(pages: AsyncIterable<string>, before: (() => Promise<void>) | undefined): AsyncGenerator<Buffer> {
  const iterator = pages[Symbol.asyncIterator]();
  try {
    for (;;) {
      await before?.();
      const { done, value } = await iterator.next();
      if (done) return;
      yield Buffer.from(value);
    }
  } finally {
    await iterator.return?.();
  }
}

const PAGE_ROWS = 500;

/** Yields a person's rows in one relation as a JSON array, page by page. Uses no connection between two pages. */
async function* jsonOf(db: Database, userId: string, exported: ExportedRelation): AsyncGenerator<string> {
  let before = '[\n';
  const columns = await readExportedColumns(db, exported);
  for await (const keys of streamOwnerKeys(db, userId, exported.by?.of ?? 'user')) {
    for await (const rows of pagesOf(db, exported, columns, keys)) {
      yield before + rows.join(',\n');
      before = ',\n';
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The exported columns of a relation as SQL expressions, and the columns of its key with their types. */
interface ExportedColumns {
  shown: string[];
  key: { name: string; type: string }[];
}

async function readExportedColumns(
  db: Database,
  { relation, key, omitted = {}, expressions = {} }: ExportedRelation,
): Promise<ExportedColumns> {
  // Raw SQL: the statement reads PostgreSQL's catalogue.
  const { rows } = await createQueryFunction(db)<{ name: string; type: string; keyPlace: number | null }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type, array_position(indkey::int2[], attnum) AS "keyPlace"
     FROM pg_attribute LEFT JOIN pg_index ON indrelid = attrelid AND indisprimary
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [relation],
  );
  const isShown = ({ name, type }: (typeof rows)[number]) =>
    !Object.hasOwn(omitted, name) && (type !== 'bytea' || Object.hasOwn(expressions, name));
  const placeInKey = ({ name, keyPlace }: (typeof rows)[number]) => (key ? key.indexOf(name) : (keyPlace ?? -1));
  return {
    shown: rows.filter(isShown).map(({ name }) => `${expressions[name] ?? `r.${name}`} AS ${name}`),
    key: rows.filter((row) => placeInKey(row) >= 0).sort((a, b) => placeInKey(a) - placeInKey(b)),
  };
}

/**
 * Yields the rows of the given parent keys as JSON texts, page by page, in order of the relation's key. Keys are passed as text, because
 * PostgreSQL's numbers and times have more digits than JavaScript's.
 */
async function* pagesOf(
  db: Database,
  { relation, by, pageRows = PAGE_ROWS }: ExportedRelation,
  { shown, key }: ExportedColumns,
  keys: readonly string[],
): AsyncGenerator<string[]> {
  // Raw SQL: names of relations and columns come from a declaration and the catalogue, not from input.
  const order = key.map(({ name }) => `r.${name}`);
  const after = key.map(({ type }, index) => `$${index + 2}::text::${type}`);
  const pageKey = `ARRAY[${order.map((name) => `${name}::text`).join(', ')}]`;
  const from = `SELECT (SELECT row_to_json(shown) FROM (SELECT ${shown.join(', ')}) shown)::text AS row, ${pageKey} AS page_key FROM ${relation} r`;
  const end = `ORDER BY ${order.join(', ')} LIMIT ${pageRows}`;
  for (let last: string[] = []; ; ) {
    const further = last.length > 0 ? `AND (${order.join(', ')}) > (${after.join(', ')})` : '';
    const text = `${from} WHERE r.${by?.column ?? 'user_id'} = ANY ($1::text[]) ${further} ${end}`;
    const { rows } = await createQueryFunction(db)<{ row: string; page_key: string[] }>(text, [keys, ...last]);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < pageRows) return;
    last = rows.at(-1)?.page_key ?? [];
  }
}

/** Yields the README of the archive, for the person who opens it. */
async function* readme(userId: string, options: ArchiveOptions): AsyncGenerator<string> {
  const messages = 'Mails and SMS that were stored as files instead of being sent, without mails that give access.';
  const files = [
    ...relationsFor(options).map(({ relation, file = relation, means }) => [`${file}.json`, means]),
    ...AGGREGATE_FILES.map(({ relation, file }) => [`${file}.csv`, findRollupLevel(relation).comment]),
    ...SERIES_READINGS_FILES.map(({ relation, means }) => [`${relation}.csv`, means]),
    ...(options.isForUtility ? [] : [['messages/', messages]]),
  ];
  yield `All stored data about ${userId}, as of ${options.now.toISOString()}.

Times are in UTC. Columns …_milliwatt_hours are in mWh (a million of them are a kWh), columns …_ms in milliseconds. Rows whose
ids end in /gas, /heat, /water or a place in the home are a separate part of a device. If an id ends in _m3, the values are m³ instead
of kWh; if it ends in /estimated_export, they are the estimated part of the export. Passwords, keys and other secrets are omitted.
The files were written one after the other while the service was running, this file first.

${files.map(([name, means]) => `${name}\n  ${means}\n`).join('')}`;
}
