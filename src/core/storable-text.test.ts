import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStorableText, replaceUnstorableEscapes } from '#src/core/storable-text.ts';

test.each([
  ['plain text', true],
  ['a whole character of two halves: 💥', true],
  ['a\0b', false],
  ['\ud800', false],
  ['a\udfff', false],
])('%j can be stored unchanged: %j', (text, expected) => {
  expect(isStorableText(text)).toBe(expected);
});

test.each([
  [String.raw`{"a\ud800":"\u0000b"}`, { 'a\uFFFD': '\uFFFDb' }],
  [String.raw`["\ud83d\udca5", "\uDCA5\uD83D", "\ud83d\u0022"]`, ['💥', '\uFFFD\uFFFD', '\uFFFD"']],
  // After an escaped backslash, `ud800` or `u0000` is plain text.
  [String.raw`["\\ud800", "\\\ud800", "\\u0000"]`, ['\\ud800', '\\\uFFFD', '\\u0000']],
])('escapes of NUL and of half a character in %s are replaced', (json, expected) => {
  expect(JSON.parse(replaceUnstorableEscapes(json))).toEqual(expected);
});

test('a JSON text keeps its meaning but for NUL and halves of characters, and an invalid one stays invalid', () => {
  const unit = fc.constantFrom('\0', '\ud800', '\udc00', '\ud83d', '\udca5', '\\', '"', 'u', 'd800', '0000', '/', 'é');
  const text = fc.array(unit).map((units) => units.join(''));
  fc.assert(
    fc.property(fc.array(text), (texts) => {
      const stored = JSON.parse(replaceUnstorableEscapes(JSON.stringify(texts).replaceAll('\0', '\\u0000')));
      expect(stored).toEqual(texts.map((one) => one.toWellFormed().replaceAll('\0', '\uFFFD')));
    }),
  );
  for (const json of [String.raw`{"a":"\ud800"`, String.raw`["\ud80", "\u0000"]`, String.raw`["\U0041\u0000"]`])
    expect(() => JSON.parse(replaceUnstorableEscapes(json))).toThrow(SyntaxError);
});
