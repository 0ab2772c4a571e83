import { expect, test } from 'vitest';
import { findReleaseNotes, isVersion } from './notes.ts';

const CHANGELOG = `# Changelog

## Unreleased

- later

## 1.7.0 (2026-12-01)

- one
- two

## 1.6.0

## 1.5.0

- old
`;

test("returns a release's section of the changelog as its notes", () => {
  expect(findReleaseNotes(CHANGELOG, '1.7.0')).toBe('- one\n- two\n');
  expect(findReleaseNotes(CHANGELOG, '1.5.0')).toBe('- old\n');
});

test.each(['1.6.0', '1.7', '1.7.0-rc.1', '1.4.0', 'Unreleased '])('returns null for %s', (version) => {
  expect(findReleaseNotes(CHANGELOG, version)).toBeNull();
});

test.each([
  ['1.7.0', true],
  ['1.7.0-rc.1', true],
  ['v1.7.0', false],
  ['1.7', false],
  ['1.7.0; rm', false],
  ['', false],
])('recognises whether %j is a version: %s', (text, is) => {
  expect(isVersion(text)).toBe(is);
});
