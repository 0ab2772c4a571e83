import { expect, test } from 'vitest';
import { findSelfConsumption, isFlowBalanced, LABEL_HEIGHT_PX, layOutFlowBands, listConsumers } from './flows.ts';

const nothing = {
  ...{ grid_import_kwh: null, grid_export_kwh: null, production_kwh: null, charged_kwh: null, discharged_kwh: null },
  ...{ consumption_kwh: null, untracked_kwh: null, self_consumed_kwh: null, autarky: null },
  ...{ estimated_kwh: null, coverage: 1, complete: true },
};

test('energy that charged the battery is shown as stored, not as used', () => {
  // On this day the home used 2.23 kWh, of which 0.74 kWh came from the solar panels. It also stored 4.92 kWh in the battery.
  const flows = { ...nothing, production_kwh: 5.66, grid_import_kwh: 1.49, charged_kwh: 4.92, self_consumed_kwh: 5.66 };
  expect(findSelfConsumption({ ...flows, autarky: 0.331 }, 2.23)).toEqual({
    kwh: expect.closeTo(0.74, 6),
    share: 0.331,
    storedKwh: 4.92,
  });
  // If the battery was charged from the grid, self-consumption is zero, not negative.
  expect(findSelfConsumption({ ...flows, grid_import_kwh: 3, autarky: 0 }, 2.23)).toMatchObject({ kwh: 0, share: 0 });
});

test.each([
  ['without production', { ...nothing, grid_import_kwh: 5, charged_kwh: 1, autarky: 0 }, 4],
  ['without a meter at the connection point', { ...nothing, production_kwh: 5 }, 4],
  ['of a time of which nothing is known', { ...nothing, production_kwh: 5, grid_import_kwh: 1 }, null],
])('omits self-sufficiency %s', (_, flows, used) => {
  expect(findSelfConsumption(flows, used)).toBeNull();
});

/**
 * Returns the y positions of the upper and lower edge of a band in the diagram: at its start, and at its end without the tip (the point in
 * which a band ends).
 */
function edges(path: string) {
  const [x1, top1, , , , , x2, top2, , middle, , bottom2, , , , , , bottom1] = (path.match(/-?[\d.]+/g) ?? []).map(
    Number,
  ) as number[];
  return { x1, x2, from: [top1, bottom1], to: [top2, bottom2], middle };
}
const widths = ({ from, to }: ReturnType<typeof edges>) =>
  [from, to].map(([top = 0, bottom = 0]) => Math.round(10 * (bottom - top)) / 10);

test('bands are as wide as their energy, from the name to the bar and from the bar to the name', () => {
  const { left, right, heightPx, bar } = layOutFlowBands([6, 3, 1], [7, 2, 1]);
  const [sun, grid, battery] = left.map(({ path }) => edges(path));
  const [used, fed, charged] = right.map(({ path }) => edges(path));
  const all = [sun, grid, battery, used, fed, charged] as ReturnType<typeof edges>[];
  const [perKwh = 0] = widths(all[3] as ReturnType<typeof edges>).map((px) => px / 7);
  for (const [index, kwh] of [6, 3, 1, 7, 2, 1].entries())
    for (const px of widths(all[index] as ReturnType<typeof edges>)) expect(px).toBeCloseTo(kwh * perKwh, 0);
  expect(heightPx).toBe(3 * LABEL_HEIGHT_PX);
  // In the middle of the diagram, the bands lie above each other without gaps and fill the bar.
  expect(sun?.to[1]).toBe(grid?.to[0]);
  expect([sun?.to[0], battery?.to[1]].map((y) => Math.round(y ?? 0))).toEqual(
    [bar.y, bar.y + bar.height].map(Math.round),
  );
  expect(fed?.from[0]).toBe(used?.from[1]);
  // At the right end, the middle of each band is at the height of the name next to it.
  expect(((grid?.from[0] ?? 0) + (grid?.from[1] ?? 0)) / 2).toBeCloseTo(heightPx / 2, 1);
  expect(charged?.middle).toBeCloseTo(heightPx - LABEL_HEIGHT_PX / 2, 1);
});

