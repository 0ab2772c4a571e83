import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getEnergySources } from './sources.ts';

const energy = fc.integer({ min: 0, max: 20_000 }).map((wattHours) => wattHours / 1_000);

test('the sources add up to the usage, none is negative, and the grid supplies at most the imported energy', () => {
  fc.assert(
    fc.property(energy, energy, energy, energy, energy, (imported, exported, produced, charged, discharged) => {
      const balance = imported - exported + produced + discharged - charged;
      const kwh_used = Math.max(balance, imported - charged, 0);
      const of = { grid_export_kwh: exported, production_kwh: produced, charged_kwh: charged };
      const { grid, sun, battery } = getEnergySources({ kwh_used, ...of, discharged_kwh: discharged });
      expect(grid + sun + battery).toBeCloseTo(kwh_used, 9);
      expect(Math.min(grid, sun, battery)).toBeGreaterThan(-1e-9);
      if (balance === kwh_used) expect(grid).toBeLessThanOrEqual(imported + 1e-9);
      expect(battery).toBeLessThanOrEqual(discharged);
      expect(sun).toBeLessThanOrEqual(produced);
    }),
  );
});

test('a sunny noon supplies the house, the battery and the grid; in the evening the battery supplies; at night the grid supplies', () => {
  const noon = { kwh_used: 1, grid_export_kwh: 2, production_kwh: 4, charged_kwh: 1, discharged_kwh: 0 };
  expect(getEnergySources(noon)).toEqual({ grid: 0, sun: 1, battery: 0, exported: 2, charged: 1 });
  const evening = { kwh_used: 2, grid_export_kwh: 0, production_kwh: 0, charged_kwh: 0, discharged_kwh: 1.5 };
  expect(getEnergySources(evening)).toMatchObject({ grid: 0.5, sun: 0, battery: 1.5 });
  // In this night, the battery is charged from the grid.
  const night = { kwh_used: 0.5, grid_export_kwh: 0, production_kwh: 0, charged_kwh: 2, discharged_kwh: 0 };
  expect(getEnergySources(night)).toEqual({ grid: 0.5, sun: 0, battery: 0, exported: 0, charged: 2 });
  expect(getEnergySources({ kwh_used: 0.3 })).toEqual({ grid: 0.3, sun: 0, battery: 0, exported: 0, charged: 0 });
});
