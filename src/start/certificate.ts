import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { stripBrackets } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { startLoop } from '#src/core/loop.ts';
import { DAY_MS } from '#src/core/units.ts';
import { readOrCreateFile } from '#src/start/secret-key.ts';

const VALID_DAYS = 825;
/**
 * Number of days before the expiry at which a self-signed certificate is renewed, so that there is time to replace the copies on devices.
 */
const RENEW_DAYS = 30;
/**
 * Maximum number of attempts to create a certificate with all names. Several may be needed if other processes write certificates at the
 * same time.
 */
const MAX_ROUNDS = 4;
/** Subject of the certificates that this service creates. */
const OUR_SUBJECT = 'CN=localhost';
const ALWAYS = ['localhost', '127.0.0.1', '::1'];
/** The operator is warned this number of days before the expiry of a certificate that the service does not renew. */
const WARN_DAYS = 14;

interface TlsPair {
  cert: Buffer;
  key: Buffer;
  certFile: string;
}

/**
 * Returns the configured certificate and key, or a self-signed pair, which is created at the first start. The self-signed certificate is
 * created again with the same key if it lacks a name, is a certificate authority, or expires within 30 days. `now`: Unix ms.
 */
export async function loadTlsPair(config: Config, log?: Logger, now = Date.now()): Promise<TlsPair> {
  const { certFile, keyFile } = config.tls;
  if (certFile && keyFile) return { cert: await readFile(certFile), key: await readFile(keyFile), certFile };
  const folder = join(config.dataDir, 'tls');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'cert.pem');
  const key = await readOrCreateFile(join(folder, 'key.pem'), 0o600, newKey);
  const wanted = [...ALWAYS, stripBrackets(new URL(config.publicUrl).hostname), config.mqtt.publicHost];
  let cert = await readOrCreateFile(file, 0o600, () => newCertificate(key, wanted, now));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = parsed(cert, file);
    const missing = wanted.filter((name) => !isNamed(known, name));
    const endsSoon = known.validToDate.getTime() < now + RENEW_DAYS * DAY_MS;
    // Certificates of the first versions of the service were certificate authorities.
    const isWhole = missing.length === 0 && !endsSoon && !known.ca && known.checkPrivateKey(createPrivateKey(key));
    // The service does not renew a certificate that the operator installed in DATA_DIR/tls.
    if (isWhole || !isMadeHere(known)) break;
    cert = await renew(file, cert, () => newCertificate(key, [...wanted, ...namesOf(known)], now));
    log?.warn(
      { ...(missing.length > 0 && { added: missing.join(', ') }), previous_valid_to: known.validTo, certificate: file },
      'new certificate; replace the copies that devices trust',
    );
  }
  return { cert: Buffer.from(cert), key: Buffer.from(key), certFile: file };
}

const isMadeHere = ({ subject, issuer }: X509Certificate): boolean => subject === OUR_SUBJECT && issuer === OUR_SUBJECT;

/** Whether `loadTlsPair` renews this certificate, because the service created it. */
export const isCertificateRenewedByService = ({ tls }: Config, certificate: X509Certificate): boolean =>
  tls.certFile === undefined && isMadeHere(certificate);

/** Validity of a certificate, in Unix ms. */
interface CertificateDates {
  file: string;
  validFromMs: number;
  validToMs: number;
  renewsItself: boolean;
}

/** Returns instructions for replacing a certificate. `renewsItself`: whether the service renews it. */
export const formatRenewalAdvice = (does: { renewsItself: boolean }): string =>
  does.renewsItself
    ? 'The service renews it automatically while it runs. Can it write to DATA_DIR/tls?'
    : 'Renew it at its source, and store it in the same files: the service loads it within 10 s, without a restart.';

/** Returns a finding if a certificate is not valid now (`isRefused`), or will not be in 14 days; otherwise null. `nowMs`: Unix ms. */
export function checkCertificateDates(
  dates: CertificateDates,
  nowMs: number,
): { isRefused: boolean; finding: string; todo: string } | null {
  const { file, validFromMs, validToMs } = dates;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  if (validFromMs > nowMs)
    return {
      isRefused: true,
      finding: `${file} is not valid before ${day(validFromMs)}`,
      todo: 'Check the clock of this machine.',
    };
  const todo = formatRenewalAdvice(dates);
  if (validToMs <= nowMs)
    return { isRefused: true, finding: `${file} ended on ${day(validToMs)}: browsers and devices refuse it`, todo };
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  if (days >= WARN_DAYS) return null;
  return { isRefused: false, finding: `${file} ends on ${day(validToMs)}, in ${days} days`, todo };
}

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Creates a certificate that is not a certificate authority, so that clients trust it only for its names. */
async function newCertificate(key: string, names: readonly string[], now: number): Promise<string> {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  // Imported only when needed, to keep the start fast.
  const { generate } = await import('selfsigned');
  const { cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    keyPair: { privateKey: key, publicKey },
    notAfterDate: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      // No keyUsage extension: OpenSSL would not accept a trusted copy of a self-signed certificate without keyCertSign.
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [...new Set(names)].map(named) },
    ],
  });
  return cert;
}

