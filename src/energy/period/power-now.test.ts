import { describe, expect, test } from 'vitest';
import type { LatestChannelValue } from '#src/devices/live.ts';
import { computeConstantRolesRanges, type HomeDevice } from '../home/roles.ts';
import { computeMeasuredPower } from './power-now.ts';

const NOW_MS = Date.parse('2026-06-15T12:00:00Z');
const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY, imports: 1, exports: 0 };
type Of = Partial<HomeDevice> & { watts: number | null; secondsAgo?: number };

function powerOfHome(devices: Record<string, Of>) {
  const all = Object.entries(devices).map(
    ([deviceId, { watts: _, secondsAgo: __, ...more }]): HomeDevice => ({
      ...{ deviceId, placement: 'consumption', upstreamDeviceId: null, beginsAtMs: 0, endsAtMs: null },
      ...{ producesExport: true, counted: [ALWAYS], partOf: null, ...more },
    }),
  );
  const channels = new Map<string, LatestChannelValue[]>();
  for (const [id, { watts, secondsAgo = 5, partOf, placement }] of Object.entries(devices)) {
    if (watts === null) continue;
    const channel = {
      ...{ native_name: id, unit: 'W', last_value: watts, counts_as: 'import', asked: false, counted: false },
      last_at: new Date(NOW_MS - secondsAgo * 1_000).toISOString(),
      placement: partOf ? (placement ?? null) : null,
    };
    channels.set(partOf ?? id, [...(channels.get(partOf ?? id) ?? []), channel]);
  }
  return (
    computeMeasuredPower({ devices: all, stretches: computeConstantRolesRanges(all) }, channels, NOW_MS)?.watts ?? null
  );
}

describe('the measured power of a home', () => {
  test.each<[string, Record<string, Of>, number | null]>([
    ['a grid meter', { meter: { placement: 'grid', watts: 2_500 } }, 2_500],
    ['plugs beside a grid meter are in it', { meter: { placement: 'grid', watts: 900 }, plug: { watts: 400 } }, 900],
    [
      'a plug without power beside a grid meter',
      { meter: { placement: 'grid', watts: 900 }, plug: { watts: null } },
      900,
    ],
    ['fed in, and nobody measures what made it', { meter: { placement: 'grid', watts: -700 } }, 0],
    [
      'sun that is used and fed in',
      { meter: { placement: 'grid', watts: -700 }, roof: { placement: 'production', watts: -1_000 } },
      300,
    ],
    [
      'an inverter that counts upwards what it makes',
      {
        meter: { placement: 'grid', watts: 200 },
        roof: { placement: 'production', watts: 1_000, producesExport: false },
      },
      1_200,
    ],
    [
      'a battery that charges, and one that discharges',
      {
        meter: { placement: 'grid', watts: 500 },
        full: { placement: 'storage', watts: -300 },
        empty: { placement: 'storage', watts: 200 },
      },
      600,
    ],
    [
      'meters that disagree: not below what came in and was not charged',
      { meter: { placement: 'grid', watts: 50 }, battery: { placement: 'storage', watts: 80 } },
      0,
    ],
    [
      'one clamp on the grid, one on the roof',
      {
        device: { placement: 'grid', watts: -500 },
        'device/production': { partOf: 'device', placement: 'production', watts: -900 },
      },
      400,
    ],
    ['plugs alone', { kettle: { watts: 2_000 }, fridge: { watts: 80 } }, 2_080],
    ['a plug behind a circuit', { circuit: { watts: 500 }, plug: { watts: 400, upstreamDeviceId: 'circuit' } }, 500],
    ['a device that is left out', { kettle: { watts: 2_000 }, odd: { watts: 5_000, placement: 'excluded' } }, 2_000],
    ['a device that is gone', { kettle: { watts: 2_000 }, old: { watts: null, endsAtMs: NOW_MS - 900_000 } }, 2_000],
    ['sent a minute ago', { meter: { placement: 'grid', watts: 2_500, secondsAgo: 60 } }, 2_500],
    ['sent longer ago', { meter: { placement: 'grid', watts: 2_500, secondsAgo: 61 } }, null],
    [
      'the inverter is silent',
      { meter: { placement: 'grid', watts: -700 }, roof: { placement: 'production', watts: -1_000, secondsAgo: 90 } },
      null,
    ],
    ['a plug of two is silent', { kettle: { watts: 2_000 }, fridge: { watts: null } }, null],
    ['nothing', {}, null],
  ])('is computed in the case: %s', (_, devices, watts) => {
    expect(powerOfHome(devices)).toBe(watts);
  });
});
