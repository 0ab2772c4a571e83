import { X509Certificate } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Path of the certificate. It needs no API key: devices and household brokers fetch it before they have one. */
const CERTIFICATE_PATH = '/certificate.pem';

/**
 * `GET /certificate.pem`: the certificate that the API and the embedded broker show, for who is to trust it.
 * `current`: the PEM file in use. Of that only the first certificate is given: whatever else is in the file stays here.
 */
export function addCertificate(app: FastifyInstance, current: () => Buffer): void {
  app.get(CERTIFICATE_PATH, async (_request, reply) =>
    reply
      .type('application/x-pem-file')
      .header('Content-Disposition', 'attachment; filename="energy-service.pem"')
      .send(new X509Certificate(current()).toString()),
  );
}

/** Whether it is its own issuer: then no device trusts it without a copy of it. */
export function isSelfSigned(certificate: Buffer): boolean {
  const parsed = new X509Certificate(certificate);
  return parsed.checkIssued(parsed);
}
