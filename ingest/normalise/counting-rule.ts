import type { MilliwattHours } from '#src/core/units.ts';

/** A stored reading of one series, in the units of `readings.value`. Readings are ordered by time, then by interval length. */
export interface SeriesReading {
  readAtMs: number;
  /**
   * Length of the interval in ms, if the reading is interval energy. `MANUAL_READING_INTERVAL_MARKER` for a reading that a person entered.
   * 0 for every other reading.
   */
  intervalMs: number;
  value: number;
}

/** Energy in whole mWh that flowed during `[startMs, endMs)`. It is not yet divided into quarter-hours. */
export interface EnergyInterval {
  startMs: number;
  endMs: number;
  importMilliwattHours: MilliwattHours;
  exportMilliwattHours: MilliwattHours;
  /**
   * Whether the energy was spread over a time of more than an hour without readings. Its amount is then certain, but not its distribution
   * over the hours.
   */
  estimated: boolean;
  /**
   * Whether the energy comes from a register that rose suddenly because its source had reported late, as later readings confirmed. Such
   * energy is estimated, even if other tariff registers narrow the time in which it flowed.
   */
  isLate?: boolean;
  /** The part of the interval in which the imported energy flowed. Undefined: it flowed during the whole interval. */
  importSpan?: TimeSpan;
  exportSpan?: TimeSpan;
}

/** A time span `[startMs, endMs)` of at least 1 ms. */
export interface TimeSpan {
  startMs: number;
  endMs: number;
}

/** Reason why a reading was held back, rejected or counted in a special way. A reading that was counted normally has no verdict. */
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

/** A stored reading with its verdict. The verdict is null if the reading was counted normally. */
export interface SeriesReadingWithVerdict extends SeriesReading {
  verdict: CountingVerdict | null;
}

/** Receives the results of a counting rule when it processes a reading: energy, and verdicts on this reading or on earlier ones. */
export interface CountingResultReceiver {
  interval(interval: EnergyInterval): void;
  verdict(point: SeriesReading, verdict: CountingVerdict): void;
  /** Reverts all energy after `sinceMs`. Readings after this time and before `untilMs` get the verdict. */
  takeBack(sinceMs: number, untilMs: number, verdict: CountingVerdict): void;
}

/** A state from which a counting rule can continue within a list of readings. */
export interface CountingRestart<State> {
  /** Number of readings of the list that the state already includes. The counting rule continues with the next reading. */
  taken: number;
  state: State;
}

/**
 * Converts the readings of one series into intervals. A counting rule is a state machine that processes the readings in order of their
 * time. A `State` is plain JSON, immutable and complete: the same readings after the same state give the same results.
 */
export interface CountingRule<State> {
  readonly initial: State;
  /**
   * Finds the latest state that follows from these stored readings alone, whatever readings came before them. From this state, a late
   * reading can be processed without replaying all earlier readings. `before`: consecutive readings in order of time. `later`: the state
   * after the last reading of the series, if known. Returns null if the readings do not determine a state; the caller may try again with
   * more of them.
   */
  restart(before: readonly SeriesReadingWithVerdict[], later?: State): CountingRestart<State> | null;
  /**
   * Returns the energy that stored readings contributed, as their stored verdicts show. `from`: the state before these readings. If a
   * counting rule does not have this method, the readings are replayed instead. The two results differ if an earlier edition of the
   * counting rules gave the verdicts.
   */
  counted?(from: State, judged: readonly SeriesReadingWithVerdict[]): EnergyInterval[];
  /** Whether this edition of the counting rules wrote a stored state. If not, the state must be derived again from stored readings. */
  knows(state: unknown): boolean;
  /**
   * Returns the time of the earliest reading in a state, Unix ms. Undefined for a counting rule that does not compute the time elapsed
   * since earlier readings.
   */
  earliestMs?(state: State): number;
  /** Processes the next reading. Returns the state after it. */
  step(state: State, point: SeriesReading, findings: CountingResultReceiver): State;
}

/** Finds a restart (see `restart`) for a counting rule whose state after a normally counted reading depends only on this reading. */
export function findRestartAfterLastCountedReading<State>(
  before: readonly SeriesReadingWithVerdict[],
  stateAfter: (point: SeriesReading) => State,
): CountingRestart<State> | null {
  const index = before.findLastIndex(({ verdict }) => verdict === null);
  const point = before[index];
  return point ? { taken: index + 1, state: stateAfter(point) } : null;
}

/** The settings of a device that its counting rules use. */
export interface CountingSettings {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
}

/** Settings that were valid until a time, Unix ms. */
export interface SettingsUntilTime extends CountingSettings {
  readonly untilMs: number;
}

/**
 * Settings that change with time. Each reading is judged by the settings that are valid at its time. Settings differ by time while a
 * changed setting is applied to the past of a device in chunks. The same set of messages and the same settings always give the same
 * consumption.
 */
export interface SettingsByTime extends CountingSettings {
  /** Earlier settings in order of time, each with the time until which it was valid. Undefined if the settings have never changed. */
  readonly earlier?: readonly SettingsUntilTime[];
  /**
   * Times (Unix ms, in order) at which the series began to measure a different counter, because the owner changed the decoder settings.
   * Each value is the time of the last reading before such a change. The energy between this reading and the next one is not counted.
   */
  readonly splits?: readonly number[];
  /**
   * Times at which the clock of the host that received the series was set back. For a reading before and a reading after such a step, the
   * elapsed time is longer than the difference of their times, by the length of the step.
   */
  readonly stepsBack?: readonly BackwardClockStep[];
}

/** A step by which a clock was set back: its position among the readings (Unix ms), and its length in ms. */
export interface BackwardClockStep {
  readonly atMs: number;
  readonly byMs: number;
}

/** Compares two readings of a series by their time. If two intervals have the same end, the shorter one comes first. */
export function compareSeriesReadings(a: SeriesReading, b: SeriesReading): number {
  return a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs;
}
