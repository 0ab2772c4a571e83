import fc from 'fast-check';
import { test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import {
  arbitraryHistory,
  arbitraryHistoryWithNewQuantities,
  arbitraryTariffHistory,
} from '#test/reference/histories.ts';
import { convertToReferenceReadings } from '#test/support/counting-rules.ts';
import { createTestDeviceHeadCache } from '#test/support/head-caches.ts';
import type { StoredDevice } from '#test/support/memory-store.ts';
import { expectReferenceResults } from '#test/support/planned-energy.ts';
import {
  arbitraryArrivalScenario,
  DEVICE_COUNT,
  HISTORY_COUNT,
  runConcurrentWriters,
  splitIntoBatches,
} from '#test/support/planned-histories.ts';
import { createStoreWithDevices, recomputeAllChunks, writeBatch } from '#test/support/planned-writes.ts';

test.each([
  [HISTORY_COUNT, 'random histories', arbitraryHistory],
  [Math.ceil(HISTORY_COUNT / 4), 'histories of tariffs', arbitraryTariffHistory],
  [Math.ceil(HISTORY_COUNT / 4), 'histories in which something better appears', arbitraryHistoryWithNewQuantities],
])(
  'plans %i %s in any order, batches and writer, with the result of a replay of all readings',
  (count, _, one) => {
    fc.assert(
      fc.property(
        fc.array(one, { minLength: DEVICE_COUNT, maxLength: DEVICE_COUNT }),
        arbitraryArrivalScenario,
        (histories, how) => {
          const { store, devices } = createStoreWithDevices(histories);
          const all = devices.flatMap(({ deviceId, readings }) => convertToReferenceReadings(readings, deviceId));
          const deviceIds = devices.map(({ deviceId }) => deviceId);
          runConcurrentWriters(
            store,
            deviceIds,
            splitIntoBatches(all, how),
            how,
            devices.map(({ readings }) => readings),
          );
          recomputeAllChunks(store, deviceIds, how.lastPieceMs);
          for (const { deviceId, readings } of devices) {
            const device = store.devices.get(deviceId) as StoredDevice;
            expectReferenceResults(device, readings);
          }
        },
      ),
      { numRuns: Math.ceil(count / DEVICE_COUNT), endOnFailure: true },
    );
  },
  300_000,
);

test('replays the later of two late groups of readings, hours apart, after the changes of the earlier group', () => {
  const { store } = createStoreWithDevices([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
  const reading = ([time, kwh]: readonly [string, number]): DecodedReading => ({
    deviceId: 'dev_0',
    channel: 'import',
    kind: 'register',
    readAtMs: Date.parse(`2026-09-29T${time}:00Z`),
    intervalMs: 0,
    value: kwhToMilliwattHours(kwh),
    element: 0,
  });
  const first = (
    [
      ['10:00', 99.6],
      ['10:30', 100],
      ['11:00', 100.2],
      ['11:50', 100.6],
      ['12:10', 101],
      ['12:15', 101.1],
      ['12:20', 101.3],
      // A power of 120 kW is implausible, so the reading waits until readings six hours later confirm it.
      ['12:30', 121.3],
    ] as const
  ).map(reading);
  const late = (
    [
      ['12:02', 100.9],
      ['18:10', 121.4],
      ['18:20', 121.5],
    ] as const
  ).map(reading);
  for (const batch of [...first.map((one) => [one]), late])
    for (const _ of writeBatch(store, createTestDeviceHeadCache('none'), batch));
  expectReferenceResults(store.devices.get('dev_0') as StoredDevice, [...first, ...late]);
});

test('has no counting state for a series that never counts because a better series existed earlier', () => {
  const { store } = createStoreWithDevices([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
  const all = (
    [
      ['10:00', 'import', 'power', 600],
      ['12:00', 'import/t2', 'register', 100],
      ['11:00', 'import', 'register', 300],
      ['12:10', 'import', 'register', 301],
    ] as const
  ).map(
    ([time, channel, kind, value]): DecodedReading => ({
      deviceId: 'dev_0',
      channel,
      kind,
      readAtMs: Date.parse(`2026-09-29T${time}:00Z`),
      intervalMs: 0,
      value: kwhToMilliwattHours(value),
      element: 0,
    }),
  );
  for (const one of all) for (const _ of writeBatch(store, createTestDeviceHeadCache('none'), [one]));
  expectReferenceResults(store.devices.get('dev_0') as StoredDevice, all);
});
