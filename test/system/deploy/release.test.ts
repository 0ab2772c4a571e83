import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '#test/support/service.ts';
import { sendRequest } from '../../../bench/attack/client.ts';
import { freePorts, startService } from '../../../bench/service.ts';
import { makeRelease } from '../../../deploy/release/release.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const VERSION = '9.9.9';
const NAME = `energy-usage-service-${VERSION}`;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A repository with this checkout's current files and a release as its latest commit. */
let repository: string;
let released: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  repository = join(folder.path, 'repository');
  released = join(folder.path, 'released');
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of listed.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(repository, file)), { recursive: true });
    // The list contains files that were deleted without a commit.
    await cp(join(ROOT, file), join(repository, file)).catch(() => {});
  }
  for (const file of ['package.json', 'package-lock.json'])
    await change(file, (text) =>
      text.replaceAll(
        /"name": "energy-usage-service",(\s+)"version": "[^"]+"/g,
        `"name": "energy-usage-service",$1"version": "${VERSION}"`,
      ),
    );
  await change('CHANGELOG.md', (text) =>
    text.replace('## Unreleased\n', `## Unreleased\n\n## ${VERSION}\n\n- What is new.\n`),
  );
  git('init', '-q');
  commit();
  // Files that git ignores and that are not part of the release.
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
  test('has the same bytes when it is made again, elsewhere, of the same commit', async () => {
    const elsewhere = join(folder.path, 'elsewhere');
    execFileSync('git', ['clone', '-q', repository, elsewhere]);
    const again = join(folder.path, 'again');
    await makeRelease(elsewhere, VERSION, again);
    const sums = (where: string) => readFile(join(where, 'SHA256SUMS'), 'utf8');
    expect(await sums(again)).toBe(await sums(released));
    execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: again });
    expect(filesIn(`${NAME}.tgz`).filter((file) => file.endsWith('.env'))).toEqual([]);
    const files = [`${NAME}-image.tar.gz`, `${NAME}.cdx.json`, `${NAME}.tgz`, 'RELEASE_NOTES.md'].sort();
    expect((await readdir(again)).sort()).toEqual([...files, 'SHA256SUMS'].sort());
    expect(
      (await sums(again))
        .trim()
        .split('\n')
        .map((line) => line.split('  ')[1]),
    ).toEqual(files);
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

  test('builds the image of what the Dockerfile copies, and of nothing else', async () => {
    const files = filesIn(`${NAME}-image.tar.gz`);
    const copied = [...(await readFile(join(ROOT, 'deploy/Dockerfile'), 'utf8')).matchAll(/^COPY (.+) \S+$/gm)];
    const paths = [...copied.flatMap(([, one = '']) => one.split(' ')), '.dockerignore', 'deploy/Dockerfile'];
    for (const path of paths)
      expect(
        files.some((file) => file.startsWith(path)),
        path,
      ).toBe(true);
    // The archive also contains the parent folders of these files.
    const isOfThem = (file: string) => paths.some((path) => `${file}/`.startsWith(`${path}/`) || path.startsWith(file));
    expect(files.filter((file) => !isOfThem(file) || file.endsWith('.test.ts'))).toEqual([]);
  });

  test('starts as a package below node_modules, where Node strips no types', async () => {
    // Installed as by npm, with the dependencies that are already here.
    const modules = join(folder.path, 'clean/node_modules');
    const installed = join(modules, 'energy-usage-service');
    await mkdir(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(released, `${NAME}.tgz`), '-C', installed, '--strip-components=1']);
    for (const library of await readdir(join(ROOT, 'node_modules')))
      if (!library.startsWith('.')) await symlink(join(ROOT, 'node_modules', library), join(modules, library));
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ private: true, imports: { '#src/*': './src/*' } });
    const version = execFileSync(process.execPath, [join(installed, 'bin/energy.js'), '--version'], {
      encoding: 'utf8',
    });
    expect(version.trim()).toBe(VERSION);

    const ports = await freePorts();
    const key = `eus_live_${'k'.repeat(32)}`;
    const env = {
      ...ports,
      DATA_DIR: join(folder.path, 'data'),
      BOOTSTRAP_ADMIN_KEY: key,
      PATH: process.env.PATH ?? '',
    };
    const log = join(folder.path, 'log');
    const service = await startService(env, { log, checkout: installed });
    try {
      const to = { host: '127.0.0.1', port: Number(ports.API_PORT) };
      const { status, headers } = await sendRequest(to, 'GET', '/v1/users', { key });
      expect([status, headers['energy-service-version']]).toEqual([200, VERSION]);
      expect((await sendRequest(to, 'GET', '/dashboard/app/app.js')).status).toBe(200);
    } finally {
      await service.stop();
    }
    expect(await readFile(log, 'utf8')).not.toContain('ExperimentalWarning');
  });
});

describe('is not made', () => {
  const refused = async (version: string) => {
    const output = join(folder.path, 'refused');
    const why = await makeRelease(repository, version, output).catch((error: Error) => error.message);
    expect(await readdir(output).catch(() => null)).toBeNull();
    return why;
  };
  test('from uncommitted, changed or new files', async () => {
    await writeFile(join(repository, 'src/new.ts'), '');
    expect(await refused(VERSION)).toMatch(/not committed[\s\S]+src\/new\.ts/);
    git('clean', '-fdq');
    await change('README.md', (text) => `${text}more`);
    expect(await refused(VERSION)).toMatch(/README\.md/);
    git('checkout', '-q', '.');
  });
  test('for a version that package.json or the changelog lacks, or that a tag has elsewhere', async () => {
    expect(await refused('9.9.8')).toMatch(/package\.json has version 9\.9\.9, not 9\.9\.8/);
    expect(await refused('v9.9.9')).toMatch(/no version/);
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

test('the workflow does nothing but what npm run release does', async () => {
  const workflow = await readFile(join(ROOT, '.github/workflows/release.yaml'), 'utf8');
  const steps = [...workflow.matchAll(/- run: (.+)/g)].map(([, command]) => command);
  expect(steps).toHaveLength(3);
  expect(steps[1]).toMatch(/^npm run release -- --version "\$\{GITHUB_REF_NAME#v\}"$/);
});
