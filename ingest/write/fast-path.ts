import type { ReadonlyQuarterHourBuckets } from '#ingest/normalise/buckets.ts';
import { HOUR_MS } from '#src/core/units.ts';
import type { Measure } from '#src/rollups/levels.ts';
import type { DecodedReading } from '../decoders/decoder.ts';
import type { IncomingMessage } from '../message.ts';
import { BYTES_PER_NUMBER, type ByteRing } from './byte-ring.ts';
import { explainInvalidTime } from './collect.ts';
import { createDeltaRows, type DeltaRow } from './deltas.ts';
import { createDeviceHeadVersion } from './head.ts';
import type { DeviceHeadCache } from './head-cache.ts';
import {
  DEVICE_HEAD_RECORD_OFFSETS,
  getRecordLengthAt,
  readUserIdFromRecord,
  type SeriesNameRegistry,
  writeCountingStatesOfRecord,
  writeOpenHourOfRecord,
} from './head-record.ts';
import { DeviceHeadWorkingCopies, REPEATED_READING_RESULT, type SlowPathReason } from './head-working-copies.ts';
import { createTextWriter, type EncodedTextElements, type TextWriter } from './statement.ts';

/** Result of the fast path, which processes readings with the cached state of their device. */
export interface FastPathResult {
  /** Ids of the devices that the fast path has processed. */
  readonly deviceIds: readonly string[];
  /** Per device in `deviceIds`: the old and new version of its state, and the columns to store. */
  readonly was: readonly number[];
  readonly versions: readonly number[];
  readonly states: EncodedTextElements;
  readonly opens: EncodedTextElements;
  readonly seriesIds: readonly number[];
  readonly readings: readonly DecodedReading[];
  /** Number of readings that were already stored. */
  readonly duplicates: number;
  /** Consumption of hours that have ended, because a later hour of the device began. */
  readonly closed: readonly DeltaRow[];
  /** Changed hours (Unix ms). `isOpen`: whether the hour has not ended yet. */
  readonly changes: readonly { readonly hourMs: number; readonly userId: string; readonly isOpen: boolean }[];
  /** Messages that the slow path must process. */
  readonly others: readonly IncomingMessage[];
  /** Why the fast path could not process a device whose state is cached. */
  readonly reasons: ReadonlyMap<string, SlowPathReason>;
}

const NO_TEXTS: EncodedTextElements = { bytes: Buffer.alloc(0), count: 0 };

export const EMPTY_FAST_PATH_RESULT: FastPathResult = {
  deviceIds: [],
  was: [],
  versions: [],
  states: NO_TEXTS,
  opens: NO_TEXTS,
  seriesIds: [],
  readings: [],
  duplicates: 0,
  closed: [],
  changes: [],
  others: [],
  reasons: new Map(),
};

/** Combines two results that have no device in common. `others` is taken from `next`. */
export function mergeFastPathResults(one: FastPathResult, next: FastPathResult): FastPathResult {
  if (one.deviceIds.length === 0) return next;
  if (next.deviceIds.length === 0) return one;
  const texts = (a: EncodedTextElements, b: EncodedTextElements): EncodedTextElements => ({
    bytes: Buffer.concat([a.bytes, b.bytes]),
    count: a.count + b.count,
  });
  return {
    deviceIds: [...one.deviceIds, ...next.deviceIds],
    was: [...one.was, ...next.was],
    versions: [...one.versions, ...next.versions],
    states: texts(one.states, next.states),
    opens: texts(one.opens, next.opens),
    seriesIds: [...one.seriesIds, ...next.seriesIds],
    readings: [...one.readings, ...next.readings],
    duplicates: one.duplicates + next.duplicates,
    closed: [...one.closed, ...next.closed],
    changes: [...one.changes, ...next.changes],
    others: next.others,
    reasons: next.reasons,
  };
}

/** Changes of these measures are recorded, so that background workers process the changed hours. */
const NOTED: readonly Measure[] = ['energyMilliwattHours', 'coveredMs'];

/**
 * Processes nearly all readings: those that follow the last reading of their series by less than an hour, and need no special rule (such as
 * for a glitch or an estimate). It updates numbers in reused memory, whereas the slow path (plan.ts) creates objects. If a batch contains
 * anything else from a device, the slow path processes all messages of this device.
 */
export class FastPath {
  readonly #memory: DeviceHeadCache;
  readonly #heads = new DeviceHeadWorkingCopies();
  readonly #texts = { states: createTextWriter(), opens: createTextWriter() };

