import { HOUR_MS } from '#src/core/units.ts';
import { computeUnarchivedWalBytes } from './archive.ts';
import { type BackupPlan, readArchiveState, readCopyState, readWalDiscardStartTime } from './plan.ts';

/** State of an installation's own backups, for the operator. */
export type BackupState = Awaited<ReturnType<typeof readBackupState>>;

export const readBackupState = async (plan: BackupPlan) => ({
  target: plan.target,
  /** Whether WAL is archived, which is the case if BACKUP_TO is set. */
  isArchiving: plan.isArchiving,
  isSealed: plan.key !== null,
  copy: await readCopyState(plan.dataDir),
  archive: await readArchiveState(plan.dataDir),
  /** Time since which WAL is discarded (ISO 8601); null if WAL is archived. */
  givenUpAt: await readWalDiscardStartTime(plan.dataDir),
  waitingBytes: await computeUnarchivedWalBytes(plan.dataDir),
});

/** Possible faults of backups. */
export type BackupFault = 'given_up' | 'not_archived' | 'much_waits' | 'copy_failed' | 'copy_old';

/** Age in ms (two and a half nights) above which the newest copy counts as a fault. */
const OLD_MS = 60 * HOUR_MS;
/** Size in bytes of waiting WAL above which the archive is considered too slow or not writable. */
const MUCH_WAITING_BYTES = 2 ** 30;

export function findBackupFaults(state: BackupState, nowMs: number): BackupFault[] {
  return [...archiveFault(state), ...copyFault(state, nowMs)];
}

function* archiveFault({ isArchiving, givenUpAt, archive, waitingBytes }: BackupState): Generator<BackupFault> {
  if (!isArchiving) return;
  if (givenUpAt !== null) yield 'given_up';
  else if (archive.error !== null) yield 'not_archived';
  else if (waitingBytes > MUCH_WAITING_BYTES) yield 'much_waits';
}

function* copyFault({ copy }: BackupState, nowMs: number): Generator<BackupFault> {
  if (copy.error !== null) yield 'copy_failed';
  else if (copy.last !== null && new Date(copy.last.at).getTime() < nowMs - OLD_MS) yield 'copy_old';
}
