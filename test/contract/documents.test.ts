import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const DECISIONS = 'docs/decisions';
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** Counts the words of a Markdown text. The marks of tables, lists and headings do not count. */
const countWords = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;

const records = readdirSync(join(ROOT, DECISIONS)).filter((name) => name !== 'README.md');
const numbers = new Set(records.map((name) => name.slice(0, 4)));
const index = read(`${DECISIONS}/README.md`);

describe('a decision record', () => {
  test.each(records)('%s has its number, a date, three headings and at most 350 words', (name) => {
    const text = read(`${DECISIONS}/${name}`);
    expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)} \\S.+\n\nDecided on \\d{4}-\\d{2}-\\d{2} for \\[`));
    expect([...text.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'Context',
      'Decision',
      'Consequence',
    ]);
    expect(countWords(text)).toBeLessThanOrEqual(350);
  });

  test('is listed once in the index, by its title', () => {
    const listed = [...index.matchAll(/^- \[(\d{4})\]\((\S+)\) (.+)$/gm)].map(([, ...entry]) => entry.join(' '));
    const titles = records.map((name) => {
      const [, title = ''] = /^# \d{4} (.+)$/m.exec(read(`${DECISIONS}/${name}`)) ?? [];
      return `${name.slice(0, 4)} ${name} ${title}`;
    });
    expect(listed.toSorted()).toEqual(titles.toSorted());
  });

  test('does not exist for a decision that was merged into another record', () => {
    const merged = [...index.matchAll(/^- (\d{4}) merged into (\d{4})$/gm)];
    expect(merged.filter(([, from = '', into = '']) => numbers.has(from) || !numbers.has(into))).toEqual([]);
  });
});

test('every reference to a decision names a record', () => {
  const files = execFileSync('git', ['grep', '-lIE', 'decisions?[ /]\\[?[0-9]{4}', '--', ':!CHANGELOG.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const missing = files
    .trim()
    .split('\n')
    .filter((file) => existsSync(join(ROOT, file)))
    .flatMap((file) =>
      [...read(file).matchAll(/\bdecisions?[ /]\[?(\d{4})\b/g)]
        .filter(([, number = '']) => !numbers.has(number))
        .map(([reference]) => `${file}: ${reference}`),
    );
  expect(missing).toEqual([]);
});

/** Returns the identifiers in CONTRIBUTING.md, each with the file that the text names for it, or null. */
function namesOfCode(): { name: string; file: string | null }[] {
  const text = read('CONTRIBUTING.md');
  const ofFiles = text.matchAll(/`([\w$]+)`(?:\s+(?:in|of)\s+|\s+\()`([\w./-]+\.ts)`/g);
  const calls = text.matchAll(/`(?:\w+: )?([a-z]+[A-Z]\w*)[(`]/g);
  return [
    ...Array.from(ofFiles, ([, name = '', file = '']) => ({ name, file })),
    ...Array.from(calls, ([, name = '']) => ({ name, file: null })),
  ];
}

test('every name of code in CONTRIBUTING.md exists, in the file that the text says', () => {
  const names = namesOfCode();
  expect(names.length).toBeGreaterThan(20);
  const missing = names.filter(({ name, file }) => {
    const declared = `(const|function|interface|type) ${name.replaceAll('$', '\\$')}\\b`;
    const where = file ? `:(glob)**/${file}` : ':(glob)**/*.ts';
    return spawnSync('git', ['grep', '-qE', file ? declared : name, '--', where], { cwd: ROOT }).status !== 0;
  });
  expect(missing).toEqual([]);
});

test('every relation is in the catalogue', () => {
  const relations = [...read('sql/schema.sql').matchAll(/^CREATE (?:UNLOGGED )?(?:TABLE|VIEW) (\w+)/gm)];
  const catalogue = read('sql/CATALOGUE.md');
  expect(relations.length).toBeGreaterThan(80);
  expect(relations.map(([, name]) => name).filter((name) => !catalogue.includes(`\`${name}\``))).toEqual([]);
});

test('the catalogue lists no other relation', () => {
  const schema = read('sql/schema.sql');
  const rows = read('sql/CATALOGUE.md').matchAll(/^\| (`.+?) \|/gm);
  const names = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(names.filter((name) => !new RegExp(`^CREATE (UNLOGGED )?(TABLE|VIEW) ${name}\\b`, 'm').test(schema))).toEqual(
    [],
  );
});

const FOLDERS = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*README.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter(
    (file) => existsSync(join(ROOT, file)) && !file.startsWith(DECISIONS) && !file.startsWith('ingest/decoders/'),
  );

test.each(FOLDERS)('%s has at most 800 words', (file) => {
  expect(countWords(read(file))).toBeLessThanOrEqual(800);
});
