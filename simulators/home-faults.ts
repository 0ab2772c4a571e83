import { MINUTE_MS } from '#src/core/units.ts';
/** A fault that changes the consumption or production of a home during `[fromMs, toMs)` in Unix ms. */
export interface HomeFault {
  kind: 'fridge door' | 'forgotten heater' | 'failing freezer' | 'dead inverter';
  fromMs: number;
  toMs: number;
}

/** A compressor, which runs for the first minutes of each cycle. All cycles have the same number of minutes. */
export interface Compressor {
  watts: number;
  everyMinutes: number;
  onMinutes: number;
}

/** Power of an electric heater that was left on, in W. */
const HEATER_W = 1_200;
/**
 * Share of the time in which the compressor runs if the freezer has too little coolant. It runs longer than usual, but does not cool the
 * freezer.
 */
const FAILING_SHARE = 0.85;

/** Returns whether the home has a fault of this kind at a time. */
const hasFault = (faults: readonly HomeFault[] | undefined, kind: HomeFault['kind'], atMs: number): boolean =>
  faults?.some((fault) => fault.kind === kind && fault.fromMs <= atMs && atMs < fault.toMs) ?? false;

/**
 * Returns the power of a compressor in one minute, in watts. `runs on`: it never stops. `failing`: it runs longer, because coolant is
 * missing.
 */
export function computeCompressorWatts(
  { watts, everyMinutes, onMinutes }: Compressor,
  minuteSinceEver: number,
  state?: 'runs on' | 'failing',
): number {
  if (state === 'runs on') return watts;
  const on = state === 'failing' ? Math.round(FAILING_SHARE * everyMinutes) : onMinutes;
  return minuteSinceEver % everyMinutes < on ? watts : 0;
}

/** Returns the power that a forgotten heater adds in a minute, in watts. */
export const computeForgottenHeaterWatts = (faults: readonly HomeFault[] | undefined, atMs: number): number =>
  hasFault(faults, 'forgotten heater', atMs) ? HEATER_W : 0;

/** Returns a function that checks whether the fault is present in a minute of the day. `startsAtMs`: start of the day, Unix ms. */
export function createFaultMinuteChecker(
  faults: readonly HomeFault[] | undefined,
  kind: HomeFault['kind'],
  startsAtMs: number,
) {
  return (minute: number): boolean => hasFault(faults, kind, startsAtMs + minute * MINUTE_MS);
}
