import { addInterval, type ReadonlyQuarterHourBuckets } from '#ingest/normalise/buckets.ts';
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
  canReadingChangeRole,
  findSeriesBlockIndex,
  getRecordLengthAt,
  HEAD_RECORD_OFFSETS,
  readSettings,
  SERIES_BLOCK_LENGTH,
  SERIES_BLOCK_OFFSETS,
  unpackRoles,
} from './head-record.ts';
import { extractQuarterHours, OpenHourSums } from './open-hour.ts';

/**
 * Reasons why the fast path cannot process a device, in the order of the values: a message contains something other than readings, or
 * nothing; the series is new; the time of the reading is refused; the reading is not later than the stored ones; the reading may change the
 * role of the series; the commodity is added up separately; the counting rule gives a verdict, reverts energy, or estimates; the time of
 * the energy depends on other tariff registers; the energy belongs to neither the open hour nor the next; the state of the counting rule
 * cannot be packed.
 */
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

/** Result if a reading repeats the last one. For example, a gas meter sends the same reading for an hour. */
export const REPEATED_READING_RESULT = -1;

/** Length of the record of a meter with one series, in numbers. Most meters have only one series. */
const USUAL_PLACES = HEAD_RECORD_OFFSETS.series + SERIES_BLOCK_LENGTH;

/** Copies of the heads (stored states) of a batch's devices. The fast path updates these copies. */
export class HeadWorkingCopies {
  numbers = new Float64Array(USUAL_PLACES * 64);
  readonly sums = new OpenHourSums();
  /** Quarter-hours of the hour that the last reading has closed. Null if the last reading closed no hour. */
  closed: ReadonlyQuarterHourBuckets | null = null;
  readonly #settings: { -readonly [K in keyof CountingSettings]: CountingSettings[K] } = {
    limitKw: 0,
    registerMaxKwh: null,
    maxGapMinutes: 0,
  };
  #roles = unpackRoles(0);
  #isPlain = true;
  /**
   * Steps in which a tariff register has risen. (A step is the energy between two readings.) The time of their energy depends on the other
   * tariff registers.
   */
  readonly #risen: EnergyInterval[] = [];
  /** Receives the results of the counting rule, and adds energy directly to the sums of the open hour. */
  readonly #findings: CountingResultReceiver = {
    interval: (interval: EnergyInterval) => {
      addInterval(this.sums, interval, this.#roles, 1);
      // Estimated export needs a plan, because its energy is also added up separately, which the fast path cannot do.
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
   * Applies a reading to the head (stored state) of its device. `name`: number that represents the series' name. Returns the series_id,
   * REPEATED_READING_RESULT, or the reason why the device needs a plan. If a reason is returned, the copy of the head may be partly
   * changed.
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

  /**
   * Runs the counting rule on a new reading, and adds the energy to the open hour. Returns null, or the reason why the device needs a plan.
   */
  #step(head: number, at: number, reading: DecodedReading): SlowPathReason | null {
    const heads = this.numbers;
    const roleNumber = heads[at + SERIES_BLOCK_OFFSETS.roles] as number;
    if (canReadingChangeRole(roleNumber, reading.value)) return 'role';
    this.#roles = unpackRoles(roleNumber);
    if (this.#roles.meter !== null) return 'commodity';
    readSettings(heads, head, this.#settings);
    const rule = selectCountingRule(reading.channel, reading.kind, this.#roles, this.#settings);
    this.sums.begin(heads[head + HEAD_RECORD_OFFSETS.hour] as number);
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

  /**
   * Adds the energy of a reading to the open hour. If some of the energy belongs to the next hour, the open hour is closed and the next
   * hour becomes the open hour.
   */
  #addToHour(head: number): void {
    const [heads, quarters] = [this.numbers, head + HEAD_RECORD_OFFSETS.quarters];
    this.sums.addTo(heads, quarters, 0);
    if (!this.sums.has(1)) return;
    const hour = heads[head + HEAD_RECORD_OFFSETS.hour] as number;
    this.closed = extractQuarterHours(hour, heads, quarters);
    heads[head + HEAD_RECORD_OFFSETS.hour] = hour + 1;
    this.sums.addTo(heads, quarters, 1);
  }

  /**
   * Whether a tariff register and the other tariff registers rise at separate times, as far as their stored states show. `step`: the energy
   * between two readings of the register. No other register rises within the time of the step, and the step is not within the time of
   * another register's rise.
   */
  #isApart(head: number, tariff: number, step: EnergyInterval): boolean {
    const heads = this.numbers;
    const end = head + getRecordLengthAt(heads, head);
    for (let at = head + HEAD_RECORD_OFFSETS.series; at < end; at += SERIES_BLOCK_LENGTH) {
      // Tariff registers of other circuits are also checked. There are few of them, and the plan then distinguishes circuits.
      if (at === tariff || !unpackRoles(heads[at + SERIES_BLOCK_OFFSETS.roles] as number).isTariff) continue;
      const { run } = unpackCountingState(heads, at + SERIES_BLOCK_OFFSETS.state) as RegisterState;
      const known = run && deriveRegisterIncrements(run, 'import');
      if (!known || findEndOfLatestRise(known, step) !== null || findEnclosingIncrement(known, step) !== null)
        return false;
    }
    return true;
  }
}
