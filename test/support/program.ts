import { join, resolve } from 'node:path';

export const REPOSITORY_ROOT = resolve(import.meta.dirname, '../..');
/** Folder of the bundled program. It is inside the checkout, so that the program finds other files. */
export const BUNDLE_FOLDER = 'node_modules/.cache/energy-program';
export const BUNDLED_PROGRAM = join(REPOSITORY_ROOT, BUNDLE_FOLDER, 'main.js');

/**
 * Program that tests start as a separate process (`node PROGRAM ARGUMENTS`): the bundle of this checkout or, with FROM_SOURCE=1, the
 * TypeScript source.
 */
export const TESTED_PROGRAM = process.env.TEST_PROGRAM ?? join(REPOSITORY_ROOT, 'bin/energy.js');

/** Matches the stderr of a successful command: nothing, or lines of progress. */
export const ONLY_PROGRESS_PATTERN = /^([^\n]+: \d+ %\n)*$/;
