import { createPublicKey, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { loadTlsPair } from '#src/start/certificate.ts';
import { createSecretKey } from '#src/start/secret-key.ts';
import { createTemporaryFolder } from '../../support/service.ts';

describe('files created at the first start', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  const config = async (env: Record<string, string> = {}) => {
    folder ??= await createTemporaryFolder();
    return loadConfig({ DATA_DIR: folder.path, PUBLIC_MQTT_HOST: '192.168.1.5', ...env });
  };
  const names = (cert: Buffer) => new X509Certificate(cert).subjectAltName?.split(', ').sort();
  afterEach(async () => {
    await folder.remove();
    folder = undefined as never;
  });

  test('the certificate contains the names of this machine, of PUBLIC_URL and of the host announced to devices, and is no authority', async () => {
    const { cert, key } = await loadTlsPair(await config({ PUBLIC_URL: 'https://energy.example.com' }));
    expect(names(cert)).toEqual([
      'DNS:energy.example.com',
      'DNS:localhost',
      'IP Address:0:0:0:0:0:0:0:1',
      'IP Address:127.0.0.1',
      'IP Address:192.168.1.5',
    ]);
    expect(new X509Certificate(cert).ca).toBe(false);
    createSecureContext({ cert, key });
  });

  test('recreates a certificate that lacks a name with the same key, and keeps the names that it had', async () => {
    const first = await loadTlsPair(await config());
    expect((await loadTlsPair(await config())).cert).toEqual(first.cert);
    const second = await loadTlsPair(await config({ PUBLIC_MQTT_HOST: 'Broker.example' }));
    expect(second.key).toEqual(first.key);
    createSecureContext(second);
    expect(names(second.cert)).toEqual(expect.arrayContaining(['DNS:Broker.example', 'IP Address:192.168.1.5']));
    // Two processes with different host names must use the same certificate.
    expect((await loadTlsPair(await config())).cert).toEqual(second.cert);
    expect((await loadTlsPair(await config({ PUBLIC_MQTT_HOST: 'broker.example' }))).cert).toEqual(second.cert);
  });

  test('recreates an early version’s certificate, which was an authority, with the same key', async () => {
    const { key } = await loadTlsPair(await config());
    const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
    const { cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType: 'ec',
      keyPair: { privateKey: key.toString(), publicKey },
      extensions: [
        { name: 'basicConstraints', cA: true },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'localhost' },
            ...['127.0.0.1', '::1', '192.168.1.5'].map((ip) => ({ type: 7 as const, ip })),
          ],
        },
      ],
    });
    expect(new X509Certificate(cert).ca).toBe(true);
    writeFileSync(join(folder.path, 'tls/cert.pem'), cert);
    const renewed = await loadTlsPair(await config());
    expect(new X509Certificate(renewed.cert).ca).toBe(false);
    expect(renewed.key).toEqual(key);
  });

  test('does not change a certificate that a person installed', async () => {
    await loadTlsPair(await config());
    const other = await generate([{ name: 'commonName', value: 'energy.example.com' }], { keyType: 'ec' });
    writeFileSync(join(folder.path, 'tls/cert.pem'), other.cert);
    writeFileSync(join(folder.path, 'tls/key.pem'), other.private);
    expect((await loadTlsPair(await config())).cert.toString()).toBe(other.cert);
    writeFileSync(join(folder.path, 'tls/cert.pem'), 'half');
    await expect(loadTlsPair(await config())).rejects.toThrow(/cert\.pem is not a certificate.*Remove it/);
  });

  test('processes that start at once on one volume have one certificate, one key and one secret', async () => {
    const one = await config();
    const pairs = await Promise.all(Array.from({ length: 12 }, () => loadTlsPair(one)));
    expect(new Set(pairs.map(({ cert }) => cert.toString())).size).toBe(1);
    expect(new Set(pairs.map(({ key }) => key.toString())).size).toBe(1);
    for (const pair of pairs) createSecureContext(pair);
    // Simulate processes in two containers: they have the same process id, and one starts a few moments after the other.
    for (let round = 0; round < 20; round++) {
      const dataDir = join(folder.path, String(round));
      const later = async (ticks: number) => {
        for (let tick = 0; tick < ticks; tick++) await setImmediate();
        return createSecretKey({ ...one, dataDir });
      };
      const secrets = await Promise.all(Array.from({ length: 12 }, (_, index) => later(index)));
      expect(new Set(secrets).size).toBe(1);
      expect(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim()).toBe(secrets[0]);
    }
  });
});
