import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { bareHost } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import { renewsItself } from '#src/start/certificate.ts';
import type { CertificateFacts } from '../facts.ts';
import { within } from './within.ts';

/** Reads certificate and key as the service would; makes none. */
export async function gatherCertificate(config: Config): Promise<CertificateFacts> {
  const { tls, dataDir, publicUrl, mqtt, api } = config;
  const isOurs = tls.certFile === undefined;
  const file = tls.certFile ?? join(dataDir, 'tls', 'cert.pem');
  const keyFile = tls.keyFile ?? join(dataDir, 'tls', 'key.pem');
  if (isOurs && !existsSync(file)) return { file, isOurs, pair: null };
  const pair = await within(async () => {
    const certificate = new X509Certificate(await readFile(file));
    const key = createPrivateKey(await readFile(keyFile));
    const names = (host: string) =>
      (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
    const hosts = [
      // A proxy in front has a certificate of its own for it.
      ...(api.trustProxy.length > 0 ? [] : [{ host: bareHost(new URL(publicUrl).hostname), of: 'PUBLIC_URL' }]),
      ...(mqtt.url === undefined ? [{ host: mqtt.publicHost, of: 'PUBLIC_MQTT_HOST' }] : []),
    ];
    return {
      validFromMs: certificate.validFromDate.getTime(),
      validToMs: certificate.validToDate.getTime(),
      renewsItself: renewsItself(config, certificate),
      keyFits: certificate.checkPrivateKey(key),
      hosts: hosts.map((one) => ({ ...one, isNamed: names(one.host) })),
    };
  });
  return { file, isOurs, pair };
}
