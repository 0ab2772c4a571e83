import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeBaseLoad } from './base-load.ts';

const DAY = 96;
/** Energy in mWh of a quarter-hour at a constant power. */
const at = (watts: number) => watts * 250;
const starts = (days: number) => Array.from({ length: days + 1 }, (_, day) => day * DAY);
const load = (days: number, wattsAt: (day: number, quarter: number) => number) =>
  Float64Array.from({ length: days * DAY }, (_, index) => at(wattsAt(Math.floor(index / DAY), index % DAY)));

describe('the base load', () => {
  test('is the constant load below all variable loads', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 3, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: DAY, maxLength: DAY }),
        (base, days, more) => {
          const energies = load(days, (_, quarter) => base + (quarter < 12 ? 0 : (more[quarter] as number)));
          expect(computeBaseLoad(energies, starts(days))).toBeCloseTo(base, 6);
        },
      ),
    );
  });

  test('is not the lowest load of one unusual day', () => {
    const odd = load(7, (day) => (day === 3 ? 0 : 150));
    expect(computeBaseLoad(odd, starts(7))).toBeCloseTo(150, 6);
    const away = load(7, (day) => (day === 3 ? 900 : 150));
    expect(computeBaseLoad(away, starts(7))).toBeCloseTo(150, 6);
  });

  test('includes the mean of loads with a cycle below two hours', () => {
    const fridge = load(5, (_, quarter) => (quarter % 4 === 0 ? 80 : 0));
    expect(computeBaseLoad(fridge, starts(5))).toBeCloseTo(20, 6);
  });

  test('does not treat unknown quarter-hours as a low load', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: DAY - 1 }), { maxLength: 20 }), (gone) => {
        const energies = load(5, () => 300);
        for (let day = 0; day < 5; day++) for (const quarter of gone) energies[day * DAY + quarter] = Number.NaN;
        const found = computeBaseLoad(energies, starts(5));
        expect(found === null || Math.abs(found - 300) < 1e-6).toBe(true);
      }),
    );
  });

  test('is null if too few days are known, or too little of each day', () => {
    expect(
      computeBaseLoad(
        load(2, () => 100),
        starts(2),
      ),
    ).toBeNull();
    const nights = load(9, () => 100).map((energy, index) => (index % DAY < 40 ? Number.NaN : energy));
    expect(computeBaseLoad(nights, starts(9))).toBeNull();
    expect(computeBaseLoad(new Float64Array(), [0])).toBeNull();
  });
});
