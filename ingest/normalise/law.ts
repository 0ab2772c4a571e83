/** A stored reading of one series, in the units of `readings.value`. Ordered by time, then by interval length. */
export interface Point {
  readAtMs: number;
  /** 0 for everything but interval readings. */
  intervalMs: number;
  value: number;
}

/** Energy that flowed over `[startMs, endMs)`, in whole mWh, before it is cut into buckets. */
export interface EnergyInterval {
  startMs: number;
  endMs: number;
  importMwh: number;
  exportMwh: number;
  /** Spread over a silence of more than an hour: the energy is certain, its hours are not. */
  estimated: boolean;
}

/** Why a reading was not plainly counted. A reading without a verdict was, and the law can start anew from it. */
export type Verdict = 'jitter' | 'held' | 'confirming' | 'glitch' | 'reset' | 'rollover' | 'swap' | 'overlap';

/** What a step of a law says: the energy it found and the verdicts it gave, on this reading or on earlier ones. */
export interface Findings {
  interval(startMs: number, endMs: number, importMwh: number, exportMwh: number, estimated: boolean): void;
  verdict(point: Point, verdict: Verdict): void;
}

/**
 * How the readings of one series become intervals: a machine that takes them in order of event time.
 * `State` is plain JSON. After a reading for which `step` answers true ("clean"), the state depends on that reading
 * alone: this is what lets a late reading be worked in without looking at the whole past.
 */
export interface Law<State> {
  /** State before the first reading. */
  readonly initial: State;
  /** State after a clean reading, whatever came before it. */
  restart(point: Point): State;
  /** Takes the next reading. Returns the new state and whether it is clean. */
  step(state: State, point: Point, findings: Findings): { state: State; clean: boolean };
}

/** Settings of a device that its laws need. */
export interface LawSettings {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
}

/** Orders the points of a series: by time; intervals that end together, the shorter first. */
export function comparePoints(a: Point, b: Point): number {
  return a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs;
}
