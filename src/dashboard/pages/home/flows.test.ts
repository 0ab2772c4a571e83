import { expect, test } from 'vitest';
import { ownUseOf } from './flows.ts';

const nothing = {
  ...{ grid_import_kwh: null, grid_export_kwh: null, production_kwh: null, charged_kwh: null, discharged_kwh: null },
  ...{ consumption_kwh: null, untracked_kwh: null, self_consumed_kwh: null, autarky: null },
  ...{ estimated_kwh: null, coverage: 1, complete: true },
};

test('what went into the battery is stored, and not used', () => {
  // A day with 2.23 kWh used, of which 0.74 came from the roof; 4.92 went into the battery.
  const flows = { ...nothing, production_kwh: 5.66, grid_import_kwh: 1.49, charged_kwh: 4.92, self_consumed_kwh: 5.66 };
  expect(ownUseOf({ ...flows, autarky: 0.331 }, 2.23)).toEqual({
    kwh: expect.closeTo(0.74, 6),
    share: 0.331,
    storedKwh: 4.92,
  });
  // The battery was charged from the grid: nothing of the own energy was used, and not less than that.
  expect(ownUseOf({ ...flows, grid_import_kwh: 3, autarky: 0 }, 2.23)).toMatchObject({ kwh: 0, share: 0 });
});

test.each([
  ['without production', { ...nothing, grid_import_kwh: 5, charged_kwh: 1, autarky: 0 }, 4],
  ['without a meter at the connection point', { ...nothing, production_kwh: 5 }, 4],
  ['of a time of which nothing is known', { ...nothing, production_kwh: 5, grid_import_kwh: 1 }, null],
])('nothing is said of self-sufficiency %s', (_, flows, used) => {
  expect(ownUseOf(flows, used)).toBeNull();
});
