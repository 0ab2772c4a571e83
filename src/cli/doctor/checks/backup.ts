import { type BackupFault, type BackupState, findBackupFaults } from '#src/backup/state.ts';
import {
  type Check,
  type Finding,
  isFactKnown,
  okFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from '../facts.ts';

export const backupCheck: Check = {
  name: 'back-ups',
  judge({ backup: state, nowMs }) {
    if (state === null)
      return [
        skippedFinding('not looked at: the database is not the embedded one (docs/backup.md says how to copy it)'),
      ];
    if (!isFactKnown(state))
      return [problemFinding(state.why, 'Correct BACKUP_TO and BACKUP_KEY_FILE: docs/backup.md describes them.')];
    const faults = findBackupFaults(state, nowMs);
    return faults.length > 0 ? faults.map((fault) => FINDINGS[fault](state)) : [okFinding(describe(state))];
  },
};

const diskTodo = ({ target }: BackupState) => `Is the disk of ${target} mounted, writable and not full?`;
const COPY_TODO = 'The log of the worker says more. Make one at once: energy backup --to FOLDER.';

const FINDINGS: Record<BackupFault, (state: BackupState) => Finding> = {
  given_up: (state) =>
    problemFinding(
      `the archive in ${state.target} was given up at ${state.givenUpAt}, since too much WAL waited: later changes are in no copy`,
      `${diskTodo(state)} The next nightly copy begins the archive again; energy backup --to FOLDER makes a copy at once.`,
    ),
  not_archived: (state) => problemFinding(`WAL is not archived: ${state.archive.error}`, diskTodo(state)),
  much_waits: (state) =>
    warningFinding(
      `${Math.round(state.waitingBytes / 2 ** 20)} MiB of WAL wait for the archive in ${state.target}`,
      diskTodo(state),
    ),
  copy_failed: ({ copy }) => warningFinding(`the last nightly copy failed: ${copy.error}`, COPY_TODO),
  copy_old: ({ copy, target }) => warningFinding(`the newest copy in ${target} is of ${copy.last?.at}`, COPY_TODO),
};

function describe({ copy, target, isArchiving, isSealed }: BackupState): string {
  if (copy.last === null) return 'there is no copy yet; the first one is made at night';
  const what = `the newest copy is of ${copy.last.at}, in ${target}`;
  if (!isArchiving) return `${what}: it survives mistakes, not the loss of this disk (BACKUP_TO)`;
  return isSealed ? what : `${what}; it lies open, without the secret key (BACKUP_KEY_FILE)`;
}
