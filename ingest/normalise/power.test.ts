import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeReferenceIncrements, orderDistinctReadings } from '#test/reference/consumption.ts';
import { arbitraryConflictingReadings, arbitraryPowers, arbitrarySettings } from '#test/reference/histories.ts';
import {
  computeEnergyIntervals,
  convertToReferenceReadings,
  listStatePairsAfterRestart,
} from '#test/support/counting-rules.ts';
import { createPowerCountingRule } from './power.ts';

const series = arbitraryPowers('import').chain(arbitraryConflictingReadings);
const roles = fc.constantFrom(
  { import: true, export: true },
  { import: true, export: false },
  { import: false, export: true },
);

const spanOf = ({ from, to }: { from: bigint; to: bigint }) => ({ startMs: Number(from), endMs: Number(to) });

test('gives the same energy as the reference for 1,000 random series of power, with import and export and their spans', () => {
  fc.assert(
    fc.property(series, arbitrarySettings, roles, (readings, device, counts) => {
      const points = orderDistinctReadings(convertToReferenceReadings(readings));
      const found = computeEnergyIntervals(
        createPowerCountingRule(device, { ...counts, channelDirection: 'import' }),
        points,
      );
      expect(
        found.map((one) => {
          const whole = { startMs: one.startMs, endMs: one.endMs };
          return { importSpan: whole, exportSpan: whole, ...one };
        }),
      ).toEqual(
        computeReferenceIncrements({ kind: 'power', direction: 'import', readings: points }, device).map(
          ({ from, to, energy, exported, importWithin, exportWithin }) => ({
            startMs: Number(from),
            endMs: Number(to),
            importMilliwattHours: counts.import ? Number(energy) : 0,
            exportMilliwattHours: counts.export ? Number(exported) : 0,
            estimated: false,
            importSpan: spanOf((counts.import && importWithin) || { from, to }),
            exportSpan: spanOf((counts.export && exportWithin) || { from, to }),
          }),
        ),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('counts the positive part of an export channel as export, and ignores the negative part', () => {
  fc.assert(
    fc.property(series, arbitrarySettings, (readings, device) => {
      const points = orderDistinctReadings(convertToReferenceReadings(readings));
      const rule = createPowerCountingRule(device, { import: false, export: true, channelDirection: 'export' });
      expect(
        computeEnergyIntervals(rule, points).map(({ importMilliwattHours, exportMilliwattHours }) => [
          importMilliwattHours,
          exportMilliwattHours,
        ]),
      ).toEqual(
        computeReferenceIncrements({ kind: 'power', direction: 'export', readings: points }, device).map(
          ({ exported }) => [0, Number(exported)],
        ),
      );
    }),
  );
});

test.each([
  // The power falls from 4 kW to -2 kW in 9 minutes, and crosses zero after 6 minutes. Import: 4 kW × 6 min ÷ 2 = 0.2 kWh. Export: 2 kW × 3
  // min ÷ 2 = 0.05 kWh.
  [
    4_000_000,
    -2_000_000,
    { importMilliwattHours: 200_000, importSpan: [0, 6], exportMilliwattHours: 50_000, exportSpan: [6, 9] },
  ],
  [
    -2_000_000,
    4_000_000,
    { importMilliwattHours: 200_000, importSpan: [3, 9], exportMilliwattHours: 50_000, exportSpan: [0, 3] },
  ],
  // If one of the two powers is zero, energy flows in one direction only.
  [0, -2_000_000, { importMilliwattHours: 0, importSpan: null, exportMilliwattHours: 150_000, exportSpan: null }],
])('splits the straight line from %d to %d mW over nine minutes at its zero crossing', (from, to, wanted) => {
  const rule = createPowerCountingRule(
    { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 },
    { import: true, export: true, channelDirection: 'import' },
  );
  const [found] = computeEnergyIntervals(rule, [
    { readAtMs: 0, intervalMs: 0, value: from },
    { readAtMs: 9 * 60_000, intervalMs: 0, value: to },
  ]);
  const minutes = (span: { startMs: number; endMs: number } | undefined) =>
    span ? [span.startMs / 60_000, span.endMs / 60_000] : null;
  expect({
    importMilliwattHours: found?.importMilliwattHours,
    importSpan: minutes(found?.importSpan),
    exportMilliwattHours: found?.exportMilliwattHours,
    exportSpan: minutes(found?.exportSpan),
  }).toEqual(wanted);
});

test('spreads a side of the line shorter than a millisecond over the whole step', () => {
  const rule = createPowerCountingRule(
    { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 },
    { import: true, export: true, channelDirection: 'import' },
  );
  const [found] = computeEnergyIntervals(rule, [
    { readAtMs: 0, intervalMs: 0, value: 1 },
    { readAtMs: 60_000, intervalMs: 0, value: -9_000_000 },
  ]);
  expect(found).toEqual({
    startMs: 0,
    endMs: 60_000,
    importMilliwattHours: 0,
    exportMilliwattHours: 75_000,
    estimated: false,
    exportSpan: { startMs: 0, endMs: 60_000 },
  });
});

test('computes exact energy even if the product of power and time exceeds the safe integers', () => {
  const device = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 60 };
  const at = (readAtMs: number, value: number) => ({ readAtMs, intervalMs: 0, value });
  const rule = createPowerCountingRule(device, { import: true, export: false, channelDirection: 'import' });
  // The mean of 2^32 mW and 2^32 - 1 mW over 3,599,999 ms. Halves are rounded up.
  const [interval] = computeEnergyIntervals(rule, [at(0, 2 ** 32), at(3_599_999, 2 ** 32 - 1)]);
  expect(interval?.importMilliwattHours).toBe(Number(((2n ** 33n - 1n) * 3_599_999n + 3_600_000n) / 7_200_000n));
});

test('the counting rule for power can restart from any single reading', () => {
  fc.assert(
    fc.property(series, arbitrarySettings, (readings, device) => {
      const points = orderDistinctReadings(convertToReferenceReadings(readings));
      const found = listStatePairsAfterRestart(
        createPowerCountingRule(device, { import: true, export: true, channelDirection: 'import' }),
        points,
        1,
      );
      expect(found).toHaveLength(points.length);
      for (const { state, restarted } of found) expect(restarted).toEqual(state);
    }),
  );
});
