import { describe, expect, test } from 'vitest';
import { findClaimByPath, parseIdentifiedPerson } from './person.ts';

const config = {
  issuer: 'https://login.example.com',
  roles: { claim: 'groups', of: { staff: 'utility', admins: 'admin' } as const },
  verifiedClaim: 'email_verified',
  emailDomains: undefined,
};
const roleWith = (groups: unknown) => {
  const person = parseIdentifiedPerson({ sub: 'x', groups }, config);
  return typeof person === 'string' ? person : person.role;
};

describe('a person at an OpenID Connect provider', () => {
  test('gets the highest of the mapped roles, in any order; a single group may be sent as a string', () => {
    expect(roleWith(['admins', 'staff'])).toBe('admin');
    expect(roleWith(['staff', 'admins'])).toBe('admin');
    expect(roleWith('staff')).toBe('utility');
    expect(roleWith('staff,admins')).toBe('homeowner');
  });

  test('gets no name if the claim is not a usable name', () => {
    for (const sub of [undefined, null, 12, '', 'x'.repeat(256), 'a\0b', 'ä', ['x']])
      expect([sub, parseIdentifiedPerson({ sub }, config)]).toEqual([sub, 'unusable']);
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
  ])('whose address is marked as verified by %j has the address %s', (email_verified, verifiedEmail) => {
    const claims = { sub: 'x', email: 'a@example.com', email_verified, xms_edov: email_verified };
    expect(parseIdentifiedPerson(claims, config)).toMatchObject({ verifiedEmail });
    expect(parseIdentifiedPerson(claims, { ...config, verifiedClaim: 'xms_edov' })).toMatchObject({ verifiedEmail });
  });

  test('with too many groups for a token is not treated as a person without groups', () => {
    expect(parseIdentifiedPerson({ sub: 'x', hasgroups: true }, config)).toBe('roles');
    expect(parseIdentifiedPerson({ sub: 'x', _claim_names: { groups: 'src1' } }, config)).toBe('roles');
    expect(parseIdentifiedPerson({ sub: 'x', _claim_names: { address: 'src1' } }, config)).toMatchObject({
      role: 'homeowner',
    });
  });
});

test('a claim is found by its name, even with dots, or by a path; inherited members of objects are never found', () => {
  const claims = { 'https://example.com/roles': ['a'], realm_access: { roles: ['b'] } };
  expect(findClaimByPath(claims, 'https://example.com/roles')).toEqual(['a']);
  expect(findClaimByPath(claims, 'realm_access.roles')).toEqual(['b']);
  for (const name of ['constructor', 'realm_access.constructor.name', 'realm_access.roles.x', 'x.y', '__proto__'])
    expect([name, findClaimByPath(claims, name)]).toEqual([name, undefined]);
});
