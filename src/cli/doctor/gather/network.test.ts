import { expect, test } from 'vitest';
import { probeWithTimeout } from './network.ts';

test('returns the reason in one line if a probe hangs, rejects or throws synchronously', async () => {
  expect(await probeWithTimeout(() => new Promise<object>(() => {}), 10)).toEqual({
    why: 'no answer within 0.01 s',
    code: 'ETIMEDOUT',
  });
  const refused = Object.assign(new Error('refused\n    at somewhere'), { code: 'ECONNREFUSED' });
  expect(await probeWithTimeout(() => Promise.reject(refused))).toEqual({ why: 'refused', code: 'ECONNREFUSED' });
  // For a host with several addresses, Node throws an error with one inner error per address and no message of its own.
  const several = Object.assign(new AggregateError([new Error('a'), new Error('b')]), { code: 'ECONNREFUSED' });
  expect(await probeWithTimeout(() => Promise.reject(several))).toEqual({ why: 'a, b', code: 'ECONNREFUSED' });
  expect(
    await probeWithTimeout(() => {
      throw new Error('at once');
    }),
  ).toEqual({ why: 'at once' });
  expect(await probeWithTimeout(async () => ({ a: 1 }))).toEqual({ a: 1 });
});
