import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ClockStep, computeFirstReceiptTime, createReceiptClock } from './receipt-clock.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const [HOUR, DAY] = [3_600_000, 86_400_000];

/** Simulates a host whose wall clock the test can set. */
function host({ startMs, believedMs = NOW }: { startMs?: number; believedMs?: number } = {}) {
  const steps: ClockStep[] = [];
  let distrusted = 0;
  const state = { mono: 0, offset: 0, believed: believedMs };
  const clock = createReceiptClock({
    ...(startMs === undefined ? {} : { startMs }),
    wallMs: () => NOW + state.mono + state.offset,
    monotonicMs: () => state.mono,
    believedMs: () => state.believed + state.mono,
    onStep: (step) => steps.push(step),
    onDistrust: () => distrusted++,
  });
  return {
    clock,
    steps,
    state,
    distrusted: () => distrusted,
    set(offset: number) {
      state.mono += 1_000;
      state.offset = offset;
      return clock.nowMs() - NOW - state.mono;
    },
  };
}

test('follows an NTP daemon’s slewing without a step', () => {
  const { set, steps } = host();
  for (let ms = 0; ms <= 60_000; ms += 4_000) expect(set(ms)).toBe(ms);
  expect(steps).toEqual([]);
});

test('trusts a step ahead, or back by a day at most, and reports the clock before and after', () => {
  for (const offset of [2 * HOUR, -2 * HOUR, -DAY + 1_000, 430 * DAY]) {
    const { set, steps, clock } = host();
    set(0);
    expect(set(offset)).toBe(offset);
    expect(steps).toHaveLength(1);
    expect((steps[0]?.afterMs ?? 0) - (steps[0]?.beforeMs ?? 0)).toBe(offset);
    expect(clock.isDistrusted()).toBe(false);
  }
});

test('distrusts a longer step back: receipt times continue until the clock is right again or an operator confirms it', () => {
  const right = host();
  expect(right.set(-3 * DAY)).toBe(0);
  expect(right.clock.isDistrusted()).toBe(true);
  expect(right.set(-3 * DAY)).toBe(0);
  expect(right.distrusted()).toBe(1);
  expect(right.set(0)).toBe(0);
  expect(right.clock.isDistrusted()).toBe(false);
  expect(right.steps).toEqual([]);
  const confirmed = host();
  confirmed.set(-3 * DAY);
  confirmed.state.believed = NOW - 3 * DAY;
  expect(confirmed.set(-3 * DAY)).toBe(-3 * DAY);
  expect(confirmed.steps).toHaveLength(1);
});

test('accepts a step of any size that brings the clock closer to the believed time', () => {
  const { set, steps } = host({ believedMs: NOW - 430 * DAY });
  expect(set(-430 * DAY)).toBe(-430 * DAY);
  expect(steps).toHaveLength(1);
});

test('after a start with a clock more than 31 days ahead, uses the believed time until an operator confirms the clock', () => {
  const believed = NOW - 430 * DAY;
  expect(computeFirstReceiptTime(NOW, believed, believed - 1_000)).toEqual({ stampMs: believed, step: null });
  const { set, state } = host({ startMs: believed, believedMs: believed });
  expect(set(0)).toBe(-430 * DAY);
  state.believed = NOW;
  expect(set(0)).toBe(0);
});

test('reports a clock behind the host’s newest receipt as a step at the start, and distrusts it if it is more than a day behind', () => {
  expect(computeFirstReceiptTime(NOW, NOW, NOW + HOUR).step).toEqual({ beforeMs: NOW + HOUR, afterMs: NOW });
  expect(computeFirstReceiptTime(NOW, NOW + 3 * DAY, NOW + 3 * DAY)).toEqual({ stampMs: NOW + 3 * DAY, step: null });
  expect(computeFirstReceiptTime(NOW, NOW, NOW + 430 * DAY).stampMs).toBe(NOW);
  expect(computeFirstReceiptTime(NOW, NOW, NOW - 1).step).toBeNull();
});

test('moves receipt times back only after it has reported a step', () => {
  const offsets = fc.array(fc.integer({ min: -500 * DAY, max: 500 * DAY }), { maxLength: 20 });
  fc.assert(
    fc.property(offsets, (all) => {
      const { set, steps, clock, state } = host();
      let last = NOW;
      for (const offset of all) {
        const before = steps.length;
        set(offset);
        const now = clock.nowMs();
        if (now < last - 5_000) expect(steps.length).toBeGreaterThan(before);
        last = now;
        expect(Number.isFinite(state.mono)).toBe(true);
      }
    }),
  );
});
