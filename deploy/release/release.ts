import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzipSync } from 'node:zlib';
import { listContextPaths } from './context.ts';
import { findReleaseNotes, isVersion } from './notes.ts';
import { preparePackage } from './package.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Error that prevents a release; its message is for the person who started it. */
export class ReleaseRefusedError extends Error {}

interface Manifest {
  name: string;
  version: string;
}

/**
 * Writes all files of a release of a commit into a folder: the npm package, the image's build context, a bill of materials (CycloneDX), the
 * release notes, and checksums of all. The same commit gives the same bytes. Returns the file names. Throws `ReleaseRefusedError` if the working tree
 * differs from the commit, or if the version differs from that of package.json, package-lock.json or a section of CHANGELOG.md.
 */
export async function makeRelease(root: string, version: string, folder: string): Promise<string[]> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim();
  const read = (name: string) => readFile(join(root, name), 'utf8');
  const { name, notes } = await mayRelease(git, read, version);
  await mkdir(folder, { recursive: true });
  const committedAt = new Date(Number(await git('log', '-1', '--format=%ct')) * 1_000);
  const packed = `${name}-${version}.tgz`;
  const made = new Map<string, Buffer | string>();
  // The package contains the `files` of package.json, as committed: the working tree may contain files that git ignores. `prepack` refuses
  // to pack a checkout.
  const npm = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const committed = await mkdtemp(join(tmpdir(), 'energy-release-'));
  try {
    await run('git', ['archive', '--format=tar', '-o', join(committed, 'tree.tar'), 'HEAD'], { cwd: root });
    await run('tar', ['-xf', join(committed, 'tree.tar'), '-C', committed]);
    await rm(join(committed, 'tree.tar'));
    await preparePackage(committed);
    await run('npm', npm, { cwd: committed });
  } finally {
    await rm(committed, { recursive: true, force: true });
  }
  await normalise(join(folder, packed));
  made.set(`${name}-${version}-image.tar.gz`, await imageContext(root));
  made.set(`${name}-${version}.cdx.json`, await billOfMaterials(root, name, committedAt));
  made.set('RELEASE_NOTES.md', notes);
  for (const [file, content] of made) await writeFile(join(folder, file), content);
  const names = [packed, ...made.keys()].sort();
  const sums = await Promise.all(names.map(async (one) => `${sha256(await readFile(join(folder, one)))}  ${one}\n`));
  await writeFile(join(folder, 'SHA256SUMS.part'), sums.join(''));
  // Renamed last, when it is complete: if SHA256SUMS exists, all files exist.
  await rename(join(folder, 'SHA256SUMS.part'), join(folder, 'SHA256SUMS'));
  return [...names, 'SHA256SUMS'];
}

async function mayRelease(
  git: (...args: string[]) => Promise<string>,
  read: (name: string) => Promise<string>,
  version: string,
): Promise<{ name: string; notes: string }> {
  if (!isVersion(version))
    throw new ReleaseRefusedError(`${version} is no version: give one such as 1.7.0 (--version 1.7.0)`);
  const changed = await git('status', '--porcelain');
  if (changed !== '')
    throw new ReleaseRefusedError(
      `The tree has what is not committed; commit it, or take it away, and try again:\n${changed}`,
    );
  const manifest: Manifest = JSON.parse(await read('package.json'));
  const lock: Manifest = JSON.parse(await read('package-lock.json'));
  for (const [file, said] of [
    ['package.json', manifest.version],
    ['package-lock.json', lock.version],
  ] as const)
    if (said !== version)
      throw new ReleaseRefusedError(
        `${file} has version ${said}, not ${version}: npm version ${version} --no-git-tag-version`,
      );
  const notes = findReleaseNotes(await read('CHANGELOG.md'), version);
  if (notes === null)
    throw new ReleaseRefusedError(
      `CHANGELOG.md says nothing of ${version}: move what is below "Unreleased" into "## ${version}"`,
    );
  const tagged = await git('tag', '--list', `v${version}`);
  if (tagged !== '' && (await git('rev-parse', `v${version}^{commit}`)) !== (await git('rev-parse', 'HEAD')))
    throw new ReleaseRefusedError(`The tag v${version} names another commit: git checkout v${version}`);
  return { name: manifest.name, notes };
}

/**
 * Build context of the image, which `docker build -f deploy/Dockerfile` reads from its standard input. Its files have the commit's time.
 */
async function imageContext(root: string): Promise<Buffer> {
  const args = ['archive', '--format=tar', 'HEAD', '--', ...listContextPaths(root)];
  const { stdout } = await run('git', args, { cwd: root, encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES });
  return zipped(stdout);
}

/**
 * npm puts a random serial number, the current time and the folder's name into each bill. They are replaced by a hash of its content, the
 * commit's time and the package's name.
 */
async function billOfMaterials(root: string, name: string, committedAt: Date): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: MAX_OUTPUT_BYTES });
  const bill = JSON.parse(stdout);
  delete bill.serialNumber;
  bill.metadata.timestamp = committedAt.toISOString();
  Object.assign(bill.metadata.component, { name, type: 'application' });
  const digest = sha256(JSON.stringify(bill));
  // UUID derived from a hash (RFC 9562, version 8), as the format requires.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  bill.serialNumber = `urn:uuid:${[...parts, digest.slice(20, 32)].join('-')}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** npm packs with fixed times, but the gzip header contains the operating system (RFC 1952, OS). */
async function normalise(file: string): Promise<void> {
  const packed = await readFile(file);
  packed[9] = UNKNOWN_SYSTEM;
  await writeFile(file, packed);
}

const UNKNOWN_SYSTEM = 255;

function zipped(content: Buffer): Buffer {
  const made = gzipSync(content, { level: constants.Z_BEST_COMPRESSION });
  made[9] = UNKNOWN_SYSTEM;
  return made;
}

const sha256 = (content: Buffer | string): string => createHash('sha256').update(content).digest('hex');
