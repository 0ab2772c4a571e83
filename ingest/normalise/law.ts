import type { MilliwattHours } from '#src/core/units.ts';

/** A stored reading of one series, in the units of `readings.value`. Ordered by time, then by interval length. */
export interface Point {
  readAtMs: number;
  /** Length of an interval reading in ms; `READ_BY_HAND` for a reading entered by hand; 0 for every other reading. */
  intervalMs: number;
  value: number;
}

/** Energy that flowed over `[startMs, endMs)`, in whole mWh, before it is cut into buckets. */
export interface EnergyInterval {
  startMs: number;
  endMs: number;
  importMilliwattHours: MilliwattHours;
  exportMilliwattHours: MilliwattHours;
  /** Whether the energy was spread over a silence of more than an hour: the amount is certain, its distribution over hours is not. */
  estimated: boolean;
  /** Whether the energy is late news: it stays estimated, however short the time is that other tariffs leave for it. */
  isLate?: boolean;
  /** Part of the interval in which a direction's energy flowed; left out: all of it. Outside that part, that direction is known to be 0. */
  importSpan?: Span;
  exportSpan?: Span;
}

/** A span of time: `[startMs, endMs)`, of at least 1 ms. */
export interface Span {
  startMs: number;
  endMs: number;
}

/** Why a reading was not plainly counted. A plainly counted reading has no verdict. */
export type Verdict =
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

/** A stored reading and its verdict; null: it was plainly counted. */
export interface PointWithVerdict extends Point {
  verdict: Verdict | null;
}

/** Receives the results of a law's step: energy, and verdicts on this reading or on earlier ones. */
export interface LawFindings {
  interval(interval: EnergyInterval): void;
  verdict(point: Point, verdict: Verdict): void;
  /** Takes back all energy since a time. The readings that counted after that time and before `untilMs` get the verdict. */
  takeBack(sinceMs: number, untilMs: number, verdict: Verdict): void;
}

/** State of a law after some of the given readings. */
export interface LawRestart<State> {
  /** Number of readings that the state includes. The law continues with the next one. */
  taken: number;
  state: State;
}

/**
 * Turns the readings of one series into intervals. The law is a state machine that takes readings in order of event time. `State` is plain
 * JSON and the law's only memory: after equal states, equal readings give equal results. A state is immutable.
 */
export interface Law<State> {
  readonly initial: State;
  /**
   * Finds the latest state that a stretch of stored readings determines, whatever came before it. `before`: consecutive readings in order.
   * `later`: the state after the series' last reading, if known. Null: the readings do not determine a state; more readings from further
   * back may. Thanks to this method, a late reading can be processed without reading the whole past.
   */
  restart(before: readonly PointWithVerdict[], later?: State): LawRestart<State> | null;
  /**
   * Returns the energy that stored readings counted as, by their stored verdicts, from a state on. If the method is missing, the law is run
   * on the readings again. The two differ for readings that an earlier edition of the law judged.
   */
  counted?(from: State, judged: readonly PointWithVerdict[]): EnergyInterval[];
  /** Whether a stored state is of this edition of the law. If not, the law's state is derived from stored readings. */
  knows(state: unknown): boolean;
  /** Time of the earliest reading in a state, Unix ms. Left out: the law does not compare elapsed times with earlier readings. */
  earliestMs?(state: State): number;
  /** Processes the next reading. Returns the state after it. */
  step(state: State, point: Point, findings: LawFindings): State;
}

/** Restarts a law whose state after a plainly counted reading depends on that reading alone. */
export function restartAfterLastCounted<State>(
  before: readonly PointWithVerdict[],
  stateAfter: (point: Point) => State,
): LawRestart<State> | null {
  const index = before.findLastIndex(({ verdict }) => verdict === null);
  const point = before[index];
  return point ? { taken: index + 1, state: stateAfter(point) } : null;
}

/** Settings of a device that its laws need. */
export interface LawSettings {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
}

/** Settings that applied before a time, Unix ms. */
export interface EarlierSettings extends LawSettings {
  readonly untilMs: number;
}

/**
 * Settings that change with time: each reading is judged by the settings of its own time. They differ by time while a changed setting is
 * applied to a device's past in chunks. Consumption is a function of the set of messages and of these settings.
 */
export interface SettingsByTime extends LawSettings {
  /** Earlier settings, in order of time, each up to its end. Left out: the settings have never changed. */
  readonly earlier?: readonly EarlierSettings[];
  /**
   * Times (Unix ms, in order) after which the series reads a different counter, because the owner changed its decoder settings. No step
   * crosses such a time.
   */
  readonly splits?: readonly number[];
  /** Steps back of the clock of the series' host. Each adds its length to the time elapsed between readings on either side of it. */
  readonly stepsBack?: readonly ClockStepBack[];
}

/** A step back of a clock: its time (Unix ms) among the readings, and its length in ms. */
export interface ClockStepBack {
  readonly atMs: number;
  readonly byMs: number;
}

/** Orders the points of a series: by time; of intervals with the same end, the shorter first. */
export function comparePoints(a: Point, b: Point): number {
  return a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs;
}
