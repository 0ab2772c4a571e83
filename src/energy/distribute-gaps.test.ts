import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import {
  type DistributedQuarterHours,
  type QuarterHourReader,
  readDistributedQuarterHours,
} from '#src/energy/distribute-gaps.ts';
import { findInterpolatedRanges } from '#src/energy/like-days.ts';

const DAY = 96;
const zone = 'Europe/Berlin';
const SHAPE = { zone, wholeMs: () => QUARTER_HOUR_MS };

/** Usage of a home by quarter-hour, and the ranges in which its register was silent. */
interface World {
  fromMs: number;
  used: readonly number[];
  silences: readonly (readonly [number, number])[];
}

/** Returns the data as the service stores them: the energy of each silence is spread evenly and rounded down. */
function stored({ fromMs, used, silences }: World) {
  const energy = Float64Array.from(used);
  const estimated = new Float64Array(used.length);
  for (const [first, end] of silences) {
    const total = energy.subarray(first, end).reduce((all, one) => all + one, 0);
    const upTo = (at: number) => Math.floor((total * (at - first)) / (end - first));
    for (let at = first; at < end; at++) energy[at] = estimated[at] = upTo(at + 1) - upTo(at);
  }
  return { fromMs, energy, estimated, coveredMs: new Float64Array(used.length).fill(QUARTER_HOUR_MS) };
}

type Stored = ReturnType<typeof stored>;

const readerOf =
  ({ fromMs, energy, estimated, coveredMs }: Stored): QuarterHourReader =>
  async (from, to) => {
    const first = Math.max(0, (from - fromMs) / QUARTER_HOUR_MS);
    const end = Math.min(energy.length, (to - fromMs) / QUARTER_HOUR_MS);
    return {
      fromMs: fromMs + first * QUARTER_HOUR_MS,
      energy: energy.slice(first, end),
      estimated: estimated.slice(first, end),
      coveredMs: coveredMs.slice(first, end),
    };
  };

const ask = (world: Stored, first = 0, end = world.energy.length, shape = SHAPE): Promise<DistributedQuarterHours> =>
  readDistributedQuarterHours(
    readerOf(world),
    { fromMs: world.fromMs + first * QUARTER_HOUR_MS, toMs: world.fromMs + end * QUARTER_HOUR_MS },
    shape,
  );

const sum = (list: Float64Array) => list.reduce((all, one) => all + one, 0);

/** Usage of 200 W, and of 2 kW from 19:00 to 21:00 on the home's clock; at weekends 2 kW at noon. */
const evening = (fromMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => {
    const { hour, weekday } = DateTime.fromMillis(fromMs + at * QUARTER_HOUR_MS, { zone });
    const isPeak = weekday >= 6 ? hour === 12 : hour === 19 || hour === 20;
    return isPeak ? 500_000 : 50_000;
  });

/** Random usage over ten weeks with random silences. */
const world: fc.Arbitrary<World> = fc
  .record({
    fromMs: fc.constantFrom(Date.UTC(2026, 1, 2), Date.UTC(2026, 8, 7)),
    seed: fc.array(fc.integer({ min: 0, max: 2_000_000 }), { minLength: 24, maxLength: 40 }),
    bounds: fc.uniqueArray(fc.integer({ min: 10 * DAY, max: 70 * DAY }), { minLength: 2, maxLength: 12 }),
    everySecond: fc.boolean(),
  })
  .map(({ fromMs, seed, bounds, everySecond }) => {
    const used = Array.from({ length: 70 * DAY }, (_, at) => seed[(at * 7) % seed.length] as number);
    const sorted = bounds.toSorted((a, b) => a - b);
    const silences = sorted
      .slice(1)
      .map((end, at) => [sorted[at] as number, end] as const)
      .filter(([first, end], at) => end - first < 12 * DAY && (!everySecond || at % 2 === 0));
    return { fromMs, used, silences };
  });

test('each gap keeps its energy to the mWh, and nothing changes outside gaps', async () => {
  let shared = 0;
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const line = stored(one);
      const distributed = await ask(line);
      expect(distributed.energy.every((energy) => Number.isSafeInteger(energy) && energy >= 0)).toBe(true);
      for (const { first, end } of findInterpolatedRanges(line)) {
        expect(sum(distributed.energy.subarray(first, end))).toBe(sum(line.energy.subarray(first, end)));
        shared += distributed.isShared[first] as number;
      }
      const isAsItWas = distributed.isShared.every((isShared, at) =>
        isShared
          ? distributed.estimated[at] === distributed.energy[at]
          : distributed.energy[at] === line.energy[at] && distributed.estimated[at] === line.estimated[at],
      );
      expect(isAsItWas).toBe(true);
    }),
    { numRuns: 40 },
  );
  expect(shared).toBeGreaterThan(20);
});

