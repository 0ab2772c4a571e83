#!/usr/bin/env node
// The launcher stays plain JavaScript that any Node since 14 can read: its only work is to find a Node 24
// (the machine's own, else the one pinned in package.json) and to run the program on it: the TypeScript of a checkout, or the bundle of
// an installed package (deploy/release/package.ts).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const major = (version) => Number(version.split('.')[0]);
const args = process.argv.slice(2);
const source = join(root, 'src/cli/main.ts');
const program = existsSync(source) ? source : join(root, 'dist/main.js');

if (major(process.versions.node) >= 24) {
  await import(program);
} else {
  const candidates = [`node-${process.platform}-${process.arch}`].flatMap((name) => [
    join(root, 'node_modules', name, 'bin/node'),
    join(root, '..', name, 'bin/node'),
  ]);
  const node = candidates.find((path) => existsSync(path));
  if (!node) {
    console.error(
      `energy needs Node.js 24 or newer; this is ${process.version}. Install it from https://nodejs.org and try again.`,
    );
    process.exit(1);
  }
  const child = spawn(node, [program, ...args], { stdio: 'inherit' });
  // A terminal's Ctrl-C reaches the child by itself (same process group); a plain kill of this process does not.
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
}
