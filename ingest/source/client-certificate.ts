import { constants, type X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { findProxiedCertificate } from './proxy-protocol.ts';

/** A certificate presented by a client and signed by a configured authority. */
export interface ClientCertificate {
  sha256: string;
  /** The common name of the certificate, and the DNS names among its subject alternative names. */
  names: readonly string[];
  /** End of the certificate's validity, Unix ms. */
  validToMs: number;
}

/**
 * Returns the TLS options of a listener that requests client certificates signed by `ca` (PEM). A client without a certificate uses a
 * password. TLS sessions are not resumed, so that each handshake checks the certificate and its expiry.
 */
export const getCertificateRequestOptions = (ca: Buffer) => ({
  ca,
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_TICKET,
});

/**
 * Returns the certificate that a client presented to this process or to a proxy; null if the client presented none. Returns `refused` if
 * the certificate has expired, is not valid yet, or is signed by another authority.
 */
export function findClientCertificate(socket: Socket): ClientCertificate | 'refused' | null {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : findProxiedCertificate(socket);
  if (!certificate) return null;
  if (socket instanceof TLSSocket ? !socket.authorized : !isCurrent(certificate, Date.now())) return 'refused';
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  return {
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    names: [...(commonName === undefined ? [] : [commonName]), ...parseDnsNames(certificate.subjectAltName ?? '')],
    validToMs: certificate.validToDate.getTime(),
  };
}

/** Whether a certificate is valid at a time, Unix ms. A proxy has verified the certificate, but this may be long ago. */
const isCurrent = ({ validFromDate, validToDate }: X509Certificate, atMs: number): boolean =>
  validFromDate.getTime() <= atMs && atMs <= validToDate.getTime();

/**
 * Extracts the DNS names from subject alternative names in Node's format: `DNS:a, URI:b, DNS:"c, d"`. A name that contains a comma is
 * quoted; without regard to the quotes, one name could look like several. Pure.
 */
export function parseDnsNames(text: string): string[] {
  const entries = text.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy);
  return [...entries].filter(([, kind]) => kind === 'DNS').map(([, , name = '']) => name);
}
