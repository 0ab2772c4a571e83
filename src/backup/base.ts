import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { returnNullIfFileMissing } from '#src/core/files.ts';
import { VERSION } from '#src/core/version.ts';
import { createPool, type PoolClient, runWithSeparatePool } from '#src/database/connect.ts';
import {
  getClusterFolder,
  getEmbeddedDatabaseUrl,
  getSuperuserUrl,
  readMajorVersion,
} from '#src/database/embedded-postgres.ts';
import {
  BASE_BACKUP_FILE,
  type BackupManifest,
  createManifest,
  listWalSegmentsBetween,
  MANIFEST_FILE,
} from './copies.ts';
import { flushFolder, makePrivateFolder, packFiles, rethrowWithExplanation, writeFileAtomically } from './files.ts';
import type { EncryptionKey } from './seal.ts';
import type { TarEntry } from './tar.ts';

/**
 * Files of a data directory that a copy contains in addition to the database cluster. Only encrypted copies contain private keys.
 */
const KEYS = ['secret.key', 'tls/key.pem', 'tls/cert.pem'];

/** Folders of a cluster that are empty in a copy (PostgreSQL's manual, 25.3.4.3). */
const EMPTIED = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/./;
const SKIPPED =
  /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label\.old|\.s\.PGSQL\..*|current_logfiles|socket-folder|energy-wal)($|\/)/;
/** This file is copied last, because it contains the position at which recovery begins. */
const CONTROL = 'global/pg_control';

interface BaseBackupCopy {
  folder: string;
  manifest: BackupManifest;
  /** Size of the compressed copy in the backup target, in bytes. */
  packedBytes: number;
}

/**
 * Makes a base copy of the running embedded database of `dataDir` in a backup target. `key` encrypts the copy, which then also
 * contains the secret key; null: unencrypted. An interrupted copy leaves a folder that ends in `.partial`.
 */
export async function takeBaseBackup(options: {
  dataDir: string;
  target: string;
  installation: string;
  key: EncryptionKey | null;
  now: Date;
}): Promise<BaseBackupCopy> {
  const { dataDir, target, installation, key, now } = options;
  if (`${resolve(target)}/`.startsWith(`${getClusterFolder(dataDir)}/`))
    throw new Error(`${target} lies in the database itself. Name a folder on another disk.`);
  const home = join(resolve(target), installation);
  // Does not change the mode of a folder that already exists.
  await mkdir(resolve(target), { recursive: true, mode: 0o700 }).catch(rethrowWithExplanation(target));
  await makePrivateFolder(home).catch(rethrowWithExplanation(target));
  await removePartial(home, now.getTime());
  const stamp = now
    .toISOString()
    .replaceAll(/[-:]/g, '')
    .replace(/\.(\d+)/, '$1');
  const folder = join(home, `base-${stamp}`);
  const partial = `${folder}.partial`;
  await makePrivateFolder(partial);
  const pool = createPool(getSuperuserUrl(dataDir, 'postgres'), { max: 1, applicationName: 'energy backup' });
  try {
    const schema = await newestMigration(dataDir);
    const majorVersion = await readMajorVersion(dataDir);
    const client = await pool.connect();
    const made = new CopyOfCluster(dataDir, client, (facts) =>
      createManifest({
        service: VERSION,
        schema,
        postgres_major: majorVersion ?? 0,
        processor: process.arch,
        installation,
        started_at: now.toISOString(),
        is_sealed: key !== null,
        ...facts,
      }),
    );
    try {
      const file = await packFiles(partial, BASE_BACKUP_FILE, made.entries(key !== null), key);
      const manifest = made.manifest as BackupManifest;
      await writeFileAtomically(join(partial, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
      const { size } = await lstat(join(partial, file));
      await rename(partial, folder);
      await flushFolder(home);
      return { folder, manifest, packedBytes: size };
    } finally {
      // When the session closes, PostgreSQL aborts an unfinished base backup and drops the temporary replication slot.
      client.release(true);
    }
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    await pool.end();
  }
}

/** Maximum time in ms between two writes of a running copy. A partial copy without a write for this time was interrupted. */
const ABANDONED_MS = 3_600_000;

/** Removes the folders of interrupted copies. */
async function removePartial(home: string, nowMs: number): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith('base-') || !name.endsWith('.partial')) continue;
    const folder = join(home, name);
    const files = await readdir(folder);
    const times = await Promise.all([folder, ...files.map((file) => join(folder, file))].map((path) => lstat(path)));
    if (Math.max(...times.map(({ mtimeMs }) => mtimeMs)) < nowMs - ABANDONED_MS)
      await rm(folder, { recursive: true, force: true });
  }
}

