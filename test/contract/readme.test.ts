import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAMILIES } from '#ingest/decoders/families.ts';
import { formatDemoWelcome } from '#src/cli/demo.ts';
import { COMMAND_LOADERS } from '#src/cli/program.ts';
import type { RunningDemo } from '#src/start/demo.ts';
import { CONFIGURATION_FILE, generateConfigurationPage } from '#test/support/generate-configuration.ts';
import { findInstallCommand, listInstallMethods } from '#test/support/images/install-lines.ts';
import { SCREENSHOT_FILE_NAMES, SCREENSHOTS_FOLDER } from '#test/support/screenshots.ts';
import { ALL_PROBES } from '../../bench/attack/probes/all.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const README = read('README.md');
const PAGES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(ROOT, file)));

/** Removes code blocks and code spans, because nothing in them is a link. */
const proseOf = (markdown: string): string => markdown.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');

/** Returns the targets of all links and pictures. */
const linksOf = (markdown: string): string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"\s]+)"/g)].map(
    ([, link = '', attribute = '']) => link || attribute,
  );

/** Returns the anchors of a text's headings, as GitHub creates them. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#{1,6} +(.+?) *$/gm);
  return new Set(
    [...headings].map(([, text = '']) =>
      text
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-'),
    ),
  );
}

/** Returns the links of a page whose target in the repository is missing. */
function brokenLinks(page: string): string[] {
  return linksOf(read(page)).filter((link) => {
    // Skips addresses of the service, which openapi.test.ts checks, and of other sites, which no test checks.
    if (/^[a-z]+:/.test(link) || link.startsWith('/')) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), decodeURI(path));
    if (!existsSync(join(ROOT, target))) return true;
    if (anchor === undefined || anchor === '' || !target.endsWith('.md')) return false;
    return !anchorsOf(read(target)).has(anchor);
  });
}

test.each(PAGES)('every link and picture of %s has a target', (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

describe('the README', () => {
  test('is at most 6 kB, and begins with a sentence, a picture and two commands', () => {
    expect(Buffer.byteLength(README)).toBeLessThanOrEqual(6_000);
    expect(README).toMatch(
      /^# .+\n\n[^\n]+\n\n<picture>[\s\S]+?<\/picture>\n\n## [\s\S]+?```sh\nnpm ci\nnpm run demo\n```/,
    );
  });

  test('shows what the demo prints', () => {
    const demo: RunningDemo = {
      baseUrl: 'https://localhost:8443',
      apiKey: 'eus_live_x',
      users: [{ userId: 'usr_x', email: 'anna@demo.example', timezone: 'Europe/Amsterdam' }],
      links: {
        home: 'https://localhost:8443/dashboard/sign-in#x',
        fleet: 'https://localhost:8443/dashboard/sign-in#x',
        admin: 'https://localhost:8443/dashboard/sign-in#x',
      },
      adminKey: 'eus_live_x',
      certificateFile: '/cert.pem',
      dataDir: 'data',
      backfill: { readings: 371_059, seconds: 29.4 },
      stop: async () => {},
    };
    const printed = formatDemoWelcome(demo, { liveSeconds: 2, faults: [] }, new Date('2026-11-23T23:30:00Z'))
      .replaceAll(/^curl .* (?='https)/gm, 'curl … ')
      .replaceAll(/(?<=sign-in#|eus_live_|usr_)x/g, '…');
    const [, block] = /\n```\n(Stored[\s\S]+?)```/.exec(README) ?? [];
    expect(block).toBe(printed.trimStart());
  });

  test('has a line for each way to install, which a test extracts and runs', () => {
    const tests = globSync('test/{system,images}/**/*.test.ts', { cwd: ROOT }).map(read).join('\n');
    const run = [...tests.matchAll(/\bfindInstallCommand\('([^']+)'\)/g)].map(([, way = '']) => way);
    expect(
      listInstallMethods().map((way) => run.find((one) => way.startsWith(one)) ?? `${way}: no test runs it`),
    ).toEqual([...['podman', 'compose', 'Node', 'systemd', 'Home Assistant']]);
    for (const way of run) expect(findInstallCommand(way)).not.toBe('');
  });

  test('names only commands, files and numbers that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = (pattern: RegExp) => [...README.matchAll(pattern)].map(([, name = '']) => name);
    expect(named(/npm run ([\w:]+)/g).filter((name) => !(name in scripts))).toEqual([]);
    expect(named(/npx energy ([\w-]+)/g).filter((name) => !(name in COMMAND_LOADERS))).toEqual([]);
    expect(named(/npx vitest run [^`]*?(\S+\.test\.ts)/g).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(README).toContain(`| ${FAMILIES.length} families of devices`);
    expect(README).toContain(`| ${ALL_PROBES.length} probes from outside`);
  });
});

describe('pictures of the dashboard', () => {
  test('are taken by `npm run screenshots`, and have at most 2.5 MB together', () => {
    expect(readdirSync(SCREENSHOTS_FOLDER).toSorted()).toEqual([...SCREENSHOT_FILE_NAMES, 'README.md'].toSorted());
    const sizes = SCREENSHOT_FILE_NAMES.map((name) => statSync(new URL(name, SCREENSHOTS_FOLDER)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(2_500_000);
  });

  test('are all on the page of pictures', () => {
    const page = readFileSync(new URL('README.md', SCREENSHOTS_FOLDER), 'utf8');
    const shown = [...page.matchAll(/src="([^"]+)"/g)].map(([, file]) => file);
    expect(shown.toSorted()).toEqual(SCREENSHOT_FILE_NAMES.filter((name) => !name.endsWith('-dark.webp')).toSorted());
  });

  test('are shown in the README in light and dark', () => {
    const shown = linksOf(README).filter((link) => link.endsWith('.webp'));
    expect(shown).toEqual(['docs/images/home-desktop-dark.webp', 'docs/images/home-desktop.webp']);
  });
});

test('docs/configuration.md is generated from the same data that `energy config` prints', () => {
  expect(readFileSync(CONFIGURATION_FILE, 'utf8') === generateConfigurationPage(), 'npm run configuration').toBe(true);
});
