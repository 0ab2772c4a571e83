#!/usr/bin/env node
// The launcher stays plain JavaScript that any Node since 14 can read: its only work is to find a Node 24
// (the machine's own, else the one pinned in package.json) and to run the TypeScript program on it. Installed as a package
// (npx, npm install) it lies below node_modules, where Node strips no types: strip-types.js does.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const major = (version) => Number(version.split('.')[0]);
const args = process.argv.slice(2);
const program = join(root, 'src/cli/main.ts');
const isInstalled = root.split(sep).includes('node_modules');
const flags = isInstalled ? ['--import', pathToFileURL(join(root, 'bin/strip-types.js')).href] : [];
const isNew = major(process.versions.node) >= 24;

if (isNew && !isInstalled) {
  await import(program);
} else {
  const candidates = [`node-${process.platform}-${process.arch}`].flatMap((name) => [
    join(root, 'node_modules', name, 'bin/node'),
    join(root, '..', name, 'bin/node'),
  ]);
  const node = isNew ? process.execPath : candidates.find((path) => existsSync(path));
  if (!node) {
    console.error(
      `energy needs Node.js 24 or newer; this is ${process.version}. Install it from https://nodejs.org and try again.`,
    );
    process.exit(1);
  }
  const child = spawn(node, [...flags, program, ...args], { stdio: 'inherit' });
  // A terminal's Ctrl-C reaches the child by itself (same process group); a plain kill of this process does not.
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
