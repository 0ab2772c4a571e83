import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computePoissonTailProbability,
  type DeviceCountsBySite,
  type DeviceSilence,
  type DeviceStopGroup,
  groupDeviceStops,
} from './stops.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 5, 1);

/** Returns a generator of pseudo-random numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates a fleet of homes with `each` devices per home. In every second home, all devices are behind one gateway. */
function fleet(
  homes: number,
  each = 3,
): { sites: DeviceCountsBySite; devices: Omit<DeviceSilence, 'beganMs' | 'endedMs'>[] } {
  const devices = Array.from({ length: homes * each }, (_, index) => {
    const home = Math.floor(index / each);
    return { deviceId: `dev_${index}`, userId: `usr_${home}`, gatewayId: home % 2 ? `gwy_${home}` : null };
  });
  const sites = {
    homes: new Map(Array.from({ length: homes }, (_, home) => [`usr_${home}`, each])),
    gateways: new Map(
      Array.from({ length: homes }, (_, home) => [`gwy_${home}`, each] as const).filter((_, h) => h % 2),
    ),
  };
  return { sites, devices };
}

/** Creates stops that are independent of each other: `perDay` devices a day, for `days` days. */
function alone(
  devices: readonly Omit<DeviceSilence, 'beganMs' | 'endedMs'>[],
  perDay: number,
  days: number,
  seed: number,
): DeviceSilence[] {
  const random = numbers(seed);
  return Array.from({ length: Math.round(perDay * days) }, () => {
    const device = devices[Math.floor(random() * devices.length)] as (typeof devices)[number];
    const beganMs = START_MS + random() * days * DAY_MS;
    return { ...device, beganMs, endedMs: beganMs + HOUR_MS + random() * DAY_MS };
  });
}

const kinds = (groups: readonly DeviceStopGroup[]) =>
  groups.map(({ kind, isSure, because }) => `${kind} ${isSure} ${because}`);
const NOW_MS = START_MS + 40 * DAY_MS;
const stopped = (
  device: Omit<DeviceSilence, 'beganMs' | 'endedMs'> | undefined,
  minute: number,
  hours: number | null = 2,
): DeviceSilence => {
  if (!device) throw new Error('no such device');
  const beganMs = START_MS + minute * MINUTE_MS;
  return { ...device, beganMs, endedMs: hours === null ? null : beganMs + hours * HOUR_MS };
};

