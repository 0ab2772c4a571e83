import { expect } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { CountingSettings } from '#ingest/normalise/counting-rule.ts';
import { findPendingEditStartMs } from '#ingest/normalise/edits.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import { collectReadings } from '#ingest/write/collect.ts';
import {
  type DeviceState,
  formatSeriesName,
  hasReadingAfterLastSplit,
  isEverySeriesPastEdits,
} from '#ingest/write/device-state.ts';
import { areReadingsInOrder } from '#ingest/write/head.ts';
import type { DeviceHeadCache } from '#ingest/write/head-cache.ts';
import { type DeviceWritePlan, planDeviceWrites } from '#ingest/write/plan.ts';
import type { ReadingStretch } from '#ingest/write/stretch.ts';
import { findRangesWithOutdatedRoles } from '#ingest/write/target-roles.ts';
import type { ReferenceEdit } from '#test/reference/edits.ts';
import type { ReadingHistory } from '#test/reference/histories.ts';
import { createMemoryStore, type MemoryStore, type StoredDevice } from '#test/support/memory-store.ts';

const NOTHING = Buffer.alloc(0);

/**
 * Writes a batch in steps: takes the devices from the cache or loads them, plans, loads the stored readings that the plans need, plans
 * again, commits, and updates the cache. Other writers may run at each yield.
 */
export function* writeBatch(
  store: MemoryStore,
  memory: DeviceHeadCache,
  batch: readonly DecodedReading[],
): Generator<void, void> {
  const message = { topic: '', payload: NOTHING, receivedAtMs: Number.MAX_SAFE_INTEGER };
  const messages = batch.map((one) => ({
    ...message,
    decoded: { deviceId: one.deviceId, readings: [one], rejections: [] },
  }));
  const collected = collectReadings(messages, Number.NEGATIVE_INFINITY);
  for (;;) {
    const plans: { plan: DeviceWritePlan; version: number }[] = [];
    for (const [deviceId, arrived] of collected.series) {
      const remembered = memory.get(deviceId);
      const head = remembered && areReadingsInOrder(remembered, arrived) ? remembered : null;
      let { device, version } = head ? { device: head, version: head.version } : store.load(deviceId);
      const stretches = new Map<number, ReadingStretch[]>();
      for (;;) {
        yield;
        const planned = planDeviceWrites(device, arrived, stretches);
        if ('series' in planned) {
          plans.push({ plan: planned, version });
          break;
        }
        // A cached device state lacks the series' splits, which a replay needs, so the device is loaded.
        if (device === head) {
          ({ device, version } = store.load(deviceId));
          continue;
        }
        for (const one of planned.wanted) {
          stretches.set(one.seriesId, [...(stretches.get(one.seriesId) ?? []), store.stretch(one)]);
        }
      }
    }
    if (!store.commit(plans)) {
      memory.evict(collected.series.keys());
      continue;
    }
    for (const deviceId of collected.series.keys()) {
      const { device, version } = store.load(deviceId);
      memory.set({ ...device, version, open: null, isSettled: isSettled(device) });
    }
    const all = plans.flatMap(({ plan }) => plan.series);
    const count = (of: (plan: (typeof all)[number]) => number) => all.reduce((sum, plan) => sum + of(plan), 0);
    const stored = count(({ inserts, lowered }) => inserts.length + lowered.length);
    const duplicates = count((plan) => plan.duplicates) + collected.duplicates;
    // A stored reading that is replaced by a lower value counts as rejected.
    const rejected = count(({ rejects, lowered }) => rejects.length - lowered.length) + collected.rejects.length;
    if (stored + duplicates + rejected !== batch.length)
      throw new Error(`${stored}, ${duplicates}, ${rejected}: not all of ${batch.length}`);
    return;
  }
}

/** Recomputes one chunk of a device, from the earliest pending time on. `lengthMs`: length of the chunk. */
export function recomputeChunk(store: MemoryStore, deviceId: string, lengthMs: number): void {
  const { device, version } = store.load(deviceId);
  if (device.computedWith === null) return;
  const openMs = (device.edits ?? []).flatMap((edit) => findPendingEditStartMs(edit) ?? []);
  const roles = findRangesWithOutdatedRoles(device, [...device.series.values()]);
  const settingsFrom = findRangeComputedWithOtherSettings(device.computedWith, device.settings);
  const otherwise = [...roles.values(), ...(settingsFrom ? [settingsFrom] : [])];
  const { series } = store.devices.get(deviceId) as StoredDevice;
  const times = [...series.values()].flatMap(({ points }) => [...points.values()].map(({ readAtMs }) => readAtMs));
  // The time range of a changed setting has no end. Some ranges have no start either, and then begin at the first reading.
  for (const { fromMs } of otherwise) openMs.push(Math.max(fromMs, Math.min(...times)));
  const reachedMs = Math.min(...openMs) + lengthMs;
  const isLast = otherwise.length > 0 && reachedMs > Math.max(...times);
  const pieceUntilMs = isLast ? Number.POSITIVE_INFINITY : reachedMs;
  const stretches = new Map<number, ReadingStretch[]>();
  for (;;) {
    const planned = planDeviceWrites({ ...device, pieceUntilMs }, new Map(), stretches);
    if ('series' in planned) {
      expect(store.commit([{ plan: planned, version }])).toBe(true);
      return;
    }
    for (const one of planned.wanted) {
      // Loads fewer readings than requested, so that short histories also test the loading of further ones.
      const near = one.back === 1_024 && !one.lookFor ? { back: 3 } : {};
      const far = one.beyond === 1_024 && !one.lookFor ? { beyond: 16 } : {};
      const stretch = store.stretch({ ...one, ...near, ...far });
      stretches.set(one.seriesId, [...(stretches.get(one.seriesId) ?? []), stretch]);
    }
  }
}

/** Recomputes chunks until no device has a pending edit or setting. */
export function recomputeAllChunks(store: MemoryStore, deviceIds: readonly string[], lengthMs: number): void {
  for (const deviceId of deviceIds) {
    while (store.devices.get(deviceId)?.computedWith) recomputeChunk(store, deviceId, lengthMs);
  }
}

/** Whether the state of a device may be cached, by the rule of `load.ts`. */
const isSettled = ({ computedWith, edits = [], series }: DeviceState): boolean =>
  computedWith === null &&
  [...series.values()].every(hasReadingAfterLastSplit) &&
  isEverySeriesPastEdits(
    edits,
    [...series.values()].map((one) => [one.seriesId as number, one.lastReadAtMs as number, one.tail] as const),
  );

/**
 * Adds an edit unless it is invalid. An edit with a manual value is invalid if the channel has no register, or already has a manual value
 * for this time.
 */
export function addEditIfValid(store: MemoryStore, deviceId: string, edit: ReferenceEdit): void {
  const { edits, series } = store.devices.get(deviceId) as StoredDevice;
  const { channel, value, fromMs } = edit;
  const isTaken = edits.some(
    (one) => one.isInForce && one.value !== null && one.channel === channel && one.fromMs === fromMs,
  );
  if (value !== null && (isTaken || !series.has(formatSeriesName(channel as string, 'register')))) return;
  store.edit(deviceId, edit);
}

/** Creates a store with the devices `dev_0`, `dev_1`, … with these settings and without readings. */
export function createStoreWithDevices(
  histories: readonly ({ readings: ReadingHistory['readings'] } & CountingSettings)[],
) {
  const store = createMemoryStore();
  const devices = histories.map(({ readings, ...settings }, index) => {
    const deviceId = `dev_${index}`;
    store.pair(deviceId, settings);
    return { deviceId, readings };
  });
  return { store, devices };
}
