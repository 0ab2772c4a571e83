import { expect, test } from 'vitest';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';

test('an account may run a limited number of requests; a further limited number wait, and the rest are refused', async () => {
  const { begin } = createConcurrencyLimiter(
    { perMinute: 100, atOnce: 2, mayWait: 3, waitMs: 30_000 },
    () => new Date('2026-06-15T12:00:00Z'),
  );
  const begun: (() => void)[] = [];
  const asked = Array.from({ length: 7 }, () => begin('usr_a'));
  for (const one of asked) void one.then((done) => done && begun.push(done));
  const turn = () => new Promise((done) => setImmediate(done));
  await turn();
  expect(begun).toHaveLength(2);
  expect(await Promise.all(asked.slice(5))).toEqual([null, null]);
  expect(await begin('usr_b')).not.toBeNull();
  for (let ended = 0; ended < 5; ended++) {
    begun[ended]?.();
    await turn();
    expect(begun).toHaveLength(Math.min(5, ended + 3));
  }
  // After all requests have ended, more requests can begin until the limit of the minute is reached.
  const rest = [];
  for (let more = 0; more < 100; more++) {
    const done = await begin('usr_a');
    done?.();
    rest.push(done !== null);
  }
  expect(rest.filter((isWithin) => isWithin)).toHaveLength(93);
});
