import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VERSION } from '#src/core/version.ts';
import { getClusterFolder, recoverEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { listMigrations } from '#src/database/migrate.ts';
import { findPostgresBinaries } from '#src/database/postgres-binaries.ts';
import {
  type BackupCopyInTarget,
  type BackupManifest,
  chooseBackupCopy,
  explainRestoreRefusal,
  listWalSegmentsAfter,
  listWalSegmentsBetween,
  MANIFEST_FILE,
  parseManifest,
} from './copies.ts';
import { listDeletionRecordFiles, readDeletionRecords, writeDeletionsToReapply } from './deletion-records.ts';
import {
  type Decrypter,
  findBackupCopies,
  getBaseBackupFile,
  listArchivedWalSegments,
  makePrivateFolder,
  unpackArchive,
} from './files.ts';
import { createDamagedFileError, createDecrypter } from './seal.ts';

/**
 * Restores the state at a time (null: the latest state) from a backup target into `dataDir`, which must be missing or empty.
 * Removes the written files if the restore fails. Errors contain the remedy.
 */
export async function restoreBackup(options: {
  from: string;
  at: Date | null;
  dataDir: string;
  passphrase: string | null;
  /**
   * Backup targets whose `ended.jsonl` lists deleted objects to be deleted again. Null: nothing is deleted again, so that an
   * accidental deletion can be undone.
   */
  targets: readonly string[] | null;
}) {
  const { from, at, passphrase, targets } = options;
  const dataDir = resolve(options.dataDir);
  if ((await readdir(dataDir).catch(() => [])).length > 0)
    throw new Error(`${dataDir} is not empty. Name a new folder: a restore never writes over data.`);
  const opener = passphrase === null ? null : createDecrypter(passphrase);
  const { copy, archive } = await findRestorable(from, at, opener);
  const { manifest } = copy;
  const isNew = !existsSync(dataDir);
  try {
    await makePrivateFolder(dataDir);
    await refuseLittleSpace(dataDir, manifest.bytes);
    await unpackBase(copy, dataDir, opener);
    // A copy without WAL can only be restored to the state at its end.
    const target = archive.segments.length === 0 ? null : at;
    await recover(dataDir, manifest, { ...archive, opener, target });
    const until = target ?? archive.until;
    const files = targets === null ? [] : listDeletionRecordFiles(copy.folder, targets);
    const { endings, tornLines } = await readDeletionRecords(files, new Date(until.getTime() - MAX_TRANSACTION_MS));
    await writeDeletionsToReapply(dataDir, { until: until.toISOString(), endings });
    const hasEnded = files.some((file) => existsSync(file));
    return {
      manifest,
      /** Number of archived WAL segments after the base copy. */
      segments: archive.segments.length,
      until,
      /** Number of objects that the first start deletes or revokes again. */
      endings: endings.length,
      /** Number of unreadable lines in `ended.jsonl`. */
      tornLines,
      /** Whether an `ended.jsonl` was found. */
      hasEnded,
    };
  } catch (error) {
    await empty(dataDir, isNew);
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new Error(
        `The disk of ${dataDir} is full. Free some space, or name a folder on another disk (--data-dir).`,
      );
    throw error;
  }
}

/**
 * Returns the copy from which the state at a time can be restored on this machine, and the WAL after the copy. Throws if there is
 * none.
 */
async function findRestorable(from: string, at: Date | null, opener: Decrypter | null) {
  const copy = chooseBackupCopy(await findBackupCopies(from), at, from);
  const reason = explainRestoreRefusal(copy.manifest, {
    service: VERSION,
    schemas: await listMigrations(),
    postgresMajor: findPostgresBinaries().major,
    processor: process.arch,
  });
  if (reason !== null) throw new Error(reason);
  const archive = await archiveAfter(copy, opener);
  if (at !== null && at > archive.until)
    throw new Error(
      `The archive ends at ${archive.until.toISOString()}: no copy contains later states. Choose that time or an earlier one (--at).`,
    );
  return { copy, archive };
}

/**
 * Maximum time in ms between the recorded time of a deletion and its commit, because a deletion of years of readings takes long.
 */
const MAX_TRANSACTION_MS = 3_600_000;

async function empty(dataDir: string, isNew: boolean): Promise<void> {
  if (isNew) return rm(dataDir, { recursive: true, force: true });
  for (const name of await readdir(dataDir)) await rm(join(dataDir, name), { recursive: true, force: true });
}

/** Free space in bytes that recovery needs for new WAL. */
const MARGIN_BYTES = 256 * 2 ** 20;

async function refuseLittleSpace(dataDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  const missing = bytes + MARGIN_BYTES - bavail * bsize;
  if (missing <= 0) return;
  const mib = (value: number) => `${Math.ceil(value / 2 ** 20).toLocaleString('en')} MiB`;
  throw new Error(
    `The copy needs ${mib(bytes + MARGIN_BYTES)}, and the disk of ${dataDir} lacks ${mib(missing)} of it. Free some space, or name a folder on another disk.`,
  );
}

/** Archived WAL that follows a base copy. */
interface Archive {
  /** Files of the segments, in order and without a gap. */
  segments: { name: string; file: string }[];
  /** The restored state contains every transaction that was committed before this time. */
  until: Date;
}

async function archiveAfter({ folder, manifest }: BackupCopyInTarget, opener: Decrypter | null): Promise<Archive> {
  const files = await listArchivedWalSegments(dirname(folder));
  const names = listWalSegmentsAfter(manifest.last_segment, new Set(files.keys()));
  const segments = names.map((name) => ({ name, file: files.get(name) as string }));
  const last = segments.at(-1);
  const ofCopy = new Date(manifest.complete_until);
  if (!last) return { segments, until: ofCopy };
  // `mtime`: time of the segment's last write, in whole seconds, from inside the archive. If it precedes the end of the copy, the
  // copy does not need this segment.
  for await (const { mtime } of unpackArchive(last.file, opener))
    return { segments, until: new Date(Math.max(mtime * 1_000, ofCopy.getTime())) };
  throw createDamagedFileError(last.file);
}

async function unpackBase(copy: BackupCopyInTarget, dataDir: string, opener: Decrypter | null): Promise<void> {
  const file = getBaseBackupFile(copy);
  let described: string | null = null;
  for await (const { path, content } of unpackArchive(file, opener)) {
    const to = join(dataDir, path);
    if (content === null) await makePrivateFolder(to);
    else if (path === MANIFEST_FILE) described = await textOf(content);
    else {
      await makePrivateFolder(dirname(to));
      const handle = await open(to, 'wx', 0o600);
      await pipeline(content, handle.createWriteStream());
    }
  }
  // Compares the manifest inside the archive with the manifest next to it, which is not encrypted and could have been changed.
  const inside = described === null ? null : parseManifest(described, file);
  if (JSON.stringify(inside) !== JSON.stringify(copy.manifest))
    throw createDamagedFileError(join(copy.folder, MANIFEST_FILE));
}

async function textOf(content: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Folder in which PostgreSQL finds the unpacked segments. The file `END` means that no segment follows. */
const SPOOL = 'energy-spool';
const END = 'end';

/** PostgreSQL runs this shell script for each WAL segment. It waits until this process has unpacked the segment. */
const RESTORE_COMMAND = [
  'case %f in *.*) exit 1 ;; esac',
  `test -e ${SPOOL}/%f.given && exit 1`,
  `until test -e ${SPOOL}/%f; do if test -e ${SPOOL}/${END} && ! test -e ${SPOOL}/%f; then exit 1; fi; sleep 0.05; done`,
  `mv ${SPOOL}/%f %p && : > ${SPOOL}/%f.given`,
].join('; ');

/** Number of segments (16 MiB each) that are unpacked before PostgreSQL requests them. */
const AHEAD = 4;

/** Returns the recovery settings. PostgreSQL's configuration does not accept times with `Z`. */
const recoverySettings = (target: Date | null): string =>
  [
    'hot_standby = off',
    'archive_mode = off',
    `restore_command = '${RESTORE_COMMAND}'`,
    "recovery_target_timeline = 'current'",
    "recovery_target_action = 'promote'",
    ...(target ? [`recovery_target_time = '${target.toISOString().replace('T', ' ').replace('Z', '+00')}'`] : []),
    '',
  ].join('\n');

/** Lets PostgreSQL apply the WAL up to the target time, begin a new timeline, and stop. */
async function recover(
  dataDir: string,
  manifest: BackupManifest,
  { segments, opener, target }: Archive & { opener: Decrypter | null; target: Date | null },
): Promise<void> {
  const cluster = getClusterFolder(dataDir);
  const spool = join(cluster, SPOOL);
  await makePrivateFolder(spool);
  for (const name of listWalSegmentsBetween(manifest.first_segment, manifest.last_segment))
    await writeFile(join(spool, `${name}.given`), '', { mode: 0o600 });
  await writeFile(join(cluster, 'recovery.signal'), '', { mode: 0o600 });
  const over = new AbortController();
  const feeding = feed(spool, segments, opener, over.signal);
  feeding.catch(() => {});
  const log = join(dataDir, 'postgres.log');
  try {
    await recoverEmbeddedPostgres(dataDir, recoverySettings(target)).catch(async (error) => {
      // If the target time is later than every archived transaction, the end of the archive becomes the target.
      const text = await readFile(log, 'utf8').catch(() => '');
      if (target === null || !text.includes('recovery ended before configured recovery target was reached'))
        throw error;
      await feeding;
      await recoverEmbeddedPostgres(dataDir, recoverySettings(null));
    });
  } catch (error) {
    over.abort();
    // If a torn segment ended the recovery early, this await throws the error that names the segment.
    await feeding;
    throw new Error(`PostgreSQL could not apply the WAL of the copy: ${(error as Error).message}`, { cause: error });
  } finally {
    over.abort();
  }
  await feeding;
  await rm(spool, { recursive: true });
  await rm(log, { force: true });
}

/** Unpacks segments into the folder, a few ahead of PostgreSQL. Throws if a segment is torn; the segments before it remain. */
async function feed(
  spool: string,
  segments: Archive['segments'],
  opener: Decrypter | null,
  over: AbortSignal,
): Promise<void> {
  try {
    for (const { name, file } of segments) {
      while (!over.aborted && (await waitingIn(spool)) >= AHEAD) await new Promise((done) => setTimeout(done, 20));
      if (over.aborted) return;
      const partial = join(spool, `${name}.partial`);
      for await (const { content } of unpackArchive(file, opener)) {
        const handle = await open(partial, 'w', 0o600);
        await pipeline(content ?? [], handle.createWriteStream());
      }
      await rename(partial, join(spool, name));
    }
  } finally {
    if (existsSync(spool)) await writeFile(join(spool, END), '', { mode: 0o600 });
  }
}

const waitingIn = async (spool: string): Promise<number> =>
  (await readdir(spool)).filter((name) => name.length === 24).length;
