import { COPIED, type Copied, NOT_COPIED } from '#src/database/copy/relations.ts';
import { DAYS, HOURS, STORED_LEVELS, storedOf } from '#src/rollups/levels.ts';

/** Everything that a move copies: the load profile last, by its time. */
export const MOVED: readonly Copied[] = [
  ...COPIED,
  ...[HOURS, DAYS].map(({ relation, time }) => ({ relation, by: time })),
];

/** What it does not copy, and why. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  ...NOT_COPIED,
  ...Object.fromEntries(
    STORED_LEVELS.map((level) => [storedOf(level), `computed from ${HOURS.relation} and ${DAYS.relation}`]),
  ),
};
