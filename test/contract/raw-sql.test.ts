import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listSourceFiles } from './imports.ts';

/** Matches SQL that is not a typed query: a text passed to a connection, or a whole statement in kysely's `sql`. */
const RAW =
  /sql(<[^`]*>)?`\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b|\.query\(|\bquery(<[^(]*>)?\(\s*['`]|createQueryFunction\(\w+\)[<(]/;

const files = listSourceFiles(['src', 'ingest', 'simulators']).filter((file) => !file.startsWith('src/dashboard/'));
const isRaw = (source: string) => RAW.test(source.replace(/^\s*(\*|\/\/|\/\*).*$/gm, ''));

test('every raw statement gives its reason in a comment that names "Raw SQL"', () => {
  const silent = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    return file !== 'src/database/connect.ts' && isRaw(source) && !/^\s*\/\/.*\bRaw SQL\b[:,]? \S/m.test(source);
  });
  expect(silent).toEqual([]);
});

test('a file that has only typed queries contains no such reason', () => {
  const idle = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    return /^\s*\/\/.*\bRaw SQL\b/m.test(source) && !isRaw(source);
  });
  expect(idle).toEqual([]);
});

test('no statement deletes or gives up rows only because of the database server’s clock', () => {
  // Deletions by age must not use the database server's clock, but the clock of src/database/believed-time.ts.
  const byServerClock = /(DELETE FROM|deleteFrom\()[^;]{0,400}?(now\(\)|clock_timestamp\(\)|current_timestamp)/i;
  expect(files.filter((file) => byServerClock.test(readFileSync(file, 'utf8').replaceAll('`', ' ')))).toEqual([]);
});
