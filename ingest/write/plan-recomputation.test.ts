import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropZeroBuckets } from '#ingest/normalise/buckets.ts';
import { computeSeriesEdits } from '#ingest/normalise/edits.ts';
import { HOUR_MS, kwhToMilliwattHours } from '#src/core/units.ts';
import { getNativeQuantityName } from '#src/devices/channel-name.ts';
import {
  arbitraryClockStep,
  arbitraryEdit,
  buildReferenceClockStepEdit,
  buildReferenceEdit,
} from '#test/reference/edits.ts';
import {
  arbitraryHistory,
  arbitraryHistoryWithNewQuantities,
  arbitrarySettings,
  arbitraryTariffHistory,
  type ReadingHistory,
} from '#test/reference/histories.ts';
import { convertToReferenceReadings } from '#test/support/counting-rules.ts';
import { createTestDeviceHeadCache } from '#test/support/head-caches.ts';
import { type MemoryStore, readWholeLoadProfile, type StoredDevice } from '#test/support/memory-store.ts';
import { expectCountingRuleResults, expectDeepEqual, expectReferenceResults } from '#test/support/planned-energy.ts';
import { arbitraryChunkLengthMs, HISTORY_COUNT } from '#test/support/planned-histories.ts';
import {
  addEditIfValid,
  createStoreWithDevices,
  recomputeAllChunks,
  recomputeChunk,
  writeBatch,
} from '#test/support/planned-writes.ts';

/** Meanings that an owner may set for a quantity. */
const MEANINGS = ['import', 'export', 'import/t1', 'import/t2', 'export/t1', 'import/l1', 'gas', 'heat', 'ignored'];

/** Random events of a device. */
const event = fc.oneof(
  { weight: 2, arbitrary: fc.record({ share: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 3, arbitrary: fc.record({ edit: arbitraryEdit }) },
  { weight: 2, arbitrary: fc.record({ step: arbitraryClockStep }) },
  { weight: 2, arbitrary: fc.record({ revoked: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ settings: arbitrarySettings }) },
  { weight: 3, arbitrary: fc.record({ meaning: fc.nat(20), countsAs: fc.constantFrom(null, ...MEANINGS) }) },
  { weight: 6, arbitrary: fc.record({ lengthMs: arbitraryChunkLengthMs }) },
);

test('applies and reverts edits and settings in chunks, whatever arrives in between', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        { weight: 2, arbitrary: arbitraryHistory },
        { weight: 2, arbitrary: arbitraryHistoryWithNewQuantities },
        { weight: 1, arbitrary: arbitraryTariffHistory },
      ),
      fc.array(event, { minLength: 10, maxLength: 40 }),
      fc.nat(),
      fc.constantFrom(50 * HOUR_MS, Number.POSITIVE_INFINITY),
      (one, done, order, lastPieceMs) => {
        const { store, devices } = createStoreWithDevices([one]);
        const device = store.devices.get('dev_0') as StoredDevice;
        const rank = (index: number) => ((index + 1) * (order % 977)) % 1_009;
        const all = convertToReferenceReadings(devices[0]?.readings ?? [], 'dev_0');
        const left =
          order % 2 === 0
            ? [...all]
            : all
                .map((reading, index) => ({ reading, at: rank(index) }))
                .sort((a, b) => a.at - b.at)
                .map(({ reading }) => reading);
        const come = (share: number) => {
          const batch = left.splice(0, Math.ceil((all.length * share) / 100));
          if (batch.length > 0) for (const _ of writeBatch(store, createTestDeviceHeadCache('none'), batch));
        };
        come(20);
        let checked = 0;
        for (const next of done) {
          if ('share' in next) come(next.share);
          else if ('edit' in next) addEditIfValid(store, 'dev_0', buildReferenceEdit(one.readings, next.edit));
          else if ('step' in next)
            addEditIfValid(store, 'dev_0', buildReferenceClockStepEdit(one.readings, next.step, device.edits));
          else if ('revoked' in next) store.revoke('dev_0', next.revoked);
          else if ('settings' in next) store.set('dev_0', next.settings);
          else if ('meaning' in next) setMeaningOf(store, 'dev_0', next.meaning, next.countsAs);
          else recomputeChunk(store, 'dev_0', next.lengthMs);
          if (device.version > checked) expectCountingRuleResults(device);
          checked = device.version;
        }
        come(100);
        recomputeAllChunks(store, ['dev_0'], lastPieceMs);
        expectAtOnce(device, one.readings);
        for (const name of Object.keys(device.channelSettings)) store.setMeaning('dev_0', name, null);
        recomputeAllChunks(store, ['dev_0'], lastPieceMs);
        expectReferenceResults(device, one.readings);
      },
    ),
    { numRuns: Math.ceil(HISTORY_COUNT / 4), endOnFailure: true },
  );
});

/** Sets the meaning of a quantity as the API does. */
function setMeaningOf(store: MemoryStore, deviceId: string, index: number, countsAs: string | null): void {
  const series = [...(store.devices.get(deviceId) as StoredDevice).series.values()];
  const one = series[index % series.length];
  if (one) store.setMeaning(deviceId, getNativeQuantityName(one), countsAs);
}

