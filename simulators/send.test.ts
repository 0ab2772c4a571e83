import { expect, test } from 'vitest';
import { publishReadings } from './send.ts';

test('sends all elements in messages of 400, and lets connections answer after each message', async () => {
  const messages: number[] = [];
  const publisher = {
    publish: async (_topic: string, payload: string) => void messages.push(JSON.parse(payload).length),
    flush: async () => {},
    close: async () => {},
  };
  let [turns, mostInATurn, before] = [0, 0, 0];
  const timer = setInterval(() => {
    turns++;
    mostInATurn = Math.max(mostInATurn, messages.length - before);
    before = messages.length;
  }, 0);
  // Yields groups of two elements that take a while to compute, like two registers of a simulated home.
  const elements = function* () {
    for (let index = 0; index < 1_001; index++) {
      const untilMs = performance.now() + 0.05;
      while (performance.now() < untilMs);
      yield [{ index }, { index }];
    }
  };
  const sent = await publishReadings(publisher, 'a/topic', elements());
  clearInterval(timer);
  expect(sent).toBe(2_002);
  expect(messages).toEqual([400, 400, 400, 400, 400, 2]);
  expect(turns).toBeGreaterThan(2);
  expect(mostInATurn).toBeLessThanOrEqual(2);
});
