import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** An import statement's target: another file of the project (path from the project's root) or a package. */
export interface FileImport {
  from: string;
  to: string;
  isPackage: boolean;
  /** Whether the statement imports only types. Such an import is removed before the program runs. */
  typeOnly: boolean;
}

const ROOT = resolve(import.meta.dirname, '../..');
const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'/gm;

/** Returns all TypeScript files in these folders except tests, as paths from the project's root. */
export function listSourceFiles(folders: readonly string[]): string[] {
  return folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
        .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
    );
}

export function parseImports(file: string): FileImport[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(STATEMENT)].map((match) => {
    const target = match[2] ?? match[3] ?? '';
    const typeOnly = match[1] !== undefined;
    if (target.startsWith('#')) return { from: file, to: target.slice(1), isPackage: false, typeOnly };
    if (target.startsWith('.')) return { from: file, to: join(dirname(file), target), isPackage: false, typeOnly };
    return { from: file, to: target, isPackage: true, typeOnly };
  });
}
