import { addInterval, type ReadonlyBuckets } from '#ingest/normalise/buckets.ts';
import type { EnergyInterval, Findings, LawSettings } from '#ingest/normalise/law.ts';
import type { RegisterState } from '#ingest/normalise/registers.ts';
import { lawOfSeries } from '#ingest/normalise/series-law.ts';
import { hasRisen, latestWithin, stepAround, stepsOfRun } from '#ingest/normalise/tariffs.ts';
import type { DecodedReading } from '../decoders/decoder.ts';
import {
  lengthAt,
  mayCountOtherwise,
  PLACE,
  readSettings,
  rolesOf,
  SERIES_PLACE,
  SERIES_PLACES,
  seriesPlace,
} from './head-record.ts';
import { packState, unpackState } from './law-state.ts';
import { OpenSums, takeQuarterHours } from './open-hour.ts';

/**
 * Why the plan must take a device: the message contains more than readings (or nothing); the series is new; the time of the reading is refused; it
 * does not follow the stored ones; its role may change with this reading; its commodity has sums of its own; the law gives a verdict, takes energy
 * back, or estimates; the step moves with those of other tariffs; it lies beyond the open hour and the next; the state of the law has no packed form.
 */
export type Reason =
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

/** The reading is the last one again: a gas meter sends the same reading for an hour. */
export const KNOWN = -1;

/** Numbers of most heads: of a meter with one series. */
const USUAL_PLACES = PLACE.series + SERIES_PLACES;

/** Heads of the devices of a batch, as they become. */
export class SteppedHeads {
  numbers = new Float64Array(USUAL_PLACES * 64);
  readonly sums = new OpenSums();
  /** The quarter-hours of the hour that the last reading closed; null: it closed none. */
  closed: ReadonlyBuckets | null = null;
  readonly #settings: { -readonly [K in keyof LawSettings]: LawSettings[K] } = {
    limitKw: 0,
    registerMaxKwh: null,
    maxGapMinutes: 0,
  };
  #roles = rolesOf(0);
  #isPlain = true;
  /** Steps of a tariff that rose: where they lie depends on the others. */
  readonly #risen: EnergyInterval[] = [];
  /** What the law finds goes straight to the sums of the open hour. */
  readonly #findings: Findings = {
    interval: (interval: EnergyInterval) => {
      addInterval(this.sums, interval, this.#roles, 1);
      // What it exports has sums of its own, too.
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
   * Takes a reading into a head. `name`: the number of its series' name. Returns the series_id, KNOWN, or why the plan must take it. In that case the
   * head may be half changed.
   */
  take(head: number, name: number, reading: DecodedReading): number | Reason {
    const heads = this.numbers;
    const at = seriesPlace(heads, head, name);
    if (at === -1) return 'new series';
    const { readAtMs, value } = reading;
    const lastReadAtMs = heads[at + SERIES_PLACE.lastReadAtMs] as number;
    if (readAtMs === lastReadAtMs && reading.intervalMs === 0 && value === heads[at + SERIES_PLACE.lastValue])
      return KNOWN;
    if (readAtMs <= lastReadAtMs) return 'late';
    const reason = this.#step(head, at, reading);
    if (reason !== null) return reason;
    heads[at + SERIES_PLACE.lastReadAtMs] = readAtMs;
    heads[at + SERIES_PLACE.lastValue] = value;
    return heads[at + SERIES_PLACE.seriesId] as number;
  }

  /** The law's step to a reading that follows, and its energy into the open hour. Null: it was taken. */
  #step(head: number, at: number, reading: DecodedReading): Reason | null {
    const heads = this.numbers;
    const roleNumber = heads[at + SERIES_PLACE.roles] as number;
    if (mayCountOtherwise(roleNumber, reading.value)) return 'role';
    this.#roles = rolesOf(roleNumber);
    if (this.#roles.meter !== null) return 'commodity';
    readSettings(heads, head, this.#settings);
    const law = lawOfSeries(reading.channel, reading.kind, this.#roles, this.#settings);
    this.sums.begin(heads[head + PLACE.hour] as number);
    this.closed = null;
    let state: unknown = null;
    if (law) {
      this.#isPlain = true;
      this.#risen.length = 0;
      state = law.step(unpackState(heads, at + SERIES_PLACE.state) ?? law.initial, reading, this.#findings);
      if (!this.#isPlain) return 'verdict';
      for (const step of this.#risen) if (!this.#isApart(head, at, step)) return 'tariffs';
      if (this.sums.isBeyond) return 'hour';
      this.#addToHour(head);
    }
    return packState(state, heads, at + SERIES_PLACE.state) ? null : 'state';
  }

  /** Adds the sums of a step to the open hour, and begins the next one if they reach into it. */
  #addToHour(head: number): void {
    const [heads, quarters] = [this.numbers, head + PLACE.quarters];
    this.sums.addTo(heads, quarters, 0);
    if (!this.sums.has(1)) return;
    const hour = heads[head + PLACE.hour] as number;
    this.closed = takeQuarterHours(hour, heads, quarters);
    heads[head + PLACE.hour] = hour + 1;
    this.sums.addTo(heads, quarters, 1);
  }

  /** Whether a step of a tariff neither lies around one of another tariff's that rose, nor within one, as far as their runs tell. */
  #isApart(head: number, tariff: number, step: EnergyInterval): boolean {
    const heads = this.numbers;
    const end = head + lengthAt(heads, head);
    for (let at = head + PLACE.series; at < end; at += SERIES_PLACES) {
      // Of another circuit, too: there are few of these, and the plan can tell them apart.
      if (at === tariff || !rolesOf(heads[at + SERIES_PLACE.roles] as number).isTariff) continue;
      const { run } = unpackState(heads, at + SERIES_PLACE.state) as RegisterState;
      const known = run && stepsOfRun(run, 'import');
      if (!known || latestWithin(known, step) !== null || stepAround(known, step) !== null) return false;
    }
    return true;
  }
}
