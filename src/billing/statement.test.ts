import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalJson, checksum } from './statement.ts';

test('members are in the order of their code units, without blanks (RFC 8785, 3.2.3)', () => {
  const value = {
    '\u20ac': 'Euro Sign',
    '\r': 'Carriage Return',
    1: 'One',
    '\u0080': 'Control',
    b: [true, null, { z: 1, a: 2 }],
  };
  expect(canonicalJson(value)).toBe(
    '{"\\r":"Carriage Return","1":"One","b":[true,null,{"a":2,"z":1}],"\u0080":"Control","\u20ac":"Euro Sign"}',
  );
});

test('the checksum is that of the UTF-8 of this form', () => {
  const expected = createHash('sha256').update(Buffer.from('{"a":"ü","b":2}', 'utf8')).digest('hex');
  expect(checksum({ b: 2, a: 'ü' }).toString('hex')).toBe(expected);
});
