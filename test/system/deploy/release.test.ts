import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPythonClient, installTypescriptClient } from '#test/support/clients/packaged.ts';
import { runProgram } from '#test/support/clients/run.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { findInstallCommand } from '#test/support/images/install-lines.ts';
import { createTemporaryFolder, startRole } from '#test/support/service.ts';
import { sendRequest } from '../../../bench/attack/client.ts';
import { readProcessCpuMs } from '../../../bench/cpu.ts';
import { findFreePorts } from '../../../bench/service.ts';
import { makeRelease } from '../../../deploy/release/release.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const VERSION = '9.9.9';
const KEY = `eus_live_${'k'.repeat(32)}`;
const NAME = `energy-usage-service-${VERSION}`;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
/** A copy of this checkout as a repository, with a release as its latest commit. */
let repository: string;
let released: string;
/** Folder in which npx has installed the package. */
let installed: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  repository = join(folder.path, 'repository');
  released = join(folder.path, 'released');
  await mkdir(repository);
  // git also lists files that were deleted without a commit. tar skips files that do not exist.
  const copy = 'git ls-files -co --exclude-standard -z | tar --null -cf - -T - 2> /dev/null | tar -xf - -C "$0"';
  execFileSync('sh', ['-c', copy, repository], { cwd: ROOT });
  await change('CHANGELOG.md', (text) =>
    text.replace('## Unreleased\n', `## Unreleased\n\n## ${VERSION}\n\n- What is new.\n`),
  );
  // Set the version in the way that docs/releasing.md describes.
  const libraries = join(repository, 'node_modules');
  await symlink(join(ROOT, 'node_modules'), libraries);
  execFileSync('npm', ['version', VERSION, '--no-git-tag-version'], { cwd: repository });
  await rm(libraries);
  git('init', '-q');
  commit();
  // Add a file that git ignores. It must not become part of the release.
  await writeFile(join(repository, '.git/info/exclude'), '*.env\n');
  await writeFile(join(repository, 'src/left-over.env'), 'SECRET_KEY=x');
  await makeRelease(repository, VERSION, released);
});
afterAll(() => folder.remove());

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: repository });
const commit = () => git('add', '-A') && git('commit', '-q', '-m', 'Release');
async function change(file: string, by: (text: string) => string): Promise<void> {
  await writeFile(join(repository, file), by(await readFile(join(repository, file), 'utf8')));
}
const filesIn = (archive: string): string[] =>
  execFileSync('tar', ['-tzf', join(released, archive)], { encoding: 'utf8' })
    .trim()
    .split('\n');

