import { join, resolve } from 'node:path';

export const REPOSITORY_ROOT = resolve(import.meta.dirname, '../..');
/**
 * Folder of the bundled program. It is inside the checkout, so that the program finds the files of `src` and the libraries that are not
 * bundled.
 */
export const BUNDLE_FOLDER = 'node_modules/.cache/energy-program';
export const BUNDLED_PROGRAM = join(REPOSITORY_ROOT, BUNDLE_FOLDER, 'main.js');

/**
 * Program that tests start as a separate process (`node PROGRAM ARGUMENTS`). By default, it is the bundle of this checkout, which starts in
 * half the CPU time; vitest's configuration sets its path in TEST_PROGRAM. With FROM_SOURCE=1, and in benchmarks, it is the TypeScript
 * source.
 */
export const TESTED_PROGRAM = process.env.TEST_PROGRAM ?? join(REPOSITORY_ROOT, 'bin/energy.js');

/** Matches the stderr of a successful command: nothing, or the lines of progress that a command prints after 5 s. */
export const ONLY_PROGRESS_PATTERN = /^([^\n]+: \d+ %\n)*$/;