test('no band is wider than the space for its name, or outside the diagram', () => {
  for (const [into, out] of [
    [[100], [100]],
    [
      [100, 0.001],
      [0.001, 100],
    ],
    [
      [0, 5, 5],
      [10, 0],
    ],
  ] as [number[], number[]][]) {
    const { left, right, heightPx } = layOutFlowBands(into, out);
    for (const [side, count] of [
      [left, into.length],
      [right, out.length],
    ] as const)
      for (const { path } of side) {
        const { from, to } = edges(path);
        for (const [top = 0, bottom = 0] of [from, to]) {
          expect(bottom - top).toBeLessThanOrEqual(heightPx / count);
          expect(top).toBeGreaterThanOrEqual(0);
          expect(bottom).toBeLessThanOrEqual(heightPx);
        }
      }
  }
});

test('a flow of zero has no band, and without any flow there is no diagram', () => {
  expect(layOutFlowBands([0, 2], [2, 0]).left.map(({ index }) => index)).toEqual([1]);
  expect(layOutFlowBands([0, 2], [2, 0]).right.map(({ index }) => index)).toEqual([0]);
  expect(layOutFlowBands([0], [0])).toMatchObject({ left: [], right: [], bar: { height: 0 } });
});

test('shows no diagram if inflow and outflow differ by more than rounding, because they belong to different times', () => {
  expect(isFlowBalanced([2.5, 3], [5.5, 0])).toBe(true);
  expect(isFlowBalanced([0.004, 0], [0.001, 0])).toBe(true);
  expect(isFlowBalanced([100, 20.5], [119.9])).toBe(true);
  // The inverter reported 2.5 kWh before the home had a grid meter, so inflow and outflow differ.
  expect(isFlowBalanced([2.5, 3], [3, 0])).toBe(false);
  // Energy was exported, but no device measures production, so inflow and outflow differ.
  expect(isFlowBalanced([10], [10, 7])).toBe(false);
});

test('used energy is split by device, largest first, including the untracked remainder', () => {
  const device = (location: string, import_kwh: number | null, upstream_device_id: string | null = null) => ({
    ...{ device_id: location, location, placement: 'consumption' as const, upstream_device_id, import_kwh },
  });
  const devices = [
    ...[device('tv', 1), device('car', 7), device('fridge', 2), device('lamp', null), device('charger', 7, 'car')],
    { ...device('roof', 9), placement: 'production' as const },
  ];
  const consumers = listConsumers({ consumption_kwh: 10, untracked_kwh: 4 }, 14, devices);
  expect(consumers.map((use) => [use.kind === 'device' ? use.name : use.kind, use.kwh])).toEqual([
    ['car', 7],
    ['untracked', 4],
    ['fridge', 2],
    ['tv', 1],
  ]);
  const many = Array.from({ length: 8 }, (_, at) => device(`plug ${at}`, 1 + at));
  const sums = listConsumers({ consumption_kwh: 36, untracked_kwh: 0 }, 36, many);
  expect(sums.find(({ kind }) => kind === 'others')).toEqual({ kind: 'others', count: 3, kwh: 6 });
  expect(sums.reduce((sum, { kwh }) => sum + (kwh ?? 0), 0)).toBe(36);
  // The diagram shows no single devices if their sum exceeds the home's usage or differs from `consumption_kwh`.
  for (const flows of [
    { consumption_kwh: 10, untracked_kwh: -2 },
    { consumption_kwh: 6, untracked_kwh: 2 },
    { consumption_kwh: null, untracked_kwh: null },
  ])
    expect(listConsumers(flows, 8, devices)).toEqual([{ kind: 'all', kwh: 8 }]);
});