describe('a release', () => {
  test('has the same bytes when it is built again elsewhere from the same commit', async () => {
    const elsewhere = join(folder.path, 'elsewhere');
    execFileSync('git', ['clone', '-q', repository, elsewhere]);
    const again = join(folder.path, 'again');
    await makeRelease(elsewhere, VERSION, again);
    const sums = (where: string) => readFile(join(where, 'SHA256SUMS'), 'utf8');
    expect(await sums(again)).toBe(await sums(released));
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: again });
    expect(filesIn(`${NAME}.tgz`).filter((file) => file.endsWith('.env'))).toEqual([]);
    const files = [
      'RELEASE_NOTES.md',
      `energy-usage-client-${VERSION}.tgz`,
      `${NAME}-homeassistant-addon.tar.gz`,
      `${NAME}-image.tar.gz`,
      `${NAME}-kubernetes.tar.gz`,
      `${NAME}.cdx.json`,
      `${NAME}.tgz`,
      `energy_usage_client-${VERSION}-py3-none-any.whl`,
    ];
    expect(filesIn(`energy-usage-client-${VERSION}.tgz`)).toContain('package/dist/index.d.ts');
    expect(filesIn(`${NAME}-kubernetes.tar.gz`)).toContain('deploy/kubernetes/base/kustomization.yaml');
    expect(await readdir(again)).toEqual(expect.arrayContaining([...files, 'SHA256SUMS']));
    expect(
      (await sums(again))
        .trim()
        .split('\n')
        .map((line) => line.split('  ')[1]),
    ).toEqual(files);
  });

  test('becomes a local add-on of Home Assistant with the command in the README', async () => {
    const addons = join(folder.path, 'addons');
    await mkdir(addons);
    execFileSync(
      'sh',
      ['-c', findInstallCommand('Home Assistant').replace('X.Y.Z', VERSION).replace('/addons', addons)],
      {
        cwd: released,
      },
    );
    const files = await readdir(join(addons, 'homeassistant-addon'));
    expect(files).toEqual(
      expect.arrayContaining(['config.yaml', 'Dockerfile', 'run.mts', 'translations', `${NAME}.tgz`]),
    );
    expect(await readFile(join(addons, 'homeassistant-addon/config.yaml'), 'utf8')).toMatch(/^version: 9\.9\.9$/m);
  });

  test('contains the notes of its version, and a bill of materials', async () => {
    expect(await readFile(join(released, 'RELEASE_NOTES.md'), 'utf8')).toMatch(/^- What is new\.\n/);
    const bill = JSON.parse(await readFile(join(released, `${NAME}.cdx.json`), 'utf8'));
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'energy-usage-service', version: VERSION } },
    });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    const names = bill.components.map((one: { name: string }) => one.name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'aedes']));
    expect(names).not.toContain('vitest');
  });

  test('builds the image only from the files that the Dockerfile copies', async () => {
    const files = filesIn(`${NAME}-image.tar.gz`);
    const copied = [
      ...(await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8')).matchAll(/^COPY (?!--from=)(.+) \S+$/gm),
    ];
    const paths = [...copied.flatMap(([, one = '']) => one.split(' ')), '.dockerignore', 'deploy/Dockerfile'];
    for (const path of paths)
      expect(
        files.some((file) => file.startsWith(path)),
        path,
      ).toBe(true);
    // Besides these paths, the archive may contain only their parent folders.
    const isOfThem = (file: string) => paths.some((path) => `${file}/`.startsWith(`${path}/`) || path.startsWith(file));
    expect(files.filter((file) => !isOfThem(file) || file.endsWith('.test.ts'))).toEqual([]);
  });

  // The time limit is long, because npm downloads and unpacks some 300 packages.
  test('runs the demo in an empty folder with the command in the README, without stripping types', {
    timeout: 400_000,
  }, async () => {
    const empty = join(folder.path, 'empty');
    await mkdir(empty);
    await cp(join(released, `${NAME}.tgz`), join(empty, `${NAME}.tgz`));
    const ports = await findFreePorts();
    // npm unpacks packages into a folder of the test, but takes downloaded files from the machine's cache if it has them.
    const cache = { npm_config_cache: join(folder.path, 'npm'), npm_config_prefer_offline: 'true' };
    // npm needs the machine's settings for the registry, for the proxy, and for certificate authorities.
    const isOfNetwork = ([name]: [string, unknown]) =>
      /^(npm_config_|NODE_EXTRA_CA_CERTS$|SSL_CERT_|(https?|no)_proxy$)/i.test(name);
    const network = {
      ...Object.fromEntries(Object.entries(process.env).filter(isOfNetwork)),
      npm_config_userconfig: join(homedir(), '.npmrc'),
    };
    const downloads = join(process.env.npm_config_cache ?? join(homedir(), '.npm'), '_cacache');
    await mkdir(downloads, { recursive: true });
    await mkdir(cache.npm_config_cache);
    await symlink(downloads, join(cache.npm_config_cache, '_cacache'));
    const demo = spawn('sh', ['-c', findInstallCommand('Node').replace('X.Y.Z', VERSION)], {
      cwd: empty,
      env: {
        ...{ ...ports, ...network, ...cache, npm_config_yes: 'true' },
        ...{ HOME: folder.path, PATH: process.env.PATH, BOOTSTRAP_ADMIN_KEY: KEY },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const certificate = join(empty, 'data/tls/cert.pem');
    let printed = '';
    for (const stream of [demo.stdout, demo.stderr])
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    let isEnded = false;
    const ended = new Promise<void>((done) =>
      demo.once('exit', () => {
        isEnded = true;
        done();
      }),
    );
    try {
      const to = { host: '127.0.0.1', port: Number(ports.API_PORT) };
      const ask = (path: string) => sendRequest(to, 'GET', path).catch(() => null);
      const state = async () => (isEnded ? 'ended' : (await ask('/readyz'))?.status);
      await expect.poll(state, { timeout: 330_000, interval: 250 }).toSatisfy((one) => one === 200 || one === 'ended');
      expect(isEnded).toBe(false);
      expect((await ask('/v1/openapi.json'))?.json.info.version).toBe(VERSION);
      expect((await ask('/dashboard/app/app.js'))?.text).not.toMatch(/interface |: string/);
      expect((await ask('/docs'))?.status).toBe(200);
      await expectClients(`https://localhost:${ports.API_PORT}`, certificate);
    } catch (error) {
      throw new Error(printed, { cause: error });
    } finally {
      if (!isEnded) process.kill(-(demo.pid as number), 'SIGINT');
      await ended;
    }
    expect(printed).not.toContain('ExperimentalWarning');
    expect(await readdir(join(empty, 'data'))).toContain('postgres');

    [installed = ''] = await findFolders(join(cache.npm_config_cache, '_npx'), 'energy-usage-service');
    const files = await readdir(installed, { recursive: true });
    expect(files.filter((file) => file.endsWith('.ts') || file.includes('strip'))).toEqual([]);
    expect(await readdir(dirname(installed))).not.toContain('amaro');
    expect(await readFile(join(installed, 'dist/LICENSES.txt'), 'utf8')).toMatch(/^fastify 5\.[\d.]+ \(MIT\)$/m);
    // Alerts and calculations run in worker threads, whose programs are separate files.
    for (const task of ['evaluate', 'compute'])
      expect(await import(join(installed, `dist/${task}.task.js`))).toMatchObject({ default: expect.any(Function) });
    // The package depends on the exact versions with which the tests have run.
    const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(Object.values<string>(dependencies).filter((version) => !/^\d/.test(version))).toEqual([]);
  });

  test('prints its commands in 0.3 s, and has a role ready sooner than a checkout', async () => {
    const launcher = join(installed, 'bin/energy.js');
    const runs = Array.from({ length: ROUNDS }, () => ({
      help: childCpuMs([launcher, '--help']),
      nothing: childCpuMs(['-e', '0']),
    }));
    const [help, nothing] = [Math.min(...runs.map((run) => run.help)), Math.min(...runs.map((run) => run.nothing))];
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, 'role') };
    const startCpuMs = async (program: string) => {
      const role = await startRole('api', env, program);
      const cpuMs = readProcessCpuMs(role.process.pid as number);
      await role.stop();
      return cpuMs;
    };
    const starts: { packaged: number; source: number }[] = [];
    for (let round = 0; round < ROUNDS; round++)
      starts.push({
        packaged: await startCpuMs(launcher),
        source: await startCpuMs(join(ROOT, 'bin/energy.js')),
      });
    await database.drop();
    const [packaged, source] = [
      Math.min(...starts.map((start) => start.packaged)),
      Math.min(...starts.map((start) => start.source)),
    ];
    console.log(
      `CPU: --help ${help} ms, node -e 0 ${nothing} ms; the API ready after ${packaged} ms, from source ${source} ms`,
    );
    expect(help / nothing).toBeLessThan(MAX_HELP);
    expect(packaged / source).toBeLessThan(MAX_START);
  });
});

