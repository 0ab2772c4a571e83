import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { onePageAtATime } from './long-answers.ts';

const running = new Map<string, number>();
let most = 0;

/** Pages that take a while, and note how many of their account are made at a time. */
async function* pagesOf(account: string, count: number, failsAt = -1): AsyncGenerator<number> {
  for (let page = 0; page < count; page++) {
    const now = (running.get(account) ?? 0) + 1;
    running.set(account, now);
    most = Math.max(most, now);
    await setTimeout(2);
    running.set(account, now - 1);
    if (page === failsAt) throw new Error('the database is away');
    yield page;
  }
}
async function read(account: string, count: number, failsAt?: number): Promise<number[]> {
  const pages: number[] = [];
  for await (const page of onePageAtATime(account, pagesOf(account, count, failsAt))) pages.push(page);
  return pages;
}

test('pages of one account are made one at a time, each answer whole and in its order', async () => {
  most = 0;
  expect(await Promise.all([read('usr_1', 3), read('usr_1', 2), read('usr_1', 0)])).toEqual([[0, 1, 2], [0, 1], []]);
  expect(most).toBe(1);
});

test('those of another account wait for none of them', async () => {
  const slow = onePageAtATime(
    'usr_1',
    (async function* () {
      await setTimeout(5_000, undefined, { ref: false });
      yield 0;
    })(),
  );
  void slow.next();
  expect(await read('usr_2', 2)).toEqual([0, 1]);
});

test('an answer that fails, or that nobody reads on, holds up none after it', async () => {
  const failing = expect(read('usr_3', 3, 1)).rejects.toThrow('the database is away');
  expect(await read('usr_3', 2)).toEqual([0, 1]);
  await failing;
  for await (const page of onePageAtATime('usr_3', pagesOf('usr_3', 5))) if (page === 1) break;
  expect(await read('usr_3', 1)).toEqual([0]);
});
