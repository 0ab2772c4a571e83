import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ENERGY = resolve(import.meta.dirname, '../../bin/energy.js');

/** Writes a shell's completion script into a folder, as a person would. Returns its path. */
export function completionIn(folder: string, shell: string): string {
  const file = join(folder, `energy.${shell}`);
  writeFileSync(file, execFileSync(process.execPath, [ENERGY, 'completion', shell]));
  return file;
}
