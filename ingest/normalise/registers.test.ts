import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setOf } from '#test/reference/consumption.ts';
import { conflicting, registers, settings } from '#test/reference/histories.ts';
import { registerSteps } from '#test/reference/registers.ts';
import { intervalsOf, ofDevice, restarts } from '#test/support/law.ts';
import type { LawSettings, Point, Verdict } from './law.ts';
import { registerLaw } from './registers.ts';
import { replay } from './replay.ts';

const series = registers('import').chain(conflicting);

test('1,000 random registers give the reference’s steps', () => {
  fc.assert(
    fc.property(series, settings, fc.constantFrom('import', 'export'), (readings, device, direction) => {
      const points = setOf(ofDevice(readings));
      const steps = registerSteps(
        points.map((point) => ({ at: BigInt(point.readAtMs), value: BigInt(point.value) })),
        { limitKw: device.limitKw, maximumKwh: device.registerMaxKwh },
      );
      expect(intervalsOf(registerLaw(device, direction), points)).toEqual(
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

test('where it says that it can go on from some stored readings, it is where the whole would have brought it', () => {
  fc.assert(
    fc.property(series, settings, fc.constantFrom(1, 2, 5), (readings, device, length) => {
      for (const { state, restarted } of restarts(registerLaw(device, 'import'), setOf(ofDevice(readings)), length))
        expect(restarted).toEqual(state);
    }),
  );
});

const MINUTE_MS = 60_000;
const usual: LawSettings = { limitKw: 10, registerMaxKwh: null, maxGapMinutes: 15 };

/** Verdicts on kWh that come each quarter of an hour. */
function verdictsOn(kwh: number[], device: LawSettings = usual): (Verdict | null)[] {
  const points: Point[] = kwh.map((value, index) => ({
    readAtMs: index * 15 * MINUTE_MS,
    intervalMs: 0,
    value: Math.round(value * 1e6),
  }));
  const { verdicts } = replay(registerLaw(device, 'import'), {}, points);
  return points.map(({ readAtMs }) => verdicts.get(`${readAtMs}/0`)?.verdict ?? null);
}

test.each<[string, number[], (Verdict | null)[], Partial<LawSettings>]>([
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
])('%s is told as such', (_name, kwh, verdicts, device) => {
  expect(verdictsOn(kwh, { ...usual, ...device })).toEqual(verdicts);
});
