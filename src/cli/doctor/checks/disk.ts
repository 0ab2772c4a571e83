import { isSeen } from '../facts.ts';
import { type Check, ok, problem, skipped, warning } from '../finding.ts';

const GIB = 2 ** 30;
/** Below it the worker warns (jobs/disk-watch.ts), too. */
const LOW = { share: 0.1, bytes: 2 * GIB };
const FULL_BYTES = 256 * 2 ** 20;

export const disk: Check = {
  name: 'disk',
  judge({ disk: facts }) {
    if (facts === null) return [skipped('not looked at: the configuration is not valid')];
    if (!isSeen(facts))
      return [
        problem(
          `DATA_DIR cannot be looked at: ${facts.why}`,
          'Make the folder, and give it to the user of the service.',
        ),
      ];
    const { folder, freeBytes, allBytes } = facts;
    const what = `${(freeBytes / GIB).toFixed(1)} of ${(allBytes / GIB).toFixed(1)} GiB are free where ${folder} lies`;
    const todo =
      'Free some of it, or keep readings for less long (RETENTION_MONTHS); docs/runbooks/EnergyDiskFull.md says how.';
    if (freeBytes < FULL_BYTES) return [problem(`only ${what}: the embedded database stops when it is full`, todo)];
    if (freeBytes < LOW.bytes || freeBytes < allBytes * LOW.share) return [warning(`only ${what}`, todo)];
    return [ok(what)];
  },
};
