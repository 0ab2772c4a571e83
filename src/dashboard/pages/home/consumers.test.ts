import { expect, test } from 'vitest';
import type { Period } from '#src/api/dashboard/shapes.ts';
import { findReportableNightLoad } from './consumers.ts';

const device = (location: string, night_watts: number | null, more: Partial<Period['devices'][number]> = {}) =>
  ({ location, night_watts, placement: 'consumption', is_gone: false, ...more }) as Period['devices'][number];

test.each<[string, number | null, Period['devices'], [number, string | null] | null]>([
  ['most of it is a device', 209, [device('washing', 1.2), device('heater', 150)], [150, 'heater']],
  ['208 of 209 W are untracked', 209, [device('washing', 1.2)], [209, null]],
  ['at 30 % a device is named', 100, [device('freezer', 30)], [30, 'freezer']],
  ['below it none is', 100, [device('freezer', 29.9)], [100, null]],
  ['a device that is gone explains nothing', 100, [device('old', 90, { is_gone: true })], [100, null]],
  ['the meter of the home is no device of it', 100, [device('meter', 100, { placement: 'grid' })], [100, null]],
  ['nothing is known of the night', null, [device('freezer', 80)], null],
  ['nothing is used', 0.4, [device('freezer', 0.4)], null],
  ['no device', 100, [], [100, null]],
])('the consumers of a night: %s', (_, home, devices, expected) => {
  const load = findReportableNightLoad({ profile: { days: 28, base_watts: 0, night_watts: home }, devices });
  expect(load && [load.watts, load.device?.location ?? null]).toEqual(expected);
});
