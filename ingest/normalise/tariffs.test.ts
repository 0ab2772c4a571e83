import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import { computeReferenceConsumption, getStartOfHour, orderDistinctReadings } from '#test/reference/consumption.ts';
import { arbitraryRegisters, arbitrarySettings, HISTORY_START_MS } from '#test/reference/histories.ts';
import { convertToReferenceReadings } from '#test/support/counting-rules.ts';
import type { EnergyInterval } from './counting-rule.ts';
import { RegisterCountingRule, type RegisterState } from './registers.ts';
import { replayReadings } from './replay.ts';
import {
  deriveRegisterIncrements,
  findEnclosingIncrement,
  findEndOfLatestRise,
  hasCountedEnergy,
  type KnownRegisterIncrements,
  moveEnergyAfterTime,
  replaceRegisterIncrements,
} from './tariffs.ts';

const HOUR_MS = 3_600_000;
const ALL = { fromMs: -Infinity, toMs: Infinity, quietFromMs: -Infinity };

/** Slow reference implementation of the two functions under test. */
function answers(steps: readonly EnergyInterval[], asked: EnergyInterval) {
  const within = steps.filter(
    (one) => hasCountedEnergy(one) && one.startMs >= asked.startMs && one.endMs < asked.endMs,
  );
  const around = steps.find((one) => hasCountedEnergy(one) && one.startMs <= asked.startMs && one.endMs > asked.endMs);
  return { within: within.at(-1)?.endMs ?? null, around: around ?? null };
}

/** Checks that a search finds what the reference implementation finds. Returns the number of searches with a result. */
function expectNoOther(
  known: KnownRegisterIncrements,
  steps: readonly EnergyInterval[],
  asked: EnergyInterval,
): number {
  const { within, around } = answers(steps, asked);
  const actual = [findEndOfLatestRise(known, asked), findEnclosingIncrement(known, asked)];
  if (actual[0] !== undefined) assert.equal(actual[0], within);
  if (actual[1] !== undefined) assert.deepEqual(actual[1], around);
  return actual.filter((one) => one !== undefined).length;
}

/** Generates random increments of a tariff register. Each ends at or near the time of another register's reading, or 20 hours before it. */
const stepsNear = (times: readonly number[]) => {
  const at = fc
    .tuple(fc.nat(times.length - 1), fc.constantFrom(0, 0, -1, 1, -60_000, 60_000, -20 * HOUR_MS))
    .map(([index, by]) => (times[index] as number) + by);
  return fc
    .tuple(at, at)
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => ({ startMs: Math.min(a, b), endMs: Math.max(a, b) }) as EnergyInterval);
};

test('computes the correct result from some of a tariff’s steps, or returns no result', () => {
  let [told, asked] = [0, 0];
  fc.assert(
    fc.property(
      arbitraryRegisters('import/t1'),
      arbitrarySettings,
      fc.infiniteStream(fc.nat(1_000)),
      (readings, of, numbers) => {
        const rule = new RegisterCountingRule(of, 'import');
        const points = orderDistinctReadings(convertToReferenceReadings(readings));
        const times = points.map(({ readAtMs }) => readAtMs);
        const number = () => numbers.next().value as number;
        const near = fc.sample(stepsNear(times), { numRuns: 40, seed: number() });
        for (const count of [2, 5, points.length >> 1, points.length]) {
          const { intervals, state } = replayReadings(rule, rule.initial, points.slice(0, count));
          const { run } = state as RegisterState;
          if (!run) continue;
          for (const step of near) told += expectNoOther(deriveRegisterIncrements(run, 'import'), intervals, step);
          // The increments of a time window are known. Some of them are then replaced.
          const [first, last] = [number() % intervals.length || 0, number() % intervals.length || 0].sort(
            (a, b) => a - b,
          );
          const steps = intervals.slice(first, (last as number) + 1);
          const fromMs = steps[0]?.startMs ?? times[0] ?? 0;
          const window = { steps, fromMs, toMs: steps.at(-1)?.endMs ?? fromMs, quietFromMs: fromMs };
          const removed = intervals.filter(() => number() % 4 === 0);
          const added = removed.map((one) => ({
            ...one,
            endMs: one.endMs - (number() % 2),
            estimated: !one.estimated,
          }));
          const valid = added.filter(({ startMs, endMs }) => startMs < endMs);
          const after = intervals.filter((one) => !removed.includes(one)).concat(valid);
          after.sort((a, b) => a.endMs - b.endMs);
          for (const step of near) {
            told += expectNoOther(window, intervals, step);
            told += expectNoOther(replaceRegisterIncrements(window, removed, valid), after, step);
            told += expectNoOther(
              replaceRegisterIncrements(deriveRegisterIncrements(run, 'import'), removed, valid),
              after,
              step,
            );
            assert.equal(expectNoOther({ ...ALL, steps: intervals }, intervals, step), 2);
          }
          asked += 8 * near.length;
        }
      },
    ),
    { numRuns: 12 },
  );
  expect(told).toBeGreaterThan(asked / 3);
});

