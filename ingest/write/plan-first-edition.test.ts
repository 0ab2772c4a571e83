import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { dropZeroBuckets } from '#ingest/normalise/buckets.ts';
import { chooseSeriesRoles } from '#ingest/normalise/channels.ts';
import { type CountingSettings, type CountingVerdict, compareSeriesReadings } from '#ingest/normalise/counting-rule.ts';
import { replayReadings } from '#ingest/normalise/replay.ts';
import { areSeriesRolesEqual, type SeriesRolesByTime } from '#ingest/normalise/roles-by-time.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import {
  arbitraryHistory,
  arbitraryHistoryWithNewQuantities,
  arbitraryTariffHistory,
} from '#test/reference/histories.ts';
import { convertToReferenceReadings } from '#test/support/counting-rules.ts';
import { createFirstRegisterCountingRule } from '#test/support/first-counting-rule.ts';
import { readWholeLoadProfile, type StoredDevice } from '#test/support/memory-store.ts';
import { expectReferenceEnergy, expectReferenceResults } from '#test/support/planned-energy.ts';
import {
  arbitraryArrivalScenario,
  HISTORY_COUNT,
  runConcurrentWriters,
  splitIntoBatches,
} from '#test/support/planned-histories.ts';
import { createStoreWithDevices, recomputeAllChunks } from '#test/support/planned-writes.ts';
import { addIntervalToDeltas } from './deltas.ts';

/**
 * Replaces the stored results of a device by those of the first version of the counting rules. Returns whether consumption or verdicts
 * (such as `glitch`) differ.
 */
function asStoredBefore(device: StoredDevice): boolean {
  const { series, settings } = device;
  const all = () => [
    ...[readWholeLoadProfile(device), ...device.meters.values()].map((one) => dropZeroBuckets(new Map(one))),
    ...[...series.values()].map(({ verdicts }) => verdicts),
  ];
  const before = all();
  device.profile = new Map();
  device.meters = new Map();
  device.open = null;
  // In the first version, a single series supplied the energy of the whole history. If the present roles differ, the device is marked for a
  // recomputation, as a software update does.
  const chosen = chooseSeriesRoles([...series.values()].map(({ channel, kind }) => ({ channel, kind })));
  for (const [index, one] of [...series.values()].entries()) {
    const { roles } = chosen[index] as SeriesRolesByTime;
    if (one.earlierRoles || !areSeriesRolesEqual(one.roles, roles)) device.computedWith ??= settings;
    delete one.earlierRoles;
    one.roles = roles;
    one.tail = null;
    one.verdicts = new Map();
    const rule = selectCountingRule(one.channel, one.kind, one.roles, settings);
    if (!rule) continue;
    const points = [...one.points.values()].sort(compareSeriesReadings);
    const old =
      one.kind === 'register' && createFirstRegisterCountingRule(settings, parseChannel(one.channel).direction);
    const { intervals, verdicts, state } = old
      ? replayReadings(old, old.initial, points)
      : replayReadings(rule, rule.initial, points);
    for (const interval of intervals)
      addIntervalToDeltas({ own: device.profile, meters: device.meters }, interval, one.roles, 1);
    one.verdicts = new Map([...verdicts].map(([key, { verdict }]) => [key, verdict as CountingVerdict]));
    one.tail = JSON.stringify(state);
    if (!old) continue;
    // The first version spread the energy of a tariff register evenly over the time between two readings.
    if (one.roles.isTariff) one.tariffSinceMs = one.lastReadAtMs as number;
  }
  return !isDeepStrictEqual(before, all());
}

test('continues from rows that the first edition computed, and gives the second edition’s results after a recomputation', () => {
  const share = fc.integer({ min: 1, max: 99 });
  const changed = (one: CountingSettings): CountingSettings => ({ ...one, maxGapMinutes: one.maxGapMinutes + 5 });
  const installations = Math.max(20, Math.ceil(HISTORY_COUNT / 10));
  let others = 0;
  fc.assert(
    fc.property(
      fc.oneof(arbitraryHistory, arbitraryTariffHistory, arbitraryHistoryWithNewQuantities),
      arbitraryArrivalScenario,
      share,
      (one, how, percent) => {
        const { store } = createStoreWithDevices([one]);
        const device = store.devices.get('dev_0') as StoredDevice;
        const all = splitIntoBatches(convertToReferenceReadings(one.readings, 'dev_0'), how);
        const [last] = convertToReferenceReadings(one.readings.slice(-1), 'dev_0');
        runConcurrentWriters(store, ['dev_0'], all.splice(0, Math.ceil((all.length * percent) / 100)), {
          ...how,
          changes: [],
          edits: [],
        });
        const isOther = store.rewrite('dev_0', asStoredBefore);
        runConcurrentWriters(store, ['dev_0'], all, { ...how, changes: [], edits: [] });
        if (isOther) others++;
        // Late readings do not change the energy of tariff registers that the first version stored.
        const hasTariffs = [...device.series.values()].some(({ roles }) => roles.isTariff);
        if (!isOther && !hasTariffs && device.computedWith === null) expectReferenceEnergy(device, one.readings);
        store.set('dev_0', changed(device.settings));
        runConcurrentWriters(store, ['dev_0'], [[last as DecodedReading]], {
          ...how,
          changes: [],
          edits: [],
          pieces: [],
        });
        recomputeAllChunks(store, ['dev_0'], how.lastPieceMs);
        expectReferenceResults(device, one.readings);
      },
    ),
    { numRuns: installations, endOnFailure: true },
  );
  // The test is meaningful only if the results differ often enough.
  expect(others).toBeGreaterThan(installations / 25);
});
