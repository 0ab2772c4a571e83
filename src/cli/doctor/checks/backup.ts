import { type BackupFault, type BackupState, findBackupFaults } from '#src/backup/state.ts';
import {
  type Check,
  createOkFinding,
  createProblemFinding,
  createSkippedFinding,
  createWarningFinding,
  type Finding,
  isFactKnown,
} from '../facts.ts';

export const backupCheck: Check = {
  name: 'back-ups',
  judge({ backup: state, nowMs }) {
    if (state === null)
      return createSkippedFinding(
        'not checked: the database is not embedded (docs/backup.md describes how to back it up)',
      );
    if (!isFactKnown(state))
      return createProblemFinding(state.why, 'Correct BACKUP_TO and BACKUP_KEY_FILE: docs/backup.md describes them.');
    const faults = findBackupFaults(state, nowMs);
    return faults.length > 0 ? faults.map((fault) => FINDINGS[fault](state)) : createOkFinding(describe(state));
  },
};

const diskTodo = ({ target }: BackupState) => `Is the disk of ${target} mounted, writable and not full?`;
const COPY_TODO = 'See the log of the worker. To make a copy at once: energy backup --to FOLDER.';

const FINDINGS: Record<BackupFault, (state: BackupState) => Finding> = {
  given_up: (state) =>
    createProblemFinding(
      `the archive in ${state.target} ended at ${state.givenUpAt}, because too much WAL was waiting: no copy contains later changes`,
      `${diskTodo(state)} The next nightly copy restarts the archive; energy backup --to FOLDER makes a copy at once.`,
    ),
  not_archived: (state) => createProblemFinding(`WAL is not archived: ${state.archive.error}`, diskTodo(state)),
  much_waits: (state) =>
    createWarningFinding(
      `${Math.round(state.waitingBytes / 2 ** 20)} MiB of WAL have not been archived in ${state.target} yet`,
      diskTodo(state),
    ),
  copy_failed: ({ copy }) => createWarningFinding(`the last nightly copy failed: ${copy.error}`, COPY_TODO),
  copy_old: ({ copy, target }) =>
    createWarningFinding(`the newest copy in ${target} was made at ${copy.last?.at}`, COPY_TODO),
};

function describe({ copy, target, isArchiving, isSealed }: BackupState): string {
  if (copy.last === null) return 'no copy yet; the first one will be made tonight';
  const what = `the newest copy was made at ${copy.last.at}, in ${target}`;
  if (!isArchiving) return `${what}: it protects against mistakes, but not against the loss of this disk (BACKUP_TO)`;
  return isSealed ? what : `${what}; it is not encrypted and does not contain the secret key (BACKUP_KEY_FILE)`;
}
