import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { SERVER_TLS_OPTIONS } from '#src/core/tls.ts';
import { findClientCertificate, getCertificateRequestOptions } from './client-certificate.ts';
import { readProxyHeader } from './proxy-protocol.ts';

/** Maximum time in ms for a TLS handshake. */
const MAX_HANDSHAKE_MS = 10_000;

export interface ListenOptions {
  host: string;
  port: number;
  tlsHost: string;
  tlsPort: number;
  tls: { cert: Buffer; key: Buffer };
  handshakeMs?: number;
  /** Whether an address is that of a trusted proxy. Only a proxy may send PROXY headers, and only on the port without TLS. */
  isProxy?(address: string | undefined): boolean;
}

/** Listens on a port without TLS and on one with TLS, and passes connections to `serve`. Returns the ports. */
export async function listenWithAndWithoutTls(
  options: ListenOptions & { certificates?: { ca: Buffer } },
  serve: (socket: Socket) => void,
) {
  const { certificates, isProxy, handshakeMs: handshakeTimeout = MAX_HANDSHAKE_MS } = options;
  // If clients can log in by certificate, a proxy must always send a PROXY header. Otherwise a client could forge one with another person's
  // certificate.
  const proxied = { isRequired: certificates !== undefined, withinMs: handshakeTimeout };
  const plain = createServer((socket) => {
    if (isProxy?.(socket.remoteAddress)) readProxyHeader(socket, proxied, () => serve(socket));
    else serve(socket);
  });
  const tlsOptions = { ...SERVER_TLS_OPTIONS, ...(certificates ? getCertificateRequestOptions(certificates.ca) : {}) };
  const secure = createTlsServer({ ...options.tls, ...tlsOptions, handshakeTimeout }, (socket) => {
    // A connection with an invalid certificate is closed at once, so that its client cannot log in by password.
    if (certificates && findClientCertificate(socket) === 'refused') return void socket.destroy();
    serve(socket);
  });
  // Node reports a failed handshake but leaves the socket open.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    port: await listen(plain, options.port, options.host),
    tlsPort: await listen(secure, options.tlsPort, options.tlsHost),
    renewTls: (pair: { cert: Buffer; key: Buffer }) => secure.setSecureContext({ ...pair, ...tlsOptions }),
    close() {
      plain.close();
      secure.close();
    },
  };
}

/** Returns the port. If `port` is 0, the operating system chooses one. */
async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const what: Record<string, string> = {
        EADDRINUSE: `Port ${port} is in use. Stop the program that uses it, or set MQTT_PORT and MQTTS_PORT.`,
        EADDRNOTAVAIL: `${host} is not an address of this machine. Set MQTT_HOST or MQTTS_HOST to one, or to 0.0.0.0.`,
        ENOTFOUND: `${host} is an unknown host name. Set MQTT_HOST or MQTTS_HOST to an address of this machine, or to 0.0.0.0.`,
      };
      const message = what[error.code ?? ''];
      reject(message === undefined ? error : new Error(message));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : port;
}
