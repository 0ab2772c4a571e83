import { expect, test } from 'vitest';
import { type CommitFacts, commitRisks } from './commit-risks.ts';

const SAFE: CommitFacts = { hosts: 2, standbys: 1, synchronousCommit: 'on', synchronousStandbyNames: '"pg2"' };

test.each([
  ['a synchronous standby', {}],
  ['stricter than needed', { synchronousCommit: 'remote_apply' }],
  ['a database that is alone', { hosts: 1, standbys: 0, synchronousStandbyNames: '', synchronousCommit: 'off' }],
  ['strict, and the standby away: writes wait', { standbys: 0, synchronousStandbyNames: '*' }],
])('of %s nothing is said', (_, facts) => {
  expect(commitRisks({ ...SAFE, ...facts })).toEqual([]);
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
])('a commit that could be lost is warned of: %s', (_, facts, warning) => {
  const risks = commitRisks({ ...SAFE, ...facts });
  expect(risks).toHaveLength(1);
  expect(risks[0]).toMatch(warning);
});