const device = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 };
const reading = (channel: string, hours: number, kwh: number): DecodedReading => ({
  deviceId: 'dev_1',
  channel,
  kind: 'register',
  readAtMs: HISTORY_START_MS + hours * HOUR_MS,
  intervalMs: 0,
  value: kwhToMilliwattHours(kwh),
  element: 0,
});

test('late energy stays marked as estimated, even if another tariff leaves only a short time for it', () => {
  const step = {
    startMs: 0,
    endMs: 4 * HOUR_MS,
    importMilliwattHours: 21_000_000,
    exportMilliwattHours: 0,
  } as EnergyInterval;
  const remainingMs = 3.5 * HOUR_MS;
  expect(moveEnergyAfterTime({ ...step, estimated: true, isLate: true }, remainingMs).estimated).toBe(true);
  expect(moveEnergyAfterTime({ ...step, estimated: true }, remainingMs).estimated).toBe(false);
  // The register of the low tariff is silent at 100 kWh and reports 121 kWh later. All of this energy flowed after the last rise of the
  // other register.
  const readings = [
    ...[0, 1, 2, 3, 3.9].map((at) => reading('import/t1', at, at === 0 ? 99 : 100)),
    ...[2, 3, 3.5].map((at) => reading('import/t2', at, 200 + at)),
    ...[0, 0.01, 0.02].map((more) => reading('import/t1', 4 + more, 121 + more)),
  ];
  const row = computeReferenceConsumption(readings, device, getStartOfHour).get(BigInt(HISTORY_START_MS + 3 * HOUR_MS));
  expect(row?.estimated).toBe(21_000_000n);
});

test('assigns 10 kWh of an evening hour to that hour, like the reference, if tariffs are sent in turn', () => {
  // The low tariff applies from 22:00 (START_MS) to 6:00, the high tariff in between. Each register is sent when its value changes.
  const readings = [
    reading('import/t1', 8, 100),
    ...[9, 12, 15, 18, 21, 24].map((at) => reading('import/t2', at, 200 + at)),
    reading('import/t1', 25, 110),
  ];
  const rows = computeReferenceConsumption(readings, device, getStartOfHour);
  const at = (hours: number) => rows.get(BigInt(HISTORY_START_MS + hours * HOUR_MS));
  expect(at(24)).toMatchObject({ energy: 10_000_000n, estimated: 0n, covered: 3_600_000n });
  expect(at(20)).toMatchObject({ energy: 1_000_000n, covered: 7_200_000n });
  const rounds = [0, 1, 2, 3].flatMap((round) => [
    reading('import/t1', round / 4, 100 + round),
    reading('import/t2', round / 4 + 0.01, 200 + round),
  ]);
  const both = computeReferenceConsumption(rounds, device, getStartOfHour).get(BigInt(HISTORY_START_MS));
  const alone = ['import/t1', 'import/t2'].map((channel) =>
    computeReferenceConsumption(
      rounds.filter((one) => one.channel === channel),
      device,
      getStartOfHour,
    ).get(BigInt(HISTORY_START_MS)),
  );
  expect(both?.energy).toBe(alone.reduce((sum, one) => sum + (one?.energy ?? 0n), 0n));
});
