import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzipSync } from 'node:zlib';
import { packPythonClient, packTypescriptClient, readClientVersions } from './clients.ts';
import { listBuildContextPaths } from './context.ts';
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
 * Name of the folder of deploy/ whose archive also contains the npm package, because Home Assistant's supervisor builds the add-on's image
 * from this folder alone.
 */
const ADDON = 'homeassistant-addon';
/** Folders of deploy/ of which a release contains archives, if the commit has these folders. */
const FOLDERS = [ADDON, 'kubernetes'];

/**
 * Writes all files of a release of a commit into a folder: the npm package, the packages of both clients, the image's build context, the
 * Home Assistant add-on and the Kubernetes manifests, a bill of materials (CycloneDX), the release notes, and checksums of all. The same
 * commit gives the same bytes. Returns the file names. Throws `ReleaseRefusedError` if the working tree differs from the commit, if
 * package.json, package-lock.json or a client has another version, or if CHANGELOG.md has no section for the version.
 */
export async function makeRelease(root: string, version: string, folder: string): Promise<string[]> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim();
  const { name, notes } = await mayRelease(root, git, version);
  await mkdir(folder, { recursive: true });
  const committedAt = new Date(Number(await git('log', '-1', '--format=%ct')) * 1_000);
  const write = async (file: string, content: Buffer | string): Promise<string> => {
    await writeFile(join(folder, file), content);
    return file;
  };
  const folders = (await git('ls-tree', '--name-only', 'HEAD:deploy'))
    .split('\n')
    .filter((one) => FOLDERS.includes(one));
  const packages = packCommitted(root, folder, committedAt);
  const pack = async (one: string): Promise<string> => {
    const added = one === ADDON ? [join(folder, (await packages)[0] as string)] : [];
    return write(`${name}-${version}-${one}.tar.gz`, await zippedFiles(root, [`deploy/${one}`], added));
  };
  const made = await Promise.all([
    packages,
    imageContext(root).then((content) => write(`${name}-${version}-image.tar.gz`, content)),
    ...folders.map(pack),
    billOfMaterials(root, name, committedAt).then((content) => write(`${name}-${version}.cdx.json`, content)),
    write('RELEASE_NOTES.md', notes),
  ]);
  const names = made.flat().sort();
  const sums = await Promise.all(names.map(async (one) => `${sha256(await readFile(join(folder, one)))}  ${one}\n`));
  await writeFile(join(folder, 'SHA256SUMS.part'), sums.join(''));
  // SHA256SUMS is renamed last, so that the release is complete if SHA256SUMS exists.
  await rename(join(folder, 'SHA256SUMS.part'), join(folder, 'SHA256SUMS'));
  return [...names, 'SHA256SUMS'];
}

/**
 * Packs the service and its clients as committed, from a copy of the commit, because the working tree may contain files that git ignores.
 * Returns the names of the packages.
 */
async function packCommitted(root: string, folder: string, committedAt: Date): Promise<string[]> {
  const committed = await mkdtemp(join(tmpdir(), 'energy-release-'));
  const pack = async () => {
    await preparePackage(committed);
    // Scripts are ignored, because the script `prepack` refuses to pack a checkout.
    const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
    return (await run('npm', args, { cwd: committed })).stdout.trim();
  };
  try {
    await run('git', ['archive', '--format=tar', '-o', join(committed, 'tree.tar'), 'HEAD'], { cwd: root });
    await run('tar', ['-xf', join(committed, 'tree.tar'), '-C', committed]);
    await rm(join(committed, 'tree.tar'));
    const clients = join(committed, 'clients');
    const packed = await Promise.all([pack(), packTypescriptClient(clients, folder)]);
    for (const file of packed) await normalise(join(folder, file));
    return [...packed, await packPythonClient(clients, folder, committedAt)];
  } finally {
    await rm(committed, { recursive: true, force: true });
  }
}

async function mayRelease(
  root: string,
  git: (...args: string[]) => Promise<string>,
  version: string,
): Promise<{ name: string; notes: string }> {
  if (!isVersion(version))
    throw new ReleaseRefusedError(`${version} is no version: give one such as 1.7.0 (--version 1.7.0)`);
  const changed = await git('status', '--porcelain');
  if (changed !== '')
    throw new ReleaseRefusedError(
      `The tree has what is not committed; commit it, or take it away, and try again:\n${changed}`,
    );
  const read = (name: string) => readFile(join(root, name), 'utf8');
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
  for (const [file, said] of Object.entries(await readClientVersions(join(root, 'clients'))))
    if (said !== version) throw new ReleaseRefusedError(`${file} has version ${said}, not ${version}: npm run client`);
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

/** Returns the build context of the image, which `docker build -f deploy/Dockerfile` reads from its standard input. */
const imageContext = (root: string): Promise<Buffer> => zippedFiles(root, listBuildContextPaths(root));

/**
 * Returns a compressed archive of the committed files below these paths. `added`: further files, which are put into the first of the paths.
 * All files have the time of the commit.
 */
async function zippedFiles(root: string, paths: readonly string[], added: readonly string[] = []): Promise<Buffer> {
  const more = added.flatMap((file) => [`--prefix=${paths[0]}/`, `--add-file=${file}`]);
  const args = ['archive', '--format=tar', ...more, '--prefix=', 'HEAD', '--', ...paths];
  const { stdout } = await run('git', args, { cwd: root, encoding: 'buffer', maxBuffer: MAX_OUTPUT_BYTES });
  return zipped(stdout);
}

/**
 * npm puts a random serial number, the current time and the folder's name into each bill of materials. They are replaced by a hash of the
 * bill's content, the commit's time and the package's name, so that the same commit gives the same bill.
 */
async function billOfMaterials(root: string, name: string, committedAt: Date): Promise<string> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: root, maxBuffer: MAX_OUTPUT_BYTES });
  const bill = JSON.parse(stdout);
  delete bill.serialNumber;
  bill.metadata.timestamp = committedAt.toISOString();
  Object.assign(bill.metadata.component, { name, type: 'application' });
  const digest = sha256(JSON.stringify(bill));
  // The format requires a UUID, so the serial number is a UUID derived from the hash (RFC 9562, version 8).
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  bill.serialNumber = `urn:uuid:${[...parts, digest.slice(20, 32)].join('-')}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** npm packs files with fixed times, but writes the operating system into the gzip header (RFC 1952, OS), so this byte is replaced. */
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
