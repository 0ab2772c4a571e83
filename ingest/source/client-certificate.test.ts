import { expect, test } from 'vitest';
import { parseDnsNames } from './client-certificate.ts';

test.each([
  ['', []],
  ['DNS:dev_1', ['dev_1']],
  ['URI:urn:x, DNS:dev_1, IP Address:1.2.3.4, DNS:dev_2', ['dev_1', 'dev_2']],
  // A quoted name that contains commas and so looks like three names.
  ['DNS:"x, DNS:dev_1, y"', ['"x, DNS:dev_1, y"']],
  ['URI:"a\\"b, DNS:dev_1", DNS:dev_2', ['dev_2']],
])('extracts from the alternative names %s the DNS names', (text, names) => {
  expect(parseDnsNames(text)).toEqual(names);
});
