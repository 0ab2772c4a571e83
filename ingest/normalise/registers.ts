import { asMilliwattHours, HOUR_MS, kwhToMilliwattHours } from '#src/core/units.ts';
import { READ_BY_HAND } from '#src/devices/edits/edit.ts';
import type { EnergyInterval, Findings, Law, Point, SettingsByTime, Verdict } from './law.ts';
import {
  isJitter,
  isPlausible,
  isReset,
  isUsualMean,
  type RegisterValue,
  rolloverMilliwattHours,
} from './plausibility.ts';
import {
  beforeLastOf,
  earliestOf,
  lastOf,
  type Run,
  risenAnHourBefore,
  runAfter,
  runFrom,
  runFromTo,
  runOf,
  withLast,
} from './run.ts';
import { elapsedFromMs, isSplit, settingsAt } from './settings.ts';

/**
 * `run`: the readings that count, none before the first; `held`: an implausible one after them; `first`: one that fits the held
 * one.
 */
export interface RegisterState {
  readonly run?: Run;
  readonly held?: RegisterValue;
  readonly first?: RegisterValue;
}

const valueOfPoint = ({ readAtMs, value, intervalMs }: Point): RegisterValue =>
  intervalMs === READ_BY_HAND
    ? { readAtMs, valueMilliwattHours: asMilliwattHours(value), isByHand: true }
    : { readAtMs, valueMilliwattHours: asMilliwattHours(value) };
const pointOf = (value: RegisterValue): Point => ({
  readAtMs: value.readAtMs,
  intervalMs: value.isByHand ? READ_BY_HAND : 0,
  value: value.valueMilliwattHours,
});

/**
 * The law for cumulative registers: differences of consecutive readings; implausible ones are held until the readings
 * after them say whether they were late news, a glitch, a rollover, a reset, a swapped meter, or right and the one before them
 * a glitch. Returns a law for readings in mWh; energy counts as import or, for `direction` export, as export.
 */
