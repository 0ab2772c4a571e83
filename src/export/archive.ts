import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { type Database, queryOf } from '#src/database/connect.ts';
import { capturedOf, readCaptured } from '#src/delivery/channel.ts';
import { findLevel } from '#src/rollups/levels.ts';
import { levelCsv, seriesCsv } from './csv-pages.ts';
import { keysOf } from './keys.ts';
import { EXPORTED, type Exported, LEVEL_FILES, SERIES_FILES } from './relations.ts';

/** Sums of numbers and times shrink to a tenth at whatever level; higher ones only take longer. */
const COMPRESSION_LEVEL = 3;

/** What an archive is made of. */
export interface ArchiveParts {
  db: Database;
  /** For readings and aggregates: a replica, where there is one. */
  readDb: Database;
  /** Where mail and SMS are kept that were not sent. */
  dataDir?: string | undefined;
  now: Date;
  /** Asked before each page is read; what it throws ends the archive. */
  beforePage?: () => Promise<void>;
  /** Told of each file, as it begins. */
  onFile?: (name: string) => void;
}

/**
 * Everything that is known of a person, as a ZIP while it is read: page after page, each a statement of its own, so that a slow
 * reader holds neither a connection nor a snapshot, and never more than a page in memory. Whoever stops reading destroys the stream:
 * no further page is read then. It is no snapshot: files are as of when they were read.
 */
export function personArchive(userId: string, parts: ArchiveParts): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  let current: Readable | undefined;
  output.on('close', () => current?.destroy());
  zip.on('error', (error: Error) => output.destroy(error));
  for (const [name, pages] of filesOf(userId, parts)) {
    // The size is not known before: ZIP64 has no limit that a reader would meet at its end.
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

/** Names of the files, and what makes them when their turn comes. */
function filesOf(userId: string, { db, readDb, now }: ArchiveParts): [string, () => AsyncIterable<string>][] {
  return [
    ['README.txt', () => readme(userId, now)],
    ...EXPORTED.map((one): [string, () => AsyncIterable<string>] => [
      `${one.file}.json`,
      () => jsonOf(db, userId, one),
    ]),
    ...LEVEL_FILES.map(({ relation, file }): [string, () => AsyncIterable<string>] => [
      `${file}.csv`,
      () => levelCsv(readDb, userId, findLevel(relation), now),
    ]),
    ...SERIES_FILES.map((one): [string, () => AsyncIterable<string>] => [
      `${one.relation}.csv`,
      () => seriesCsv(readDb, userId, one),
    ]),
  ];
}

async function addMessages(zip: ZipFile, userId: string, { dataDir, now }: ArchiveParts): Promise<void> {
  if (dataDir === undefined) return;
  for (const name of await capturedOf(dataDir, userId))
    zip.addReadStreamLazy(`messages/${name}`, { mtime: now }, (give) =>
      give(null, Readable.from(readCaptured(dataDir, name), { objectMode: false })),
    );
}

/** The same pages, with a question before each. */
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

/** The rows of a person in one relation as a JSON array, some rows at a time: nothing is held between two pages. */
async function* jsonOf(db: Database, userId: string, exported: Exported): AsyncGenerator<string> {
  let before = '[\n';
  for await (const keys of keysOf(db, userId, exported.by.of)) {
    for await (const rows of pagesOf(db, exported, keys)) {
      yield before + rows.join(',\n');
      before = ',\n';
    }
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/**
 * Rows of some keys, in order of their own, page by page, as JSON texts. The database makes them: numbers are shown with all their digits,
 * which JavaScript has no room for, and times with all of theirs, so that a page begins after the row that the last one ended with.
 */
async function* pagesOf(db: Database, exported: Exported, keys: readonly string[]): AsyncGenerator<string[]> {
  const { relation, by, key, columns, expressions = {}, pageRows = PAGE_ROWS } = exported;
  // Raw SQL: relations and columns are those of a declaration.
  const order = Object.keys(key).map((name) => `r.${name}`);
  const shown = columns.map((name) => `${expressions[name] ?? `r.${name}`} AS ${name}`).join(', ');
  const after = Object.values(key).map((type, index) => `$${index + 2}::text::${type}`);
  const pageKey = `ARRAY[${order.map((name) => `${name}::text`).join(', ')}]`;
  const from = `SELECT (SELECT row_to_json(shown) FROM (SELECT ${shown}) shown)::text AS row, ${pageKey} AS page_key FROM ${relation} r`;
  const end = `ORDER BY ${order.join(', ')} LIMIT ${pageRows}`;
  for (let last: string[] = []; ; ) {
    const further = last.length > 0 ? `AND (${order.join(', ')}) > (${after.join(', ')})` : '';
    const text = `${from} WHERE r.${by.column} = ANY ($1::text[]) ${further} ${end}`;
    const { rows } = await queryOf(db)<{ row: string; page_key: string[] }>(text, [keys, ...last]);
    if (rows.length > 0) yield rows.map(({ row }) => row);
    if (rows.length < pageRows) return;
    last = rows.at(-1)?.page_key ?? [];
  }
}

/** What is in the archive, for whoever opens it. */
async function* readme(userId: string, now: Date): AsyncGenerator<string> {
  const files = [
    ...EXPORTED.map(({ file, means }) => [`${file}.json`, means]),
    ...LEVEL_FILES.map(({ relation, file }) => [`${file}.csv`, findLevel(relation).comment]),
    ...SERIES_FILES.map(({ relation, means }) => [`${relation}.csv`, means]),
    ['messages/', 'Mails and SMS that were kept as files instead of being sent.'],
  ];
  yield `Everything that is known of ${userId}, as of ${now.toISOString()}.

Times are UTC. Columns …_milliwatt_hours are mWh (a million of them are a kWh), columns …_ms milliseconds. Rows whose
ids end in /gas, /heat, /water or a place in the home are told apart of a device; of those that end in _m3, m³ stand in
the place of kWh; those that end in /estimated_export have the estimated part of the export as energy. Passwords, keys and other
secrets are left out. Files were written one after the other while the service went on, this one first.

${files.map(([name, means]) => `${name}\n  ${means}\n`).join('')}`;
}
