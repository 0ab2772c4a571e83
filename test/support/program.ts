import { join, resolve } from 'node:path';

export const REPOSITORY_ROOT = resolve(import.meta.dirname, '../..');
/**
 * Folder of the bundled program. It is inside the checkout, where the program finds the files of `src` and the libraries that are not
 * bundled.
 */
export const BUNDLE_FOLDER = 'node_modules/.cache/energy-program';
export const BUNDLED_PROGRAM = join(REPOSITORY_ROOT, BUNDLE_FOLDER, 'main.js');

/**
 * Program that tests start as a separate process (`node PROGRAM ARGUMENTS`). The default is this checkout's bundle, whose path vitest's
 * configuration sets in TEST_PROGRAM; a bundle needs half the CPU time to start. With FROM_SOURCE=1, and in benchmarks, the program is the
 * TypeScript source.
 */
export const TESTED_PROGRAM = process.env.TEST_PROGRAM ?? join(REPOSITORY_ROOT, 'bin/energy.js');

/** Matches the stderr of a command that succeeds: nothing, or the lines of progress that the command prints if it takes longer than 5 s. */
export const ONLY_PROGRESS_PATTERN = /^([^\n]+: \d+ %\n)*$/;