/**
 * Maximum CPU time of `energy --help`, as a multiple of the CPU time of `node -e 0`. On a machine where the latter takes 60 ms, this is 0.3
 * s.
 */
const MAX_HELP = 5;
/**
 * Maximum CPU time of a start of the packaged service, divided by that of a start from source. The goal is two thirds; 0.63 was measured.
 */
const MAX_START = 0.75;
/**
 * Number of starts of each of the two programs. The test compares the lowest CPU times, because other programs on the machine can only
 * increase the CPU time of a start. The starts alternate, so that a change of the machine's load affects both programs.
 */
const ROUNDS = 5;

/** Returns the CPU time of a Node.js program and its child processes, in ms. Other programs on the machine affect it little. */
function childCpuMs(args: string[]): number {
  const timed = 'TIMEFORMAT="%U %S"; time "$0" "$@" > /dev/null';
  const { stderr } = spawnSync('bash', ['-c', timed, process.execPath, ...args], { encoding: 'utf8' });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return Math.round((user + system) * 1_000);
}

/** Programs that use the released clients. Each program prints the number of homes. */
const READERS = {
  typescript: `const { EnergyClient } = await import(process.env.CLIENT);
    const energy = new EnergyClient({ key: process.env.ENERGY_KEY, baseUrl: process.env.ENERGY_URL });
    console.log((await energy.listUsers().all()).filter(({ role }) => role === 'homeowner').length);`,
  python: `import os
from energy_usage import EnergyClient
energy = EnergyClient(os.environ["ENERGY_KEY"], base_url=os.environ["ENERGY_URL"])
print(len([user for user in energy.list_users() if user["role"] == "homeowner"]))`,
};

