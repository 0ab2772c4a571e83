import type { MeterReading } from './devices/native-meter.ts';
import { createSeededRandom } from './random.ts';

/** A fault between a meter and the database. The function receives readings in order, and returns them as they arrive in the database. */
type ReadingFault = (readings: readonly MeterReading[]) => MeterReading[];

/** Simulates a device that is off several times. Drops `count` runs of `length` readings each, but never the first and the last reading. */
export function dropReadingRuns(seed: string, count: number, length: number): ReadingFault {
  return (readings) => {
    const random = createSeededRandom(seed, 'gaps');
    const lost = new Set<number>();
    for (let gap = 0; gap < count; gap++) {
      const start = random.whole(1, Math.max(1, readings.length - 1 - length));
      for (let index = start; index < start + length && index < readings.length - 1; index++) lost.add(index);
    }
    return readings.filter((_, index) => !lost.has(index));
  };
}

/** Repeats a share of the readings, each up to ten readings later, as QoS 1 does after a lost PUBACK. */
export function repeatReadings(seed: string, share: number): ReadingFault {
  return (readings) => {
    const random = createSeededRandom(seed, 'duplicates');
    const placed = readings.map((reading, index) => ({ reading, place: index }));
    readings.forEach((reading, index) => {
      if (random.chance(share)) placed.push({ reading, place: index + random.between(0.1, 10) });
    });
    return placed.sort((left, right) => left.place - right.place).map(({ reading }) => reading);
  };
}

/** Simulates a lost connection: `count` runs of `length` readings each arrive in one burst after all other readings. */
export function delayReadingRuns(seed: string, count: number, length: number): ReadingFault {
  return (readings) => {
    const random = createSeededRandom(seed, 'late');
    const late = new Set<number>();
    for (let burst = 0; burst < count; burst++) {
      const start = random.whole(0, Math.max(0, readings.length - length));
      for (let index = start; index < Math.min(start + length, readings.length); index++) late.add(index);
    }
    return [...readings.filter((_, index) => !late.has(index)), ...readings.filter((_, index) => late.has(index))];
  };
}

/** Simulates a reset of the meter: at a reading in the middle half of the history, the register restarts at zero. */
export function resetRegister(seed: string): ReadingFault {
  return (readings) => {
    const random = createSeededRandom(seed, 'reset');
    const at = random.whole(Math.ceil(readings.length / 4), Math.floor((readings.length * 3) / 4));
    const zero = readings[at - 1]?.energy_total_kwh ?? 0;
    return readings.map((reading, index) =>
      index < at ? reading : { ...reading, energy_total_kwh: toWattHour(reading.energy_total_kwh - zero) },
    );
  };
}

/** Replaces single readings, never two in a row, by a value that no home could reach. */
export function addGlitches(seed: string, count: number): ReadingFault {
  return (readings) => {
    const random = createSeededRandom(seed, 'glitches');
    const bad = new Set<number>();
    for (let tries = 0; bad.size < count && tries < count * 50; tries++) {
      // Glitches are at least four readings apart, because the counting rules need the next two readings to judge an implausible one.
      const at = random.whole(2, readings.length - 5);
      if (![...bad].some((other) => Math.abs(other - at) < 4)) bad.add(at);
    }
    return readings.map((reading, index) =>
      bad.has(index) ? { ...reading, energy_total_kwh: toWattHour(reading.energy_total_kwh + 500_000) } : reading,
    );
  };
}

/** Shifts the device's clock by a number of milliseconds. With a positive number, the clock is ahead. */
export function shiftDeviceClock(milliseconds: number): ReadingFault {
  return (readings) =>
    readings.map((reading) => ({ ...reading, ts: new Date(Date.parse(reading.ts) + milliseconds).toISOString() }));
}

/** Combines several faults. They are applied in the given order. */
export function combineFaults(...faults: ReadingFault[]): ReadingFault {
  return (readings) => faults.reduce<MeterReading[]>((sofar, fault) => fault(sofar), [...readings]);
}

function toWattHour(kwh: number): number {
  return Math.round(kwh * 1000) / 1000;
}

/**
 * Faults by the names that `energy demo --faults` accepts. Each fault is visible in a history of 90 days. Faults of the meter come before
 * faults of the connection.
 */
const FAULTS: Record<string, (seed: string) => ReadingFault> = {
  reset: (seed) => resetRegister(seed),
  glitches: (seed) => addGlitches(seed, 6),
  skew: () => shiftDeviceClock(-90_000),
  gaps: (seed) => dropReadingRuns(seed, 6, 20),
  duplicates: (seed) => repeatReadings(seed, 0.05),
  late: (seed) => delayReadingRuns(seed, 6, 40),
};

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

/** Combines the named faults, in the order of `FAULTS`. The same seed results in the same faults. Unknown names are ignored. */
export function combineNamedFaults(names: readonly string[], seed: string): ReadingFault {
  return combineFaults(
    ...FAULT_NAMES.filter((name) => names.includes(name)).flatMap((name) => FAULTS[name]?.(seed) ?? []),
  );
}
