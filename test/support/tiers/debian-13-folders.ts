import { existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEBIAN_13_FOLDER } from './available-tiers.ts';

const PLACE = join(DEBIAN_13_FOLDER, 'var/tmp');
/** The prefix of the folder's name is short, because the path of a Unix socket is limited. */
const prefixOf = (temporary: string): string => `e-${basename(temporary).slice(-6)}-`;

/** Creates a folder inside Debian 13 for a program that runs there. */
export const createDebian13TemporaryFolder = (): string => mkdtempSync(join(PLACE, prefixOf(tmpdir())));

/** Returns the folders inside Debian 13 that were created by processes whose folder for temporary files is `temporary`. */
export const listDebian13TemporaryFolders = (temporary: string): string[] =>
  existsSync(PLACE)
    ? readdirSync(PLACE)
        .filter((name) => name.startsWith(prefixOf(temporary)))
        .map((name) => join(PLACE, name))
    : [];
