import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateRollupFiles, SQL_ROLLUPS } from '#src/rollups/sql/generate.ts';

test('sql/rollups contains the SQL that src/rollups/levels.ts declares, and otherwise only hand-written files (else: npm run sql)', () => {
  const found = readdirSync(SQL_ROLLUPS, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql') && !path.startsWith('by-hand/'))
    .sort();
  const generated = generateRollupFiles();
  expect(found).toEqual([...generated.keys()].sort());
  for (const path of found)
    expect({ path, text: readFileSync(SQL_ROLLUPS + path, 'utf8') }).toEqual({ path, text: generated.get(path) });
});
