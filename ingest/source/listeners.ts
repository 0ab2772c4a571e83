import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { SERVER_TLS_OPTIONS } from '#src/core/tls.ts';
import { findClientCertificate, getCertificateRequestOptions } from './client-certificate.ts';
import { readProxyHeader } from './proxy-protocol.ts';

/**
 * Maximum time in ms from the start of a TLS connection to the end of its handshake. On the port without TLS, aedes' `connectTimeout`
 * limits the wait for a CONNECT.
 */
const MAX_HANDSHAKE_MS = 10_000;

export interface ListenOptions {
  /** Address on which the service listens without TLS. */
  host: string;
  port: number;
  /** Address on which the service listens with TLS. */
  tlsHost: string;
  tlsPort: number;
  tls: { cert: Buffer; key: Buffer };
  handshakeMs?: number;
  /**
   * Whether an address is that of a proxy. PROXY headers are accepted only from a proxy, and only on the port without TLS. Undefined if
   * there is no proxy.
   */
  isProxy?(address: string | undefined): boolean;
}

/** Listens on a port without TLS and on a port with TLS, and passes connections to `serve`. Returns the ports. */
export async function listenWithAndWithoutTls(
  options: ListenOptions & { certificates?: { ca: Buffer } },
  serve: (socket: Socket) => void,
) {
  const { certificates, isProxy, handshakeMs: handshakeTimeout = MAX_HANDSHAKE_MS } = options;
  // If client certificates are accepted, the PROXY header is required. Otherwise a client could forge a header with another person's
  // certificate if its proxy sends no header.
  const proxied = { isRequired: certificates !== undefined, withinMs: handshakeTimeout };
  const plain = createServer((socket) => {
    if (isProxy?.(socket.remoteAddress)) readProxyHeader(socket, proxied, () => serve(socket));
    else serve(socket);
  });
  const tlsOptions = { ...SERVER_TLS_OPTIONS, ...(certificates ? getCertificateRequestOptions(certificates.ca) : {}) };
  const secure = createTlsServer({ ...options.tls, ...tlsOptions, handshakeTimeout }, (socket) => {
    // A connection with an invalid certificate is closed before any MQTT packet is read, so that its client cannot log in by password.
    if (certificates && findClientCertificate(socket) === 'refused') return void socket.destroy();
    serve(socket);
  });
  // Node reports a handshake timeout but leaves the socket open, so it is closed here.
  secure.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    port: await listen(plain, options.port, options.host),
    tlsPort: await listen(secure, options.tlsPort, options.tlsHost),
    /** Uses this certificate for new connections. */
    renewTls: (pair: { cert: Buffer; key: Buffer }) => secure.setSecureContext({ ...pair, ...tlsOptions }),
    close() {
      plain.close();
      secure.close();
    },
  };
}

/** Starts to listen, and returns the port. If `port` is 0, the operating system chooses the port. */
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
