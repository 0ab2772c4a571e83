import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const README = readFileSync(resolve(import.meta.dirname, '../../../README.md'), 'utf8');

/** Returns the command that README.md prints under "Install" in the row of a way to install, such as `compose`. */
export function installLine(way: string): string {
  const [, section = ''] = /^## Install\n([\s\S]+?)^## /m.exec(README) ?? [];
  const [, line] = new RegExp(`^\\| ${way}[^|]*\\| \`([^\`]+)\``, 'm').exec(section) ?? [];
  if (line === undefined) throw new Error(`README.md has no line for ${way} under Install`);
  return line;
}
