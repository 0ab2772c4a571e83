import { HOUR_MS } from '#src/core/units.ts';
import {
  type BackupFacts,
  type Check,
  type Finding,
  isFactKnown,
  okFinding,
  problemFinding,
  skippedFinding,
  warningFinding,
} from '../facts.ts';

/** Two nights and a half. */
const OLD_MS = 60 * HOUR_MS;
/** WAL of some hours: the archive cannot be written, or is too slow. */
const MUCH_WAITING_BYTES = 2 ** 30;

export const backupCheck: Check = {
  name: 'back-ups',
  judge({ backup: facts, nowMs }) {
    if (facts === null)
      return [
        skippedFinding('not looked at: the database is not the embedded one (docs/backup.md says how to copy it)'),
      ];
    if (!isFactKnown(facts))
      return [problemFinding(facts.why, 'Correct BACKUP_TO and BACKUP_KEY_FILE: docs/backup.md describes them.')];
    const findings = [...archiveFindings(facts), ...copyFindings(facts, nowMs)];
    return findings.length > 0 ? findings : [okFinding(describe(facts))];
  },
};

function* archiveFindings({ target, archive, givenUpAt, waitingBytes, isArchiving }: BackupFacts): Generator<Finding> {
  if (!isArchiving) return;
  const todo = `Is the disk of ${target} mounted, writable and not full?`;
  if (givenUpAt !== null)
    yield problemFinding(
      `the archive in ${target} was given up at ${givenUpAt}, since too much WAL waited: later changes are in no copy`,
      `${todo} The next nightly copy begins the archive again; energy backup --to FOLDER makes a copy at once.`,
    );
  else if (archive.error !== null) yield problemFinding(`WAL is not archived: ${archive.error}`, todo);
  else if (waitingBytes > MUCH_WAITING_BYTES)
    yield warningFinding(`${Math.round(waitingBytes / 2 ** 20)} MiB of WAL wait for the archive in ${target}`, todo);
}

function* copyFindings({ copy, target }: BackupFacts, nowMs: number): Generator<Finding> {
  const todo = 'The log of the worker says more. Make one at once: energy backup --to FOLDER.';
  if (copy.error !== null) yield warningFinding(`the last nightly copy failed: ${copy.error}`, todo);
  else if (copy.last !== null && new Date(copy.last.at).getTime() < nowMs - OLD_MS)
    yield warningFinding(`the newest copy in ${target} is of ${copy.last.at}`, todo);
}

function describe({ copy, target, isArchiving, isSealed }: BackupFacts): string {
  if (copy.last === null) return 'there is no copy yet; the first one is made at night';
  const what = `the newest copy is of ${copy.last.at}, in ${target}`;
  if (!isArchiving) return `${what}: it survives mistakes, not the loss of this disk (BACKUP_TO)`;
  return isSealed ? what : `${what}; it lies open, without the secret key (BACKUP_KEY_FILE)`;
}
