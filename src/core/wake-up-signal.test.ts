import { expect, test } from 'vitest';
import { WakeUpSignal } from './wake-up-signal.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

test('a raised signal ends the wait, and the next wait lasts', async () => {
  const signal = new WakeUpSignal();
  const waiting = signal.wait(HOUR_MS, never);
  signal.raise();
  await waiting;
  const fromMs = performance.now();
  await signal.wait(20, never);
  expect(performance.now() - fromMs).toBeGreaterThan(15);
});

test('a signal raised before the wait ends it at once, unless it was lowered', async () => {
  const signal = new WakeUpSignal();
  signal.raise();
  await signal.wait(HOUR_MS, never);
  signal.raise();
  signal.lower();
  const fromMs = performance.now();
  await signal.wait(20, never);
  expect(performance.now() - fromMs).toBeGreaterThan(15);
});

test('an abort ends the wait, also one before it', async () => {
  const over = new AbortController();
  const waiting = new WakeUpSignal().wait(HOUR_MS, over.signal);
  over.abort();
  await waiting;
  await new WakeUpSignal().wait(HOUR_MS, over.signal);
});
