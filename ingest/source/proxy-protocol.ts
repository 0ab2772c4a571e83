import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';

/** First bytes of a PROXY header (version 2, 2.2). No MQTT packet begins with the first of them. */
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const FIXED_BYTES = 16;
/** Maximum length in bytes of the rest of the header, which may contain a certificate of some kilobytes. */
const MAX_REST_BYTES = 16_384;
const VERSION_2 = 0x20;
const [LOCAL, PROXY] = [0, 1];
/** Lengths in bytes by address family: `bytes` of one address, `allBytes` of both addresses and ports. */
const FAMILIES: Readonly<Record<number, { bytes: number; allBytes: number }>> = {
  17: { bytes: 4, allBytes: 12 },
  33: { bytes: 16, allBytes: 36 },
};
/** Type of the header field with the client's certificate. The protocol reserves this range of types for applications (2.2.9). */
const CERTIFICATE_FIELD = 0xe1;

interface ProxyHeader {
  length: number;
  /** Null if the proxy itself opened the connection, for example as a health check. */
  address: string | null;
  /** The client's certificate, which the proxy has verified. Null if there is none. */
  certificate: X509Certificate | null;
}

/**
 * Parses the PROXY header at the beginning of a connection. Returns `none` if there is no header, and `incomplete` if more bytes are
 * needed. Throws if it is malformed.
 */
export function parseProxyHeader(bytes: Buffer): ProxyHeader | 'none' | 'incomplete' {
  const known = Math.min(bytes.length, SIGNATURE.length);
  if (bytes.compare(SIGNATURE, 0, known, 0, known) !== 0) return 'none';
  if (bytes.length < FIXED_BYTES) return 'incomplete';
  const [versionAndCommand = 0, family = 0] = bytes.subarray(SIGNATURE.length);
  const command = versionAndCommand - VERSION_2;
  if (command !== LOCAL && command !== PROXY) throw new Error('PROXY header of another version or command');
  const restBytes = bytes.readUInt16BE(FIXED_BYTES - 2);
  if (restBytes > MAX_REST_BYTES) throw new Error(`PROXY header of more than ${MAX_REST_BYTES} bytes`);
  const length = FIXED_BYTES + restBytes;
  if (bytes.length < length) return 'incomplete';
  if (command === LOCAL) return { length, address: null, certificate: null };
  const { bytes: addressBytes, allBytes } = FAMILIES[family] ?? { bytes: 0, allBytes: 0 };
  const rest = bytes.subarray(FIXED_BYTES, length);
  if (allBytes === 0 || rest.length < allBytes)
    throw new Error('PROXY header without the addresses of a TCP connection');
  return {
    length,
    address: textOf(rest.subarray(0, addressBytes)),
    certificate: certificateIn(rest.subarray(allBytes)),
  };
}

function textOf(address: Buffer): string {
  if (address.length === 4) return address.join('.');
  return Array.from({ length: 8 }, (_, index) => address.readUInt16BE(2 * index).toString(16)).join(':');
}

/** An empty field means that the client presented no certificate. */
function certificateIn(fields: Buffer): X509Certificate | null {
  for (let at = 0; at < fields.length; ) {
    if (at + 3 > fields.length) throw new Error('PROXY header that ends within a field');
    const end = at + 3 + fields.readUInt16BE(at + 1);
    if (end > fields.length) throw new Error('PROXY header that ends within a field');
    if (fields[at] === CERTIFICATE_FIELD && end > at + 3)
      return new X509Certificate(Buffer.from(fields.toString('latin1', at + 3, end), 'base64'));
    at = end;
  }
  return null;
}

const CERTIFICATES = new WeakMap<Socket, X509Certificate>();

/** Returns the client certificate of a connection that came through a proxy. */
export const findProxiedCertificate = (socket: Socket): X509Certificate | undefined => CERTIFICATES.get(socket);

/**
 * Reads the PROXY header of a connection, then calls `serve`. The client's address becomes the remote address of the socket. If the header
 * is invalid, late, or required and missing, the connection ends.
 */
export function readProxyHeader(
  socket: Socket,
  { isRequired, withinMs }: { isRequired: boolean; withinMs: number },
  serve: () => void,
): void {
  let received = Buffer.alloc(0);
  const timer = setTimeout(() => socket.destroy(), withinMs);
  const onError = () => socket.destroy();
  const stop = () => {
    clearTimeout(timer);
    socket.removeListener('readable', read);
    socket.removeListener('error', onError);
  };
  const read = () => {
    const chunk: Buffer | null = socket.read();
    if (!chunk) return;
    received = Buffer.concat([received, chunk]);
    try {
      const header = parseProxyHeader(received);
      if (header === 'incomplete') return;
      if (header === 'none' && isRequired) throw new Error('no PROXY header');
      stop();
      if (header !== 'none') noteClient(socket, header);
      const rest = header === 'none' ? received : received.subarray(header.length);
      if (rest.length > 0) socket.unshift(rest);
      serve();
    } catch {
      stop();
      socket.on('error', () => {});
      socket.destroy();
    }
  };
  socket.on('error', onError);
  socket.on('readable', read);
  socket.once('close', stop);
}

function noteClient(socket: Socket, { address, certificate }: ProxyHeader): void {
  if (address !== null) Object.defineProperty(socket, 'remoteAddress', { value: address });
  if (certificate) CERTIFICATES.set(socket, certificate);
}
