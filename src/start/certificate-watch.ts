import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { Config } from '#src/config/load.ts';
import type { Logger } from '#src/core/log.ts';
import { type TlsPair, tlsPair } from './certificate.ts';

const LOOK_EVERY_MS = 10_000;

/**
 * Looks every 10 s whether certificate or key were replaced, and hands a new pair to `apply`: renewals hold without a
 * restart, open connections go on. A pair that does not fit together (one file is written before the other) is left for
 * the next look; the old one serves until then. `expiresAt`: when the one that serves ends.
 */
export function watchCertificate(
  config: Config,
  current: TlsPair,
  apply: (pair: TlsPair) => void,
  log: Logger,
  everyMs = LOOK_EVERY_MS,
): { expiresAt(): Date; stop(): void } {
  let serving = current;
  let complained = '';
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
  };
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
