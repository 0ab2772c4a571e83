import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A certificate that a client presented and an authority of ours vouches for. */
export interface ClientCertificate {
  /** SHA-256 of it, in hex. */
  sha256: string;
  /** Its common name, and the DNS names among its alternative ones. */
  names: readonly string[];
  /** Unix ms. */
  validToMs: number;
}

/**
 * How a listener asks clients for certificates, which `ca` (PEM) vouches for. Who has none goes on with a password. Sessions are not
 * resumed: a certificate is looked at in each handshake, and not in one of before it expired.
 */
export const asksForCertificates = (ca: Buffer) => ({
  ca,
  requestCert: true,
  rejectUnauthorized: false,
  secureOptions: constants.SSL_OP_NO_TICKET,
});

/**
 * What a client presented. Null where it presented nothing, or is not on TLS; `refused` where the certificate has expired, is not valid
 * yet, or is of an authority that is not ours.
 */
export function certificateOf(socket: Socket): ClientCertificate | 'refused' | null {
  if (!(socket instanceof TLSSocket)) return null;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return null;
  if (!socket.authorized) return 'refused';
  const commonName = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
  return {
    sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    names: [...(commonName === undefined ? [] : [commonName]), ...dnsNames(certificate.subjectAltName ?? '')],
    validToMs: certificate.validToDate.getTime(),
  };
}

/**
 * The DNS names of an alternative name as Node writes it: `DNS:a, URI:b, DNS:"c, d"`. What has a comma in it is quoted: taken apart at commas
 * one name could pretend to be several. Pure.
 */
export function dnsNames(text: string): string[] {
  const entries = text.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy);
  return [...entries].filter(([, kind]) => kind === 'DNS').map(([, , name = '']) => name);
}
