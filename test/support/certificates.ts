import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** A certificate authority for client certificates, created with openssl in the test's folder. */
export interface CertificateAuthority {
  /** Path of the authority's own certificate (PEM). */
  file: string;
  /**
   * Issues a certificate for a common name and alternative names, such as `DNS:a`. `days`: validity; a negative value creates an expired
   * certificate.
   */
  sign(commonName: string, more?: { names?: string; days?: number }): Promise<SignedCertificate>;
}

export interface SignedCertificate {
  cert: Buffer;
  key: Buffer;
  /** Fingerprint in the format that `openssl x509 -fingerprint` prints. */
  fingerprint: string;
}

/** Creates a certificate authority. `name`: its common name, and the prefix of its file names. */
export async function createCertificateAuthority(folder: string, name: string): Promise<CertificateAuthority> {
  const path = (file: string) => join(folder, `${name}-${file}`);
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args);
  const [ca, caKey] = [path('ca.pem'), path('ca.key')];
  await openssl('req', '-x509', ...KEY, '-keyout', caKey, '-out', ca, '-subj', `/CN=${name}`, '-days', '2');
  let signed = 0;
  return {
    file: ca,
    async sign(commonName, { names, days = 2 } = {}) {
      const mine = (ending: string) => path(`${++signed}.${ending}`);
      const [key, request, cert] = [mine('key'), mine('csr'), mine('pem')];
      const alternative = names === undefined ? [] : ['-addext', `subjectAltName=${names}`];
      await openssl('req', ...KEY, '-keyout', key, '-out', request, '-subj', `/CN=${commonName}`, ...alternative);
      const by = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-copy_extensions', 'copy'];
      await openssl('x509', '-req', '-in', request, ...by, '-out', cert, '-days', String(days));
      const { stdout } = await openssl('x509', '-in', cert, '-noout', '-fingerprint', '-sha256');
      const fingerprint = stdout.split('=')[1]?.trim() ?? '';
      return { cert: await readFile(cert), key: await readFile(key), fingerprint };
    },
  };
}