/**
 * Replaces a certificate and returns the certificate that is then in use. Each certificate has exactly one successor, which all concurrent
 * processes get. Processes that add different names renew one after the other, so that no name is lost.
 */
async function renew(file: string, old: string, make: () => Promise<string>): Promise<string> {
  const next = `${file}.after-${createHash('sha256').update(old).digest('hex').slice(0, 16)}`;
  const made = await readOrCreateFile(next, 0o600, make);
  if ((await readFile(file, 'utf8')) === old) await replace(file, made);
  const earlier = (await readdir(dirname(file))).filter((name) => name.startsWith(`${basename(file)}.after-`));
  for (const name of earlier) if (name !== basename(next)) await rm(join(dirname(file), name), { force: true });
  return readFile(file, 'utf8');
}

/** Replaces a file atomically: readers see either the old or the new content. */
async function replace(file: string, content: string): Promise<void> {
  const mine = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(mine, content, { mode: 0o600, flag: 'wx' });
  await rename(mine, file);
}

function parsed(certificate: string, file: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (error) {
    throw new Error(
      `${file} is not a certificate (${(error as Error).message}). Remove it: the next start creates a new one.`,
    );
  }
}

/** Returns a host as a subject alternative name of a certificate (RFC 5280, 4.2.1.6): an IP address or a DNS name. */
const named = (host: string): { type: 7; ip: string } | { type: 2; value: string } =>
  isIP(host) ? { type: 7, ip: host } : { type: 2, value: host };

const namesOf = (certificate: X509Certificate): string[] =>
  (certificate.subjectAltName ?? '').split(', ').flatMap((one) => /^(?:DNS|IP Address):(.+)$/.exec(one)?.[1] ?? []);

const isNamed = (certificate: X509Certificate, host: string): boolean =>
  isIP(host)
    ? certificate.checkIP(host) !== undefined
    : namesOf(certificate).some((name) => name.toLowerCase() === host.toLowerCase());

const LOOK_EVERY_MS = 10_000;

/**
 * Checks every 10 s whether the certificate or key was replaced, and calls `apply` with a new valid pair. `expiresAt` returns the expiry of
 * the pair in use. If it expires soon, the log reports this at once and then every `reportEveryMs`.
 */
export function watchCertificate(
  config: Config,
  current: TlsPair,
  apply: (pair: TlsPair) => void,
  log: Logger,
  { everyMs = LOOK_EVERY_MS, reportEveryMs = DAY_MS } = {},
): { expiresAt(): Date; stop(): void } {
  let serving = current;
  let complained = '';
  let reported: { cert: Buffer; atMs: number } | null = null;
  const reportDates = () => {
    const { cert, certFile: file } = serving;
    // Uses the monotonic clock, so that a step of the system clock does not affect the log.
    const atMs = performance.now();
    if (reported?.cert === cert && atMs - reported.atMs < reportEveryMs) return;
    const parsed = new X509Certificate(cert);
    const [validFromMs, validToMs] = [parsed.validFromDate.getTime(), parsed.validToDate.getTime()];
    const found = checkCertificateDates(
      { file, validFromMs, validToMs, renewsItself: isCertificateRenewedByService(config, parsed) },
      Date.now(),
    );
    if (!found) return;
    reported = { cert, atMs };
    const ends = parsed.validToDate.toISOString();
    log[found.isRefused ? 'error' : 'warn']({ certificate: file, ends }, `${found.finding}. ${found.todo}`);
  };
  const look = async () => {
    try {
      const found = await loadTlsPair(config, log);
      if (!found.cert.equals(serving.cert) || !found.key.equals(serving.key)) {
        createSecureContext(found);
        apply(found);
        serving = found;
        log.info({ certificate: found.certFile }, 'new certificate loaded');
      }
      // A repeated error is logged only once. After a valid pair, the same error is logged again.
      complained = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== complained) log.warn({ err: error }, 'new certificate is unusable; keeping the old one');
      complained = message;
    }
    reportDates();
    return 0;
  };
  reportDates();
  const loop = startLoop('certificate', look, everyMs, log);
  return { expiresAt: () => new X509Certificate(serving.cert).validToDate, stop: () => void loop.stop() };
}
