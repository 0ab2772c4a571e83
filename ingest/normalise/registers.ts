import { castToMilliwattHours, HOUR_MS, kwhToMilliwattHours } from '#src/core/units.ts';
import { MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import type {
  CountingRestart,
  CountingResultReceiver,
  CountingRule,
  CountingSettings,
  CountingSettingsByTime,
  CountingVerdict,
  EnergyInterval,
  SeriesReading,
  SeriesReadingWithVerdict,
} from './counting-rule.ts';
import {
  computeRolloverMilliwattHours,
  isPlausibleConstantPower,
  isPlausibleRegisterChange,
  isRegisterJitter,
  isRegisterReset,
  type RegisterValue,
} from './plausibility.ts';
import {
  appendLatestReading,
  createLatestReadingsFromRiseAndLast,
  createLatestRegisterReadings,
  findLatestRiseBeforePreviousHour,
  getEarliestReadingMs,
  getLastReading,
  getSecondLastReading,
  type LatestRegisterReadings,
  rebuildLatestReadings,
  replaceLastReading,
} from './run.ts';
import { correctTimeForClockSteps, createCountingSettingsLookup, hasCounterChangeBetween } from './settings.ts';

/**
 * `run`: the latest counted readings; undefined before the first reading. `held`: a later, implausible reading. `first`: the first reading
 * after `held` that is consistent with `held`.
 */
export interface RegisterState {
  readonly run?: LatestRegisterReadings;
  readonly held?: RegisterValue;
  readonly first?: RegisterValue;
}

const valueOfPoint = ({ readAtMs, value, intervalMs }: SeriesReading): RegisterValue =>
  intervalMs === MANUAL_READING_INTERVAL_MARKER
    ? { readAtMs, valueMilliwattHours: castToMilliwattHours(value), isByHand: true }
    : { readAtMs, valueMilliwattHours: castToMilliwattHours(value) };
const pointOf = (value: RegisterValue): SeriesReading => ({
  readAtMs: value.readAtMs,
  intervalMs: value.isByHand ? MANUAL_READING_INTERVAL_MARKER : 0,
  value: value.valueMilliwattHours,
});

/**
 * The rule that converts the readings of a cumulative register (mWh) into energy: it counts the differences between consecutive readings.
 * An implausible reading is held back until later readings show its cause: for example a fault, a reset, or a swapped meter.
 */
export class RegisterCountingRule implements CountingRule<RegisterState> {
  readonly initial: RegisterState = {};
  readonly #settings: CountingSettingsByTime;
  readonly #at: (ms: number) => CountingSettings;
  readonly #direction: 'import' | 'export';

  constructor(settings: CountingSettingsByTime, direction: 'import' | 'export') {
    this.#settings = settings;
    this.#at = createCountingSettingsLookup(settings);
    this.#direction = direction;
  }

  knows(state: unknown): boolean {
    return (state as { good?: unknown }).good === undefined;
  }

  earliestMs({ run }: RegisterState): number {
    return run ? getEarliestReadingMs(run) : Number.POSITIVE_INFINITY;
  }

  restart(before: readonly SeriesReadingWithVerdict[], later?: RegisterState): CountingRestart<RegisterState> | null {
    const found = rebuildLatestReadings(before, later?.run);
    return found && { taken: found.taken, state: { run: found.state } };
  }

  counted(from: RegisterState, judged: readonly SeriesReadingWithVerdict[]): EnergyInterval[] {
    const intervals: EnergyInterval[] = [];
    const findings: CountingResultReceiver = {
      interval: (interval) => intervals.push(interval),
      verdict() {},
      takeBack() {},
    };
    let last = from.run && getLastReading(from.run);
    for (const { verdict, ...point } of judged) {
      if (verdict === 'held') break;
      if (verdict === 'glitch' || verdict === 'passed' || verdict === 'excluded') continue;
      const read = valueOfPoint(point);
      const now: RegisterValue = verdict === 'jitter' && last ? { ...last, readAtMs: read.readAtMs } : read;
      const energy = last ? this.#energyTo(last, now, verdict) : null;
      if (last && energy !== null) this.#countOver(findings, last, now, energy, verdict === 'late');
      last = now;
    }
    return intervals;
  }

  step({ run, held, first }: RegisterState, point: SeriesReading, findings: CountingResultReceiver): RegisterState {
    const now = valueOfPoint(point);
    if (!run) return { run: createLatestRegisterReadings(now) };
    if (hasCounterChangeBetween(this.#settings, (first ?? held ?? getLastReading(run)).readAtMs, now.readAtMs)) {
      // From this reading on, the series measures another counter, so later readings cannot confirm the held one.
      if (held) reject(findings, held);
      if (first) reject(findings, first);
      findings.verdict(point, 'swap');
      return { run: createLatestRegisterReadings(now) };
    }
    if (!held) return this.#take(findings, run, now);
    if (!first) return this.#takeAfterHeld(findings, { run, held }, now);
    return this.#takeAfterFirst(findings, { run, held, first }, now);
  }

  #take(findings: CountingResultReceiver, run: LatestRegisterReadings, now: RegisterValue): RegisterState {
    const last = getLastReading(run);
    if (this.#fits(last, now)) return { run: this.#goOn(findings, run, now, last) };
    if (!isRegisterJitter(last, now)) return hold(findings, run, now);
    // After a slight fall of the register (jitter), no energy is counted until the register exceeds its previous value.
    findings.verdict(pointOf(now), 'jitter');
    return {
      run: this.#goOn(findings, run, { readAtMs: now.readAtMs, valueMilliwattHours: last.valueMilliwattHours }),
    };
  }

  /** Processes the reading immediately after a held reading, which is implausible and not judged yet. */
  #takeAfterHeld(
    findings: CountingResultReceiver,
    { run, held }: { run: LatestRegisterReadings; held: RegisterValue },
    now: RegisterValue,
  ): RegisterState {
    const isGlitch = this.#fits(getLastReading(run), now);
    // The reading is consistent with the held reading, so the next reading decides. If it is also consistent with the earlier readings, the
    // held reading is rejected, unless its source may have reported late.
    if (this.#fits(held, now) && (!isGlitch || this.#lateSince(run, held)))
      return awaitSecond(findings, { run, held }, now);
    reject(findings, held);
    return isGlitch ? { run: this.#goOn(findings, run, now) } : hold(findings, run, now);
  }

  /** Processes the second reading after a held reading, if the first reading after it (`first`) was consistent with it. */
  #takeAfterFirst(
    findings: CountingResultReceiver,
    { run, held, first }: { run: LatestRegisterReadings; held: RegisterValue; first: RegisterValue },
    now: RegisterValue,
  ): RegisterState {
    if (this.#fits(first, now)) {
      const upToHeld = this.#confirm(findings, run, held);
      return { run: this.#goOn(findings, this.#goOn(findings, upToHeld, first), now) };
    }
    if (this.#fits(getLastReading(run), first) && this.#lateSince(run, held)) {
      reject(findings, held);
      return this.#take(findings, this.#goOn(findings, run, first), now);
    }
    reject(findings, first);
    // The current reading replaces `first`, which was itself an error.
    if (this.#fits(held, now)) return awaitSecond(findings, { run, held }, now);
    reject(findings, held);
    return this.#fits(getLastReading(run), now) ? { run: this.#goOn(findings, run, now) } : hold(findings, run, now);
  }

  /** Gives a held reading its final verdict, and counts its energy. Returns the counted readings, which end with the held one. */
  #confirm(findings: CountingResultReceiver, run: LatestRegisterReadings, held: RegisterValue): LatestRegisterReadings {
    const [good, before] = [getLastReading(run), getSecondLastReading(run)];
    const since = this.#lateSince(run, held);
    if (since) {
      findings.takeBack(since.readAtMs, held.readAtMs, 'passed');
      findings.verdict(pointOf(held), 'late');
      this.#countOver(findings, since, held, held.valueMilliwattHours - since.valueMilliwattHours, true);
      return createLatestReadingsFromRiseAndLast(since, held);
    }
    if (before && held.valueMilliwattHours < good.valueMilliwattHours && this.#fits(before, held)) {
      findings.takeBack(before.readAtMs, held.readAtMs, 'glitch');
      findings.verdict(pointOf(held), 'back');
      this.#countOver(findings, before, held, held.valueMilliwattHours - before.valueMilliwattHours);
      return replaceLastReading(run, held);
    }
    const settings = this.#at(held.readAtMs);
    const across = computeRolloverMilliwattHours(this.#elapsed(good, held), held, settings);
    if (across !== null) {
      findings.verdict(pointOf(held), 'rollover');
      this.#countOver(findings, good, held, across);
    } else if (isRegisterReset(this.#elapsed(good, held), held, settings)) {
      findings.verdict(pointOf(held), 'reset');
      this.#countOver(findings, good, held, held.valueMilliwattHours);
    } else {
      findings.verdict(pointOf(held), 'swap');
    }
    return createLatestRegisterReadings(held);
  }

  /** Counts the energy up to the next reading, and appends this reading to the counted readings. */
  #goOn(
    findings: CountingResultReceiver,
    run: LatestRegisterReadings,
    next: RegisterValue,
    last = getLastReading(run),
  ): LatestRegisterReadings {
    this.#countOver(findings, last, next, next.valueMilliwattHours - last.valueMilliwattHours);
    return appendLatestReading(run, next);
  }

  #countOver(
    findings: CountingResultReceiver,
    a: RegisterValue,
    b: RegisterValue,
    energy: number,
    isLate = false,
  ): void {
    const [imported, exported] = this.#direction === 'import' ? [energy, 0] : [0, energy];
    findings.interval({
      startMs: a.readAtMs,
      endMs: b.readAtMs,
      importMilliwattHours: castToMilliwattHours(imported),
      exportMilliwattHours: castToMilliwattHours(exported),
      estimated: isLate || b.readAtMs - a.readAtMs > HOUR_MS,
      ...(isLate && { isLate }),
    });
  }

  /**
   * If the source of a held reading has reported late, returns an earlier reading. The energy is then spread over the time between the two
   * readings. Otherwise returns null.
   */
  #lateSince(run: LatestRegisterReadings, held: RegisterValue): RegisterValue | null {
    if (held.valueMilliwattHours <= getLastReading(run).valueMilliwattHours) return null;
    const since = findLatestRiseBeforePreviousHour(run, held.readAtMs);
    return since && this.#fits(since, held) && isPlausibleConstantPower(since, held, this.#at(held.readAtMs))
      ? since
      : null;
  }

  #fits(a: RegisterValue, b: RegisterValue): boolean {
    return isPlausibleRegisterChange(this.#elapsed(a, b), b, this.#at(b.readAtMs));
  }

  /** Returns reading `a` with a corrected time, so that the time to `b` is the elapsed time even if the clock was set back in between. */
  #elapsed(a: RegisterValue, b: RegisterValue): RegisterValue {
    return this.#settings.stepsBack
      ? { ...a, readAtMs: correctTimeForClockSteps(this.#settings, a.readAtMs, b.readAtMs) }
      : a;
  }

  /** Returns the energy in mWh that a reading with this verdict adds. Null if it is the first reading of another meter. */
  #energyTo(last: RegisterValue, now: RegisterValue, verdict: CountingVerdict | null): number | null {
    const rise = now.valueMilliwattHours - last.valueMilliwattHours;
    if (verdict === 'reset') return now.valueMilliwattHours;
    if (verdict === 'rollover') return kwhToMilliwattHours(this.#at(now.readAtMs).registerMaxKwh ?? 0) + rise;
    return verdict === 'swap' ? null : rise;
  }
}

const reject = (findings: CountingResultReceiver, value: RegisterValue): void =>
  findings.verdict(pointOf(value), 'glitch');

function hold(findings: CountingResultReceiver, run: LatestRegisterReadings, now: RegisterValue): RegisterState {
  findings.verdict(pointOf(now), 'held');
  return { run, held: now };
}

/** Stores the first reading that is consistent with a held reading. The held reading is counted only after a second such reading. */
function awaitSecond(
  findings: CountingResultReceiver,
  { run, held }: { run: LatestRegisterReadings; held: RegisterValue },
  now: RegisterValue,
): RegisterState {
  findings.verdict(pointOf(now), 'confirming');
  return { run, held, first: now };
}
