/**
 * The law for registers once more, written from the law's text and not from the code it checks: it looks at the whole
 * ordered list, decides what each reading was by looking ahead, and only then counts. BigInt throughout.
 */
export interface Reading {
  at: bigint;
  value: bigint;
}

export interface Step {
  from: bigint;
  to: bigint;
  energy: bigint;
  estimated: boolean;
}

export interface RegisterSettings {
  limitKw: number;
  maximumKwh: number | null;
}

const KWH = 1_000_000n;
const HOUR = 3_600_000n;

/** One unit in the last decimal place of a value in mWh, at most 1 kWh. */
function unit(value: bigint): bigint {
  const text = value.toString().padStart(7, '0');
  const decimals = text.slice(-6).replace(/0+$/, '');
  return 10n ** BigInt(6 - decimals.length);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);

export function plausible(a: Reading, b: Reading, limitKw: number): boolean {
  const resolution = most(1_000n, least(unit(a.value), unit(b.value)));
  const limitMilliwatts = BigInt(Math.round(limitKw * 1e6));
  const rise = b.value - a.value;
  return rise >= 0n && (rise - resolution) * HOUR <= limitMilliwatts * (b.at - a.at);
}

/** What a held reading turned out to be: where to go on, with which last good reading, and what was counted. */
type Outcome =
  | { kind: 'open' }
  | { kind: 'held'; index: number }
  | { kind: 'good'; good: Reading; next: number; counted: [Reading, Reading, bigint][] };

/** `readings`: in order of time, one a time. */
export function registerSteps(readings: Reading[], settings: RegisterSettings): Step[] {
  const steps: Step[] = [];
  const count = (a: Reading, b: Reading, energy: bigint) => {
    steps.push({ from: a.at, to: b.at, energy, estimated: b.at - a.at > HOUR });
  };
  let good = readings[0];
  let index = 1;
  while (good && index < readings.length) {
    const here = readings[index] as Reading;
    const drop = good.value - here.value;
    if (plausible(good, here, settings.limitKw)) {
      count(good, here, here.value - good.value);
      good = here;
      index++;
    } else if (drop > 0n && drop <= KWH / 10n && drop * 100n <= good.value) {
      const standing: Reading = { at: here.at, value: good.value };
      count(good, standing, 0n);
      good = standing;
      index++;
    } else {
      let outcome: Outcome = { kind: 'held', index };
      while (outcome.kind === 'held') outcome = lookAhead(readings, good, outcome.index, settings);
      if (outcome.kind === 'open') return steps;
      for (const [a, b, energy] of outcome.counted) count(a, b, energy);
      good = outcome.good;
      index = outcome.next;
    }
  }
  return steps;
}

/** The reading at `index` is held behind `good`: the rows of the law's table, in their order. */
function lookAhead(readings: Reading[], good: Reading, index: number, settings: RegisterSettings): Outcome {
  const fits = (a: Reading, b: Reading) => plausible(a, b, settings.limitKw);
  const held = readings[index] as Reading;
  const next = readings[index + 1];
  if (!next) return { kind: 'open' };
  const glitch = (r: Reading, at: number): Outcome => ({
    kind: 'good',
    good: r,
    next: at + 1,
    counted: [[good, r, r.value - good.value]],
  });
  if (fits(good, next)) return glitch(next, index + 1);
  if (!fits(held, next)) return { kind: 'held', index: index + 1 };
  let confirming = next;
  for (let at = index + 2; at < readings.length; at++) {
    const after = readings[at] as Reading;
    if (fits(confirming, after)) {
      const counted: [Reading, Reading, bigint][] = [
        [held, confirming, confirming.value - held.value],
        [confirming, after, after.value - confirming.value],
      ];
      const over = energyOverHeld(good, held, settings);
      if (over !== null) counted.unshift([good, held, over]);
      return { kind: 'good', good: after, next: at + 1, counted };
    }
    if (fits(held, after)) {
      confirming = after;
      continue;
    }
    return fits(good, after) ? glitch(after, at) : { kind: 'held', index: at };
  }
  return { kind: 'open' };
}

/** Rollover, reset or swap (null: nothing is counted over the step). */
function energyOverHeld(good: Reading, held: Reading, settings: RegisterSettings): bigint | null {
  if (settings.maximumKwh !== null) {
    const maximum = BigInt(Math.round(settings.maximumKwh * 1e6));
    if (good.value <= maximum && good.value * 10n > maximum * 9n && held.value * 10n < maximum)
      return maximum - good.value + held.value;
  }
  const fromZero = plausible({ at: good.at, value: 0n }, held, settings.limitKw);
  return held.value * 10n < good.value && fromZero ? held.value : null;
}
