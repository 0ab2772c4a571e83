import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import {
  BASE_BACKUP_FILE,
  type BackupCopyInTarget,
  ENCRYPTED_SUFFIX,
  MANIFEST_FILE,
  parseManifest,
  WAL_FOLDER,
} from './copies.ts';
import { createDamagedFileError, type createDecrypter, type EncryptionKey, encryptStream } from './seal.ts';
import { createTarStream, readTarEntries, type TarEntry } from './tar.ts';

export type Decrypter = ReturnType<typeof createDecrypter>;

/** Compression parameters. Level 3 compresses some 200 MB/s, and a database to about a quarter of its size. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Creates a folder and its missing parent folders. Only their owner can enter the new folders. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Flushes a folder to the disk, so that the names in the folder survive a power cut. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/** Writes a whole file (mode 0600) and flushes it. A reader sees either the old or the new file. */
export async function writeFileAtomically(file: string, content: string | AsyncIterable<Buffer>): Promise<void> {
  const partial = `${file}.partial`;
  try {
    const stream = createWriteStream(partial, { mode: 0o600, flush: true });
    await pipeline(typeof content === 'string' ? [Buffer.from(content)] : content, stream);
    await rename(partial, file);
    await flushFolder(dirname(file));
  } catch (error) {
    await rm(partial, { force: true });
    throw explained(error, dirname(file));
  }
}

/** Returns a function that rethrows a write error, with the remedy if the disk is full or read-only. */
export const rethrowWithExplanation =
  (folder: string) =>
  (error: unknown): never => {
    throw explained(error, folder);
  };

function explained(error: unknown, folder: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new Error(
      `The disk of ${folder} is full, and this copy was deleted. Free some space, or name another folder.`,
    );
  if (code === 'EROFS' || code === 'EACCES')
    return new Error(`${folder} cannot be written by this user (${code}).`, { cause: error as Error });
  return error;
}

/** Packs files into a compressed archive, encrypted if there is a key. Returns the name of the file in `folder`. */
export async function packFiles(
  folder: string,
  name: string,
  entries: AsyncIterable<TarEntry>,
  key: EncryptionKey | null,
): Promise<string> {
  const file = key ? `${name}${ENCRYPTED_SUFFIX}` : name;
  const compressed = withEnd(compose(createTarStream(entries), createZstdCompress(ZSTD)));
  await writeFileAtomically(join(folder, file), key ? encryptStream(compressed, key, name) : compressed);
  return file;
}

/**
 * Frame at the end of every archive. zstd skips this frame. If the frame is missing, the archive was truncated, which Node's decompressor
 * does not report.
 */
const END = Buffer.concat([Buffer.from('502a4d1808000000', 'hex'), Buffer.from('the end.')]);

async function* withEnd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* source;
  yield END;
}

async function* withoutEnd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  for await (const bytes of source) {
    const all = Buffer.concat([last, bytes]);
    const cut = Math.max(0, all.length - END.length);
    yield all.subarray(0, cut);
    last = all.subarray(cut);
  }
  if (!last.equals(END)) throw new Error('the end is missing');
}

/** Pipes a stream through a transformer. An error of either of them ends the resulting stream. */
async function* compose(source: AsyncIterable<Buffer>, through: Transform): AsyncGenerator<Buffer> {
  const failed = pipeline(source, through);
  failed.catch(() => {});
  for await (const bytes of through) yield bytes as Buffer;
  await failed;
}

/**
 * Unpacks an archive that `packFiles` wrote, and yields its entries. Throws if the archive is torn or the passphrase is wrong or
 * missing.
 */
export async function* unpackArchive(file: string, opener: Decrypter | null): AsyncGenerator<TarEntry> {
  const isSealed = file.endsWith(ENCRYPTED_SUFFIX);
  if (isSealed && !opener)
    throw new Error(`${file} is encrypted. Name the file with its passphrase: --passphrase-file F.`);
  const bytes: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: 2 ** 18 });
  const name = basename(file, ENCRYPTED_SUFFIX);
  const source = isSealed && opener ? opener(bytes, name) : bytes;
  let failure: unknown = null;
  const watched = (async function* () {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  })();
  // If decryption failed, its error is the cause, and later errors are only consequences.
  const causeOf = (error: unknown) => failure ?? (isOfSystem(error) ? error : createDamagedFileError(file));
  try {
    for await (const entry of readTarEntries(compose(withoutEnd(watched), createZstdDecompress())))
      yield { ...entry, content: entry.content && translated(entry.content, causeOf) };
  } catch (error) {
    throw causeOf(error);
  }
}

async function* translated(
  content: AsyncIterable<Buffer>,
  causeOf: (error: unknown) => unknown,
): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    throw causeOf(error);
  }
}

/** Whether the error comes from the operating system, and not from a damaged archive. */
const isOfSystem = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

/** Returns the archived WAL segments in the folder of an installation: the path of each file, by its name without the ending. */
export async function listArchivedWalSegments(installation: string): Promise<Map<string, string>> {
  const folder = join(installation, WAL_FOLDER);
  const names = await readdir(folder).catch(none);
  return new Map(
    names.flatMap((name) => {
      const [, segment] = /^([0-9A-F]{24})\.tar\.zst(\.sealed)?$/.exec(name) ?? [];
      return segment === undefined ? [] : [[segment, join(folder, name)]];
    }),
  );
}

/** Finds the complete base copies in a target, in an installation's folder, or in the folder of one copy. */
export async function findBackupCopies(from: string): Promise<BackupCopyInTarget[]> {
  const found: BackupCopyInTarget[] = [];
  let folders = [from];
  for (let depth = 0; depth < 3; depth++) {
    const below: string[] = [];
    for (const folder of folders) {
      const names = await readdir(folder).catch(none);
      if (names.includes(MANIFEST_FILE)) {
        const file = join(folder, MANIFEST_FILE);
        found.push({ folder, manifest: parseManifest(await readFile(file, 'utf8'), file) });
      } else below.push(...names.filter((name) => !name.endsWith('.partial')).map((name) => join(folder, name)));
    }
    folders = below;
  }
  return found;
}

const none = (error: NodeJS.ErrnoException): string[] => {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
};

export const getBaseBackupFile = ({ folder, manifest }: BackupCopyInTarget): string =>
  join(folder, manifest.is_sealed ? `${BASE_BACKUP_FILE}${ENCRYPTED_SUFFIX}` : BASE_BACKUP_FILE);
