import { X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Path of the certificate. It needs no API key: devices and household brokers fetch it before they have one. */
const CERTIFICATE_PATH = '/certificate.pem';

/**
 * Adds `GET /certificate.pem`: the certificate of the API and the embedded broker, for clients that must trust it. `current` returns the
 * PEM file in use. Only its first certificate is sent; other content of the file stays private.
 */
export function addCertificateDownload(app: FastifyInstance, current: () => Buffer): void {
  app.get(CERTIFICATE_PATH, async (_request, reply) =>
    reply
      .type('application/x-pem-file')
      .header('Content-Disposition', 'attachment; filename="energy-service.pem"')
      .send(new X509Certificate(current()).toString()),
  );
}

/** Whether the certificate is self-signed. Devices then trust it only if they have a copy. */
export function isSelfSigned(certificate: Buffer): boolean {
  const parsed = new X509Certificate(certificate);
  return parsed.checkIssued(parsed);
}
