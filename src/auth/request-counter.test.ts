import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createBatchingRequestCounter, type RequestBatchCounter, type RequestBatchResult } from './request-counter.ts';

const LIMITS = { minute: 10, day: 100 };
const remaining = { minuteLeft: 0, minuteWaitMs: 30_000, dayLeft: 90, dayWaitMs: 60_000, suspendedWaitMs: 0 };
const granted = (counted: string, granted: number): RequestBatchResult => ({
  counted,
  granted,
  limits: LIMITS,
  remaining,
});

/** Creates a request counter that records the keys, counts and weight of each query. */
function counterOf(count: RequestBatchCounter) {
  const queries: Parameters<RequestBatchCounter>[] = [];
  const counter = createBatchingRequestCounter(
    (...asked) => {
      queries.push(asked);
      return count(...asked);
    },
    async () => new Set(),
  );
  return { counter, queries };
}

test('counts requests of one weight together, and those that arrive during a query by the next one', async () => {
  const later: Promise<unknown>[] = [];
  const { counter, queries } = counterOf(async (keys, counts) => {
    if (later.length === 0) later.push(counter.take('c'), counter.take('c'));
    return keys.map((key, at) => granted(key, counts[at] as number));
  });
  await Promise.all([counter.take('a'), counter.take('b'), counter.take('a'), counter.take('a', 5)]);
  await Promise.all(later);
  expect(queries).toEqual([
    [['a', 'b'], [2, 1], 1],
    [['a'], [1], 5],
    [['c'], [2], 1],
  ]);
});

test('pauses after a query, so that queries take at most a quarter of the time; counts requests of the pause together', async () => {
  const times: { from: number; to: number }[] = [];
  const { counter, queries } = counterOf(async (keys, counts) => {
    const from = performance.now();
    await setTimeout(3);
    times.push({ from, to: performance.now() });
    return keys.map((key, at) => granted(key, counts[at] as number));
  });
  await counter.take('a');
  const asked = [counter.take('b'), setTimeout(1).then(() => counter.take('b'))];
  await Promise.all(asked);
  expect(queries).toEqual([
    [['a'], [1], 1],
    [['b'], [2], 1],
  ]);
  const [first, second] = times as [(typeof times)[0], (typeof times)[0]];
  // The pause is three times as long as the query, and 20 ms at most. Node's timers can end a millisecond early.
  expect(second.from - first.to).toBeGreaterThanOrEqual(Math.min(19, 2 * (first.to - first.from)));
});

test('grants the first requests of a batch, and returns the time of a retry for the others', async () => {
  const { counter } = counterOf(async () => [granted('a', 2)]);
  const decisions = await Promise.all([counter.take('a'), counter.take('a'), counter.take('a')]);
  expect(decisions.map(({ allowed, retryAfterSeconds }) => [allowed, retryAfterSeconds])).toEqual([
    [true, 0],
    [true, 0],
    [false, 30],
  ]);
  expect(decisions.map(({ windows }) => windows?.minute.left)).toEqual([1, 0, 0]);
});

test('allows requests that cannot be counted; rejects all of a failed query, and counts the next ones', async () => {
  const answers: (() => Promise<RequestBatchResult[] | null>)[] = [
    async () => null,
    () => Promise.reject(new Error('away')),
    async () => [granted('a', 1)],
  ];
  const { counter } = counterOf(() => (answers.shift() as () => Promise<RequestBatchResult[] | null>)());
  expect(await counter.take('a')).toEqual({ allowed: true, windows: null, retryAfterSeconds: 0 });
  const failed = await Promise.allSettled([counter.take('a'), counter.take('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await counter.take('a')).allowed).toBe(true);
});
