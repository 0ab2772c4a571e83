import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTemporaryFolder, type RoleProcess, startRole } from '#test/support/service.ts';

const makePair = () => generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
const fingerprint = (pem: string) => new X509Certificate(pem).fingerprint256;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let roles: RoleProcess[] = [];
let first: Awaited<ReturnType<typeof makePair>>;
const file = (name: string) => join(folder.path, name);

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await createTemporaryFolder();
  first = await makePair();
  await writeFile(file('cert.pem'), first.cert);
  await writeFile(file('key.pem'), first.private);
  const tls = { TLS_CERT_FILE: file('cert.pem'), TLS_KEY_FILE: file('key.pem'), LOG_LEVEL: 'error' };
  const env = { DATABASE_URL: database.url, DATA_DIR: folder.path, ...tls };
  roles = await Promise.all([startRole('api', env), startRole('ingest', env)]);
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await database.drop();
  await folder.remove();
});

/** Returns the certificates that the API and the broker present to a new client. */
const presented = () =>
  Promise.all(
    [roles[0]?.ready.https_port ?? 0, roles[1]?.ready.tlsPort ?? 0].map(
      (port) =>
        new Promise<string>((resolve, reject) => {
          const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
            resolve(socket.getPeerCertificate().fingerprint256);
            socket.destroy();
          });
          socket.on('error', reject);
        }),
    ),
  );

/** Offers TLS 1.2 cipher suites to the API and to the broker. Returns the suites that they choose; null if they accept none. */
const findCipherSuites = (ciphers: string) =>
  Promise.all(
    [roles[0]?.ready.https_port ?? 0, roles[1]?.ready.tlsPort ?? 0].map(
      (port) =>
        new Promise<string | null>((resolve) => {
          const options = {
            host: '127.0.0.1',
            port,
            rejectUnauthorized: false,
            maxVersion: 'TLSv1.2',
            ciphers,
          } as const;
          const socket = connect(options, () => {
            resolve(socket.getCipher().name);
            socket.destroy();
          });
          socket.on('error', () => resolve(null));
        }),
    ),
  );
const CBC = 'ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA';
const GCM = 'ECDHE-ECDSA-AES128-GCM-SHA256';
const GCM_ONLY = [
  [null, null],
  [GCM, GCM],
];

test('a renewed certificate is used without a restart; a certificate that does not match its key is ignored', async () => {
  const was = fingerprint(first.cert);
  expect(await presented()).toEqual([was, was]);
  expect([await findCipherSuites(CBC), await findCipherSuites(GCM)]).toEqual(GCM_ONLY);
  const second = await makePair();
  await writeFile(file('cert.pem'), second.cert);
  await new Promise((resolve) => setTimeout(resolve, 11_000));
  expect(await presented()).toEqual([was, was]);
  await writeFile(file('key.pem'), second.private);
  const is = fingerprint(second.cert);
  await expect.poll(presented, { interval: 500 }).toEqual([is, is]);
  expect([await findCipherSuites(CBC), await findCipherSuites(GCM)]).toEqual(GCM_ONLY);
});
