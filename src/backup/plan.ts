import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { getClusterFolder, isEmbeddedDatabaseUrl } from '#src/database/embedded-postgres.ts';
import { writeFileAtomically } from './files.ts';
import { type EncryptionKey, parseKeyFile } from './seal.ts';

/** Target and encryption of this installation's own backups. */
export interface BackupPlan {
  dataDir: string;
  /** Folder for the copies: BACKUP_TO or, if this is not set, the folder `backups` in DATA_DIR. */
  target: string;
  /** Whether WAL is archived in addition to the nightly copies, which is the case if BACKUP_TO is set. */
  isArchiving: boolean;
  /** Public half of BACKUP_KEY_FILE. Null if copies are unencrypted and do not contain the secret key. */
  key: EncryptionKey | null;
}

/**
 * Returns the backup settings of an installation with the embedded database; null with an external database. Throws if
 * BACKUP_KEY_FILE cannot be used, or BACKUP_TO lies in the database's folder.
 */
export async function readBackupPlan(config: Config): Promise<BackupPlan | null> {
  const { dataDir, backup, database } = config;
  if (!isEmbeddedDatabaseUrl(database.url, dataDir)) return null;
  const { to, keyFile } = backup;
  if (to !== undefined && `${resolve(to)}/`.startsWith(`${getClusterFolder(dataDir)}/`))
    throw new Error('BACKUP_TO lies in the database itself. Name a folder on another disk.');
  const key = keyFile === undefined ? null : parseKeyFile(await textOf(keyFile), keyFile);
  return { dataDir, target: resolve(to ?? join(dataDir, 'backups')), isArchiving: to !== undefined, key };
}

const textOf = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`BACKUP_KEY_FILE cannot be read: ${error.message}`);
  });

/** State of WAL archiving, written by the supervisor. */
export interface ArchiveState {
  /** The newest WAL segment in the archive, and the time at which it was archived. */
  last: { installation: string; segment: string; at: string } | null;
  error: string | null;
}

/** State of the nightly copy, written by the worker. */
interface CopyState {
  last: { folder: string; at: string; packed_bytes: number; bytes: number } | null;
  /** Reason why the latest attempt failed to make a copy; null after a success. */
  error: string | null;
  /** Time at which archiving was suspended, if a mail about it was sent; otherwise null. */
  mailed_given_up_at: string | null;
}

const NO_ARCHIVE: ArchiveState = { last: null, error: null };
const NO_COPY: CopyState = { last: null, error: null, mailed_given_up_at: null };
const fileOf = (dataDir: string, what: 'archive' | 'copy') => join(dataDir, `backup-${what}.json`);

async function readState<T>(file: string, none: T): Promise<T> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null ? none : { ...none, ...JSON.parse(text) };
}

export const readArchiveState = (dataDir: string): Promise<ArchiveState> =>
  readState(fileOf(dataDir, 'archive'), NO_ARCHIVE);
export const readCopyState = (dataDir: string): Promise<CopyState> => readState(fileOf(dataDir, 'copy'), NO_COPY);
export const writeArchiveState = (dataDir: string, state: ArchiveState): Promise<void> =>
  writeFileAtomically(fileOf(dataDir, 'archive'), `${JSON.stringify(state)}\n`);
export const writeCopyState = (dataDir: string, state: CopyState): Promise<void> =>
  writeFileAtomically(fileOf(dataDir, 'copy'), `${JSON.stringify(state)}\n`);

/** File that exists while WAL is discarded, because too much WAL was waiting to be archived. */
const givenUpFile = (dataDir: string) => join(dataDir, 'backup-given-up');

/** Returns the time since which WAL is discarded (ISO 8601); null if WAL is archived. */
export const readWalDiscardStartTime = (dataDir: string): Promise<string | null> =>
  readFile(givenUpFile(dataDir), 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
export const stopWalArchiving = (dataDir: string, now: Date): Promise<void> =>
  writeFileAtomically(givenUpFile(dataDir), `${now.toISOString()}\n`);
export const resumeWalArchiving = (dataDir: string): Promise<void> => rm(givenUpFile(dataDir), { force: true });

/**
 * Throws if this installation's folder in the backup target no longer exists. If the target's disk is not mounted, a copy would
 * fill the disk of the mount point.
 */
export async function assertBackupTargetMounted({ dataDir, target }: BackupPlan, installation: string): Promise<void> {
  const { last } = await readArchiveState(dataDir);
  const home = join(target, installation);
  if (last?.installation === installation && !existsSync(home))
    throw new Error(
      `${home} no longer exists. Is the disk of BACKUP_TO mounted? If you deleted the folder on purpose, delete ${join(dataDir, 'backup-name')}: the archive then begins again.`,
    );
}