export function registerLaw(settings: SettingsByTime, direction: 'import' | 'export'): Law<RegisterState> {
  const at = settingsAt(settings);
  /** A reading as far back from a later one as time has passed, which the clock may have gone over twice. */
  const elapsed = (a: RegisterValue, b: RegisterValue): RegisterValue =>
    settings.stepsBack ? { ...a, readAtMs: elapsedFromMs(settings, a.readAtMs, b.readAtMs) } : a;
  const fits = (a: RegisterValue, b: RegisterValue) => isPlausible(elapsed(a, b), b, at(b.readAtMs));

  /** Counts an energy in mWh between two readings, spread over the time between them. */
  function countOver(findings: Findings, a: RegisterValue, b: RegisterValue, energy: number, isLate = false) {
    const [imported, exported] = direction === 'import' ? [energy, 0] : [0, energy];
    findings.interval({
      startMs: a.readAtMs,
      endMs: b.readAtMs,
      importMilliwattHours: asMilliwattHours(imported),
      exportMilliwattHours: asMilliwattHours(exported),
      estimated: isLate || b.readAtMs - a.readAtMs > HOUR_MS,
      ...(isLate && { isLate }),
    });
  }

  /** Counts the step to the next reading of a run. */
  function goOn(findings: Findings, run: Run, next: RegisterValue, last = lastOf(run)): Run {
    countOver(findings, last, next, next.valueMilliwattHours - last.valueMilliwattHours);
    return runAfter(run, next);
  }

  /** Where the held reading is news that a source told late: the reading since which it is. */
  function lateSince(run: Run, held: RegisterValue): RegisterValue | null {
    if (held.valueMilliwattHours <= lastOf(run).valueMilliwattHours) return null;
    const since = risenAnHourBefore(run, held.readAtMs);
    return since && fits(since, held) && isUsualMean(since, held, at(held.readAtMs)) ? since : null;
  }

  /** The held reading was confirmed by two that fit it: says what it was and counts what led to it. Returns the run up to it. */
  function confirm(findings: Findings, run: Run, held: RegisterValue): Run {
    const [good, before] = [lastOf(run), beforeLastOf(run)];
    const since = lateSince(run, held);
    if (since) {
      findings.takeBack(since.readAtMs, held.readAtMs, 'passed');
      findings.verdict(pointOf(held), 'late');
      countOver(findings, since, held, held.valueMilliwattHours - since.valueMilliwattHours, true);
      return runFromTo(since, held);
    }
    if (before && held.valueMilliwattHours < good.valueMilliwattHours && fits(before, held)) {
      findings.takeBack(before.readAtMs, held.readAtMs, 'glitch');
      findings.verdict(pointOf(held), 'back');
      countOver(findings, before, held, held.valueMilliwattHours - before.valueMilliwattHours);
      return withLast(run, held);
    }
    const across = rolloverMilliwattHours(elapsed(good, held), held, at(held.readAtMs));
    if (across !== null) {
      findings.verdict(pointOf(held), 'rollover');
      countOver(findings, good, held, across);
    } else if (isReset(elapsed(good, held), held, at(held.readAtMs))) {
      findings.verdict(pointOf(held), 'reset');
      countOver(findings, good, held, held.valueMilliwattHours);
    } else {
      findings.verdict(pointOf(held), 'swap');
    }
    return runOf(held);
  }

  /** The energy in mWh up to a reading that counts, by what it was taken for; null: a baseline. */
  function energyTo(last: RegisterValue, now: RegisterValue, verdict: Verdict | null): number | null {
    const rise = now.valueMilliwattHours - last.valueMilliwattHours;
    if (verdict === 'reset') return now.valueMilliwattHours;
    if (verdict === 'rollover') return kwhToMilliwattHours(at(now.readAtMs).registerMaxKwh ?? 0) + rise;
    return verdict === 'swap' ? null : rise;
  }

  function hold(findings: Findings, run: Run, now: RegisterValue): RegisterState {
    findings.verdict(pointOf(now), 'held');
    return { run, held: now };
  }

  /** The next reading while nothing is held. */
  function take(findings: Findings, run: Run, now: RegisterValue): RegisterState {
    const last = lastOf(run);
    if (fits(last, now)) return { run: goOn(findings, run, now, last) };
    if (!isJitter(last, now)) return hold(findings, run, now);
    // 0 until the old value is passed: the register is taken to stand still at it.
    findings.verdict(pointOf(now), 'jitter');
    return { run: goOn(findings, run, { readAtMs: now.readAtMs, valueMilliwattHours: last.valueMilliwattHours }) };
  }

  return {
    initial: {},
    knows: (state) => (state as { good?: unknown }).good === undefined,
    earliestMs: ({ run }) => (run ? earliestOf(run) : Number.POSITIVE_INFINITY),
    restart(before, later) {
      const found = runFrom(before, later?.run);
      return found && { taken: found.taken, state: { run: found.state } };
    },
    counted(from, judged) {
      const intervals: EnergyInterval[] = [];
      const findings: Findings = { interval: (interval) => intervals.push(interval), verdict() {}, takeBack() {} };
      let last = from.run && lastOf(from.run);
      for (const { verdict, ...point } of judged) {
        // What follows a reading that is still held waits with it.
        if (verdict === 'held') break;
        if (verdict === 'glitch' || verdict === 'passed' || verdict === 'excluded') continue;
        const read = valueOfPoint(point);
        const now: RegisterValue = verdict === 'jitter' && last ? { ...last, readAtMs: read.readAtMs } : read;
        const energy = last ? energyTo(last, now, verdict) : null;
        if (last && energy !== null) countOver(findings, last, now, energy, verdict === 'late');
        last = now;
      }
      return intervals;
    },
    step({ run, held, first }, point, findings) {
      const now = valueOfPoint(point);
      if (!run) return { run: runOf(now) };
      const reject = (value: RegisterValue) => findings.verdict(pointOf(value), 'glitch');
      if (isSplit(settings, (first ?? held ?? lastOf(run)).readAtMs, now.readAtMs)) {
        // No reading of that register comes any more that could confirm what is held.
        if (held) reject(held);
        if (first) reject(first);
        findings.verdict(point, 'swap');
        return { run: runOf(now) };
      }
      if (!held) return take(findings, run, now);
      const awaitSecond = (): RegisterState => {
        findings.verdict(point, 'confirming');
        return { run, held, first: now };
      };
      if (!first) {
        const isGlitch = fits(lastOf(run), now);
        // What may be late news is not given up for one reading that fits both.
        if (fits(held, now) && (!isGlitch || lateSince(run, held))) return awaitSecond();
        reject(held);
        return isGlitch ? { run: goOn(findings, run, now) } : hold(findings, run, now);
      }
      if (fits(first, now)) {
        const upToHeld = confirm(findings, run, held);
        return { run: goOn(findings, goOn(findings, upToHeld, first), now) };
      }
      if (fits(lastOf(run), first) && lateSince(run, held)) {
        reject(held);
        return take(findings, goOn(findings, run, first), now);
      }
      reject(first);
      // The one in between was a glitch of its own; this reading is now the first that fits the held one.
      if (fits(held, now)) return awaitSecond();
      reject(held);
      return fits(lastOf(run), now) ? { run: goOn(findings, run, now) } : hold(findings, run, now);
    },
  };
}
