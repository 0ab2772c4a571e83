import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setOf, stepsOf } from '#test/reference/consumption.ts';
import { conflicting, powers, settings } from '#test/reference/histories.ts';
import { intervalsOf, ofDevice, restarts } from '#test/support/law.ts';
import { powerLaw } from './power.ts';

const series = powers('import').chain(conflicting);
const roles = fc.constantFrom(
  { import: true, export: true },
  { import: true, export: false },
  { import: false, export: true },
);

test('1,000 random series of power give the reference’s trapezoids, import and export apart', () => {
  fc.assert(
    fc.property(series, settings, roles, (readings, device, counts) => {
      const points = setOf(ofDevice(readings));
      expect(intervalsOf(powerLaw(device, { ...counts, channelDirection: 'import' }), points)).toEqual(
        stepsOf({ kind: 'power', direction: 'import', readings: points }, device).map(
          ({ from, to, energy, exported }) => ({
            startMs: Number(from),
            endMs: Number(to),
            importMilliwattHours: counts.import ? Number(energy) : 0,
            exportMilliwattHours: counts.export ? Number(exported) : 0,
            estimated: false,
          }),
        ),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('a channel of export counts its positive part as export, and the rest as nothing', () => {
  fc.assert(
    fc.property(series, settings, (readings, device) => {
      const points = setOf(ofDevice(readings));
      const law = powerLaw(device, { import: false, export: true, channelDirection: 'export' });
      expect(
        intervalsOf(law, points).map(({ importMilliwattHours, exportMilliwattHours }) => [
          importMilliwattHours,
          exportMilliwattHours,
        ]),
      ).toEqual(
        stepsOf({ kind: 'power', direction: 'export', readings: points }, device).map(({ exported }) => [
          0,
          Number(exported),
        ]),
      );
    }),
  );
});

test('is exact where the product of power and time leaves the safe integers', () => {
  const device = { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 60 };
  const at = (readAtMs: number, value: number) => ({ readAtMs, intervalMs: 0, value });
  const law = powerLaw(device, { import: true, export: false, channelDirection: 'import' });
  // (2^32 + 2^32 - 1) mW for 3,599,999 ms: half of it over an hour, halves up.
  const [interval] = intervalsOf(law, [at(0, 2 ** 32), at(3_599_999, 2 ** 32 - 1)]);
  expect(interval?.importMilliwattHours).toBe(Number(((2n ** 33n - 1n) * 3_599_999n + 3_600_000n) / 7_200_000n));
});

test('goes on from every reading alone', () => {
  fc.assert(
    fc.property(series, settings, (readings, device) => {
      const points = setOf(ofDevice(readings));
      const found = restarts(powerLaw(device, { import: true, export: true, channelDirection: 'import' }), points, 1);
      expect(found).toHaveLength(points.length);
      for (const { state, restarted } of found) expect(restarted).toEqual(state);
    }),
  );
});
