import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadConfig } from '#src/config/load.ts';
import { loadTlsPair, watchCertificate } from '#src/start/certificate.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const DAY_MS = 86_400_000;
const log = pino({ level: 'silent' });
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.remove());

test('renews the service’s own certificate a month before it ends, with the same key', async () => {
  const config = loadConfig({ DATA_DIR: folder.path });
  const from = Date.now();
  const first = await loadTlsPair(config, log, from);
  expect((await loadTlsPair(config, log, from + 790 * DAY_MS)).cert).toEqual(first.cert);
  const later = from + 800 * DAY_MS;
  // The API and the ingest role find the expired certificate at the same time.
  const all = await Promise.all(Array.from({ length: 8 }, () => loadTlsPair(config, log, later)));
  expect(new Set(all.map(({ cert }) => cert.toString())).size).toBe(1);
  const [second] = all as [(typeof all)[number]];
  expect(second.key).toEqual(first.key);
  expect(new X509Certificate(second.cert).validToDate.getTime()).toBeGreaterThan(later + 800 * DAY_MS);
  expect((await loadTlsPair(config, log, later)).cert).toEqual(second.cert);
});

test('does not renew another issuer’s certificate, however soon it expires', async () => {
  const notAfterDate = new Date(Date.now() + DAY_MS);
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', notAfterDate });
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  await writeFile(cert, pair.cert);
  await writeFile(key, pair.private);
  const config = loadConfig({ DATA_DIR: folder.path, TLS_CERT_FILE: cert, TLS_KEY_FILE: key });
  expect((await loadTlsPair(config, log)).cert.toString()).toBe(pair.cert);
});

test('reports each failed renewal once, even if it fails as the previous one did', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  const away = `${cert}.away`;
  const config = loadConfig({ DATA_DIR: folder.path, TLS_CERT_FILE: cert, TLS_KEY_FILE: key });
  await writeFile(cert, pair.cert);
  await writeFile(key, pair.private);
  let applied = 0;
  const watch = watchCertificate(config, await loadTlsPair(config), () => applied++, logger, { everyMs: 20 });
  for (let failure = 1; failure <= 2; failure++) {
    await rename(cert, away);
    await expect.poll(() => lines).toHaveLength(failure);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(lines).toHaveLength(failure);
    // Write the same certificate with more bytes each time. The new length shows the test that the file has been read.
    await writeFile(away, `${pair.cert}${'\n'.repeat(failure)}`);
    await rename(away, cert);
    await expect.poll(() => applied).toBe(failure);
  }
  watch.stop();
  const failed = 'new certificate is unusable; keeping the old one';
  expect(lines).toEqual([failed, failed]);
});

/** Writes a certificate that another authority has issued, and its key. The certificate is valid from yesterday for some days. */
async function foreignPair(endsInDays: number, into = folder.path): Promise<{ cert: string; key: string }> {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS);
  const [notBeforeDate, notAfterDate] = [at(Math.min(endsInDays, 0) - 1), at(endsInDays)];
  const subject = [{ name: 'commonName', value: 'energy.example' }];
  const pair = await generate(subject, { keyType: 'ec', notBeforeDate, notAfterDate });
  const files = { cert: join(into, 'cert.pem'), key: join(into, 'key.pem') };
  await mkdir(into, { recursive: true });
  for (const [file, content] of [
    [files.key, pair.private],
    [files.cert, pair.cert],
  ] as const) {
    await writeFile(`${file}.new`, content);
    await rename(`${file}.new`, file);
  }
  return files;
}

