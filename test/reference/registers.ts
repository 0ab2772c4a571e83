/**
 * A second implementation of the counting rules for registers, written from their text and independent of the code that it checks. It has
 * the whole ordered list of readings, classifies each reading with the help of later ones, and only then adds up energy. All numbers are
 * BigInt.
 */
interface ReferenceReading {
  at: bigint;
  value: bigint;
}

export interface RegisterIncrement {
  from: bigint;
  to: bigint;
  energy: bigint;
  estimated: boolean;
  late?: boolean;
}

interface RegisterSettings {
  limitKw: number;
  maximumKwh: number | null;
}

const KWH = 1_000_000n;
const HOUR = 3_600_000n;

/** Returns one unit of the last decimal place of a value, in mWh. The result is at most 1 kWh. */
function unit(value: bigint): bigint {
  const text = value.toString().padStart(7, '0');
  const decimals = text.slice(-6).replace(/0+$/, '');
  return 10n ** BigInt(6 - decimals.length);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);

export function isPlausibleReading(a: ReferenceReading, b: ReferenceReading, limitKw: number): boolean {
  const resolution = most(1_000n, least(unit(a.value), unit(b.value)));
  const limitMilliwatts = BigInt(Math.round(limitKw * 1e6));
  const rise = b.value - a.value;
  return rise >= 0n && (rise - resolution) * HOUR <= limitMilliwatts * (b.at - a.at);
}

/**
 * An accepted reading, with the step from the previous accepted reading. A run is a sequence of readings without a reset or a replacement
 * of the meter; its first reading has no step.
 */
interface Counted extends ReferenceReading {
  step: RegisterIncrement | null;
}

/**
 * Returns the steps of a register that contribute energy. `readings`: in order, one per time. `more`: returns the additional time between
 * two readings, if the clock was set back between them.
 */
export function computeRegisterIncrements(
  readings: ReferenceReading[],
  settings: RegisterSettings,
  more: (from: bigint, to: bigint) => bigint = () => 0n,
): RegisterIncrement[] {
  const before = (a: ReferenceReading, b: ReferenceReading): ReferenceReading => ({
    ...a,
    at: a.at - more(a.at, b.at),
  });
  const fits = (a: ReferenceReading, b: ReferenceReading) => isPlausibleReading(before(a, b), b, settings.limitKw);
  /** `over`: steps of completed runs. `run`: accepted readings of the current run. */
  const over: RegisterIncrement[] = [];
  let run: Counted[] = [];
  const last = () => run[run.length - 1] as Counted;
  const step = (a: ReferenceReading, b: ReferenceReading, energy: bigint): RegisterIncrement => ({
    from: a.at,
    to: b.at,
    energy,
    estimated: b.at - a.at > HOUR,
  });
  const go = (to: ReferenceReading) => {
    run.push({ ...to, step: step(last(), to, to.value - last().value) });
  };
  /**
   * Completes the current run, and begins the next run with the reading `first`. `energy`: energy from the last reading of the completed
   * run to `first`; null: none.
   */
  const begin = (first: ReferenceReading, energy: bigint | null) => {
    over.push(...run.flatMap((one) => one.step ?? []));
    if (energy !== null) over.push(step(last(), first, energy));
    run = [{ ...first, step: null }];
  };

  /**
   * Finds out whether the source may have repeated an old value until the held (implausible, undecided) reading. Returns the index of the
   * reading with this old value in the run, or null.
   */
  function lateSince(held: ReferenceReading): number | null {
    if (held.value <= last().value) return null;
    const hourBefore = (held.at / HOUR - 1n) * HOUR;
    const z = run.findLastIndex(
      (one, index) => one.at <= hourBefore && (index === 0 || one.value > (run[index - 1] as Counted).value),
    );
    const from = run[z];
    if (!from || !fits(from, held)) return null;
    const limit = BigInt(Math.round(settings.limitKw * 1e6));
    const most20 = 20n * KWH * 5n > limit ? 20n * KWH * 5n : limit;
    return (held.value - from.value) * 5n * HOUR <= most20 * (held.at - from.at) ? z : null;
  }

  /** Accepts the held (implausible) reading, because two later readings are consistent with it. Glitches are handled elsewhere. */
  function confirmed(held: ReferenceReading) {
    const z = lateSince(held);
    const good = last();
    const second = run[run.length - 2];
    if (z !== null) {
      run = run.slice(0, z + 1);
      const from = last();
      run.push({ ...held, step: { ...step(from, held, held.value - from.value), estimated: true, late: true } });
    } else if (second && held.value < good.value && fits(second, held)) {
      run = run.slice(0, -1);
      go(held);
    } else begin(held, energyOverHeld(before(good, held), held, settings));
  }

  /**
   * Decides about the held (implausible) reading at an index. Returns the index of the next reading to process, or null if the later
   * readings do not decide.
   */
  function decide(index: number): number | null {
    const held = readings[index] as ReferenceReading;
    const next = readings[index + 1];
    if (!next) return null;
    const mayBeLate = lateSince(held) !== null;
    if (fits(last(), next) && !(mayBeLate && fits(held, next))) {
      go(next);
      return index + 2;
    }
    if (!fits(held, next)) return decide(index + 1);
    let second = next;
    for (let at = index + 2; at < readings.length; at++) {
      const after = readings[at] as ReferenceReading;
      if (fits(second, after)) {
        confirmed(held);
        go(second);
        go(after);
        return at + 1;
      }
      if (mayBeLate && fits(last(), second)) {
        go(second);
        return at;
      }
      if (fits(held, after)) {
        second = after;
      } else if (fits(last(), after)) {
        go(after);
        return at + 1;
      } else return decide(at);
    }
    return null;
  }

  for (let index: number | null = 0; index !== null && index < readings.length; ) {
    const here = readings[index] as ReferenceReading;
    const good = run.at(-1);
    const drop = good ? good.value - here.value : 0n;
    if (!good) run.push({ ...here, step: null });
    else if (fits(good, here)) go(here);
    else if (drop > 0n && drop <= KWH / 10n && drop * 100n <= good.value) go({ at: here.at, value: good.value });
    else {
      index = decide(index);
      continue;
    }
    index++;
  }
  return [...over, ...run.flatMap((one) => one.step ?? [])];
}

/**
 * Returns the energy from the last good reading to a held (implausible) reading, if a rollover, a reset or a replacement of the meter lies
 * between them; null if the energy is unknown.
 */
function energyOverHeld(good: ReferenceReading, held: ReferenceReading, settings: RegisterSettings): bigint | null {
  const limit = BigInt(Math.round(settings.limitKw * 1e6));
  if (settings.maximumKwh !== null) {
    const maximum = BigInt(Math.round(settings.maximumKwh * 1e6));
    const across = maximum - good.value + held.value;
    const resolution = most(1_000n, least(unit(good.value), unit(held.value)));
    const isAcross = good.value <= maximum && good.value * 10n > maximum * 9n && held.value * 10n < maximum;
    if (isAcross && (across - resolution) * HOUR <= limit * (held.at - good.at)) return across;
  }
  const alone = most(1_000n, unit(held.value));
  const fromZero = (held.value - alone) * HOUR <= limit * (held.at - good.at);
  return held.value * 10n < good.value && fromZero ? held.value : null;
}
