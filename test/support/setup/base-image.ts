import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { BASE_IMAGE, BASE_IMAGE_MARKER, hasBaseImage, preparePodman, runPodman } from '../images/podman.ts';

const packages = resolve(import.meta.dirname, '../../../node_modules');
/** Folders that Debian's slim images omit, too. */
const NOT_SLIM = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'];

/** Creates the base image of deploy/Dockerfile unless it exists. Needs root, debootstrap, podman and runc. */
export function makeBaseImage(): void {
  if (hasBaseImage()) return;
  console.log('Making the base image of deploy/Dockerfile: a minute or two, once …');
  preparePodman();
  const root = mkdtempSync(join(tmpdir(), 'energy-base-'));
  chmodSync(root, 0o755);
  try {
    run('debootstrap', '--variant=minbase', 'bookworm', root);
    run('chroot', root, 'useradd', '--uid', '1000', '--user-group', '--create-home', '--shell', '/bin/bash', 'node');
    const node = join(packages, `node-linux-${process.arch}`, 'bin/node');
    const local = join(root, 'usr/local');
    cpSync(node, join(local, 'bin/node'));
    cpSync(npmFolder(), join(local, 'lib/node_modules/npm'), { recursive: true, dereference: true });
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
    for (const folder of NOT_SLIM) {
      rmSync(join(root, folder), { recursive: true, force: true });
      mkdirSync(join(root, folder), { recursive: true });
    }
    const archive = `${root}.tar`;
    run('tar', '-C', root, '-cf', archive, '.');
    runPodman('import', '--change', 'CMD ["node"]', archive, BASE_IMAGE);
    rmSync(archive);
    writeFileSync(BASE_IMAGE_MARKER, '');
  } finally {
    rmSync(root, { recursive: true, force: true });
    rmSync(`${root}.tar`, { force: true });
  }
}

const npmFolder = (): string =>
  dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
