import { generate } from 'selfsigned';

/** Certificate for localhost with its private key (PEM), for servers that only tests use. */
export interface LocalCertificate {
  cert: string;
  key: string;
}

/** Creates a self-signed certificate for localhost. */
export async function makeLocalCertificate(): Promise<LocalCertificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  return { cert, key };
}
