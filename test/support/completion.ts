import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ENERGY = resolve(import.meta.dirname, '../../bin/energy.js');

/** Writes the completion of a shell into a folder, as a person would; its file. */
export function completionIn(folder: string, shell: string): string {
  const file = join(folder, `energy.${shell}`);
  writeFileSync(file, execFileSync(process.execPath, [ENERGY, 'completion', shell]));
  return file;
}