const DAYS = [
  { endsInDays: -1, level: 50, expected: /cert\.pem ended on \d{4}-\d\d-\d\d: .*\. Renew it at its source/ },
  {
    endsInDays: 3.5,
    level: 40,
    expected: /cert\.pem ends on \d{4}-\d\d-\d\d, in 3 days\. Renew it at its source/,
  },
  { endsInDays: 13.5, level: 40, expected: /in 13 days/ },
  { endsInDays: 14.5, level: null, expected: null },
];
test.each(['files of TLS_CERT_FILE', 'files that somebody put into DATA_DIR/tls'])(
  'logs a line at the start and daily about a certificate that has ended, or ends within 14 days: %s',
  async (place) => {
    for (const { endsInDays, level, expected } of DAYS) {
      const isGiven = place.endsWith('TLS_CERT_FILE');
      const { cert, key } = await foreignPair(endsInDays, isGiven ? folder.path : join(folder.path, 'tls'));
      const config = loadConfig({
        DATA_DIR: folder.path,
        ...(isGiven ? { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } : {}),
      });
      const lines: { level: number; msg: string; certificate: string; ends: string }[] = [];
      const write = (line: string) => {
        // Ignore warnings about a certificate and a key that do not match: for a moment, only one of the two files has been replaced.
        if (!line.includes('new certificate is unusable')) lines.push(JSON.parse(line));
      };
      const logger = pino({ level: 'warn' }, { write });
      const pair = await loadTlsPair(config);
      const watch = watchCertificate(config, pair, () => {}, logger, { everyMs: 10, reportEveryMs: 100 });
      expect(lines).toHaveLength(expected ? 1 : 0);
      if (expected) await expect.poll(() => lines.length).toBeGreaterThan(2);
      // After the certificate has been renewed, no warning is logged.
      await foreignPair(400, dirname(cert));
      await expect.poll(() => watch.expiresAt().getTime()).toBeGreaterThan(Date.now() + 399 * DAY_MS);
      const counted = lines.length;
      await new Promise((resolve) => setTimeout(resolve, 250));
      watch.stop();
      expect(lines.length).toBe(counted);
      for (const line of lines) expect(line).toMatchObject({ level, msg: expect.stringMatching(expected ?? /never/) });
      for (const line of lines)
        expect(Math.abs(Date.parse(line.ends) - Date.now() - endsInDays * DAY_MS)).toBeLessThan(60_000);
      expect(new Set(lines.map(({ certificate }) => certificate))).toEqual(new Set(expected ? [cert] : []));
    }
  },
);

test('renews the service’s own certificate at the start, and logs nothing about its expiry', async () => {
  const config = loadConfig({ DATA_DIR: folder.path });
  await loadTlsPair(config, log, Date.now() - 900 * DAY_MS);
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const watch = watchCertificate(config, await loadTlsPair(config, logger), () => {}, logger);
  watch.stop();
  expect(lines).toEqual(['new certificate; replace the copies that devices trust']);
  expect(watch.expiresAt().getTime()).toBeGreaterThan(Date.now() + 800 * DAY_MS);
});

test('concurrent processes with different names end with one certificate of all names, and the file is complete at any time', async () => {
  const config = (host: string) =>
    loadConfig({ DATA_DIR: folder.path, PUBLIC_URL: `https://${host}`, PUBLIC_MQTT_HOST: host });
  const file = join(folder.path, 'tls', 'cert.pem');
  // The first process serves requests when the other processes start at the same time.
  const hosts = ['first.example', 'second.example', '192.0.2.7', 'xn--mller-kva.example'];
  const first = await loadTlsPair(config('first.example'));
  const serving: Buffer[] = [];
  const pairs = [first, ...(await Promise.all(hosts.slice(1).map((host) => loadTlsPair(config(host)))))];
  const watches = hosts.map((host, index) => {
    const pair = pairs[index] as typeof first;
    serving[index] = pair.cert;
    const apply = (found: typeof first) => {
      serving[index] = found.cert;
    };
    return watchCertificate(config(host), pair, apply, log, { everyMs: 20 });
  });
  const names = () => {
    const found = new X509Certificate(readFileSync(file));
    return hosts.filter((host) => (isIP(host) ? found.checkIP(host) : found.checkHost(host)));
  };
  const isSettled = () => names().length === hosts.length && new Set(serving.map((cert) => cert.toString())).size === 1;
  await expect.poll(isSettled, { interval: 1 }).toBe(true);
  const settled = serving[0];
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(serving).toEqual(hosts.map(() => settled));
  for (const watch of watches) watch.stop();
  const files = readdirSync(join(folder.path, 'tls')).map((name) => name.replace(/after-.*/, 'after'));
  expect([...new Set(files)].sort()).toEqual(['cert.pem', 'cert.pem.after', 'key.pem']);
  expect(files.length).toBeLessThan(3 + hosts.length);
});
