import { describe, expect, test } from 'vitest';
import { claimAt, personOf } from './person.ts';

const config = {
  issuer: 'https://login.example.com',
  roles: { claim: 'groups', of: { staff: 'utility', admins: 'admin' } as const },
  verifiedClaim: 'email_verified',
  emailDomains: undefined,
};
const roleWith = (groups: unknown) => {
  const person = personOf({ sub: 'x', groups }, config);
  return typeof person === 'string' ? person : person.role;
};

describe('a person', () => {
  test('has the highest of the mapped roles, in whatever order; one group may come alone', () => {
    expect(roleWith(['admins', 'staff'])).toBe('admin');
    expect(roleWith(['staff', 'admins'])).toBe('admin');
    expect(roleWith('staff')).toBe('utility');
    expect(roleWith('staff,admins')).toBe('homeowner');
  });

  test('has no name that is not one', () => {
    for (const sub of [undefined, null, 12, '', 'x'.repeat(256), 'a\0b', 'ä', ['x']])
      expect([sub, personOf({ sub }, config)]).toEqual([sub, 'unusable']);
  });

  test.each([
    [true, 'a@example.com'],
    ['true', 'a@example.com'],
    [1, 'a@example.com'],
    ['1', 'a@example.com'],
    [false, null],
    ['false', null],
    [0, null],
    ['yes', null],
    [{}, null],
    [undefined, null],
  ])('whose address is verified in the word %j has %s', (email_verified, verifiedEmail) => {
    const claims = { sub: 'x', email: 'a@example.com', email_verified, xms_edov: email_verified };
    expect(personOf(claims, config)).toMatchObject({ verifiedEmail });
    expect(personOf(claims, { ...config, verifiedClaim: 'xms_edov' })).toMatchObject({ verifiedEmail });
  });

  test('of too many groups for a token is not taken for one of none', () => {
    expect(personOf({ sub: 'x', hasgroups: true }, config)).toBe('roles');
    expect(personOf({ sub: 'x', _claim_names: { groups: 'src1' } }, config)).toBe('roles');
    expect(personOf({ sub: 'x', _claim_names: { address: 'src1' } }, config)).toMatchObject({ role: 'homeowner' });
  });
});

test('a claim is found by its name, though that has dots, or on the way to it; never what every object has', () => {
  const claims = { 'https://example.com/roles': ['a'], realm_access: { roles: ['b'] } };
  expect(claimAt(claims, 'https://example.com/roles')).toEqual(['a']);
  expect(claimAt(claims, 'realm_access.roles')).toEqual(['b']);
  for (const name of ['constructor', 'realm_access.constructor.name', 'realm_access.roles.x', 'x.y', '__proto__'])
    expect([name, claimAt(claims, name)]).toEqual([name, undefined]);
});
