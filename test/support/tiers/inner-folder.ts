import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEBIAN_13 } from './reach.ts';

const PLACE = join(DEBIAN_13, 'var/tmp');
/** Short: the path of a socket in it has an end. */
const prefixOf = (temporary: string): string => `e-${basename(temporary).slice(-6)}-`;

/** Makes a folder in Debian 13, for a program that runs there. Its name tells for which folder for temporary files it was made. */
export const makeInnerFolder = (): string => mkdtempSync(join(PLACE, prefixOf(tmpdir())));

/** Those that were made where `temporary` was the folder for temporary files. */
export const innerFoldersOf = (temporary: string): string[] =>
  existsSync(PLACE)
    ? readdirSync(PLACE)
        .filter((name) => name.startsWith(prefixOf(temporary)))
        .map((name) => join(PLACE, name))
    : [];
