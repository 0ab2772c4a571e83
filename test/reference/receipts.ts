const [MINUTE, HOUR] = [60_000, 3_600_000];

/**
 * An event at a host, in the order of true time. Either the host receives a value without a time (mWh or mW), or its clock is set back to a
 * time (Unix ms).
 */
export type HostClockEvent = { atMs: number; value: number } | { backToMs: number };

/** A counted reading. */
interface CountedReadingWithoutTime {
  readonly atMs: number;
  readonly value: number;
}

/** An energy flow (mWh) between two times, Unix ms. */
interface Flow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly energy: number;
}

/**
 * Returns the readings that contribute energy, in a series whose source sends no times. A clock that is set back shows some times twice,
 * but each time must count once. Readings from before the step are therefore excluded if the clock shows their times again. For a register,
 * the first excluded value is added again, 1 ms before the repeated time. The result is in the order of true time, which is also the order
 * of the clock after the exclusion.
 */
export function countReadingsWithoutTime(
  happened: readonly HostClockEvent[],
  kind: 'register' | 'power',
): CountedReadingWithoutTime[] {
  let found: CountedReadingWithoutTime[] = [];
  // If several readings have the same millisecond, the lowest is used. As a register does not fall, this is the first one. The others are
  // ignored even if the first one is excluded later.
  const times = new Set<number>();
  for (const one of happened) {
    if ('value' in one) {
      if (!times.has(one.atMs)) found.push(one);
      times.add(one.atMs);
      continue;
    }
    const fromMs = kind === 'register' ? one.backToMs - 1 : one.backToMs;
    const [first] = found.filter(({ atMs }) => atMs >= fromMs);
    found = found.filter(({ atMs }) => atMs < fromMs);
    if (first && kind === 'register') found.push({ atMs: fromMs, value: first.value });
  }
  return found;
}

const pairs = (readings: readonly CountedReadingWithoutTime[]) =>
  readings.slice(1).map((after, index) => [readings[index] as CountedReadingWithoutTime, after] as const);

/** Returns the energy flows of a register whose value never falls. */
const registerFlows = (readings: readonly CountedReadingWithoutTime[]): Flow[] =>
  pairs(readings).map(([a, b]) => ({ fromMs: a.atMs, toMs: b.atMs, energy: b.value - a.value }));

/** Returns the energy flows of a power that is never negative. Gaps of more than 15 minutes contribute no energy. */
const powerFlows = (readings: readonly CountedReadingWithoutTime[]): Flow[] =>
  pairs(readings)
    .filter(([a, b]) => b.atMs - a.atMs <= 15 * MINUTE)
    .map(([a, b]) => ({
      fromMs: a.atMs,
      toMs: b.atMs,
      energy: ((a.value + b.value) / 2 / HOUR) * (b.atMs - a.atMs),
    }));

/**
 * Returns a device's import in mWh by clock hour (Unix ms). From the first reading of its register on, the register is used; before, the
 * power.
 */
export function computeReferenceImportByHour(
  register: readonly HostClockEvent[],
  power: readonly HostClockEvent[],
): Map<number, number> {
  const ofRegister = countReadingsWithoutTime(register, 'register');
  const sent = register.flatMap((one) => ('value' in one ? one.atMs : []));
  const sinceMs = Math.min(...sent, ...ofRegister.map(({ atMs }) => atMs));
  const before = powerFlows(countReadingsWithoutTime(power, 'power')).filter(({ toMs }) => toMs <= sinceMs);
  const found = new Map<number, number>();
  for (const { fromMs, toMs, energy } of [...registerFlows(ofRegister), ...before]) {
    for (let startMs = Math.floor(fromMs / HOUR) * HOUR; startMs < toMs; startMs += HOUR) {
      const ms = Math.min(toMs, startMs + HOUR) - Math.max(fromMs, startMs);
      found.set(startMs, (found.get(startMs) ?? 0) + (energy * ms) / (toMs - fromMs));
    }
  }
  return found;
}
