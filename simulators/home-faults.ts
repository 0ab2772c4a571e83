import { MINUTE_MS } from '#src/core/units.ts';
/** Something that is wrong in a home for a while, `[fromMs, toMs)` in Unix ms, and shows in what it uses or makes. */
export interface HomeFault {
  kind: 'fridge door' | 'forgotten heater' | 'failing freezer' | 'dead inverter';
  fromMs: number;
  toMs: number;
}

/** A compressor by the clock: of so many minutes it runs the first so many. */
export interface Compressor {
  watts: number;
  everyMinutes: number;
  onMinutes: number;
}

/** An electric heater that nobody switched off. */
const HEATER_W = 1_200;
/** A freezer that loses its coolant runs most of the time and cools no better. */
const FAILING_SHARE = 0.85;

/** Whether a fault is there in a minute. */
const hasFault = (faults: readonly HomeFault[] | undefined, kind: HomeFault['kind'], atMs: number): boolean =>
  faults?.some((fault) => fault.kind === kind && fault.fromMs <= atMs && atMs < fault.toMs) ?? false;

/** Watts of a compressor in a minute; `runsOn`: its door is open, so it does not stop. */
export function compressorW(
  { watts, everyMinutes, onMinutes }: Compressor,
  minuteSinceEver: number,
  state?: 'runs on' | 'failing',
): number {
  if (state === 'runs on') return watts;
  const on = state === 'failing' ? Math.round(FAILING_SHARE * everyMinutes) : onMinutes;
  return minuteSinceEver % everyMinutes < on ? watts : 0;
}

/** Watts that a forgotten heater adds in a minute. */
export const forgottenW = (faults: readonly HomeFault[] | undefined, atMs: number): number =>
  hasFault(faults, 'forgotten heater', atMs) ? HEATER_W : 0;

/** The minutes of a day, from its start (Unix ms) on, in which a fault is there. */
export function faultyMinutes(faults: readonly HomeFault[] | undefined, kind: HomeFault['kind'], startsAtMs: number) {
  return (minute: number): boolean => hasFault(faults, kind, startsAtMs + minute * MINUTE_MS);
}