/** Checks that the rows are as if the owner had set all meanings before the first reading. */
function expectAtOnce(device: StoredDevice, readings: ReadingHistory['readings']): void {
  const { settings, channelSettings, edits } = device;
  const { store } = createStoreWithDevices([{ ...settings, readings: [] }]);
  const other = store.devices.get('dev_0') as StoredDevice;
  other.channelSettings = channelSettings;
  for (const _ of writeBatch(store, createTestDeviceHeadCache('none'), convertToReferenceReadings(readings, 'dev_0')));
  for (const { editId: _id, isInForce, counted: _counted, ...edit } of edits) if (isInForce) store.edit('dev_0', edit);
  recomputeAllChunks(store, ['dev_0'], Number.POSITIVE_INFINITY);
  expectDeepEqual(
    dropZeroBuckets(new Map(readWholeLoadProfile(device))),
    dropZeroBuckets(new Map(readWholeLoadProfile(other))),
  );
  const metersOf = (one: StoredDevice) =>
    Object.fromEntries(
      [...one.meters]
        .map(([meter, profile]) => [meter, dropZeroBuckets(new Map(profile))])
        .filter(([, profile]) => (profile as Map<number, unknown>).size > 0),
    );
  expectDeepEqual(metersOf(device), metersOf(other));
  for (const [name, one] of device.series) {
    const same = other.series.get(name) as typeof one;
    for (const member of ['roles', 'earlierRoles', 'lastReadAtMs', 'tail', 'verdicts', 'points'] as const)
      if (member === 'points') expect(one.points.size).toBe(same.points.size);
      else expectDeepEqual(one[member], same[member], member);
  }
}

test('applies edits that were made or revoked together with a setting in the same pass as the setting', () => {
  const { store } = createStoreWithDevices([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
  const device = store.devices.get('dev_0') as StoredDevice;
  const at = (hour: number) => Date.UTC(2026, 8, 29, hour);
  const readings = [0, 1, 5, 6, 7].map((hour) => ({
    channel: 'import',
    kind: 'register' as const,
    readAtMs: at(hour),
    intervalMs: 0,
    value: kwhToMilliwattHours(100 + hour),
  }));
  const write = () => {
    for (const _ of writeBatch(store, createTestDeviceHeadCache('all'), convertToReferenceReadings(readings, 'dev_0')));
    recomputeAllChunks(store, ['dev_0'], HOUR_MS);
    expectReferenceResults(device, readings);
  };
  write();
  const series = { channel: 'import', kind: 'register' };
  store.set('dev_0', { ...device.settings, limitKw: 90 });
  store.edit('dev_0', { ...series, fromMs: at(2), toMs: at(2) + 1, value: kwhToMilliwattHours(104) });
  store.edit('dev_0', { ...series, fromMs: at(6), toMs: at(9), value: null });
  write();
  store.set('dev_0', { ...device.settings, limitKw: 80 });
  store.revoke('dev_0', 0);
  write();
});

test('keeps a manual reading at the instant of a revoked clock step that lies within an excluded time', () => {
  const { store } = createStoreWithDevices([{ readings: [], limitKw: 100, registerMaxKwh: null, maxGapMinutes: 15 }]);
  const device = store.devices.get('dev_0') as StoredDevice;
  const at = (hour: number) => Date.UTC(2026, 8, 29, hour);
  const series = { channel: 'import', kind: 'register' as const };
  const readings = [0, 1, 2, 3, 4, 5].map((hour) => ({
    ...series,
    readAtMs: at(hour),
    intervalMs: 0,
    value: kwhToMilliwattHours(100 + hour),
  }));
  const value = kwhToMilliwattHours(102);
  for (const _ of writeBatch(store, createTestDeviceHeadCache('all'), convertToReferenceReadings(readings, 'dev_0')));
  store.edit('dev_0', { ...series, fromMs: at(2), toMs: at(3), value, instants: new Set([at(2)]) });
  recomputeAllChunks(store, ['dev_0'], Number.POSITIVE_INFINITY);
  store.revoke('dev_0', 0);
  store.edit('dev_0', { ...series, fromMs: at(2), toMs: at(2) + 1, value });
  store.edit('dev_0', { ...series, fromMs: at(1), toMs: at(4), value: null });
  recomputeAllChunks(store, ['dev_0'], Number.POSITIVE_INFINITY);
  expectReferenceResults(device, readings);
});

test('applies a later clock step that set the clock to before an earlier step from the earlier step’s time on', () => {
  const edit = { channel: 'import', kind: 'register', value: null, isInForce: true };
  const first = {
    ...edit,
    editId: 'edt_1',
    fromMs: 1_000,
    toMs: 5_000,
    instants: new Set([2_000]),
    counted: { fromMs: 1_000, toMs: 5_000 },
  };
  const later = { ...edit, editId: 'edt_2', fromMs: 2_000, toMs: 6_000, instants: new Set([2_000]), counted: null };
  const { changed, stepsBack } = computeSeriesEdits([first, later], 'import', 'register', 3_000);
  // The two backward steps of the clock are equal, but come from two edits, so both are applied.
  expect(stepsBack.after).toEqual([
    { atMs: 1_000, byMs: 4_000 },
    { atMs: 1_000, byMs: 4_000 },
  ]);
  expect([stepsBack.changed, changed]).toEqual([
    { firstMs: 1_000, lastMs: 1_000 },
    { firstMs: 1_000, lastMs: 2_999 },
  ]);
});
