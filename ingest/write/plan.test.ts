import fc from 'fast-check';
import { test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { kwhToMilliwattHours } from '#src/core/units.ts';
import { appearingHistory, history, tariffHistory } from '#test/reference/histories.ts';
import { ofDevice } from '#test/support/law.ts';
import { memoryOf } from '#test/support/memories.ts';
import type { StoredDevice } from '#test/support/memory-store.ts';
import { expectWhole } from '#test/support/planned-energy.ts';
import { batches, DEVICES, deliver, delivery, HISTORIES } from '#test/support/planned-histories.ts';
import { paired, workInAll, writing } from '#test/support/planned-writes.ts';

test.each([
  [HISTORIES, 'random histories', history],
  [Math.ceil(HISTORIES / 4), 'histories of tariffs', tariffHistory],
  [Math.ceil(HISTORIES / 2), 'histories in which something better appears', appearingHistory],
])(
  'plans %i %s in any order, batches and writer like a replay of the whole',
  (count, _, one) => {
    fc.assert(
      fc.property(fc.array(one, { minLength: DEVICES, maxLength: DEVICES }), delivery, (histories, how) => {
        const { store, devices } = paired(histories);
        const all = devices.flatMap(({ deviceId, readings }) => ofDevice(readings, deviceId));
        const deviceIds = devices.map(({ deviceId }) => deviceId);
        deliver(
          store,
          deviceIds,
          batches(all, how),
          how,
          devices.map(({ readings }) => readings),
        );
        workInAll(store, deviceIds, how.lastPieceMs);
        for (const { deviceId, readings } of devices) {
          const device = store.devices.get(deviceId) as StoredDevice;
          expectWhole(device, readings);
        }
      }),
      { numRuns: Math.ceil(count / DEVICES), endOnFailure: true },
    );
  },
  300_000,
);

test('starts the second of two late clusters, hours apart, after the changes of the first', () => {
  const { store } = paired([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
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
      // 120 kW: held, until the readings of six hours later fit it.
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
  for (const batch of [...first.map((one) => [one]), late]) for (const _ of writing(store, memoryOf('none'), batch));
  expectWhole(store.devices.get('dev_0') as StoredDevice, [...first, ...late]);
});

test('has no law state for a series that never counts, because a better one turns out to have been there before', () => {
  const { store } = paired([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
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
  for (const one of all) for (const _ of writing(store, memoryOf('none'), [one]));
  expectWhole(store.devices.get('dev_0') as StoredDevice, all);
});
