import { expect, test } from 'vitest';
import { computeConstantRolesRanges, computeExpectedCoverageMs, type HomeDevice } from './roles.ts';

const HOUR_MS = 3_600_000;
const always = (imports: number, exports: number) => [
  { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY, imports, exports },
];
const device = (deviceId: string, placement: HomeDevice['placement'], other: Partial<HomeDevice> = {}): HomeDevice => ({
  deviceId,
  placement,
  upstreamDeviceId: null,
  beginsAtMs: 0,
  endsAtMs: null,
  producesExport: true,
  counted: always(1, 0),
  partOf: null,
  ...other,
});
const rolesOf = (devices: HomeDevice[]) =>
  computeConstantRolesRanges(devices).map(({ fromMs, roles }) => [fromMs, Object.fromEntries(roles)]);

test('a device that begins or ends creates a new stretch only if a role changes', () => {
  const plug = device('plug', 'consumption');
  expect(computeConstantRolesRanges([plug, device('late', 'consumption', { beginsAtMs: HOUR_MS })])).toHaveLength(1);
  const grid = device('grid', 'grid', { beginsAtMs: HOUR_MS, endsAtMs: 3 * HOUR_MS });
  expect(computeConstantRolesRanges([plug, grid]).map(({ fromMs, isGridThere }) => [fromMs, isGridThere])).toEqual([
    [Number.NEGATIVE_INFINITY, false],
    [HOUR_MS, true],
    [3 * HOUR_MS, false],
  ]);
});

test('a plug counts until the meter that it lies behind exists, and again after that meter is deleted', () => {
  const circuit = device('circuit', 'consumption', { beginsAtMs: HOUR_MS, endsAtMs: 2 * HOUR_MS });
  const plug = device('plug', 'consumption', { upstreamDeviceId: 'circuit' });
  expect(rolesOf([circuit, plug])).toEqual([
    [Number.NEGATIVE_INFINITY, { circuit: 'consumption', plug: 'consumption' }],
    [HOUR_MS, { circuit: 'consumption', plug: 'behind' }],
    [2 * HOUR_MS, { circuit: 'consumption', plug: 'consumption' }],
  ]);
});

test('the upstream chain passes through excluded and absent devices, and ends at any other', () => {
  const chain = (middle: HomeDevice) => [
    device('main', 'consumption'),
    { ...middle, deviceId: 'middle', upstreamDeviceId: 'main' },
    device('plug', 'consumption', { upstreamDeviceId: 'middle' }),
  ];
  const roleOfPlug = (middle: HomeDevice) => computeConstantRolesRanges(chain(middle)).at(-1)?.roles.get('plug');
  expect(roleOfPlug(device('', 'excluded'))).toBe('behind');
  expect(roleOfPlug(device('', 'consumption', { beginsAtMs: null }))).toBe('behind');
  expect(roleOfPlug(device('', 'grid'))).toBe('consumption');
  expect(roleOfPlug(device('', 'storage'))).toBe('consumption');
});

test('a cycle of upstream devices does not cause an endless loop', () => {
  const circle = [
    device('a', 'excluded', { upstreamDeviceId: 'b' }),
    device('b', 'excluded', { upstreamDeviceId: 'a' }),
    device('plug', 'consumption', { upstreamDeviceId: 'a' }),
  ];
  expect(computeConstantRolesRanges(circle)[0]?.roles.get('plug')).toBe('consumption');
});

test('expected coverage is the time of the counted channels while their devices exist', () => {
  const devices = [
    device('grid', 'grid', { beginsAtMs: HOUR_MS, counted: always(1, 1) }),
    device('solar', 'production', { beginsAtMs: 2 * HOUR_MS, counted: always(1, 1) }),
    device('plug', 'consumption', { endsAtMs: 4 * HOUR_MS }),
  ];
  const expected = (fromHour: number, toHour: number) =>
    computeExpectedCoverageMs(devices, computeConstantRolesRanges(devices), {
      fromMs: fromHour * HOUR_MS,
      toMs: toHour * HOUR_MS,
    }) / HOUR_MS;
  expect(expected(0, 1)).toBe(1); // the plug alone
  expect(expected(1, 2)).toBe(1); // the meter's import; its export counts only with a production or storage device
  expect(expected(2, 3)).toBe(3); // both directions of the meter, and the production
  expect(expected(0, 5)).toBe(11);
});
