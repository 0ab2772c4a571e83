import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { Config } from '#src/config/load.ts';

const DAY_MS = 86_400_000;
const VALID_DAYS = 825;

export interface TlsPair {
  cert: Buffer;
  key: Buffer;
  certFile: string;
}

/** The certificate and key that are configured, or a self-signed pair for localhost, made at the first start. */
export async function tlsPair(config: Config): Promise<TlsPair> {
  const { certFile, keyFile } = config.tls;
  if (certFile && keyFile) return { cert: await readFile(certFile), key: await readFile(keyFile), certFile };
  const folder = join(config.dataDir, 'tls');
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const made = await readFile(key).catch(() => null);
  if (!made) await makePair(folder, cert, key);
  return { cert: await readFile(cert), key: await readFile(key), certFile: cert };
}

async function makePair(folder: string, certFile: string, keyFile: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    notAfterDate: new Date(Date.now() + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  await writeFile(certFile, pair.cert);
  // The key comes last and whole: it is what tells that the pair is complete.
  await writeFile(`${keyFile}.new`, pair.private, { mode: 0o600 });
  await rename(`${keyFile}.new`, keyFile);
}
