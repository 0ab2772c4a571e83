import { expect, test } from 'vitest';
import { isSignInMailAllowed, type UnusedSignInMailCounts } from './sign-ins.ts';

const nobody: UnusedSignInMailCounts = {
  byBrowser: 0,
  byBrowserToday: 0,
  byStrangers: 0,
  byStrangersHere: 0,
  byStrangersHereToday: 0,
};
const stranger = { browserId: 'b', isKnown: false, network: '192.0.2.1' };
const owner = { ...stranger, isKnown: true };

test('a known browser gets five mails in 15 minutes, whatever unknown browsers request', () => {
  const flood = { byStrangers: 1_000, byStrangersHere: 1_000, byStrangersHereToday: 1_000 };
  expect(isSignInMailAllowed(owner, { ...nobody, ...flood, byBrowser: 4 })).toBe(true);
  expect(isSignInMailAllowed(owner, { ...nobody, byBrowser: 5 })).toBe(false);
  expect(isSignInMailAllowed(owner, { ...nobody, byBrowserToday: 40 })).toBe(false);
});

test('unknown browsers are limited by requests from their network, for the account from its network within a day, and in total', () => {
  expect(
    isSignInMailAllowed(stranger, { ...nobody, byStrangers: 19, byStrangersHere: 9, byStrangersHereToday: 39 }),
  ).toBe(true);
  expect(isSignInMailAllowed(stranger, { ...nobody, byStrangersHere: 10 })).toBe(false);
  expect(isSignInMailAllowed(stranger, { ...nobody, byStrangersHereToday: 40 })).toBe(false);
  expect(isSignInMailAllowed(stranger, { ...nobody, byStrangers: 20 })).toBe(false);
});
