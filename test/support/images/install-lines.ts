import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const README = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8');

const [, SECTION = ''] = /^## Install\n([\s\S]+?)^## /m.exec(README) ?? [];

/** Returns the installation methods in the first column of README.md's table under "Install". */
export const listInstallMethods = (): string[] =>
  [...SECTION.matchAll(/^\| ([^|]+?) \|/gm)]
    .map(([, way = '']) => way)
    .filter((way) => way !== 'with' && way !== '---');

/** Returns the command for an installation method, such as `compose`, in README.md's table under "Install". */
export function findInstallCommand(way: string): string {
  const [, line] = new RegExp(`^\\| ${way}[^|]*\\| \`([^\`]+)\``, 'm').exec(SECTION) ?? [];
  if (line === undefined) throw new Error(`README.md has no line for ${way} under Install`);
  return line;
}
