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
import { bareHost } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { DAY_MS } from '#src/core/units.ts';
import { makeOnce } from '#src/start/secret-key.ts';

const VALID_DAYS = 825;
/** What is made here is made anew this long before it ends: time to replace the copies that devices trust. */
const RENEW_DAYS = 30;
/** What another process has put there meanwhile may lack names, too. One whose names can not be written is not tried for ever. */
const MAX_ROUNDS = 4;
/** Whom the certificates are made out to that are made here. */
const OUR_SUBJECT = 'CN=localhost';
const ALWAYS = ['localhost', '127.0.0.1', '::1'];
/** An operator is warned this long before a certificate ends that the service does not renew. */
const WARN_DAYS = 14;

interface TlsPair {
  cert: Buffer;
  key: Buffer;
  certFile: string;
}

/**
 * The certificate and key that are configured, or a self-signed pair, made at the first start. It names this machine, the host
 * of PUBLIC_URL and the one that devices are told. Where it lacks one of them, is an authority, or ends within 30 days, it is made
 * anew, with the same key: whoever trusts a copy of it needs the new one, and is told to. `now`: Unix ms.
 */
export async function tlsPair(config: Config, log?: Logger, now = Date.now()): Promise<TlsPair> {
  const { certFile, keyFile } = config.tls;
  if (certFile && keyFile) return { cert: await readFile(certFile), key: await readFile(keyFile), certFile };
  const folder = join(config.dataDir, 'tls');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'cert.pem');
  const key = await makeOnce(join(folder, 'key.pem'), 0o600, newKey);
  const wanted = [...ALWAYS, bareHost(new URL(config.publicUrl).hostname), config.mqtt.publicHost];
  let cert = await makeOnce(file, 0o600, () => newCertificate(key, wanted, now));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = parsed(cert, file);
    const missing = wanted.filter((name) => !isNamed(known, name));
    const endsSoon = known.validToDate.getTime() < now + RENEW_DAYS * DAY_MS;
    // Those of the first versions were authorities.
    const isWhole = missing.length === 0 && !endsSoon && !known.ca && known.checkPrivateKey(createPrivateKey(key));
    // Another one that somebody put there is theirs to renew.
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

/** Whether `tlsPair` renews this certificate. An operator may have put another one into DATA_DIR/tls. */
export const renewsItself = ({ tls }: Config, certificate: X509Certificate): boolean =>
  tls.certFile === undefined && isMadeHere(certificate);

/** The dates of a certificate, Unix ms. */
interface CertificateDates {
  file: string;
  validFromMs: number;
  validToMs: number;
  renewsItself: boolean;
}

/** How to get another certificate into the place of one. */
export const howToRenew = (does: { renewsItself: boolean }): string =>
  does.renewsItself
    ? 'The service renews it by itself while it runs; is DATA_DIR/tls writable for it?'
    : 'Renew it where it comes from, into the same files: the service loads it within 10 s, without a restart.';

/**
 * A finding if clients refuse a certificate because of its dates (`isRefused`), or will within 14 days; else null. Pure; the log and
 * `energy doctor` report the same. `nowMs`: Unix ms.
 */
export function judgeDates(
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
  const todo = howToRenew(dates);
  if (validToMs <= nowMs)
    return { isRefused: true, finding: `${file} ended on ${day(validToMs)}: browsers and devices refuse it`, todo };
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  if (days >= WARN_DAYS) return null;
  return { isRefused: false, finding: `${file} ends on ${day(validToMs)}, in ${days} days`, todo };
}

const newKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** No authority: whoever trusts a copy of it trusts these names, and nothing that its key might sign. */
async function newCertificate(key: string, names: readonly string[], now: number): Promise<string> {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  // Loaded where a certificate is made, and not at each start of each role.
  const { generate } = await import('selfsigned');
  const { cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    keyPair: { privateKey: key, publicKey },
    notAfterDate: new Date(now + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      // No keyUsage: without keyCertSign OpenSSL would not take it for its own issuer, which is what makes a copy trusted.
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [...new Set(names)].map(named) },
    ],
  });
  return cert;
}

/**
 * Puts another certificate in the place of one, and answers what is there then. Of each there is one successor, which is kept beside it until the next:
 * who renews the same one at the same time gets that, and who is late replaces nothing. So processes with other names take turns, and the
 * names of none are lost.
 */
async function renew(file: string, old: string, make: () => Promise<string>): Promise<string> {
  const next = `${file}.after-${createHash('sha256').update(old).digest('hex').slice(0, 16)}`;
  const made = await makeOnce(next, 0o600, make);
  if ((await readFile(file, 'utf8')) === old) await replace(file, made);
  const earlier = (await readdir(dirname(file))).filter((name) => name.startsWith(`${basename(file)}.after-`));
  for (const name of earlier) if (name !== basename(next)) await rm(join(dirname(file), name), { force: true });
  return readFile(file, 'utf8');
}

/** Whole at any moment. */
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
      `${file} is no certificate (${(error as Error).message}). Remove it: it is made anew at the next start.`,
    );
  }
}

/** A host as certificates name it (RFC 5280, 4.2.1.6): an address, or a name. */
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
 * Looks every 10 s whether certificate or key were replaced, and hands a new pair to `apply`: renewals hold without a
 * restart, open connections go on. A pair that does not fit together (one file is written before the other) is left for
 * the next look; the old one serves until then. `expiresAt`: when the one that serves ends. If that is over or near, a line of
 * the log reports it: at once, and then every `reportEveryMs`.
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
    // By the monotonic clock: a step of the other one neither repeats the line nor withholds it.
    const atMs = performance.now();
    if (reported?.cert === cert && atMs - reported.atMs < reportEveryMs) return;
    const parsed = new X509Certificate(cert);
    const [validFromMs, validToMs] = [parsed.validFromDate.getTime(), parsed.validToDate.getTime()];
    const found = judgeDates({ file, validFromMs, validToMs, renewsItself: renewsItself(config, parsed) }, Date.now());
    if (!found) return;
    reported = { cert, atMs };
    const ends = parsed.validToDate.toISOString();
    log[found.isRefused ? 'error' : 'warn']({ certificate: file, ends }, `${found.finding}. ${found.todo}`);
  };
  const look = async () => {
    try {
      const found = await tlsPair(config, log);
      if (!found.cert.equals(serving.cert) || !found.key.equals(serving.key)) {
        createSecureContext(found);
        apply(found);
        serving = found;
        log.info({ certificate: found.certFile }, 'new certificate loaded');
      }
      // The next one that is unusable is told of again.
      complained = '';
    } catch (error) {
      const { message } = error as Error;
      if (message !== complained) log.warn({ err: error }, 'new certificate is unusable; keeping the old one');
      complained = message;
    }
    reportDates();
  };
  reportDates();
  // One look at a time: one that began before a failure would end after it, and have it told of twice.
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    await look();
    isLooking = false;
  }, everyMs);
  timer.unref();
  return {
    expiresAt: () => new X509Certificate(serving.cert).validToDate,
    stop: () => clearInterval(timer),
  };
}
