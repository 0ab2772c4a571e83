import { COPIED, type Copied, NOT_COPIED } from '#src/database/copy/relations.ts';
import { LOAD_PROFILE, STORED_LEVELS } from '#src/rollups/levels.ts';

/** Everything that a move copies: the load profile last, by its time. */
export const MOVED: readonly Copied[] = [...COPIED, { relation: LOAD_PROFILE.relation, by: LOAD_PROFILE.time }];

/** What it does not copy, and why. */
export const NOT_MOVED: Readonly<Record<string, string>> = {
  ...NOT_COPIED,
  ...Object.fromEntries(STORED_LEVELS.map(({ relation }) => [relation, `computed from ${LOAD_PROFILE.relation}`])),
};
