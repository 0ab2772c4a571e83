import { expect, test } from 'vitest';
import { compileJsonPath } from './json-path.ts';

const BODY = JSON.parse('{"a": {"b": [1, {"c d": 2}]}, "n": null, "__proto__x": 3}');

test.each([
  ['$.a.b[0]', 1],
  ["$['a']['b'][1]['c d']", 2],
  ['$.a.b[-2]', 1],
  ['$.n', null],
  ['$.a.b.c', undefined],
  ['$.a.b[7]', undefined],
  ['$.__proto__', undefined],
  ['$.constructor.name', undefined],
  ['$.a.b.length', undefined],
])('the path %s selects exactly one place', (path, value) => {
  expect(compileJsonPath(path)?.(BODY)).toEqual(value);
});

test('the root path selects a whole message that is a number', () => {
  expect(compileJsonPath('$')?.(7)).toBe(7);
});

test.each([
  '',
  'a.b',
  '$.',
  '$..a',
  '$.*',
  '$[*]',
  '$[0:2]',
  "$['a','b']",
  '$[?@.a > 1]',
  "$[?match(@.a, '(a+)+b')]",
  '$[?(()=>process.exit())()]',
  `$${'[0]'.repeat(5_000)}`,
  "$['a",
  '$\u0000',
])('rejects the path %s, which does not select exactly one place', (path) => {
  expect(compileJsonPath(path)).toBeNull();
});
