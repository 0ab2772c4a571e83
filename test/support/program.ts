import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
/** Folder of the bundled program: inside the checkout, where it finds the files of `src` and the libraries that it does not contain. */
export const BUNDLE_FOLDER = 'node_modules/.cache/energy-program';
export const BUNDLED_PROGRAM = join(ROOT, BUNDLE_FOLDER, 'main.js');

/**
 * Program that tests start as a separate process (`node PROGRAM ARGUMENTS`). The configuration of vitest names the bundle of this checkout
 * (TEST_PROGRAM), which starts in half the processor time; FROM_SOURCE=1 and benchmarks start the TypeScript source.
 */
export const PROGRAM = process.env.TEST_PROGRAM ?? join(ROOT, 'bin/energy.js');
