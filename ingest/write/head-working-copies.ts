import { addIntervalToBuckets, type ReadonlyQuarterHourBuckets } from '#ingest/normalise/buckets.ts';
import type { CountingResultReceiver, CountingSettings, EnergyInterval } from '#ingest/normalise/counting-rule.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import {
  deriveRegisterIncrements,
  findEnclosingIncrement,
  findEndOfLatestRise,
  hasCountedEnergy,
} from '#ingest/normalise/tariffs.ts';
import type { DecodedReading } from '../decoders/decoder.ts';
import { packCountingState, unpackCountingState } from './counting-state.ts';
import {
  canReadingChangeSeriesRoles,
  DEVICE_HEAD_RECORD_OFFSETS,
  findSeriesBlockIndex,
  getRecordLengthAt,
  readSettingsFromRecord,
  SERIES_BLOCK_LENGTH,
  SERIES_BLOCK_OFFSETS,
  unpackSeriesRoles,
} from './head-record.ts';
import { extractQuarterHours, OpenHourSums } from './open-hour.ts';

/** Reasons why the slow path must process a device. */
export type SlowPathReason =
  | 'more than readings'
  | 'new series'
  | 'refused time'
  | 'late'
  | 'role'
  | 'commodity'
  | 'verdict'
  | 'tariffs'
  | 'hour'
  | 'state';

/** Result for a reading that repeats the previous reading. Some meters repeat a reading for an hour. */
export const REPEATED_READING_RESULT = -1;

/** Length of the record of a meter with one series, counted in numbers. */
const USUAL_PLACES = DEVICE_HEAD_RECORD_OFFSETS.series + SERIES_BLOCK_LENGTH;

/** Copies of the states of a batch's devices. The fast path updates these copies. */
export class DeviceHeadWorkingCopies {
  numbers = new Float64Array(USUAL_PLACES * 64);
  readonly sums = new OpenHourSums();
  /** Consumption of the hour that the reading has ended; null if the reading has ended no hour. */
  closed: ReadonlyQuarterHourBuckets | null = null;
  readonly #settings: { -readonly [K in keyof CountingSettings]: CountingSettings[K] } = {
    limitKw: 0,
    registerMaxKwh: null,
    maxGapMinutes: 0,
  };
  #roles = unpackSeriesRoles(0);
  #isPlain = true;
  /**
   * Increments of a tariff register that the current reading has caused. If another tariff register rises at the same time, the slow path
   * must distribute the energy of both.
   */
  readonly #risen: EnergyInterval[] = [];
  readonly #findings: CountingResultReceiver = {
    interval: (interval: EnergyInterval) => {
      addIntervalToBuckets(this.sums, interval, this.#roles, 1);
      // Only the slow path adds the energy of estimated exports to its separate total.
      if (interval.estimated) this.#isPlain = false;
      if (this.#roles.isTariff && hasCountedEnergy(interval)) this.#risen.push(interval);
    },
    verdict: () => {
      this.#isPlain = false;
    },
    takeBack: () => {
      this.#isPlain = false;
    },
  };

  makeRoom(places: number): void {
    if (places <= this.numbers.length) return;
    const larger = new Float64Array(2 * places);
    larger.set(this.numbers);
    this.numbers = larger;
  }

  /**
   * Applies a reading to the copy of its device's state. `name`: number of the series' name. Returns the series_id,
   * REPEATED_READING_RESULT, or the reason why the slow path must process the device.
   */
  take(head: number, name: number, reading: DecodedReading): number | SlowPathReason {
    const heads = this.numbers;
    const at = findSeriesBlockIndex(heads, head, name);
    if (at === -1) return 'new series';
    const { readAtMs, value } = reading;
    const lastReadAtMs = heads[at + SERIES_BLOCK_OFFSETS.lastReadAtMs] as number;
    if (readAtMs === lastReadAtMs && reading.intervalMs === 0 && value === heads[at + SERIES_BLOCK_OFFSETS.lastValue])
      return REPEATED_READING_RESULT;
    if (readAtMs <= lastReadAtMs) return 'late';
    const reason = this.#step(head, at, reading);
    if (reason !== null) return reason;
    heads[at + SERIES_BLOCK_OFFSETS.lastReadAtMs] = readAtMs;
    heads[at + SERIES_BLOCK_OFFSETS.lastValue] = value;
    return heads[at + SERIES_BLOCK_OFFSETS.seriesId] as number;
  }

  /** Converts a new reading into energy. Returns null, or the reason why the slow path must process the device. */
  #step(head: number, at: number, reading: DecodedReading): SlowPathReason | null {
    const heads = this.numbers;
    const roleNumber = heads[at + SERIES_BLOCK_OFFSETS.roles] as number;
    if (canReadingChangeSeriesRoles(roleNumber, reading.value)) return 'role';
    this.#roles = unpackSeriesRoles(roleNumber);
    if (this.#roles.meter !== null) return 'commodity';
    readSettingsFromRecord(heads, head, this.#settings);
    const rule = selectCountingRule(reading.channel, reading.kind, this.#roles, this.#settings);
    this.sums.begin(heads[head + DEVICE_HEAD_RECORD_OFFSETS.hour] as number);
    this.closed = null;
    let state: unknown = null;
    if (rule) {
      this.#isPlain = true;
      this.#risen.length = 0;
      state = rule.step(
        unpackCountingState(heads, at + SERIES_BLOCK_OFFSETS.state) ?? rule.initial,
        reading,
        this.#findings,
      );
      if (!this.#isPlain) return 'verdict';
      for (const step of this.#risen) if (!this.#isApart(head, at, step)) return 'tariffs';
      if (this.sums.isBeyond) return 'hour';
      this.#addToHour(head);
    }
    return packCountingState(state, heads, at + SERIES_BLOCK_OFFSETS.state) ? null : 'state';
  }

  /** Adds the energy of a reading to the latest hour. If some of it belongs to the next hour, the latest hour ends. */
  #addToHour(head: number): void {
    const [heads, quarters] = [this.numbers, head + DEVICE_HEAD_RECORD_OFFSETS.quarters];
    this.sums.addTo(heads, quarters, 0);
    if (!this.sums.has(1)) return;
    const hour = heads[head + DEVICE_HEAD_RECORD_OFFSETS.hour] as number;
    this.closed = extractQuarterHours(hour, heads, quarters);
    heads[head + DEVICE_HEAD_RECORD_OFFSETS.hour] = hour + 1;
    this.sums.addTo(heads, quarters, 1);
  }

  /**
   * Whether no other tariff register has risen during the increment `step` of the tariff register at index `tariff`, as far as the cached
   * states show.
   */
  #isApart(head: number, tariff: number, step: EnergyInterval): boolean {
    const heads = this.numbers;
    const end = head + getRecordLengthAt(heads, head);
    for (let at = head + DEVICE_HEAD_RECORD_OFFSETS.series; at < end; at += SERIES_BLOCK_LENGTH) {
      // Does not distinguish circuits (such as the grid and the battery), because the slow path does. A rise in another circuit, which is
      // rare, therefore only leads to the slow path.
      if (at === tariff || !unpackSeriesRoles(heads[at + SERIES_BLOCK_OFFSETS.roles] as number).isTariff) continue;
      const { run } = unpackCountingState(heads, at + SERIES_BLOCK_OFFSETS.state) as RegisterState;
      const known = run && deriveRegisterIncrements(run, 'import');
      if (!known || findEndOfLatestRise(known, step) !== null || findEnclosingIncrement(known, step) !== null)
        return false;
    }
    return true;
  }
}
