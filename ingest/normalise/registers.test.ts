import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderDistinctReadings } from '#test/reference/consumption.ts';
import { arbitraryConflictingReadings, arbitraryRegisters, arbitrarySettings } from '#test/reference/histories.ts';
import { computeRegisterIncrements } from '#test/reference/registers.ts';
import {
  computeEnergyIntervals,
  convertToReferenceReadings,
  listStatePairsAfterRestart,
} from '#test/support/counting-rules.ts';
import type { CountingSettings, CountingVerdict, SeriesReading } from './counting-rule.ts';
import { RegisterCountingRule, type RegisterState } from './registers.ts';
import { getReadingKey, reconstructStoredCountingResult, replayReadings } from './replay.ts';

const series = arbitraryRegisters('import').chain(arbitraryConflictingReadings);

test('gives the same energy as the reference for 1,000 random registers', () => {
  fc.assert(
    fc.property(series, arbitrarySettings, fc.constantFrom('import', 'export'), (readings, device, direction) => {
      const points = orderDistinctReadings(convertToReferenceReadings(readings));
      const steps = computeRegisterIncrements(
        points.map((point) => ({ at: BigInt(point.readAtMs), value: BigInt(point.value) })),
        { limitKw: device.limitKw, maximumKwh: device.registerMaxKwh },
      );
      assert.deepEqual(
        computeEnergyIntervals(new RegisterCountingRule(device, direction), points).map(
          ({ isLate, ...interval }) => interval,
        ),
        steps.map(({ from, to, energy, estimated }) => ({
          startMs: Number(from),
          endMs: Number(to),
          importMilliwattHours: direction === 'import' ? Number(energy) : 0,
          exportMilliwattHours: direction === 'export' ? Number(energy) : 0,
          estimated,
        })),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('restarting from any stored reading reaches the same state as the whole series', () => {
  fc.assert(
    fc.property(
      series,
      arbitrarySettings,
      fc.constantFrom(1, 2, 5, 20),
      fc.boolean(),
      (readings, device, length, knowing) => {
        const points = orderDistinctReadings(convertToReferenceReadings(readings));
        for (const { state, restarted } of listStatePairsAfterRestart(
          new RegisterCountingRule(device, 'import'),
          points,
          length,
          knowing,
        ))
          assert.deepEqual(restarted, state);
      },
    ),
    { numRuns: 300 },
  );
});

test('reconstructs the counting rules’ state of some minutes ago, or from before months of standstill, from the current state and a few stored readings', () => {
  const rule = new RegisterCountingRule(usual, 'import');
  const from = (points: SeriesReading[], back: number, count: number, knowing: boolean) => {
    const { state } = replayReadings(rule, rule.initial, points);
    const judged = points.slice(-back - count, -back).map((point) => ({ ...point, verdict: null }));
    return rule.restart(judged, knowing ? (state as RegisterState) : undefined);
  };
  const at = (minutes: number, kwh: number): SeriesReading => ({
    readAtMs: minutes * MINUTE_MS,
    intervalMs: 0,
    value: kwh * 1e6,
  });
  const running = [...Array(160).keys()].map((minute) => at(minute, 100 + minute / 100));
  expect(from(running, 3, 4, false)).toBeNull();
  expect(from(running, 3, 4, true)?.taken).toBe(4);
  const still = [...Array(3_000).keys()].map((quarter) => at(15 * quarter, 7));
  expect(from(still, 2_000, 4, false)).toBeNull();
  expect(from(still, 2_000, 4, true)?.state).toMatchObject({
    run: [expect.any(Number), 7e6, expect.any(Number), 7e6, 0, 7e6],
  });
});

test('returns the energy of stored readings by their stored verdicts', () => {
  fc.assert(
    fc.property(series, arbitrarySettings, (readings, device) => {
      const rule = new RegisterCountingRule(device, 'import');
      const points = orderDistinctReadings(convertToReferenceReadings(readings));
      const { intervals, verdicts } = replayReadings(rule, rule.initial, points);
      const judged = points.map((point) => ({
        ...point,
        verdict: verdicts.get(getReadingKey(point))?.verdict ?? null,
      }));
      expect(reconstructStoredCountingResult(rule, rule.initial, judged).intervals).toEqual(intervals);
    }),
    { numRuns: 300 },
  );
});

const MINUTE_MS = 60_000;
const usual: CountingSettings = { limitKw: 10, registerMaxKwh: null, maxGapMinutes: 15 };

function verdictsOn(kwh: number[], device: CountingSettings = usual): (CountingVerdict | null)[] {
  const points: SeriesReading[] = kwh.map((value, index) => ({
    readAtMs: index * 15 * MINUTE_MS,
    intervalMs: 0,
    value: Math.round(value * 1e6),
  }));
  const { verdicts } = replayReadings(new RegisterCountingRule(device, 'import'), {}, points);
  return points.map(({ readAtMs }) => verdicts.get(`${readAtMs}/0`)?.verdict ?? null);
}

test.each<[string, number[], (CountingVerdict | null)[], Partial<CountingSettings>]>([
  ['a glitch upwards', [100, 900, 101], [null, 'glitch', null], {}],
  ['a glitch downwards', [100, 3, 101], [null, 'glitch', null], {}],
  ['a fraction lost at a reboot', [100.09, 100, 100.1], [null, 'jitter', null], {}],
  ['a register that went back to zero', [100, 0.5, 0.6, 0.7], [null, 'reset', 'confirming', null], {}],
  ['another meter', [100, 5_000, 5_001, 5_002], [null, 'swap', 'confirming', null], {}],
  [
    'a register past its maximum',
    [999, 0.5, 0.6, 0.7],
    [null, 'rollover', 'confirming', null],
    { registerMaxKwh: 1_000 },
  ],
  ['what nothing has confirmed yet', [100, 900], [null, 'held'], {}],
  ['a fit that its successor takes back', [100, 900, 901, 101], [null, 'glitch', 'glitch', null], {}],
])('gives the verdicts of the documented table: %s', (_name, kwh, verdicts, device) => {
  expect(verdictsOn(kwh, { ...usual, ...device })).toEqual(verdicts);
});

const HOURLY = 60 * MINUTE_MS;
function outcomeOf(readings: [minutes: number, kwh: number][], device: Partial<CountingSettings> = {}) {
  const points = readings.map(([minutes, kwh]) => ({
    readAtMs: minutes * MINUTE_MS,
    intervalMs: 0,
    value: Math.round(kwh * 1e6),
  }));
  const rule = new RegisterCountingRule({ ...usual, ...device }, 'import');
  const { verdicts, intervals } = replayReadings(rule, rule.initial, points);
  return {
    verdicts: points.map(({ readAtMs }) => verdicts.get(`${readAtMs}/0`)?.verdict ?? null),
    steps: intervals.map(({ startMs, endMs, importMilliwattHours, estimated }) =>
      [startMs / MINUTE_MS, endMs / MINUTE_MS, importMilliwattHours / 1e6, ...(estimated ? ['estimated'] : [])].join(
        ' ',
      ),
    ),
  };
}

describe('a backlog delivered late, without times of its own,', () => {
  const H = HOURLY / MINUTE_MS;
  test('has its energy spread over the preceding silence', () => {
    // Values of two hours without messages arrive within a second.
    const queue: [number, number][] = [
      [0, 100],
      [30, 100.5],
      [150, 100.6],
      [150.001, 101.5],
      [150.002, 102.5],
      [150.003, 102.5],
      [150.004, 102.5],
    ];
    expect(outcomeOf(queue)).toEqual({
      verdicts: [null, null, 'passed', 'glitch', 'late', 'confirming', null],
      steps: ['0 30 0.5', '30 150.002 2 estimated', '150.002 150.003 0', '150.003 150.004 0'],
    });
  });

  test('removes the energy counted since its source froze', () => {
    const frozen: [number, number][] = [
      [0, 100],
      [H, 101],
      [2 * H, 101],
      [3 * H, 101],
      [4 * H, 101],
      [4 * H + 15, 108],
      [4 * H + 30, 108.5],
      [4 * H + 45, 109],
    ];
    expect(outcomeOf(frozen)).toEqual({
      verdicts: [null, null, 'passed', 'passed', 'passed', 'late', 'confirming', null],
      steps: ['0 60 1', '60 255 7 estimated', '255 270 0.5', '270 285 0.5'],
    });
  });

  test('is decided by a second reading if the first fits both explanations, and is ruled out if the second does not fit', () => {
    const both: [number, number][] = [
      [0, 100],
      [H, 101],
      [2 * H, 101.1],
      [2 * H + 5, 103],
      [2 * H + 20, 103],
    ];
    expect(outcomeOf(both).verdicts).toEqual([null, null, null, 'held', 'confirming']);
    expect(outcomeOf([...both, [2 * H + 35, 103.1]]).verdicts).toEqual([
      null,
      null,
      'passed',
      'late',
      'confirming',
      null,
    ]);
    expect(outcomeOf([...both, [2 * H + 35, 102.9]]).verdicts.slice(3)).toEqual(['glitch', 'confirming', 'jitter']);
  });

  test('is not assumed if it exceeds the mean of a usual home, nor right after a meter swap', () => {
    const leap = (kwh: number): [number, number][] => [
      [0, 100],
      [H, 101],
      [3 * H, 101],
      [3 * H + 1, 101 + kwh],
      [3 * H + 16, 101 + kwh],
      [3 * H + 31, 101 + kwh],
    ];
    const plenty = { limitKw: 100 };
    // At 20 kW, two hours and one minute give 40.33 kWh.
    expect(outcomeOf(leap(40.3), plenty).verdicts[3]).toBe('late');
    expect(outcomeOf(leap(40.4), plenty).verdicts[3]).toBe('swap');
  });
});

describe('a register that falls and recovers', () => {
  test('loses its false low reading once it returns to the true values', () => {
    const [a, b, c, d, e] = [
      [0, 100],
      [15, 101],
      [30, 100.2],
      [45, 100.3],
      [60, 100.4],
    ] as [number, number][] as [
      [number, number],
      [number, number],
      [number, number],
      [number, number],
      [number, number],
    ];
    expect(outcomeOf([a, b, c, d, e])).toEqual({
      verdicts: [null, 'glitch', 'back', 'confirming', null],
      steps: ['0 30 0.2', '30 45 0.1', '45 60 0.1'],
    });
    expect(outcomeOf([b, c, d, e]).verdicts).toEqual([null, 'swap', 'confirming', null]);
  });
});

test('a register that stands still for a day and is then swapped is not judged as a late backlog', () => {
  const day = Array.from({ length: 24 }, (_, hour): [number, number] => [hour * 60, 100]);
  const swapped: [number, number][] = [
    [1_441, 1_600],
    [1_456, 1_600.1],
    [1_471, 1_600.2],
  ];
  expect(outcomeOf([...day, ...swapped]).verdicts.slice(-3)).toEqual(['swap', 'confirming', null]);
});

test('a drop that would be too fast for a rollover is not judged as one', () => {
  const rolled: [number, number][] = [
    [0, 910],
    [15, 50],
    [30, 50.1],
    [45, 50.2],
  ];
  expect(outcomeOf(rolled, { registerMaxKwh: 1_000 }).verdicts).toEqual([null, 'swap', 'confirming', null]);
  expect(outcomeOf(rolled, { registerMaxKwh: 1_000, limitKw: 1_000 }).verdicts).toEqual([
    null,
    'rollover',
    'confirming',
    null,
  ]);
});

test('reaches every row of the table of verdicts in random histories', () => {
  const seen = new Map<CountingVerdict, number>();
  for (const [readings, device] of fc.sample(fc.tuple(series, arbitrarySettings), { numRuns: 1_000, seed: 17 })) {
    const rule = new RegisterCountingRule(device, 'import');
    const { verdicts } = replayReadings(
      rule,
      rule.initial,
      orderDistinctReadings(convertToReferenceReadings(readings)),
    );
    for (const { verdict } of verdicts.values()) if (verdict) seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
  }
  const rows = [
    'jitter',
    'held',
    'confirming',
    'glitch',
    'late',
    'passed',
    'back',
    'reset',
    'rollover',
    'swap',
  ] as const;
  expect(rows.filter((row) => (seen.get(row) ?? 0) < 5)).toEqual([]);
});
