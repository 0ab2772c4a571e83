import { addInterval, type ReadonlyBuckets } from '#ingest/normalise/buckets.ts';
import type { CountingFindings, CountingSettings, EnergyInterval } from '#ingest/normalise/counting-rule.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import { deriveStepsOfRun, hasRisen, latestRisenEndWithin, risenStepAround } from '#ingest/normalise/tariffs.ts';
import type { DecodedReading } from '../decoders/decoder.ts';
import { packCountingState, unpackCountingState } from './counting-state.ts';
import {
  mayRoleChange,
  RECORD_INDEX,
  readSettings,
  recordLengthAt,
  SERIES_INDEX,
  SERIES_LENGTH,
  seriesIndex,
  unpackRoles,
} from './head-record.ts';
import { extractQuarterHours, OpenHourSums } from './open-hour.ts';

/**
 * Reason why a device needs a plan, in the order of the values: the message contains more than readings, or nothing; the series is new; the
 * time of the reading is refused; the reading does not follow the stored ones; the series' role may change with this reading; the commodity
 * has separate sums; the counting rule gives a verdict, takes energy back, or estimates; the step's placement depends on other tariffs; the
 * energy lies beyond the open hour and the next; the state of the counting rule cannot be packed.
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

/** Result for a repetition of the last reading: a gas meter sends the same reading for an hour. */
export const REPEATED_LAST_READING = -1;

/** Number of numbers in the head of a meter with one series, the most frequent case. */
const USUAL_PLACES = RECORD_INDEX.series + SERIES_LENGTH;

/** The new heads of a batch's devices. */
export class SteppedHeads {
  numbers = new Float64Array(USUAL_PLACES * 64);
  readonly sums = new OpenHourSums();
  /** Quarter-hours of the hour that the last reading closed; null if it closed none. */
  closed: ReadonlyBuckets | null = null;
  readonly #settings: { -readonly [K in keyof CountingSettings]: CountingSettings[K] } = {
    limitKw: 0,
    registerMaxKwh: null,
    maxGapMinutes: 0,
  };
  #roles = unpackRoles(0);
  #isPlain = true;
  /** Rising steps of a tariff, whose placement depends on other tariffs. */
  readonly #risen: EnergyInterval[] = [];
  /** Receives the counting rule's results: adds energy directly to the sums of the open hour. */
  readonly #findings: CountingFindings = {
    interval: (interval: EnergyInterval) => {
      addInterval(this.sums, interval, this.#roles, 1);
      // Estimated export has separate sums, so only the plan can add it.
      if (interval.estimated) this.#isPlain = false;
      if (this.#roles.isTariff && hasRisen(interval)) this.#risen.push(interval);
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
   * Applies a reading to a head. `name`: the number of its series' name. Returns the series_id, REPEATED_LAST_READING, or the reason why
   * the device needs a plan. In the last case, the head may be partly changed.
   */
  take(head: number, name: number, reading: DecodedReading): number | SlowPathReason {
    const heads = this.numbers;
    const at = seriesIndex(heads, head, name);
    if (at === -1) return 'new series';
    const { readAtMs, value } = reading;
    const lastReadAtMs = heads[at + SERIES_INDEX.lastReadAtMs] as number;
    if (readAtMs === lastReadAtMs && reading.intervalMs === 0 && value === heads[at + SERIES_INDEX.lastValue])
      return REPEATED_LAST_READING;
    if (readAtMs <= lastReadAtMs) return 'late';
    const reason = this.#step(head, at, reading);
    if (reason !== null) return reason;
    heads[at + SERIES_INDEX.lastReadAtMs] = readAtMs;
    heads[at + SERIES_INDEX.lastValue] = value;
    return heads[at + SERIES_INDEX.seriesId] as number;
  }

  /** Runs the counting rule's step to a new reading, and adds its energy to the open hour. Returns null on success. */
  #step(head: number, at: number, reading: DecodedReading): SlowPathReason | null {
    const heads = this.numbers;
    const roleNumber = heads[at + SERIES_INDEX.roles] as number;
    if (mayRoleChange(roleNumber, reading.value)) return 'role';
    this.#roles = unpackRoles(roleNumber);
    if (this.#roles.meter !== null) return 'commodity';
    readSettings(heads, head, this.#settings);
    const rule = selectCountingRule(reading.channel, reading.kind, this.#roles, this.#settings);
    this.sums.begin(heads[head + RECORD_INDEX.hour] as number);
    this.closed = null;
    let state: unknown = null;
    if (rule) {
      this.#isPlain = true;
      this.#risen.length = 0;
      state = rule.step(unpackCountingState(heads, at + SERIES_INDEX.state) ?? rule.initial, reading, this.#findings);
      if (!this.#isPlain) return 'verdict';
      for (const step of this.#risen) if (!this.#isApart(head, at, step)) return 'tariffs';
      if (this.sums.isBeyond) return 'hour';
      this.#addToHour(head);
    }
    return packCountingState(state, heads, at + SERIES_INDEX.state) ? null : 'state';
  }

  /** Adds the sums of a step to the open hour. If the step reaches into the next hour, that becomes the open one. */
  #addToHour(head: number): void {
    const [heads, quarters] = [this.numbers, head + RECORD_INDEX.quarters];
    this.sums.addTo(heads, quarters, 0);
    if (!this.sums.has(1)) return;
    const hour = heads[head + RECORD_INDEX.hour] as number;
    this.closed = extractQuarterHours(hour, heads, quarters);
    heads[head + RECORD_INDEX.hour] = hour + 1;
    this.sums.addTo(heads, quarters, 1);
  }

  /** Whether a tariff's step neither contains a rising step of another tariff nor lies within one, as far as their runs show. */
  #isApart(head: number, tariff: number, step: EnergyInterval): boolean {
    const heads = this.numbers;
    const end = head + recordLengthAt(heads, head);
    for (let at = head + RECORD_INDEX.series; at < end; at += SERIES_LENGTH) {
      // Tariffs of other circuits are included: there are few, and the plan distinguishes them.
      if (at === tariff || !unpackRoles(heads[at + SERIES_INDEX.roles] as number).isTariff) continue;
      const { run } = unpackCountingState(heads, at + SERIES_INDEX.state) as RegisterState;
      const known = run && deriveStepsOfRun(run, 'import');
      if (!known || latestRisenEndWithin(known, step) !== null || risenStepAround(known, step) !== null) return false;
    }
    return true;
  }
}
