import type { MilliwattHours } from '#src/core/units.ts';

/** A stored reading of one series, in the units of `readings.value`. Readings are ordered by time, then by interval length. */
export interface SeriesReading {
  readAtMs: number;
  /**
   * Length of the interval in ms, if the value is the energy of an interval. `MANUAL_READING_INTERVAL_MARKER` if a person entered the
   * reading. Otherwise 0.
   */
  intervalMs: number;
  value: number;
}

/** Energy in whole mWh that flowed during `[startMs, endMs)`. */
export interface EnergyInterval {
  startMs: number;
  endMs: number;
  importMilliwattHours: MilliwattHours;
  exportMilliwattHours: MilliwattHours;
  /**
   * Whether the energy was spread over more than an hour without readings. Its amount is then certain, but not its distribution over the
   * hours.
   */
  estimated: boolean;
  /**
   * Whether a register rose suddenly because its source had reported late, as later readings confirmed. The distribution of such energy
   * over the hours is always estimated.
   */
  isLate?: boolean;
  /** The part of the interval in which the imported energy flowed. Undefined: the whole interval. */
  importSpan?: TimeSpan;
  exportSpan?: TimeSpan;
}

/** A time span `[startMs, endMs)` of at least 1 ms. */
export interface TimeSpan {
  startMs: number;
  endMs: number;
}

/** Reason why a reading was not counted in the normal way. It may have been rejected, for example. */
export type CountingVerdict =
  | 'jitter'
  | 'held'
  | 'confirming'
  | 'glitch'
  | 'late'
  | 'passed'
  | 'back'
  | 'reset'
  | 'rollover'
  | 'swap'
  | 'overlap'
  | 'excluded';

/** A stored reading. `verdict` is null if it was counted normally. */
export interface SeriesReadingWithVerdict extends SeriesReading {
  verdict: CountingVerdict | null;
}

/** Receives what a counting rule finds while it processes a reading: energy, and verdicts on this or earlier readings. */
export interface CountingResultReceiver {
  interval(interval: EnergyInterval): void;
  verdict(point: SeriesReading, verdict: CountingVerdict): void;
  /**
   * Takes back all energy after `sinceMs`, because a later reading has shown that it is wrong. Readings between the two times get the
   * verdict.
   */
  takeBack(sinceMs: number, untilMs: number, verdict: CountingVerdict): void;
}

/** A state from which a counting rule can process the rest of a list of readings. */
export interface CountingRestart<State> {
  /** Number of readings of the list that the state already includes. */
  taken: number;
  state: State;
}

/**
 * A rule that converts the readings of one series into energy: a state machine that processes readings in order of time. Its state is plain
 * JSON and immutable.
 */
export interface CountingRule<State> {
  readonly initial: State;
  /**
   * Finds the latest state that depends only on the given consecutive stored readings, so that a late reading can be processed without
   * replaying the whole history. `later`: state after the last reading of the series, if known. Returns null if more readings are needed.
   */
  restart(before: readonly SeriesReadingWithVerdict[], later?: State): CountingRestart<State> | null;
  /**
   * Derives the counted energy from stored readings and their stored verdicts. `from`: the state before these readings. Without this
   * method, the readings are replayed; the result then differs if an earlier version of the rules gave the verdicts.
   */
  counted?(from: State, judged: readonly SeriesReadingWithVerdict[]): EnergyInterval[];
  /** Whether the current version of the rules wrote a stored state. If not, the state must be derived from readings again. */
  knows(state: unknown): boolean;
  /** Time of the earliest reading in a state, Unix ms. Undefined for a rule that does not need elapsed times. */
  earliestMs?(state: State): number;
  step(state: State, point: SeriesReading, findings: CountingResultReceiver): State;
}

/** Finds a restart (see `restart`) for a rule whose state after a normally counted reading depends only on this reading. */
export function findRestartAfterLastCountedReading<State>(
  before: readonly SeriesReadingWithVerdict[],
  stateAfter: (point: SeriesReading) => State,
): CountingRestart<State> | null {
  const index = before.findLastIndex(({ verdict }) => verdict === null);
  const point = before[index];
  return point ? { taken: index + 1, state: stateAfter(point) } : null;
}

export interface CountingSettings {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
}

export interface CountingSettingsUntilTime extends CountingSettings {
  readonly untilMs: number;
}

/**
 * Settings that change with time. Each reading is judged by the settings that apply at its time. While a changed setting is being applied
 * to the past in chunks, a part of the past still has the previous setting.
 */
export interface CountingSettingsByTime extends CountingSettings {
  readonly earlier?: readonly CountingSettingsUntilTime[];
  /**
   * Times (Unix ms, in order) at which the series began to measure a different counter, because the owner changed the decoder settings.
   * Each is the time of the last reading before such a change. No energy is counted between this reading and the next one.
   */
  readonly splits?: readonly number[];
  /**
   * Times at which the clock was set back on the host that received the readings. Across such a step, the elapsed time is longer than the
   * difference of the timestamps.
   */
  readonly stepsBack?: readonly BackwardClockStep[];
}

/** A step by which a clock was set back, by `byMs` milliseconds. `atMs`: the time to which it was set back, Unix ms. */
export interface BackwardClockStep {
  readonly atMs: number;
  readonly byMs: number;
}

/** Compares two readings by time. If two intervals have the same end, the shorter one comes first. */
export function compareSeriesReadings(a: SeriesReading, b: SeriesReading): number {
  return a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs;
}