async function newestMigration(dataDir: string): Promise<string> {
  return runWithSeparatePool(
    getEmbeddedDatabaseUrl(dataDir),
    { max: 1, applicationName: 'energy backup' },
    async (pool) => {
      // Raw SQL: the statement reads the relation of migrations and calls PostgreSQL's own functions.
      const { rows } = await pool.query(`SELECT max(name) AS name FROM schema_migrations WHERE name LIKE 'schema/%'`);
      return rows[0].name;
    },
  );
}

/**
 * Returns the name of this installation's folder in a backup target. A restored installation gets another name, so that its WAL
 * is never mixed with the WAL of the lost installation.
 */
export async function getInstallationFolderName(dataDir: string): Promise<string> {
  const file = join(dataDir, 'backup-name');
  // The first bytes of pg_control are the system identifier, which changes when PostgreSQL is upgraded to another major version.
  const control = await readFile(join(getClusterFolder(dataDir), CONTROL));
  const database = control.readBigUInt64LE(0).toString(16);
  const [name = '', of] = ((await readFile(file, 'utf8').catch(returnNullIfFileMissing)) ?? '').trim().split(' ');
  if (/^installation-[0-9a-f]{12}$/.test(name) && of === database) return name;
  const made = `installation-${randomBytes(6).toString('hex')}`;
  await writeFileAtomically(file, `${made} ${database}\n`);
  return made;
}

type Facts = Pick<
  BackupManifest,
  'complete_until' | 'consistent_from' | 'first_segment' | 'last_segment' | 'bytes' | 'has_secret_key'
>;

/** The files of one base copy, in the order that PostgreSQL requires. */
class CopyOfCluster {
  manifest: BackupManifest | null = null;
  readonly #dataDir: string;
  readonly #cluster: string;
  readonly #client: PoolClient;
  readonly #describe: (facts: Facts) => BackupManifest;
  #bytes = 0;

  constructor(dataDir: string, client: PoolClient, describe: (facts: Facts) => BackupManifest) {
    this.#dataDir = resolve(dataDir);
    this.#cluster = getClusterFolder(dataDir);
    this.#client = client;
    this.#describe = describe;
  }

  /** Yields the entries of the archive: keys, cluster, label, WAL and manifest. */
  async *entries(withKeys: boolean): AsyncGenerator<TarEntry> {
    let hasSecretKey = false;
    for (const key of withKeys ? KEYS : []) {
      const content = await readFile(join(this.#dataDir, key)).catch(returnNullIfFileMissing);
      if (content) yield this.#counted(textEntry(key, content));
      if (content && key === 'secret.key') hasSecretKey = true;
    }
    const first = await this.#start();
    yield { path: 'postgres', size: 0, mtime: 0, content: null };
    yield* this.#filesIn('');
    yield this.#counted(textEntry(`postgres/${CONTROL}`, await this.#control()));
    const { label, tablespaces, ...times } = await this.#stop();
    if (tablespaces.trim() !== '') throw new Error('The database has tablespaces, which a copy would not contain.');
    yield this.#counted(textEntry('postgres/backup_label', Buffer.from(label)));
    for (const segment of listWalSegmentsBetween(first, times.last_segment)) yield* this.#file(`pg_wal/${segment}`);
    this.manifest = this.#describe({
      ...times,
      first_segment: first,
      bytes: this.#bytes,
      has_secret_key: hasSecretKey,
    });
    yield textEntry(MANIFEST_FILE, Buffer.from(JSON.stringify(this.manifest)));
  }

