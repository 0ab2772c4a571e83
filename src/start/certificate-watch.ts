import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { DAY_MS } from '#src/core/units.ts';
import { judgeDates, renewsItself, type TlsPair, tlsPair } from './certificate.ts';

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
