import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** Frame types and flags (RFC 9113, section 6). */
export const FRAME_TYPES = { data: 0, headers: 1, rst: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 } as const;
export const FRAME_FLAGS = { endStream: 1, endHeaders: 4 } as const;

/** A raw HTTP/2 connection on which tests send frames that no client library would send. */
export interface RawHttp2Connection {
  socket: TLSSocket;
  write(...frames: Uint8Array[]): void;
  /** Received frames with type and stream. `code`: error code of RST_STREAM and GOAWAY frames. */
  came: { type: number; stream: number; code: number }[];
  /** Resolves when the server has closed the connection. */
  closed: Promise<unknown>;
}

/** Builds one HTTP/2 frame. */
export function buildFrame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(),
): Uint8Array {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Builds a header block. Each header is a literal without indexing (RFC 7541, 6.2.2) with a value of at most 126 bytes. */
export const buildHeaderBlock = (headers: Record<string, string>): Uint8Array =>
  Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  );

/** Connects to a local port. Sends the connection preface and the client's settings. */
export async function connectRawHttp2(
  port: number,
  settings: Uint8Array = new Uint8Array(),
): Promise<RawHttp2Connection> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const came: RawHttp2Connection['came'] = [];
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const length = rest.readUIntBE(0, 3);
      const [type, stream] = [rest.readUInt8(3), rest.readUInt32BE(5)];
      const codeAt = type === FRAME_TYPES.rst ? 9 : type === FRAME_TYPES.goaway ? 13 : null;
      came.push({ type, stream, code: codeAt === null ? 0 : rest.readUInt32BE(codeAt) });
      rest = rest.subarray(9 + length);
    }
  });
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  const write = (...frames: Uint8Array[]) => void (socket.destroyed || socket.write(Buffer.concat(frames)));
  write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), buildFrame(FRAME_TYPES.settings, 0, 0, settings));
  return { socket, write, came, closed };
}
