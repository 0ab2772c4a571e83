import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import { runWithSeparatePool } from '#src/database/connect.ts';
import { getClusterFolder, getSuperuserUrl } from '#src/database/embedded-postgres.ts';
import { getInstallationFolderName } from './base.ts';
import { WAL_FOLDER } from './copies.ts';
import { listArchivedWalSegments, makePrivateFolder, packFiles } from './files.ts';
import {
  type ArchiveState,
  assertBackupTargetMounted,
  type BackupPlan,
  readArchiveState,
  readWalDiscardStartTime,
  stopWalArchiving,
  writeArchiveState,
} from './plan.ts';
import type { TarEntry } from './tar.ts';

/**
 * Folder in which the archiver confirms to PostgreSQL that WAL segments are archived. It contains the file `ALIVE` while the
 * archiver runs.
 */
const DONE = 'energy-wal';
const ALIVE = 'alive';

/**
 * PostgreSQL runs this shell script for each WAL segment. It waits, 10 s at most, until the archiver confirms with an empty file
 * that the segment is flushed. If the script fails, PostgreSQL retains the segment and tries again.
 */
const ARCHIVE_COMMAND = [
  'n=0',
  `until test -e ${DONE}/%f; do n=$((n+1)); if test $n -gt 100 || ! test -e ${DONE}/${ALIVE}; then exit 1; fi; sleep 0.1; done`,
  `rm -f ${DONE}/%f`,
].join('; ');

/**
 * Time in seconds after which PostgreSQL completes a WAL segment that is not full. If a disk fails, only the changes of less than 60 s are
 * therefore lost.
 */
const SEGMENT_SECONDS = 55;

/**
 * Returns lines for PostgreSQL's configuration. Every command that starts the database needs them, because WAL that the database writes
 * during the command must be archived, too.
 */
export const formatArchiveSettings = (isArchiving: boolean): string =>
  isArchiving
    ? `archive_mode = on\narchive_timeout = ${SEGMENT_SECONDS}s\narchive_command = '${ARCHIVE_COMMAND}'\n`
    : '';

const SEGMENT_BYTES = 16 * 2 ** 20;
/**
 * Maximum size in bytes of WAL that may wait to be archived. Above this size, archiving is suspended, so that the disk does not
 * fill up.
 */
const MAX_WAITING_BYTES = 10 * 10 ** 9;

/** Interval in ms at which the archiver looks for complete segments. */
const LOOK_MS = 200;

/** Returns the names of WAL files that PostgreSQL has ready for archiving, oldest first. */
async function waitingFiles(dataDir: string): Promise<string[]> {
  const names = await readdir(join(getClusterFolder(dataDir), 'pg_wal/archive_status')).catch(() => []);
  return names
    .filter((name) => name.endsWith('.ready'))
    .map((name) => name.slice(0, -'.ready'.length))
    .sort();
}

/** Returns the size of the WAL that waits to be archived, in bytes. */
export const computeUnarchivedWalBytes = async (dataDir: string): Promise<number> =>
  (await waitingFiles(dataDir)).length * SEGMENT_BYTES;

/**
 * Starts the archiver of the embedded database. It must stop after the database, because a stopping database waits until its last
 * segment is archived.
 */
export async function startArchiver(plan: BackupPlan, log: Logger): Promise<{ stop(): Promise<void> }> {
  const archiver = new Archiver(plan, log, await readArchiveState(plan.dataDir));
  const done = join(getClusterFolder(plan.dataDir), DONE);
  const loop = startLoop('WAL archive', () => archiver.turn(), LOOK_MS, log);
  return {
    async stop() {
      await loop.stop();
      await rm(join(done, ALIVE), { force: true });
    },
  };
}

/** Archives the waiting WAL segments, one pass at a time. */
export class Archiver {
  readonly #plan: BackupPlan;
  readonly #log: Logger;
  readonly #maxWaitingBytes: number;
  #state: ArchiveState;
  #isChecked = false;
  /** WAL segments that are archived, but that PostgreSQL has not yet marked as archived. */
  readonly #acknowledged = new Set<string>();

  constructor(plan: BackupPlan, log: Logger, state: ArchiveState, maxWaitingBytes = MAX_WAITING_BYTES) {
    this.#plan = plan;
    this.#log = log;
    this.#state = state;
    this.#maxWaitingBytes = maxWaitingBytes;
  }