/** Installs the released clients as packages outside the repository, and reads the demo's homes with each client. */
async function expectClients(url: string, certificate: string): Promise<void> {
  const wheel = join(released, `energy_usage_client-${VERSION}-py3-none-any.whl`);
  const [client, python] = await Promise.all([
    installTypescriptClient(folder.path, join(released, `energy-usage-client-${VERSION}.tgz`)),
    installPythonClient(folder.path, wheel),
  ]);
  const env = { ENERGY_KEY: KEY, ENERGY_URL: url, CLIENT: client };
  const options = { cwd: folder.path, env: { ...env, NODE_EXTRA_CA_CERTS: certificate, SSL_CERT_FILE: certificate } };
  const count = await Promise.all([
    runProgram(process.execPath, ['--input-type=module', '-e', READERS.typescript], options),
    runProgram(python, ['-c', READERS.python], options),
  ]);
  expect(count.map((text) => text.trim())).toEqual([expect.stringMatching(/^[1-9]\d*$/), count[0].trim()]);
}

/** Returns where npx may have installed a package in its cache. */
const findFolders = async (npx: string, name: string): Promise<string[]> =>
  (await readdir(npx)).map((one) => join(npx, one, 'node_modules', name));

describe('is not made', () => {
  const refused = async (version: string) => {
    const output = join(folder.path, 'refused');
    const why = await makeRelease(repository, version, output).catch((error: Error) => error.message);
    expect(await readdir(output).catch(() => null)).toBeNull();
    return why;
  };
  test('from a checkout with uncommitted, changed or new files', async () => {
    await writeFile(join(repository, 'src/new.ts'), '');
    expect(await refused(VERSION)).toMatch(/not committed[\s\S]+src\/new\.ts/);
    git('clean', '-fdq');
    await change('README.md', (text) => `${text}more`);
    expect(await refused(VERSION)).toMatch(/README\.md/);
    git('checkout', '-q', '.');
  });
  test('for a version that is missing in package.json or the changelog, or already tagged on another commit', async () => {
    expect(await refused('9.9.8')).toMatch(/package\.json has version 9\.9\.9, not 9\.9\.8/);
    expect(await refused('v9.9.9')).toMatch(/no version/);
    await change('clients/python/src/energy_usage/_version.py', (text) => text.replace(VERSION, '9.9.8'));
    commit();
    expect(await refused(VERSION)).toMatch(/_version\.py has version 9\.9\.8, not 9\.9\.9: npm run client/);
    git('reset', '-q', '--hard', 'HEAD^');
    git('tag', `v${VERSION}`);
    await change('README.md', (text) => `${text}more`);
    commit();
    expect(await refused(VERSION)).toMatch(/names another commit/);
    git('tag', '-d', `v${VERSION}`);
    await change('CHANGELOG.md', (text) => text.replace(`## ${VERSION}\n\n- What is new.\n`, ''));
    commit();
    expect(await refused(VERSION)).toMatch(/CHANGELOG\.md says nothing/);
  });
});

test('the workflow does the same as npm run release', async () => {
  const workflow = await readFile(join(ROOT, '.github/workflows/release.yaml'), 'utf8');
  const steps = [...workflow.matchAll(/- run: (.+)/g)].map(([, command]) => command);
  expect(steps).toHaveLength(3);
  expect(steps[1]).toMatch(/^npm run release -- --version "\$\{GITHUB_REF_NAME#v\}"$/);
});
