import { setTimeout as sleep } from 'node:timers/promises';

/** Returns the result of a promise. Rejects with `message` after `ms`; the work itself continues. */
export async function withTimeout<T>(work: Promise<T>, ms: number, message: string): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw Object.assign(new Error(message), { code: 'ETIMEDOUT' });
  });
  late.catch(() => {});
  return Promise.race([work, late]).finally(() => over.abort());
}
