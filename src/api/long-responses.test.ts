import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { limitConcurrentPages } from './long-responses.ts';

const PAGES = 4;
const PAGE_MS = 20;

test('a caller with several long answers at once receives one page at a time with pauses; a caller with one does not', async () => {
  let [atOnce, mostAtOnce] = [0, 0];
  async function* pages() {
    for (let page = 0; page < PAGES; page++) {
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      await setTimeout(PAGE_MS);
      atOnce--;
      yield page;
    }
  }
  const read = async (account: string) => {
    const fromMs = performance.now();
    const got: number[] = [];
    for await (const page of limitConcurrentPages(account, pages())) got.push(page);
    expect(got).toEqual([...Array(PAGES).keys()]);
    return performance.now() - fromMs;
  };
  const aloneMs = await read('usr_1');
  const together = await Promise.all(['usr_1', 'usr_1', 'usr_1'].map(read));
  expect(mostAtOnce).toBe(1);
  // The account with three concurrent requests pauses for five sixths of the time. PAGE_MS is the minimum time of a page.
  expect(Math.max(...together)).toBeGreaterThan(10 * PAGES * PAGE_MS);
  expect(aloneMs).toBeLessThan(Math.max(...together) / 3);
  // After these requests, a single request of the account does not pause.
  expect(await read('usr_1')).toBeLessThan(Math.max(...together) / 3);
});

test('a long answer that fails, or that its client no longer reads, does not block the next one', async () => {
  async function* failing() {
    yield 1;
    throw new Error('database gone');
  }
  const broken = limitConcurrentPages('usr_1', failing());
  expect((await broken.next()).value).toBe(1);
  const abandoned = limitConcurrentPages('usr_1', failing());
  await abandoned.next();
  await abandoned.return(undefined);
  await expect(broken.next()).rejects.toThrow('database gone');
  const next = limitConcurrentPages('usr_1', failing());
  expect((await next.next()).value).toBe(1);
  await next.return(undefined);
});