test('a quarter-hour has the same energy in every requested range', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.nat(70 * DAY), fc.nat(70 * DAY), async (one, a, b) => {
      const [first, end] = [Math.min(a, b), Math.max(a, b) + 1];
      const line = stored({ ...one, used: [...one.used, 1] });
      const [whole, part] = [await ask(line), await ask(line, first, end)];
      expect(part.energy).toEqual(whole.energy.subarray(first, end));
      expect(part.isShared).toEqual(whole.isShared.subarray(first, end));
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['March, with a day of 23 hours', Date.UTC(2026, 2, 29)],
  ['October, with a day of 25 hours', Date.UTC(2026, 9, 25)],
])('a gap across a clock change has its peaks by the local time of the home (%s)', async (_, changeMs) => {
  const fromMs = changeMs - 40 * DAY * QUARTER_HOUR_MS;
  const used = evening(fromMs, 45 * DAY);
  const line = stored({ fromMs, used, silences: [[38 * DAY + 2, 43 * DAY + 1]] });
  const distributedGap = await ask(line);
  // The usage during the silence follows the same pattern as before, so the distributed energy must equal it.
  const off = distributedGap.energy.map((energy, at) => Math.abs(energy - (used[at] as number)));
  expect(Math.max(...off)).toBeLessThanOrEqual(1);
  expect(distributedGap.isShared.filter(Boolean)).toHaveLength(5 * DAY - 1);
});

test('a gap without similar days stays a straight line', async () => {
  const fromMs = Date.UTC(2026, 4, 4);
  const used = evening(fromMs, 40 * DAY);
  const isUnchanged = async (
    change: (line: Stored) => void,
    silence: readonly [number, number] = [30 * DAY, 32 * DAY],
  ) => {
    const line = stored({ fromMs, used, silences: [silence] });
    change(line);
    return !(await ask(line)).isShared.includes(1);
  };
  // The gap begins on Wednesday, 3 June 2026. The data of the four weeks before it do not suffice, so its energy stays evenly distributed.
  expect(await isUnchanged(({ estimated }) => estimated.fill(1, 0, 30 * DAY))).toBe(true);
  expect(await isUnchanged(({ coveredMs }) => coveredMs.fill(QUARTER_HOUR_MS - 1, 0, 30 * DAY))).toBe(true);
  expect(await isUnchanged(({ coveredMs }) => coveredMs.fill(0, 0, 28 * DAY))).toBe(true);
  expect(await isUnchanged(({ energy }) => energy.fill(0, 0, 30 * DAY))).toBe(true);
  // The gap is shorter than a day, so its energy stays evenly distributed.
  expect(await isUnchanged(() => {}, [30 * DAY, 31 * DAY - 1])).toBe(true);
  expect(await isUnchanged(() => {})).toBe(false);
  // Two weekends before the gap suffice for a Saturday; a single Sunday does not.
  const saturday: readonly [number, number] = [33 * DAY - 8, 34 * DAY - 8];
  expect(await isUnchanged(({ coveredMs }) => coveredMs.fill(0, 0, 17 * DAY), saturday)).toBe(false);
  expect(await isUnchanged(({ coveredMs }) => coveredMs.fill(0, 0, 27 * DAY), saturday)).toBe(true);
});

test('a reading within a silence splits it, and no energy moves across the reading', async () => {
  const fromMs = Date.UTC(2026, 4, 4);
  const used = evening(fromMs, 40 * DAY);
  // From this reading on, the home is empty.
  used.fill(10_000, 31 * DAY, 33 * DAY);
  const line = stored({
    fromMs,
    used,
    silences: [
      [29 * DAY, 31 * DAY],
      [31 * DAY, 33 * DAY],
    ],
  });
  const distributedLine = await ask(line);
  expect(sum(distributedLine.energy.subarray(31 * DAY, 33 * DAY))).toBe(2 * DAY * 10_000);
  expect(sum(distributedLine.energy)).toBe(sum(line.energy));
});

test('a gap of more than 400 days stays a straight line, in every requested range', async () => {
  const fromMs = Date.UTC(2024, 0, 1);
  const worldOf = (days: number) =>
    stored({
      fromMs,
      used: Array.from({ length: 500 * DAY }, (_, at) => 10_000 + (at % DAY) * 1_000),
      silences: [[40 * DAY, (40 + days) * DAY]],
    });
  for (const at of [30, 41, 200, 439]) {
    const isShared = async (days: number) => (await ask(worldOf(days), at * DAY, (at + 1) * DAY)).isShared.includes(1);
    expect(await isShared(400)).toBe(at >= 40);
    expect(await isShared(401)).toBe(false);
  }
});
