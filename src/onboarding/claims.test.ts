import { expect, test } from 'vitest';
import { decideMeterClaim, type MeterClaimCandidate } from './claims.ts';

const nonce = Buffer.from('mine');
const other = Buffer.from('another');
const device = (more: Partial<MeterClaimCandidate>): MeterClaimCandidate => ({
  isDeleted: false,
  claim: null,
  hasReported: false,
  hasSecret: true,
  ...more,
});
const mine = { nonceSha256: nonce };

test.each<[string, MeterClaimCandidate[], Buffer | null, ReturnType<typeof decideMeterClaim>]>([
  ['is registered and waits', [device({})], null, { is: 'claim', which: 0 }],
  ['is registered nowhere', [], null, { is: 'create' }],
  ['is that of two', [device({}), device({})], null, null],
  ['is in use with another password', [device({ hasReported: true })], nonce, null],
  ['was released', [device({ hasReported: true, hasSecret: false })], null, { is: 'claim', which: 0 }],
  ['was claimed by somebody', [device({ claim: mine })], other, null],
  ['was claimed by somebody, and no number is given', [device({ claim: mine })], null, null],
  ['was claimed without a number', [device({ claim: { nonceSha256: null } })], null, null],
  [
    'was claimed by the same meter, which was not heard yet',
    [device({ claim: mine })],
    nonce,
    { is: 'repeat', which: 0 },
  ],
  ['was claimed by the same meter, which is in use', [device({ claim: mine, hasReported: true })], nonce, null],
  ['was claimed, and its device deleted', [device({ claim: mine, isDeleted: true })], nonce, null],
  ['is that of a deleted device that nobody claimed', [device({ isDeleted: true })], null, { is: 'create' }],
  [
    'was claimed and deleted, and is registered anew',
    [device({ claim: mine, isDeleted: true }), device({})],
    null,
    { is: 'claim', which: 1 },
  ],
])('decides the claim of a serial that %s', (_name, candidates, given, decided) => {
  expect(decideMeterClaim(candidates, given)).toEqual(decided);
});