  /** Archives the waiting segments. Returns their number. Throws if the archive cannot be written; the segments then remain waiting. */
  async turn(): Promise<number> {
    const { dataDir } = this.#plan;
    const done = join(getClusterFolder(dataDir), DONE);
    const files = await waitingFiles(dataDir);
    for (const name of this.#acknowledged) if (!files.includes(name)) this.#acknowledged.delete(name);
    const waiting = files.filter((name) => !this.#acknowledged.has(name));
    await mkdir(done, { recursive: true, mode: 0o700 });
    try {
      const isOver = waiting.length * SEGMENT_BYTES > this.#maxWaitingBytes;
      if (isOver && (await readWalDiscardStartTime(dataDir)) === null) await this.#giveUp();
      const isGivenUp = (await readWalDiscardStartTime(dataDir)) !== null;
      if (!isGivenUp && !this.#isChecked) await this.#refuseForeignArchive();
      for (const name of waiting) {
        // Timeline and backup history files are not archived, because recovery does not need them.
        if (!isGivenUp && /^[0-9A-F]{24}$/.test(name)) await this.#archive(name);
        await writeFile(join(done, name), '', { mode: 0o600 });
        this.#acknowledged.add(name);
      }
      await writeFile(join(done, ALIVE), '', { mode: 0o600 });
      return waiting.length;
    } catch (error) {
      // Without the file `ALIVE`, the archive command fails at once, and the database can stop without waiting.
      await rm(join(done, ALIVE), { force: true });
      const { message } = error as Error;
      if (this.#state.error !== message) await this.#note({ error: message });
      throw error;
    }
  }

  async #archive(segment: string): Promise<void> {
    const { dataDir, target, key } = this.#plan;
    const installation = await getInstallationFolderName(dataDir);
    await assertBackupTargetMounted(this.#plan, installation);
    const folder = join(target, installation, WAL_FOLDER);
    await makePrivateFolder(folder);
    const file = join(getClusterFolder(dataDir), 'pg_wal', segment);
    await packFiles(folder, `${segment}.tar.zst`, segmentEntry(file, segment), key);
    await this.#note({ last: { installation, segment, at: new Date().toISOString() }, error: null });
  }

  async #giveUp(): Promise<void> {
    const { dataDir, target } = this.#plan;
    await stopWalArchiving(dataDir, new Date());
    this.#log.error(
      { target, waiting_bytes_limit: this.#maxWaitingBytes },
      'too much WAL waits for its archive, which is given up: restore its disk; the next nightly copy begins again',
    );
  }

  /**
   * Throws if the archive contains newer WAL segments than this database, because another copy of this data directory wrote them.
   */
  async #refuseForeignArchive(): Promise<void> {
    const { dataDir, target } = this.#plan;
    const home = join(target, await getInstallationFolderName(dataDir));
    const newest = [...(await listArchivedWalSegments(home)).keys()].sort().at(-1);
    await runWithSeparatePool(
      getSuperuserUrl(dataDir, 'postgres'),
      { max: 1, applicationName: 'energy backup' },
      async (pool) => {
        // Raw SQL: the statement calls functions of PostgreSQL that return the position and the file name of the WAL.
        const { rows } = await pool.query('SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS current');
        if (newest !== undefined && newest > rows[0].current)
          throw new Error(
            `${home} has WAL that is newer than this database: another installation with the same data directory writes there. Remove ${join(dataDir, 'backup-name')}, and this one gets a folder of its own.`,
          );
        this.#isChecked = true;
      },
    );
  }

  async #note(changes: Partial<ArchiveState>): Promise<void> {
    this.#state = { ...this.#state, ...changes };
    await writeArchiveState(this.#plan.dataDir, this.#state);
  }
}

/**
 * Yields a WAL segment with the time of its last write. All transactions committed before this time are in this segment or an earlier one.
 */
async function* segmentEntry(file: string, name: string): AsyncGenerator<TarEntry> {
  const { size, mtimeMs } = await stat(file);
  yield { path: name, size, mtime: mtimeMs / 1_000, content: createReadStream(file, { highWaterMark: 2 ** 18 }) };
}
