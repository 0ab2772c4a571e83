import { describe, expect, test } from 'vitest';
import { type CommitSettings, decideTier, listDurabilityRisks } from './capabilities.ts';

describe('the facts about a database server', () => {
  const facts = {
    postgres: 17,
    postgresName: '17.5',
    timescale: '2.28.3' as string | null,
    licence: 'timescale' as string | null,
    offered: true,
    made: null as 'community' | 'apache' | 'plain' | null,
  };

  test.each([
    ['the community licence', facts, 'auto', 'community'],
    ['the Apache licence', { ...facts, licence: 'apache' }, 'auto', 'apache'],
    ['no extension', { ...facts, timescale: null, licence: null, offered: false }, 'auto', 'plain'],
    ['an extension that is not to be used', facts, 'off', 'plain'],
    ['a schema made without it', { ...facts, made: 'plain' as const }, 'auto', 'plain'],
    ['a schema made under the Apache licence', { ...facts, made: 'apache' as const }, 'auto', 'apache'],
  ] as const)('determine the tier: %s', (_name, found, timescale, tier) => {
    expect(decideTier(found, timescale).tier).toBe(tier);
  });

  test.each([
    [
      'an old PostgreSQL',
      { ...facts, postgres: 14, postgresName: '14.2' },
      /PostgreSQL 14\.2; the service needs 15 or newer\. Upgrade/,
    ],
    [
      'an old extension',
      { ...facts, timescale: '2.9.1' },
      /2\.9\.1 is too old; 2\.19 .* ALTER EXTENSION timescaledb UPDATE/,
    ],
    [
      'a licence that was taken away',
      { ...facts, made: 'community' as const, licence: 'apache' },
      /Set timescaledb\.license = 'timescale'/,
    ],
  ] as const)('are refused with a remedy: %s', (_name, found, message) => {
    expect(() => decideTier(found, 'auto')).toThrow(message);
  });

  test('include an extension that could not be created, and the summary line names it', () => {
    const found = { ...facts, timescale: null, licence: null };
    expect(decideTier(found, 'auto').line).toMatch(/shared_preload_libraries/);
    expect(decideTier({ ...found, made: 'plain' }, 'auto').line).toMatch(/energy migrate --to/);
  });
});

const SAFE: CommitSettings = { hosts: 2, standbys: 1, synchronousCommit: 'on', synchronousStandbyNames: '"pg2"' };

test.each([
  ['a synchronous standby', {}],
  ['stricter than needed', { synchronousCommit: 'remote_apply' }],
  ['a database that is alone', { hosts: 1, standbys: 0, synchronousStandbyNames: '', synchronousCommit: 'off' }],
  ['strict, and the standby away: writes wait', { standbys: 0, synchronousStandbyNames: '*' }],
])('no warning is printed for %s', (_, facts) => {
  expect(listDurabilityRisks({ ...SAFE, ...facts })).toEqual([]);
});

test.each([
  ['local', { synchronousCommit: 'local' }, /synchronous_commit is local .*Set it to 'on'/],
  ['off', { synchronousCommit: 'off', hosts: 1 }, /synchronous_commit is off/],
  [
    'a standby that nobody waits for',
    { synchronousStandbyNames: '', hosts: 1 },
    /synchronous_standby_names is empty.*synchronous_mode: true/,
  ],
  [
    'a standby that is away',
    { synchronousStandbyNames: ' ', standbys: 0 },
    /no standby is connected.*synchronous_mode_strict/,
  ],
])('a warning is printed if a commit could be lost: %s', (_, facts, warning) => {
  const risks = listDurabilityRisks({ ...SAFE, ...facts });
  expect(risks).toHaveLength(1);
  expect(risks[0]).toMatch(warning);
});
