import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeChecksum, formatCanonicalJson } from './statement.ts';

test('canonical JSON sorts members by code units and contains no white space (RFC 8785, 3.2.3)', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    1: 'One',
    '\u0080': 'Control',
    b: [true, null, { z: 1, a: 2 }],
  };
  expect(formatCanonicalJson(value)).toBe(
    '{"\\r":"Carriage Return","1":"One","b":[true,null,{"a":2,"z":1}],"\u0080":"Control","\u20ac":"Euro Sign"}',
  );
});

test('the checksum is the SHA-256 of the canonical form in UTF-8', () => {
  const expected = createHash('sha256').update(Buffer.from('{"a":"ü","b":2}', 'utf8')).digest('hex');
  expect(computeChecksum({ b: 2, a: 'ü' }).toString('hex')).toBe(expected);
});
