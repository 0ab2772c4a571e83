import { expect, test } from 'vitest';
import { checkNewKeyAllowed, getAccessibleAccounts } from './access.ts';
import type { Caller } from './authenticate.ts';
import { SCOPES, type Scope } from './scopes.ts';

const caller = (role: Caller['role'], scopes: readonly Scope[] = SCOPES, allowedAddresses: readonly string[] = []) =>
  ({ role, userId: 'usr_me', scopes: new Set(scopes), allowedAddresses }) as unknown as Caller;

test('an administrator can access all accounts, a utility those that it enrolled, a homeowner its own', () => {
  expect((['admin', 'utility', 'homeowner'] as const).map((role) => getAccessibleAccounts(caller(role)))).toEqual([
    { all: true },
    { enrolledBy: 'usr_me' },
    { only: 'usr_me' },
  ]);
});

test('a key can create only keys with at most its own rights', () => {
  const narrow = caller('admin', ['insights:read', 'keys:write']);
  expect(() => checkNewKeyAllowed(narrow, 'usr_me', ['insights:read'], [])).not.toThrow();
  expect(() => checkNewKeyAllowed(narrow, 'usr_me', ['insights:read', 'users:read'], [])).toThrow();
});

test('keys that a utility creates for its homeowners can only read, and only what a homeowner may share', () => {
  const utility = caller('utility');
  const allowed = SCOPES.filter((scope) => {
    try {
      checkNewKeyAllowed(utility, 'usr_other', [scope], []);
      return true;
    } catch {
      return false;
    }
  });
  expect(allowed).toEqual(['insights:read', 'alerts:read', 'devices:read']);
  expect(() => checkNewKeyAllowed(utility, 'usr_me', SCOPES, [])).not.toThrow();
  expect(() => checkNewKeyAllowed(caller('admin'), 'usr_other', SCOPES, [])).not.toThrow();
});

test.each([
  [[], [], true],
  [['10.0.0.0/8'], [], true],
  [[], ['10.0.0.0/8'], false],
  [['10.1.0.0/16', '2001:db8::1'], ['10.0.0.0/8', '2001:db8::/32'], true],
  [['10.0.0.0/8'], ['10.1.0.0/16'], false],
  [['10.1.0.0/16', '192.0.2.1'], ['10.0.0.0/8'], false],
  [['0.0.0.0/0'], ['::/0'], false],
])('whether a caller with %j may create keys with %j: %s', (wanted, own, isMade) => {
  const make = () => checkNewKeyAllowed(caller('admin', SCOPES, own), 'usr_me', SCOPES, wanted);
  if (isMade) expect(make).not.toThrow();
  else expect(make).toThrow('allowed_addresses');
});
