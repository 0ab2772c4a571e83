import { describe, expect, test, vi } from 'vitest';
import { createLog } from '#src/core/log.ts';
import type { Pool } from './connect.ts';
import { waitForDatabase } from './unavailable.ts';

/** Creates a pool whose first connection attempts fail with the given errors. */
function failing(...errors: { code?: string; message: string }[]) {
  const connect = vi.fn(async () => {
    const error = errors.shift();
    if (error) throw Object.assign(new Error(error.message), error);
    return { release: () => {} };
  });
  return { connect } as { connect: typeof connect } & Pick<Pool, 'connect'>;
}

const log = createLog('test', { level: 'silent' });
const unknownHost = { code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND pg-1' };
/** Node's error if both addresses of `localhost` refuse the connection. */
const refusedByAll = { code: 'ECONNREFUSED', message: '' };
const noPrimary = { code: '57P03', message: 'no host of the database takes writes (host 1: timeout)' };
const wrongPassword = { code: '28P01', message: 'password authentication failed for user "energy"' };

describe('a process that starts before its database', () => {
  test('waits while the host is unknown or not up yet, and logs each reason once', async () => {
    const pool = failing(refusedByAll, unknownHost, unknownHost, noPrimary);
    const warn = vi.spyOn(log, 'warn');
    await waitForDatabase(pool, log);
    expect(pool.connect).toHaveBeenCalledTimes(5);
    expect(warn.mock.calls.map(([values]) => values)).toEqual([
      { reason: 'ECONNREFUSED' },
      { reason: unknownHost.message },
      { reason: noPrimary.message },
    ]);
  });

  test('ends at once with an error that waiting does not remedy', async () => {
    const pool = failing(wrongPassword);
    await expect(waitForDatabase(pool, log)).rejects.toThrow('password authentication failed');
    expect(pool.connect).toHaveBeenCalledTimes(1);
  });

  test('ends with the last error when its time is over, and with the reason of an abort', async () => {
    const never = { connect: () => Promise.reject(Object.assign(new Error('nobody'), unknownHost)) };
    await expect(waitForDatabase(never, log, undefined, 1_000)).rejects.toThrow('ENOTFOUND');
    await expect(waitForDatabase(never, log, AbortSignal.timeout(100))).rejects.toThrow('timeout');
  });
});
