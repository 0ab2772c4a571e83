import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { generateRollupSqlFiles, ROLLUP_SQL_FOLDER } from '#src/rollups/sql/generate.ts';

test('sql/rollups contains the SQL that src/rollups/levels.ts declares, and otherwise only hand-written files (else: npm run sql)', () => {
  const found = readdirSync(ROLLUP_SQL_FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql') && !path.startsWith('by-hand/'))
    .sort();
  const generated = generateRollupSqlFiles();
  expect(found).toEqual([...generated.keys()].sort());
  for (const path of found)
    expect({ path, text: readFileSync(ROLLUP_SQL_FOLDER + path, 'utf8') }).toEqual({ path, text: generated.get(path) });
});
