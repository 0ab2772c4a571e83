import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
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

/** The certificate and key that are configured, or a self-signed pair for localhost and PUBLIC_URL's host, made at the first start. */
export async function tlsPair(config: Config): Promise<TlsPair> {
  const { certFile, keyFile } = config.tls;
  if (certFile && keyFile) return { cert: await readFile(certFile), key: await readFile(keyFile), certFile };
  const folder = join(config.dataDir, 'tls');
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const made = await readFile(key).catch(() => null);
  if (!made) await makePair(folder, cert, key, new URL(config.publicUrl).hostname);
  return { cert: await readFile(cert), key: await readFile(key), certFile: cert };
}

async function makePair(folder: string, certFile: string, keyFile: string, publicHost: string): Promise<void> {
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
          ...(publicHost === 'localhost' ? [] : [named(publicHost)]),
        ],
      },
    ],
  });
  await writeFile(certFile, pair.cert);
  // The key comes last and whole: it is what tells that the pair is complete.
  await writeFile(`${keyFile}.new`, pair.private, { mode: 0o600 });
  await rename(`${keyFile}.new`, keyFile);
}

/** A host as certificates name it (RFC 5280, 4.2.1.6): an address, or a name. A URL's host has IPv6 in brackets. */
function named(host: string): { type: 7; ip: string } | { type: 2; value: string } {
  const ip = host.replace(/^\[(.*)\]$/, '$1');
  return isIP(ip) ? { type: 7, ip } : { type: 2, value: host };
}
