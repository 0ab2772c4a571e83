import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sourceFiles } from './imports.ts';

/** A statement that is no typed query: text given to a connection, or a whole statement in kysely's `sql`. */
const RAW =
  /sql(<[^`]*>)?`\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b|\.query\(|\bquery(<[^(]*>)?\(\s*['`]|queryOf\(\w+\)[<(]/;

const files = sourceFiles(['src', 'ingest', 'simulators']).filter((file) => !file.startsWith('src/dashboard/'));
const isRaw = (source: string) => RAW.test(source.replace(/^\s*(\*|\/\/|\/\*).*$/gm, ''));

test('what is not asked by a typed query says why, in a line that begins with "Raw SQL:"', () => {
  const silent = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    return file !== 'src/database/connect.ts' && isRaw(source) && !/^\s*\/\/ Raw SQL: \S/m.test(source);
  });
  expect(silent).toEqual([]);
});

test('a file with typed queries only gives no such reason', () => {
  const idle = files.filter((file) => {
    const source = readFileSync(file, 'utf8');
    return /Raw SQL:/.test(source) && !isRaw(source);
  });
  expect(idle).toEqual([]);
});

test('no statement deletes, or gives up, by the clock of the database server alone', () => {
  // src/database/believed-time.ts has the clock for what deletes by age.
  const byServerClock = /(DELETE FROM|deleteFrom\()[^;]{0,400}?(now\(\)|clock_timestamp\(\)|current_timestamp)/i;
  expect(files.filter((file) => byServerClock.test(readFileSync(file, 'utf8').replaceAll('`', ' ')))).toEqual([]);
});
