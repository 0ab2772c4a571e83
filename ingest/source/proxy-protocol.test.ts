import { randomBytes } from 'node:crypto';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { parseProxyHeader } from './proxy-protocol.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';
/** Builds a header of version 2 of the PROXY protocol. Command 0 is LOCAL, 1 is PROXY. */
function header(command: number, family: number, rest: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(rest.length);
  return Buffer.concat([Buffer.from(SIGNATURE, 'hex'), Buffer.from([0x20 + command, family]), length, rest]);
}
const field = (type: number, text: string) =>
  Buffer.concat([Buffer.from([type, text.length >> 8, text.length & 255]), Buffer.from(text)]);
const ipv4 = Buffer.from('cb007107c6336401d0a9075b', 'hex');
const ipv6 = Buffer.concat([Buffer.from('20010db8000000000000000000000001', 'hex'), Buffer.alloc(20)]);

test('reads the client’s address from the header, and none for a connection that the proxy itself opens', () => {
  expect(parseProxyHeader(header(1, 0x11, ipv4))).toEqual({ length: 28, address: '203.0.113.7', certificate: null });
  expect(parseProxyHeader(header(1, 0x21, ipv6))).toMatchObject({ length: 52, address: '2001:db8:0:0:0:0:0:1' });
  expect(parseProxyHeader(header(0, 0, Buffer.alloc(0)))).toEqual({ length: 16, address: null, certificate: null });
});

test('reads the client’s certificate from the header, and ignores other fields and an empty certificate', async () => {
  const { cert } = await generate([{ name: 'commonName', value: 'dev_1' }], { keyType: 'ec' });
  const base64 = cert.replace(/-----[^-]+-----|\s/g, '');
  const fields = [field(0x03, 'crc!'), field(0xe1, ''), field(0xe1, base64)];
  const read = parseProxyHeader(header(1, 0x11, Buffer.concat([ipv4, ...fields])));
  expect(read).toMatchObject({ certificate: { subject: 'CN=dev_1' } });
  expect(parseProxyHeader(header(1, 0x11, Buffer.concat([ipv4, field(0xe1, '')])))).toMatchObject({
    certificate: null,
  });
});

test('waits for the rest of a header, byte by byte, and passes on data that does not begin with a header', () => {
  const whole = header(1, 0x11, Buffer.concat([ipv4, field(0x03, 'crc!')]));
  for (let bytes = 1; bytes < whole.length; bytes++)
    expect(parseProxyHeader(whole.subarray(0, bytes))).toBe('incomplete');
  expect(parseProxyHeader(Buffer.concat([whole, Buffer.from('101300044d515454', 'hex')]))).toMatchObject({
    length: whole.length,
  });
  for (const text of ['101300044d515454', '0d0a0d0b', `${SIGNATURE.slice(0, 22)}0b`])
    expect(parseProxyHeader(Buffer.from(text, 'hex'))).toBe('none');
});

test('refuses malformed headers, and throws only its own errors for random bytes', () => {
  const malformed = [
    header(2, 0x11, ipv4),
    header(0x10, 0x11, ipv4),
    header(1, 0x31, ipv4),
    header(1, 0x11, ipv4.subarray(1)),
    header(1, 0x11, Buffer.concat([ipv4, Buffer.from([0xe1, 0])])),
    header(1, 0x11, Buffer.concat([ipv4, Buffer.from([0xe1, 0, 9, 1])])),
    header(1, 0x11, Buffer.concat([ipv4, field(0xe1, 'bm8gY2VydGlmaWNhdGU=')])),
    header(1, 0x11, Buffer.alloc(16_385)),
  ];
  for (const bytes of malformed) expect(() => parseProxyHeader(bytes)).toThrow();
  for (let round = 0; round < 2_000; round++) {
    const bytes = header(1, round % 2 ? 0x11 : 0x21, randomBytes(round % 90));
    try {
      expect(['object', 'string']).toContain(typeof parseProxyHeader(bytes));
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  }
});
