import { expect, test } from 'vitest';
import { AGGREGATED_QUANTITIES } from '#src/database/meter.ts';
import { formatSeriesName, type SeriesState } from './device-state.ts';
import type { DeviceHead } from './head.ts';
import { computeDefaultDeviceHeadCacheBytes, createDeviceHeadCache } from './head-cache.ts';

const head = (deviceId: string, isSettled = true): DeviceHead => ({
  deviceId,
  userId: 'usr_1',
  settings: { limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 },
  computedWith: null,
  series: new Map([
    [
      formatSeriesName('import', 'register'),
      {
        seriesId: 7,
        channel: 'import',
        kind: 'register',
        roles: { import: true, export: false, meter: null },
        lastReadAtMs: 1_790_000_000_000,
        tail: { run: [1_790_000_000_000, 123_456_789] },
        tariffSinceMs: Number.NEGATIVE_INFINITY,
        closedUntilMs: null,
      },
    ],
  ]),
  version: 2 ** 47 + 1,
  open: { hour: 497_222, quarters: [...Array(24).keys()] },
  isSettled,
});
const id = (index: number) => `dev_${String(index).padStart(24, '0')}`;

test('returns a cached head, and evicts a head that is not settled', () => {
  const memory = createDeviceHeadCache();
  memory.set(head('dev_1'));
  expect(memory.get('dev_1')).toEqual(head('dev_1'));
  memory.set(head('dev_1', false));
  expect(memory.get('dev_1')).toBe(null);
});

test('caches the roles of each series, and the time since which it counts as a tariff', () => {
  const memory = createDeviceHeadCache();
  const roles = [null, ...AGGREGATED_QUANTITIES].flatMap((meter) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => ({
      import: (bits & 1) !== 0,
      export: (bits & 2) !== 0,
      meter,
      ...(bits & 4 ? { isTariff: true } : {}),
    })),
  );
  for (const tariffSinceMs of [Number.NEGATIVE_INFINITY, 1_790_000_000_000]) {
    const [[, first] = []] = head('dev_1').series;
    const series = roles.map((of, index) => {
      const channel = `circuit${index}/import`;
      const since = of.isTariff ? tariffSinceMs : Number.NEGATIVE_INFINITY;
      const one = { ...(first as SeriesState), channel, roles: of, tariffSinceMs: since };
      return [formatSeriesName(channel, 'register'), one] as const;
    });
    const whole = { ...head('dev_1'), series: new Map(series) };
    memory.set(whole);
    expect(memory.get('dev_1')).toEqual(whole);
  }
});

test('caches 100,000 meters', () => {
  const memory = createDeviceHeadCache();
  for (let index = 0; index < 100_000; index++) memory.set(head(id(index)));
  expect(memory.get(id(0))).not.toBe(null);
});

test('evicts the oldest heads beyond its memory limit', () => {
  const memory = createDeviceHeadCache({ maxBytes: 2 ** 20 });
  // Storing the same states again must not increase the memory.
  for (let turn = 0; turn < 5; turn++) for (let index = 0; index < 1_500; index++) memory.set(head(id(index)));
  expect(memory.get(id(0))).not.toBe(null);
  for (let index = 1_500; index < 10_000; index++) memory.set(head(id(index)));
  expect(memory.get(id(0))).toBe(null);
  for (let index = 8_500; index < 10_000; index++) expect(memory.get(id(index))).not.toBe(null);
});

test('caches nothing if its memory limit is 0', () => {
  const memory = createDeviceHeadCache({ maxBytes: 0 });
  memory.set(head('dev_1'));
  expect(memory.get('dev_1')).toBe(null);
});

test('stops caching for a while after other workers wrote the same devices', () => {
  let now = 0;
  const memory = createDeviceHeadCache({ now: () => now });
  memory.set(head('dev_1'));
  memory.disable();
  memory.set(head('dev_2'));
  expect([memory.get('dev_1'), memory.get('dev_2')]).toEqual([null, null]);
  now = 10_000;
  memory.set(head('dev_2'));
  expect(memory.get('dev_2')).not.toBe(null);
});

test('still caches meters after any number of distinct series names', () => {
  const memory = createDeviceHeadCache();
  const withChannels = (deviceId: string, channels: readonly string[]): DeviceHead => {
    const [one] = head(deviceId).series.values();
    const series = channels.map((channel) => [formatSeriesName(channel, 'register'), { ...one, channel }] as const);
    return { ...head(deviceId), series: new Map(series) as DeviceHead['series'] };
  };
  const channels = (from: number, count: number) => [...Array(count).keys()].map((index) => `import/c${from + index}`);
  memory.set(withChannels('dev_endless', channels(0, 10_000)));
  expect(memory.get('dev_endless')).toBe(null);
  for (let index = 0; index < 60; index++) memory.set(withChannels(`dev_${index}`, channels(index * 200, 200)));
  memory.set(withChannels('dev_new', ['switch0/import']));
  expect(memory.get('dev_new')?.series.size).toBe(1);
});

test('defaults to a quarter of the memory that the process may use, and half a GiB at most', () => {
  expect(computeDefaultDeviceHeadCacheBytes(2 ** 30)).toBe(2 ** 28);
  expect(computeDefaultDeviceHeadCacheBytes(2 ** 36)).toBe(2 ** 29);
  expect(computeDefaultDeviceHeadCacheBytes()).toBeGreaterThan(0);
});