describe('grouping of devices that stopped together', () => {
  test('reports a meter that stops while the rest of its home goes on as a single device', () => {
    const { devices, sites } = fleet(10);
    expect(kinds(groupDeviceStops([stopped(devices[0], 0, null)], sites, NOW_MS))).toEqual([
      'device true others_go_on',
    ]);
  });

  test('is unsure about the only device of a home, because its network may have failed', () => {
    const { devices, sites } = fleet(10, 1);
    expect(kinds(groupDeviceStops([stopped(devices[0], 0)], sites, NOW_MS))).toEqual(['device false only_device']);
  });

  test('is unsure about a device if all other devices of its home were already silent', () => {
    const { devices, sites } = fleet(10, 2);
    const silences = [stopped(devices[0], 0, null), stopped(devices[1], 600)];
    expect(kinds(groupDeviceStops(silences, sites, NOW_MS))).toEqual([
      'device true others_go_on',
      'device false only_device',
    ]);
  });

  test('reports all devices of a gateway as a gateway and all of a home as a home, and is unsure about some of them', () => {
    const { devices, sites } = fleet(10);
    const at = (from: number, count: number) => devices.slice(from, from + count).map((one, i) => stopped(one, i * 9));
    expect(kinds(groupDeviceStops(at(3, 3), sites, NOW_MS))).toEqual(['gateway true whole_gateway']);
    expect(kinds(groupDeviceStops(at(0, 3), sites, NOW_MS))).toEqual(['home true whole_home']);
    expect(kinds(groupDeviceStops(at(3, 2), sites, NOW_MS))).toEqual(['gateway false part_of_gateway']);
    expect(kinds(groupDeviceStops(at(0, 2), sites, NOW_MS))).toEqual(['home false part_of_home']);
  });

  test('reports a gateway in a home with other devices as a gateway, whether or not the others go on', () => {
    const { devices } = fleet(2, 3);
    const sites = { homes: new Map([['usr_1', 5]]), gateways: new Map([['gwy_1', 3]]) };
    expect(
      kinds(
        groupDeviceStops(
          devices.slice(3).map((one) => stopped(one, 0)),
          sites,
          NOW_MS,
        ),
      ),
    ).toEqual(['gateway true whole_gateway']);
  });

  test('reports a device that sends a few times a day as a habit, until it is silent for longer than usual', () => {
    const { devices, sites } = fleet(10);
    const silences = [0, 6, 12, 18, 24].map((hour) => stopped(devices[0], hour * 60, 5));
    const last = stopped(devices[0], 30 * 60, null);
    const groups = groupDeviceStops([...silences, last], sites, last.beganMs + 20 * HOUR_MS);
    expect(groups.map(({ kind }) => kind)).toEqual(['device', 'device', 'device', 'habit', 'habit', 'device']);
  });

  test('does not count outages of all devices as a habit', () => {
    const { devices, sites } = fleet(20);
    const silences = [0, 1, 2, 3, 4].flatMap((day) => devices.map((one, i) => stopped(one, day * 1_440 + (i % 4))));
    const groups = groupDeviceStops(silences, sites, NOW_MS);
    expect(kinds(groups)).toEqual(Array.from({ length: 5 }, () => 'outage true beyond_chance'));
  });

  test.each([
    [30, 0.3],
    [300, 3],
    [3_000, 30],
    [30_000, 300],
    [100_000, 1_000],
  ])('in %i homes in which %d devices a day stop independently, reports no outage in a month', (homes, perDay) => {
    const { devices, sites } = fleet(homes);
    const groups = groupDeviceStops(alone(devices, perDay, 30, homes), sites, NOW_MS);
    expect(groups.filter(({ kind }) => kind === 'outage')).toEqual([]);
    const unsure = groups.filter(({ because }) => because === 'others_stopped_too');
    expect(unsure.length / groups.length).toBeLessThan(0.02);
  });

  test('finds a simulated outage completely among independent stops, whether or not its devices return together', () => {
    const planted = fc.record({
      homes: fc.integer({ min: 120, max: 3_000 }),
      share: fc.double({ min: 0.25, max: 1, noNaN: true }),
      cadenceMinutes: fc.constantFrom(1, 5, 15),
      minute: fc.integer({ min: 0, max: 3 * 1_440 }),
      seed: fc.integer(),
      back: fc.constantFrom('together', 'one by one', 'never'),
    });
    fc.assert(
      fc.property(planted, ({ homes, share, cadenceMinutes, minute, seed, back }) => {
        const { devices, sites } = fleet(homes);
        const random = numbers(seed);
        const atMs = START_MS + minute * MINUTE_MS;
        const struck = devices.slice(0, Math.ceil(homes * share) * 3).map((device): DeviceSilence => {
          const beganMs = atMs - random() * cadenceMinutes * MINUTE_MS;
          const endedMs = {
            together: atMs + 2 * HOUR_MS,
            'one by one': atMs + HOUR_MS * (1 + random() * 48),
            never: null,
          };
          return { ...device, beganMs, endedMs: endedMs[back as keyof typeof endedMs] };
        });
        const groups = groupDeviceStops([...struck, ...alone(devices, homes / 100, 4, seed)], sites, NOW_MS);
        const found = new Set(groups.filter(({ kind }) => kind === 'outage').flatMap(({ stops }) => stops));
        const missed = struck.filter((one) => !found.has(one));
        // If devices report every quarter of an hour, the homes that stopped first may be missing in the group.
        expect(missed.length).toBeLessThanOrEqual(Math.max(3, struck.length * 0.05));
        // An unrelated stop may be in the group only if it began during the outage.
        const within = [...found].filter(
          ({ beganMs }) => beganMs < atMs - 50 * MINUTE_MS || beganMs > atMs + 35 * MINUTE_MS,
        );
        expect(within).toEqual([]);
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  test('puts each stop in one group, independent of order, names, the calendar and the length of silences', () => {
    const drawn = fc.array(
      fc.record({
        device: fc.integer({ min: 0, max: 35 }),
        minute: fc.integer({ min: 0, max: 900 }),
        hours: fc.integer({ min: 1, max: 9 }),
      }),
      { maxLength: 60 },
    );
    const { devices, sites } = fleet(12);
    const shape = (groups: readonly DeviceStopGroup[]) =>
      groups
        .map(
          ({ kind, because, stops }) =>
            `${kind === 'habit' ? 'device' : kind} ${because === 'often_silent' ? 'others_go_on' : because} ${stops.map(({ deviceId }) => deviceId)}`,
        )
        .sort();
    fc.assert(
      fc.property(drawn, fc.integer({ min: 0, max: 100 }), (many, hour) => {
        // A device has only one silence at a time.
        const once = [...new Map(many.map((one) => [one.device, one])).values()];
        const silences = once.map(({ device, minute, hours }) => stopped(devices[device], minute, hours));
        const groups = groupDeviceStops(silences, sites, NOW_MS);
        expect(groups.flatMap(({ stops }) => stops).length).toBe(silences.length);
        expect(new Set(groups.flatMap(({ stops }) => stops)).size).toBe(silences.length);
        expect(groupDeviceStops([...silences].reverse(), sites, NOW_MS)).toEqual(groups);
        const later = silences.map((one) => ({
          ...one,
          beganMs: one.beganMs + hour * HOUR_MS,
          endedMs: (one.endedMs ?? 0) + hour * HOUR_MS,
        }));
        expect(shape(groupDeviceStops(later, sites, NOW_MS))).toEqual(shape(groups));
        const longer = silences.map((one) => ({ ...one, endedMs: null }));
        const outages = (all: readonly DeviceStopGroup[]) => shape(all.filter(({ kind }) => kind === 'outage'));
        expect(outages(groupDeviceStops(longer, sites, NOW_MS))).toEqual(outages(groups));
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});

test('chances follow the Poisson distribution', () => {
  // The value for 3 events was computed by hand: 1 - e^-1 (1 + 1 + 1/2). The value for 100 events comes from a table.
  expect(computePoissonTailProbability(3, 1)).toBeCloseTo(1 - Math.exp(-1) * 2.5, 10);
  expect(computePoissonTailProbability(0, 5)).toBe(1);
  expect(computePoissonTailProbability(4, 0)).toBe(0);
  expect(computePoissonTailProbability(120, 100)).toBeCloseTo(0.0282, 3);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0.001, max: 1_000, noNaN: true }), (n, mean) => {
      const chance = computePoissonTailProbability(n, mean);
      expect(chance).toBeGreaterThanOrEqual(computePoissonTailProbability(n + 1, mean));
      expect(chance).toBeLessThanOrEqual(1);
    }),
  );
});
