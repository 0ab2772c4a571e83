import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { Logger } from '#src/core/log.ts';
import { withTimeout } from '#src/core/timeout.ts';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import type { Pool } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { getInstallationFolderName } from './base.ts';
import { flushFolder, rethrowWithExplanation, writeFileAtomically } from './files.ts';
import { assertBackupTargetMounted, type BackupPlan } from './plan.ts';

/**
 * Name of a file that each backup target contains. It lists the ids of deleted accounts, keys and other objects, one JSON object per line.
 * All installations that use the target share the file.
 */
const ENDED = 'ended.jsonl';

/**
 * Kinds of objects whose deletion is recorded, in the order in which a restored installation deletes them again. Memberships and
 * authorizations come first; otherwise the deletion of an app or an account would send mails about them.
 */
const KINDS = [
  'member',
  'authorization',
  'app',
  'key',
  'passkey',
  'session',
  'webhook',
  'device',
  'gateway',
  'account',
] as const;
const endingSchema = z.object({ at: z.iso.datetime(), kind: z.enum(KINDS), id: z.string().min(1).max(100) });
/**
 * An account, app, authorization, device, gateway, key, membership, passkey, session or webhook that was deleted or revoked. `at`: time of
 * the deletion or revocation, ISO 8601.
 */
export type DeletionRecord = z.infer<typeof endingSchema>;

/**
 * Sets whether the database records deletions of objects. With an external database, the service makes no backups, so no process would
 * remove the records.
 */
export async function setDeletionRecording(pool: Pool, areNoted: boolean): Promise<void> {
  // Raw SQL: the typed queries do not know the relation `installation`.
  await pool.query(
    'INSERT INTO installation (notes_endings) VALUES ($1) ON CONFLICT (only_row) DO UPDATE SET notes_endings = excluded.notes_endings',
    [areNoted],
  );
}

/** Maximum number of deletion records that one pass writes to `ended.jsonl`. */
const MOST = 5_000;

/**
 * Moves the deletion records from the database to the file `ended.jsonl` of the target, and flushes the file. Returns the number
 * of records. Throws if the file cannot be written; the records then remain in the database.
 */
export async function writeDeletionRecords(pool: Pool, plan: BackupPlan): Promise<number> {
  // Raw SQL in this function: the statements use a queue and a lock. The first query, without a lock, detects the usual case that
  // nothing was deleted.
  const { rows: some } = await pool.query('SELECT EXISTS (SELECT FROM endings) AS "isAny"');
  if (!some[0].isAny) return 0;
  return runInTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.endings]);
    const { rows } = await client.query<{
      ending_id: string;
      kind: DeletionRecord['kind'];
      id: string;
      ended_at: Date;
    }>('SELECT ending_id, kind, id, ended_at FROM endings ORDER BY ending_id LIMIT $1', [MOST]);
    if (rows.length === 0) return 0;
    await append(
      plan,
      rows.map(({ kind, id, ended_at }) => ({ at: ended_at.toISOString(), kind, id })),
    );
    await client.query('DELETE FROM endings WHERE ending_id = ANY ($1)', [rows.map(({ ending_id }) => ending_id)]);
    return rows.length;
  });
}

async function append(plan: BackupPlan, endings: readonly DeletionRecord[]): Promise<void> {
  const { target, dataDir } = plan;
  await assertBackupTargetMounted(plan, await getInstallationFolderName(dataDir));
  const file = join(target, ENDED);
  try {
    await mkdir(target, { recursive: true, mode: 0o700 });
    const isNew = !existsSync(file);
    const handle = await open(file, 'a+', 0o600);
    try {
      // Ends a line that a crash truncated. The record of this line is still in the database and is written again.
      const separator = (await endsInLine(handle)) ? '' : '\n';
      await handle.appendFile(`${separator}${endings.map((one) => `${JSON.stringify(one)}\n`).join('')}`);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    if (isNew) await flushFolder(target);
  } catch (error) {
    rethrowWithExplanation(target)(error);
  }
}

async function endsInLine(handle: Awaited<ReturnType<typeof open>>): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 10;
}

/**
 * Maximum time in ms that a response waits for `ended.jsonl`, because a disk that hangs must not prevent the revocation of a key.
 */
const WAIT_MS = 5_000;

/**
 * Returns a function that resolves when `ended.jsonl` contains every deletion that was committed before the call. Concurrent
 * calls share one write. If the write fails or takes longer than 5 s, the function logs that and resolves; the worker retries
 * later.
 */
export function createDeletionRecordWriter(pool: Pool, plan: BackupPlan, log: Logger): () => Promise<void> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<unknown> | null = null;
  return async () => {
    // A write in progress may lack an object that was deleted after the write began, so another write follows.
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null;
        current = writeAll(pool, plan);
        return current;
      });
    await withTimeout(next, WAIT_MS, `not written within ${WAIT_MS / 1_000} s`).catch((error: Error) =>
      log.error({ err: error, target: plan.target }, `${ENDED} was not written: trying again`),
    );
  };
}

async function writeAll(pool: Pool, plan: BackupPlan): Promise<void> {
  while ((await writeDeletionRecords(pool, plan)) === MOST);
}

/**
 * Reads, from several files named `ended.jsonl`, the objects that were deleted after a time, in the order in which they must be deleted
 * again. Also returns the number of truncated lines. A missing file counts as empty.
 */
export async function readDeletionRecords(
  files: readonly string[],
  after: Date,
): Promise<{ endings: DeletionRecord[]; tornLines: number }> {
  const endings = new Map<string, DeletionRecord>();
  let tornLines = 0;
  for (const file of files) {
    const text = existsSync(file) ? await readFile(file, 'utf8') : '';
    for (const line of text.split('\n')) {
      const one = parseLine(line);
      if (one === null && line !== '') tornLines++;
      if (one && new Date(one.at) > after) endings.set(`${one.kind} ${one.id}`, one);
    }
  }
  return {
    endings: [...endings.values()].toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)),
    tornLines,
  };
}

function parseLine(line: string): DeletionRecord | null {
  try {
    return endingSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** Returns the paths of the files `ended.jsonl` that concern a copy: in the copy's own target, and in the targets of this environment. */
export const listDeletionRecordFiles = (copyFolder: string, targets: readonly string[]): string[] => [
  ...new Set([join(dirname(dirname(copyFolder)), ENDED), ...targets.map((target) => join(target, ENDED))]),
];

/** File in a restored data directory with the objects that the first start deletes again. The first start removes the file. */
const RESTORED = 'restored.json';

/** Objects that the first start of a restored installation must delete or revoke again. */
const restoredSchema = z.object({ until: z.iso.datetime(), endings: z.array(endingSchema) });
type DeletionsToReapply = z.infer<typeof restoredSchema>;

export const writeDeletionsToReapply = (dataDir: string, state: DeletionsToReapply): Promise<void> =>
  writeFileAtomically(join(dataDir, RESTORED), `${JSON.stringify(state)}\n`);

/**
 * Returns the objects that the first start must delete again. Null if no restored installation is starting for the first time.
 * Throws if the file is truncated.
 */
export async function readDeletionsToReapply(dataDir: string): Promise<DeletionsToReapply | null> {
  const file = join(dataDir, RESTORED);
  if (!existsSync(file)) return null;
  return restoredSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

export const removeDeletionsToReapply = (dataDir: string): Promise<void> =>
  rm(join(dataDir, RESTORED), { force: true });
