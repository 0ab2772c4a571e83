import { X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Path of the TLS certificate. It needs no API key, because devices and household brokers fetch the certificate before they have a key. */
const CERTIFICATE_PATH = '/certificate.pem';

/**
 * Adds `GET /certificate.pem`, which returns the TLS certificate of the API and the embedded broker, for clients that must trust it.
 * `current`: returns the content of the PEM file that is currently used. Sends only the first certificate in the file. Other content, such
 * as a private key, is never sent.
 */
export function addCertificateDownload(app: FastifyInstance, current: () => Buffer): void {
  app.get(CERTIFICATE_PATH, async (_request, reply) =>
    reply
      .type('application/x-pem-file')
      .header('Content-Disposition', 'attachment; filename="energy-service.pem"')
      .send(new X509Certificate(current()).toString()),
  );
}

/** Whether the certificate is self-signed. A device trusts a self-signed certificate only if it has a copy of the certificate. */
export function isSelfSigned(certificate: Buffer): boolean {
  const parsed = new X509Certificate(certificate);
  return parsed.checkIssued(parsed);
}
