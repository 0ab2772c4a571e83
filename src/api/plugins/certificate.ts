import { X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Path of the TLS certificate. No API key is needed, because devices fetch the certificate before they have one. */
const CERTIFICATE_PATH = '/certificate.pem';

/**
 * Adds `GET /certificate.pem`, which returns the TLS certificate of the API and the embedded broker. `current`: returns the PEM
 * file that is currently used. Only the first certificate is sent, never a private key.
 */
export function addCertificateDownload(app: FastifyInstance, current: () => Buffer): void {
  app.get(CERTIFICATE_PATH, async (_request, reply) =>
    reply
      .type('application/x-pem-file')
      .header('Content-Disposition', 'attachment; filename="energy-service.pem"')
      .send(new X509Certificate(current()).toString()),
  );
}

/** Whether the certificate is self-signed. Devices need a copy of a self-signed certificate to trust it. */
export function isSelfSigned(certificate: Buffer): boolean {
  const parsed = new X509Certificate(certificate);
  return parsed.checkIssued(parsed);
}
