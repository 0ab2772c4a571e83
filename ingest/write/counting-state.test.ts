import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCountingState, MAX_COUNTING_STATE_BYTES, parseCountingState } from './counting-state.ts';

const time = fc.integer({ min: 0, max: 8.64e15 });
const value = fc.maxSafeInteger().map((number) => number + 0);

const runs = fc
  .array(fc.tuple(time, value), { minLength: 1, maxLength: 7 })
  .map((readings) => ({ run: readings.flat() }));
const states = fc.oneof(
  fc.constant(null),
  fc.constant({}),
  runs,
  fc.record({ lastAtMs: time, lastMw: value }),
  fc.record({ keptEndMs: time }),
  fc.record({ run: fc.constant([1, 2]), held: fc.record({ readAtMs: time, valueMilliwattHours: value }) }),
);

test('a stored state is read unchanged, however far apart its numbers are', () => {
  fc.assert(
    fc.property(states, time, (state, lastReadAtMs) => {
      const text = formatCountingState(state, lastReadAtMs);
      expect(parseCountingState(JSON.parse(text), lastReadAtMs)).toEqual(state);
      if (text.startsWith('"')) expect(text.length).toBeLessThanOrEqual(MAX_COUNTING_STATE_BYTES);
    }),
    { numRuns: 2_000 },
  );
});

test('a state of an earlier version, as JSON, is read unchanged', () => {
  for (const state of [{ run: [20, 1_000, 10, 900] }, { lastAtMs: 20, lastMw: 5 }, { good: { readAtMs: 1 } }, null])
    expect(parseCountingState(JSON.parse(JSON.stringify(state)), 20)).toEqual(state);
});

test('the state of a meter takes a third of its JSON', () => {
  const atMs = 1_793_250_140_000;
  const run = [atMs, 1_000_042_650, atMs - 10_000, 1_000_039_650, atMs - 140_000, 1_000_000_650];
  const state = { run: [...run, atMs - 10_000, 1_000_039_650] };
  const text = formatCountingState(state, atMs);
  expect(text.length).toBeLessThan(JSON.stringify(state).length / 3);
});

test('a state that is only partly packable is stored whole, as JSON', () => {
  const state = { run: [1, 2], more: 3 };
  expect(JSON.parse(formatCountingState(state, 1))).toEqual(state);
});

test('an unknown state is an error that names the remedy', () => {
  for (const stored of ['', 'R', 'Xab', '-A', 'Rg', 'RA"', `R${'A'.repeat(11)}`])
    expect(() => parseCountingState(stored, 0), stored).toThrow(/start the version that did/);
});
