import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Database } from '#src/database/connect.ts';
import { capturedOf, readCaptured } from '#src/delivery/captured.ts';
import { levelOf } from '#src/rollups/levels.ts';
import { levelCsv, seriesCsv } from './csv-pages.ts';
import { jsonOf } from './json-pages.ts';
import { readme } from './readme.ts';
import { EXPORTED, LEVEL_FILES, SERIES_FILES } from './relations.ts';

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
      () => levelCsv(readDb, userId, levelOf(relation), now),
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
