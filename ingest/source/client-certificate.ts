import { constants, type X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { findProxiedCertificate } from './proxy-protocol.ts';

/** A certificate presented by a client and signed by a configured authority. */
export interface ClientCertificate {
  sha256: string;
  /** The common name, and the DNS names among the subject alternative names. */
  names: readonly string[];
  /** End of the certificate's validity, Unix ms. */
  validToMs: number;
}

/**
 * Returns the TLS options of a listener that requests client certificates signed by `ca` (PEM). TLS sessions are not resumed, so that each
 * handshake checks the certificate.
 */
export const getCertificateRequestOptions = (ca: Buffer) => ({
  ca,
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_TICKET,
});

/**
 * Returns the certificate that a client presented, possibly to a proxy. Null if there is none; `refused` if it is expired or not signed by
 * `ca`.
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

/** Whether a certificate is valid at a time, Unix ms. */
const isCurrent = ({ validFromDate, validToDate }: X509Certificate, atMs: number): boolean =>
  validFromDate.getTime() <= atMs && atMs <= validToDate.getTime();

/** Extracts the DNS names from Node's text of subject alternative names: `DNS:a, URI:b, DNS:"c, d"`. A name with a comma is quoted. */
export function parseDnsNames(text: string): string[] {
  const entries = text.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy);
  return [...entries].filter(([, kind]) => kind === 'DNS').map(([, , name = '']) => name);
}
