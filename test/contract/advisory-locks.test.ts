import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';

const HOME = 'src/database/advisory-locks.ts';
const code = globSync('{src,ingest,simulators,bench,clients,test}/**/*.ts');
const sql = globSync('sql/**/*.sql');
const calls = (file: string) => [
  ...readFileSync(file, 'utf8').matchAll(/\bpg_(?:try_)?advisory_(?:xact_)?(?:un)?lock(?:_shared)?\(([^)]*)\)/g),
];

test('every advisory lock has a unique number', () => {
  const numbers = Object.values(ADVISORY_LOCKS);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('no code takes an advisory lock by an undeclared number', () => {
  // A file that takes an advisory lock imports the lock's number or receives it as an argument.
  const written = code.flatMap((file) => calls(file).map(([, key = '']) => ({ file, key })));
  expect(written.length).toBeGreaterThan(5);
  expect(written.filter(({ key }) => !/^(\$\d(, \$\d)?|\$\{getAdvisoryLockId\()/.test(key))).toEqual([]);
  const strangers = written.filter(({ file }) => !readFileSync(file, 'utf8').includes('/advisory-locks.ts'));
  expect([...new Set(strangers.map(({ file }) => file))]).toEqual(['src/database/exclusive-lock.ts']);
  const declared = Object.entries(ADVISORY_LOCKS).map(([name, number]) => `${number} /* ${name} */`);
  const inSql = sql.flatMap((file) => calls(file).map(([, key = '']) => ({ file, key })));
  expect(inSql.length).toBeGreaterThan(1);
  expect(inSql.filter(({ key }) => !declared.includes(key))).toEqual([]);
});

test('no file outside the declaration contains a lock number', () => {
  const numbers = Object.values(ADVISORY_LOCKS).map(String);
  const strays = [...code, ...sql]
    .filter((file) => file !== HOME)
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(/(?<=\d)_(?=\d)/g, '');
      const isSql = file.endsWith('.sql');
      return numbers
        .filter((number) => new RegExp(`\\b${number}\\b${isSql ? '(?! /\\* )' : ''}`).test(text))
        .map((number) => `${file}: ${number}`);
    });
  expect(strays).toEqual([]);
});
