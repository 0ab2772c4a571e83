import fc from 'fast-check';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import type { DeviceHeadCache } from '#ingest/write/head-cache.ts';
import { HOUR_MS } from '#src/core/units.ts';
import { arbitraryEdit, buildReferenceEdit } from '#test/reference/edits.ts';
import { arbitrarySettings, type ReadingHistory } from '#test/reference/histories.ts';
import { createTestDeviceHeadCache, DEVICE_HEAD_CACHE_KINDS } from '#test/support/head-caches.ts';
import type { MemoryStore } from '#test/support/memory-store.ts';
import { addEditIfValid, recomputeChunk, writeBatch } from '#test/support/planned-writes.ts';

/** Number of random histories (PLANNED_HISTORIES). */
export const HISTORY_COUNT = Number(process.env.PLANNED_HISTORIES ?? 40);
/** Number of devices in a run. */
export const DEVICE_COUNT = 4;

/** Random length of the chunks in which a worker recomputes a device's past. Infinity: all at once. */
export const arbitraryChunkLengthMs = fc.oneof(
  fc.constantFrom(1, Number.POSITIVE_INFINITY),
  fc.integer({ min: 1, max: 90 * 60_000 }),
  fc.integer({ min: 1, max: 48 * HOUR_MS }),
);

/** Random order of arrival of readings, with concurrent changes and recomputations. */
export const arbitraryArrivalScenario = fc.record({
  /** Rank of each reading in the order of arrival. Unless `shuffled`, the order is nearly chronological. */
  order: fc.array(fc.nat(1_000), { minLength: 50, maxLength: 50 }),
  shuffled: fc.boolean(),
  /** Indices of readings that arrive again at the end. */
  again: fc.array(fc.nat(), { maxLength: 20 }),
  batchSizes: fc.array(fc.constantFrom(1, 5, 20, 80, 300), { minLength: 2, maxLength: 6 }),
  /**
   * Index of the writer that continues at each step. As the writers alternate, one often changes a state with which another has already
   * planned.
   */
  turns: fc.array(fc.nat(2), { minLength: 1, maxLength: 30 }),
  /** Each writer's kind of cache. */
  memories: fc.array(fc.constantFrom(...DEVICE_HEAD_CACHE_KINDS), { minLength: 3, maxLength: 3 }),
  /** Changes of settings by owners, each before a certain step. */
  changes: fc.array(fc.record({ step: fc.nat(200), device: fc.nat(DEVICE_COUNT - 1), settings: arbitrarySettings }), {
    maxLength: 3,
  }),
  /** Edits by owners, and revocations of edits by number, each before a certain step. */
  edits: fc.array(
    fc.record({
      step: fc.nat(200),
      device: fc.nat(DEVICE_COUNT - 1),
      edit: arbitraryEdit,
      revoked: fc.option(fc.nat(5), { nil: null, freq: 2 }),
    }),
    { maxLength: 8 },
  ),
  /** Steps at which a worker recomputes a chunk of a device's past, and the chunk's length. */
  pieces: fc.array(
    fc.record({ step: fc.nat(200), device: fc.nat(DEVICE_COUNT - 1), lengthMs: arbitraryChunkLengthMs }),
    {
      maxLength: 12,
    },
  ),
  /** Length of the chunks after the last reading has arrived. */
  lastPieceMs: fc.constantFrom(7 * HOUR_MS, 50 * HOUR_MS, Number.POSITIVE_INFINITY),
});
type Delivery = typeof arbitraryArrivalScenario extends fc.Arbitrary<infer T> ? T : never;

/** Splits readings into the batches in which they arrive: out of order, and some readings twice. */
export function splitIntoBatches(all: readonly DecodedReading[], { order, shuffled, again, batchSizes }: Delivery) {
  const rank = (index: number) => (shuffled ? 0 : index * 100) + (order[index % order.length] as number);
  const byTime = all.toSorted((a, b) => a.readAtMs - b.readAtMs);
  const ranked = byTime.map((one, index) => ({ one, rank: rank(index) })).sort((a, b) => a.rank - b.rank);
  const queue = ranked.map(({ one }) => one);
  queue.push(...again.map((index) => queue[index % all.length] as DecodedReading));
  const cut: DecodedReading[][] = [];
  for (let turn = 0; queue.length > 0; turn++)
    cut.push(queue.splice(0, batchSizes[turn % batchSizes.length] as number));
  return cut;
}

/**
 * Runs three writers that take batches in turn while owners change settings. `all`: readings of each device, near which the edits begin. If
 * it is missing, there are no edits.
 */
export function runConcurrentWriters(
  store: MemoryStore,
  deviceIds: readonly string[],
  queue: DecodedReading[][],
  how: Delivery,
  all: readonly ReadingHistory['readings'][] = [],
): void {
  const writers: (Generator<void, void> | null)[] = [null, null, null];
  const memories = how.memories.map(createTestDeviceHeadCache);
  for (let step = 0; queue.length > 0 || writers.some((writer) => writer !== null); step++) {
    for (const { device, settings } of how.changes.filter((change) => change.step === step)) {
      store.set(deviceIds[device] as string, settings);
    }
    for (const { device, edit, revoked } of how.edits.filter((one) => one.step === step)) {
      const deviceId = deviceIds[device] as string;
      if (revoked !== null) store.revoke(deviceId, revoked);
      else if (all[device]) addEditIfValid(store, deviceId, buildReferenceEdit(all[device], edit));
    }
    for (const { device, lengthMs } of how.pieces.filter((one) => one.step === step)) {
      const deviceId = deviceIds[device];
      if (deviceId && store.devices.get(deviceId)?.series.size) recomputeChunk(store, deviceId, lengthMs);
    }
    const turn = how.turns[step % how.turns.length] as number;
    const index = [0, 1, 2].map((one) => (turn + one) % 3).find((one) => writers[one] !== null || queue.length > 0);
    const batch = writers[index as number] === null ? queue.shift() : undefined;
    const writer = batch
      ? writeBatch(store, memories[index as number] as DeviceHeadCache, batch)
      : (writers[index as number] as Generator<void, void>);
    writers[index as number] = writer.next().done ? null : writer;
  }
}