  constructor(memory: DeviceHeadCache) {
    this.#memory = memory;
  }

  /**
   * Processes the messages of a batch, and caches the new states of devices. If the transaction fails, the caller must evict them.
   * `oldestMs`: readings from before this Unix time are left to the slow path.
   */
  step(batch: readonly IncomingMessage[], oldestMs: number): FastPathResult {
    const { ring, names } = this.#memory.records();
    const found = this.#memory.offsetsOf(batch.map(({ decoded }) => decoded.deviceId));
    const round = new Round(this.#heads, ring, names, oldestMs);
    for (let index = 0; index < batch.length; index++)
      round.take(batch[index] as IncomingMessage, found[index] as number);
    return round.finish(batch, this.#texts);
  }
}

type Change = FastPathResult['changes'][number];

/** State of the fast path during one batch. */
class Round {
  readonly #heads: DeviceHeadWorkingCopies;
  readonly #ring: ByteRing;
  readonly #names: SeriesNameRegistry;
  readonly #oldestMs: number;
  /**
   * For each device of the batch: its id, the index of its record in the cache, the index of its copy in `#heads`, and the reason why the
   * slow path must process the device (null if there is none).
   */
  readonly #ids: string[] = [];
  readonly #records: number[] = [];
  readonly #places: number[] = [];
  readonly #reasons: (SlowPathReason | null)[] = [];
  readonly #isChanged: boolean[] = [];
  /** Hours that have ended, because a later reading of their device arrived. */
  readonly #closed: { device: number; hour: number; isChanged: boolean; quarters: ReadonlyQuarterHourBuckets }[] = [];
  readonly #known: number[] = [];
  #used = 0;
  /** Index of the device of each message; -1 if its state is not cached. */
  readonly #deviceOf: number[] = [];
  readonly #rowDevices: number[] = [];
  readonly #rowSeries: number[] = [];
  readonly #rows: DecodedReading[] = [];

  constructor(heads: DeviceHeadWorkingCopies, ring: ByteRing, names: SeriesNameRegistry, oldestMs: number) {
    this.#heads = heads;
    this.#ring = ring;
    this.#names = names;
    this.#oldestMs = oldestMs;
  }

  /** `place`: offset of the device's record in the cache, in bytes; -1 if there is none. */
  take(message: IncomingMessage, place: number): void {
    const { deviceId, readings, rejections, status } = message.decoded;
    const device = place === -1 ? -1 : this.#deviceAt(deviceId, place / BYTES_PER_NUMBER);
    this.#deviceOf.push(device);
    if (device === -1 || this.#reasons[device] !== null) return;
    if (readings.length === 0 || rejections.length > 0 || status !== undefined)
      this.#reasons[device] = 'more than readings';
    else this.#takeReadings(device, message);
  }

  /** Caches the new states of devices, and returns the changes. */
  finish(
    batch: readonly IncomingMessage[],
    { states, opens }: { states: TextWriter; opens: TextWriter },
  ): FastPathResult {
    states.clear();
    opens.clear();
    const ids = this.#ids;
    // Sorted by device id like the index of the table, so that the database writes neighbouring rows together.
    const taken = [...ids.keys()]
      .filter((device) => this.#reasons[device] === null)
      .sort((a, b) => ((ids[a] as string) < (ids[b] as string) ? -1 : 1));
    const { closed, changes } = this.#closedHours();
    const { was, versions } = this.#store(taken, { states, opens, changes });
    const isTaken = (_: unknown, row: number) => this.#reasons[this.#rowDevices[row] as number] === null;
    return {
      deviceIds: taken.map((device) => ids[device] as string),
      was,
      versions,
      states: states.take(),
      opens: opens.take(),
      seriesIds: this.#rowSeries.filter(isTaken),
      readings: this.#rows.filter(isTaken),
      duplicates: taken.reduce((sum, device) => sum + (this.#known[device] as number), 0),
      closed,
      changes,
      others: batch.filter((_, index) => {
        const device = this.#deviceOf[index] as number;
        return device === -1 || this.#reasons[device] !== null;
      }),
      reasons: this.#reasonsById(),
    };
  }

  /** Returns the index of a device in the batch. Copies its state at its first message. */
  #deviceAt(deviceId: string, record: number): number {
    const from = this.#ring.numbers;
    const marked = from[record + DEVICE_HEAD_RECORD_OFFSETS.mark] as number;
    // `marked` may come from an earlier batch. It is valid only if the device at this index of this batch has the same record.
    if (this.#records[marked] === record) return marked;
    const length = getRecordLengthAt(from, record);
    this.#heads.makeRoom(this.#used + length);
    copyNumbers(from, record, this.#heads.numbers, this.#used, length);
    from[record + DEVICE_HEAD_RECORD_OFFSETS.mark] = this.#ids.length;
    this.#records.push(record);
    this.#places.push(this.#used);
    this.#reasons.push(null);
    this.#isChanged.push(false);
    this.#known.push(0);
    this.#used += length;
    return this.#ids.push(deviceId) - 1;
  }

  #takeReadings(device: number, message: IncomingMessage): void {
    const head = this.#places[device] as number;
    const { sums } = this.#heads;
    for (const reading of message.decoded.readings) {
      const isTimely = explainInvalidTime(reading, message.judgedAtMs ?? message.receivedAtMs, this.#oldestMs) === null;
      const name = this.#names.find(reading.channel, reading.kind);
      const taken = isTimely ? this.#heads.take(head, name, reading) : 'refused time';
      if (typeof taken === 'string') {
        this.#reasons[device] = taken;
        return;
      }
      if (taken === REPEATED_READING_RESULT) {
        this.#known[device] = (this.#known[device] as number) + 1;
        continue;
      }
      const isChanged = this.#isChanged[device] || sums.has(0, NOTED);
      const { closed: quarters } = this.#heads;
      if (quarters) {
        const hour = (this.#heads.numbers[head + DEVICE_HEAD_RECORD_OFFSETS.hour] as number) - 1;
        this.#closed.push({ device, hour, isChanged, quarters });
      }
      this.#isChanged[device] = quarters ? sums.has(1, NOTED) : isChanged;
      this.#rowDevices.push(device);
      this.#rowSeries.push(taken);
      this.#rows.push(reading);
    }
  }

  /** Returns the hours that have ended or changed. Omits devices that the slow path must process. */
  #closedHours(): { closed: DeltaRow[]; changes: Change[] } {
    const [closed, changes]: [DeltaRow[], Change[]] = [[], []];
    for (const { device, hour, isChanged, quarters } of this.#closed) {
      if (this.#reasons[device] !== null) continue;
      const userId = readUserIdFromRecord(this.#ring, this.#records[device] as number);
      closed.push(...createDeltaRows(this.#ids[device] as string, userId, quarters));
      if (isChanged) changes.push({ hourMs: hour * HOUR_MS, userId, isOpen: false });
    }
    return { closed, changes };
  }

  /** Gives the state of each device a new version, encodes the states for the database, and caches them. */
  #store(
    taken: readonly number[],
    { states, opens, changes }: { states: TextWriter; opens: TextWriter; changes: Change[] },
  ): { was: number[]; versions: number[] } {
    const { numbers } = this.#heads;
    const [was, versions]: [number[], number[]] = [[], []];
    for (const device of taken) {
      const [head, record] = [this.#places[device] as number, this.#records[device] as number];
      if (this.#isChanged[device]) {
        const hourMs = (numbers[head + DEVICE_HEAD_RECORD_OFFSETS.hour] as number) * HOUR_MS;
        changes.push({ hourMs, userId: readUserIdFromRecord(this.#ring, record), isOpen: true });
      }
      was.push(numbers[head + DEVICE_HEAD_RECORD_OFFSETS.version] as number);
      const version = createDeviceHeadVersion();
      versions.push(version);
      numbers[head + DEVICE_HEAD_RECORD_OFFSETS.version] = version;
      writeCountingStatesOfRecord(states, numbers, head);
      writeOpenHourOfRecord(opens, numbers, head);
      copyNumbers(numbers, head, this.#ring.numbers, record, getRecordLengthAt(numbers, head));
    }
    return { was, versions };
  }

  #reasonsById(): Map<string, SlowPathReason> {
    const reasons = new Map<string, SlowPathReason>();
    for (const [device, reason] of this.#reasons.entries())
      if (reason !== null) reasons.set(this.#ids[device] as string, reason);
    return reasons;
  }
}

/** A separate function, so that the engine optimises it. Otherwise each number would become an object. */
function copyNumbers(from: Float64Array, fromPlace: number, to: Float64Array, toPlace: number, count: number): void {
  for (let index = 0; index < count; index++) to[toPlace + index] = from[fromPlace + index] as number;
}
