import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from './program.ts';

/** Writes a shell's completion script into a folder, as a person would. Returns its path. */
export function completionIn(folder: string, shell: string): string {
  const file = join(folder, `energy.${shell}`);
  writeFileSync(file, execFileSync(process.execPath, [PROGRAM, 'completion', shell]));
  return file;
}
