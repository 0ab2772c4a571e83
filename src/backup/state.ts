import { HOUR_MS } from '#src/core/units.ts';
import { waitingWalBytes } from './archive.ts';
import { type BackupPlan, readArchiveState, readCopyState, readGivenUp } from './plan.ts';

/** State of an installation's own copies, for the operator. */
export type BackupState = Awaited<ReturnType<typeof readBackupState>>;

/** Reads the state of the copies that a plan makes. */
export const readBackupState = async (plan: BackupPlan) => ({
  target: plan.target,
  /** Whether WAL is archived (BACKUP_TO). */
  isArchiving: plan.isArchiving,
  isSealed: plan.key !== null,
  copy: await readCopyState(plan.dataDir),
  archive: await readArchiveState(plan.dataDir),
  /** Time since which WAL is discarded (ISO 8601); null if it is archived. */
  givenUpAt: await readGivenUp(plan.dataDir),
  waitingBytes: await waitingWalBytes(plan.dataDir),
});

/** Faults of back-ups: of the archive at most one, and of the copies at most one. */
export const BACKUP_FAULTS = ['given_up', 'not_archived', 'much_waits', 'copy_failed', 'copy_old'] as const;
export type BackupFault = (typeof BACKUP_FAULTS)[number];

/** Two nights and a half. */
const OLD_MS = 60 * HOUR_MS;
/** WAL of some hours. If more waits, the archive cannot be written or is too slow. */
const MUCH_WAITING_BYTES = 2 ** 30;

/** Returns the faults of the copies. Pure. */
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