  /** Begins the copy at the server. Returns the name of the first WAL segment that the copy needs. */
  async #start(): Promise<string> {
    // The replication slot retains the WAL until this session ends.
    const slot = `energy_backup_${randomBytes(6).toString('hex')}`;
    await this.#client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [slot]);
    const { rows } = await this.#client.query(
      `SELECT pg_walfile_name(pg_backup_start('energy backup', fast => true)) AS first`,
    );
    return rows[0].first;
  }

  /** Ends the base copy at the server, which then begins a new WAL segment. */
  async #stop(): Promise<
    Omit<Facts, 'bytes' | 'has_secret_key' | 'first_segment'> & { label: string; tablespaces: string }
  > {
    const now = async () => (await this.#client.query('SELECT clock_timestamp() AS now')).rows[0].now.toISOString();
    const complete_until = await now();
    // The base copy contains the WAL that it needs, so it does not wait for WAL archiving.
    const { rows } = await this.#client.query(
      `SELECT labelfile, spcmapfile, pg_walfile_name(lsn) AS last FROM pg_backup_stop(wait_for_archive => false)`,
    );
    const [{ labelfile, spcmapfile, last }] = rows;
    return {
      label: labelfile,
      tablespaces: spcmapfile ?? '',
      last_segment: last,
      complete_until,
      consistent_from: await now(),
    };
  }

  async *#filesIn(folder: string): AsyncGenerator<TarEntry> {
    const below = await readdir(join(this.#cluster, folder), { withFileTypes: true }).catch(returnNullIfFileMissing);
    for (const entry of below ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (EMPTIED.test(path) || SKIPPED.test(path) || path === CONTROL) continue;
      if (entry.isDirectory()) {
        yield { path: `postgres/${path}`, size: 0, mtime: 0, content: null };
        yield* this.#filesIn(path);
      } else if (entry.isFile()) yield* this.#file(path);
    }
    // Recovery needs the folder pg_wal/archive_status, so the copy contains it.
    if (folder === 'pg_wal') yield { path: 'postgres/pg_wal/archive_status', size: 0, mtime: 0, content: null };
  }

  /**
   * Yields a file of the cluster, or nothing if the server has removed the file meanwhile. Replaying the WAL would remove the file anyway.
   */
  async *#file(path: string): AsyncGenerator<TarEntry> {
    const file = join(this.#cluster, path);
    const found = await lstat(file).catch(returnNullIfFileMissing);
    if (!found) return;
    const content = createReadStream(file, { highWaterMark: 2 ** 18, end: Math.max(0, found.size - 1) });
    yield this.#counted({
      path: `postgres/${path}`,
      size: found.size,
      mtime: found.mtimeMs / 1_000,
      content: skipAbsent(content),
    });
  }

  /** Reads pg_control until two reads return the same content, because the server may be writing the file. */
  async #control(): Promise<Buffer> {
    const read = () => readFile(join(this.#cluster, CONTROL));
    for (let before = await read(); ; ) {
      const now = await read();
      if (now.equals(before)) return now;
      before = now;
    }
  }

  #counted(entry: TarEntry): TarEntry {
    this.#bytes += entry.size;
    return entry;
  }
}

const textEntry = (path: string, content: Buffer): TarEntry => ({
  path,
  size: content.length,
  mtime: 0,
  content: (async function* () {
    yield content;
  })(),
});

/** Yields the content of a file, or nothing if the file was removed. The missing bytes become zeros in the archive. */
async function* skipAbsent(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    returnNullIfFileMissing(error as NodeJS.ErrnoException);
  }
}
