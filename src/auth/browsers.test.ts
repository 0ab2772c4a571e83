import { expect, test } from 'vitest';
import { createBrowserCookie, createBrowserIdentity, isKnownBrowser, parseBrowserCookie } from './browsers.ts';

test('a browser cookie is valid only for the account that signed in, and only at this installation', () => {
  const browser = createBrowserIdentity();
  expect(parseBrowserCookie(browser.id)).toEqual(browser);
  expect(isKnownBrowser('secret', browser, 'anna@example.com')).toBe(false);
  const cookie = createBrowserCookie('secret', browser, 'anna@example.com');
  const known = parseBrowserCookie(cookie);
  if (!known) throw new Error('not read');
  expect(known.id).toBe(browser.id);
  expect(isKnownBrowser('secret', known, 'Anna@Example.com')).toBe(true);
  expect(isKnownBrowser('secret', known, 'berta@example.com')).toBe(false);
  expect(isKnownBrowser('another', known, 'anna@example.com')).toBe(false);
  expect(isKnownBrowser('secret', { ...known, id: createBrowserIdentity().id }, 'anna@example.com')).toBe(false);
});

test('any other value of the browser cookie is ignored', () => {
  for (const cookie of [
    undefined,
    '',
    'x',
    `${'a'.repeat(22)}.`,
    `${'a'.repeat(22)}.${'b'.repeat(21)}`,
    'ä'.repeat(22),
  ])
    expect(parseBrowserCookie(cookie)).toBeNull();
});
