import type { MilliwattHours } from '#src/core/units.ts';

/** A stored reading of one series, in the units of `readings.value`. Ordered by time, then by interval length. */
export interface Point {
  readAtMs: number;
  /** 0 for everything but interval readings, and those that were read by hand (`READ_BY_HAND`). */
  intervalMs: number;
  value: number;
}

/** Energy that flowed over `[startMs, endMs)`, in whole mWh, before it is cut into buckets. */
export interface EnergyInterval {
  startMs: number;
  endMs: number;
  importMilliwattHours: MilliwattHours;
  exportMilliwattHours: MilliwattHours;
  /** Spread over a silence of more than an hour: the energy is certain, its hours are not. */
  estimated: boolean;
  /** Late news: it stays estimated, however short the time is that other tariffs leave of it. */
  isLate?: boolean;
  /** Where the energy of a direction lies, if not in all of it. The other direction is known to be 0 there. */
  importSpan?: Span;
  exportSpan?: Span;
}

/** `[startMs, endMs)`, of at least 1 ms. */
export interface Span {
  startMs: number;
  endMs: number;
}

/** Why a reading was not plainly counted. A reading without a verdict was. */
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

/** A stored reading and what it was taken for; null: it was plainly counted. */
export interface JudgedPoint extends Point {
  verdict: Verdict | null;
}

/** What a step of a law says: the energy it found and the verdicts it gave, on this reading or on earlier ones. */
export interface Findings {
  interval(interval: EnergyInterval): void;
  verdict(point: Point, verdict: Verdict): void;
  /**
   * All energy since a time was not so: it is taken back, and the readings that counted after that time and before `untilMs`
   * get the verdict.
   */
  takeBack(sinceMs: number, untilMs: number, verdict: Verdict): void;
}

/** Where a law stands after some of the readings that it was shown. */
export interface Restart<State> {
  /** So many of them it has taken in: it goes on with the next. */
  taken: number;
  state: State;
}

/**
 * How the readings of one series become intervals: a machine that takes them in order of event time. `State` is plain JSON,
 * and all that the law remembers: two histories whose states are equal go on alike. Nobody changes a state.
 */
export interface Law<State> {
  /** State before the first reading. */
  readonly initial: State;
  /**
   * The latest state that can be told from a stretch of stored readings, whatever came before it. `before`: consecutive
   * readings in order. `later`: the state after the last reading of all, where it is known. Null: it cannot be told from them;
   * more of them, from further back, may say. This is what lets a late reading be worked in without looking at the whole past.
   */
  restart(before: readonly JudgedPoint[], later?: State): Restart<State> | null;
  /**
   * What was counted of stored readings as they are judged, from a state on. Where it is missing: what the law says of them now.
   * Of readings that an earlier edition of the law has judged the two differ.
   */
  counted?(from: State, judged: readonly JudgedPoint[]): EnergyInterval[];
  /** Whether a stored state is one of this law: an earlier edition's is not. Where the law stands is then told by stored readings. */
  knows(state: unknown): boolean;
  /** Time of the earliest reading that a state remembers, Unix ms. Left out: it compares none with what follows by how much time has passed. */
  earliestMs?(state: State): number;
  /** Takes the next reading. Returns the state after it. */
  step(state: State, point: Point, findings: Findings): State;
}

/** Restart of a law whose state after a plainly counted reading depends on that reading alone. */
export function afterLastCounted<State>(
  before: readonly JudgedPoint[],
  stateAfter: (point: Point) => State,
): Restart<State> | null {
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

/** Settings that held before a time, Unix ms. */
export interface EarlierSettings extends LawSettings {
  readonly untilMs: number;
}

/**
 * Settings that change with time: what a reading says beside those before it is judged by those of its own time. So it is while a changed
 * setting is worked into the past of a device, piece by piece. Consumption is a function of the set of messages and of these.
 */
export interface SettingsByTime extends LawSettings {
  /** Those before, in order of time, each up to its end. Left out: they have always been the same. */
  readonly earlier?: readonly EarlierSettings[];
  /**
   * Of a series: after these times (Unix ms, in order) another number is read than before, as its owner has changed what reads it. No step goes
   * over one of them.
   */
  readonly splits?: readonly number[];
  /** Of a series: steps back of the clock of its host. Between a reading up to one and a reading from it on that much more has passed. */
  readonly stepsBack?: readonly StepBack[];
}

/** A step back of a clock as readings lie around it: at a time (Unix ms), by so many ms. */
export interface StepBack {
  readonly atMs: number;
  readonly byMs: number;
}

/** Orders the points of a series: by time; intervals that end together, the shorter first. */
export function comparePoints(a: Point, b: Point): number {
  return a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs;
}
