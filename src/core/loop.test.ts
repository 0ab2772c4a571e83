import { pino } from 'pino';
import { expect, test } from 'vitest';
import { startLoop, WakeUpSignal } from './loop.ts';

const log = pino({ level: 'silent' });
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a wake-up signal ends the pause of an idle loop', async () => {
  let turns = 0;
  const nothing = async () => {
    turns++;
    return 0;
  };
  const loop = startLoop('test', nothing, 60_000, log);
  await wait(20);
  expect(turns).toBe(1);
  loop.kick();
  await wait(20);
  expect(turns).toBe(2);
  await loop.stop();
});

test('a wake-up signal does not shorten the pause after an error; a stop does', async () => {
  let turns = 0;
  const fail = async () => {
    turns++;
    throw new Error('the database is away');
  };
  const loop = startLoop('test', fail, 1, log);
  for (let kick = 0; kick < 10; kick++) {
    loop.kick();
    // All signals are raised during the pause of half a second.
    await wait(1);
  }
  expect(turns).toBe(1);
  const from = performance.now();
  await loop.stop();
  expect(performance.now() - from).toBeLessThan(400);
});

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

test('a signal ends the wait, and the next wait lasts its full time', async () => {
  const signal = new WakeUpSignal();
  const waiting = signal.wait(HOUR_MS, never);
  signal.raise();
  await waiting;
  const fromMs = performance.now();
  await signal.wait(20, never);
  expect(performance.now() - fromMs).toBeGreaterThan(15);
});

test('a signal sent before the wait ends the wait at once, unless it was cleared', async () => {
  const signal = new WakeUpSignal();
  signal.raise();
  await signal.wait(HOUR_MS, never);
  signal.raise();
  signal.lower();
  const fromMs = performance.now();
  await signal.wait(20, never);
  expect(performance.now() - fromMs).toBeGreaterThan(15);
});

test('an abort ends the wait, even if it was aborted before the wait', async () => {
  const over = new AbortController();
  const waiting = new WakeUpSignal().wait(HOUR_MS, over.signal);
  over.abort();
  await waiting;
  await new WakeUpSignal().wait(HOUR_MS, over.signal);
});
