import type { MeterReading } from './devices/native-meter.ts';
import { createRandom } from './random.ts';

/** Faults between a meter and the database. Each takes readings in order and returns them as they would arrive. */
export type Fault = (readings: readonly MeterReading[]) => MeterReading[];

/** The device is off for whole stretches: `count` runs of `length` readings are never sent. First and last stay. */
export function gaps(seed: string, count: number, length: number): Fault {
  return (readings) => {
    const random = createRandom(seed, 'gaps');
    const lost = new Set<number>();
    for (let gap = 0; gap < count; gap++) {
      const start = random.whole(1, Math.max(1, readings.length - 1 - length));
      for (let index = start; index < start + length && index < readings.length - 1; index++) lost.add(index);
    }
    return readings.filter((_, index) => !lost.has(index));
  };
}

/** A share of the readings comes twice, the second time up to ten places later: QoS 1 after a lost PUBACK. */
export function duplicates(seed: string, share: number): Fault {
  return (readings) => {
    const random = createRandom(seed, 'duplicates');
    const placed = readings.map((reading, index) => ({ reading, place: index }));
    readings.forEach((reading, index) => {
      if (random.chance(share)) placed.push({ reading, place: index + random.between(0.1, 10) });
    });
    return placed.sort((left, right) => left.place - right.place).map(({ reading }) => reading);
  };
}

/** A connection was down: `count` runs of `length` readings arrive in one burst after everything else. */
export function lateBursts(seed: string, count: number, length: number): Fault {
  return (readings) => {
    const random = createRandom(seed, 'late');
    const late = new Set<number>();
    for (let burst = 0; burst < count; burst++) {
      const start = random.whole(0, Math.max(0, readings.length - length));
      for (let index = start; index < Math.min(start + length, readings.length); index++) late.add(index);
    }
    return [...readings.filter((_, index) => !late.has(index)), ...readings.filter((_, index) => late.has(index))];
  };
}

/** The register starts again from zero at a reading in the middle half. */
export function reset(seed: string): Fault {
  return (readings) => {
    const random = createRandom(seed, 'reset');
    const at = random.whole(Math.ceil(readings.length / 4), Math.floor((readings.length * 3) / 4));
    const zero = readings[at - 1]?.energy_total_kwh ?? 0;
    return readings.map((reading, index) =>
      index < at ? reading : { ...reading, energy_total_kwh: toWattHour(reading.energy_total_kwh - zero) },
    );
  };
}

/** Single readings, never two in a row, show a number that no home could have reached. */
export function glitches(seed: string, count: number): Fault {
  return (readings) => {
    const random = createRandom(seed, 'glitches');
    const bad = new Set<number>();
    for (let tries = 0; bad.size < count && tries < count * 50; tries++) {
      // Four readings apart: the law decides on a held reading from the two that follow it.
      const at = random.whole(2, readings.length - 5);
      if (![...bad].some((other) => Math.abs(other - at) < 4)) bad.add(at);
    }
    return readings.map((reading, index) =>
      bad.has(index) ? { ...reading, energy_total_kwh: toWattHour(reading.energy_total_kwh + 500_000) } : reading,
    );
  };
}

/** The device's clock is off by this much (positive: ahead). */
export function clockSkew(milliseconds: number): Fault {
  return (readings) =>
    readings.map((reading) => ({ ...reading, ts: new Date(Date.parse(reading.ts) + milliseconds).toISOString() }));
}

/** Several faults, the first one first. */
export function combine(...faults: Fault[]): Fault {
  return (readings) => faults.reduce<MeterReading[]>((sofar, fault) => fault(sofar), [...readings]);
}

function toWattHour(kwh: number): number {
  return Math.round(kwh * 1000) / 1000;
}

/**
 * Faults by the names that `energy demo --faults` takes, each in a strength that shows within 90 days.
 * What the meter shows comes before what the way to us does to it: a reset cannot know of readings that are yet late.
 */
const FAULTS: Record<string, (seed: string) => Fault> = {
  reset: (seed) => reset(seed),
  glitches: (seed) => glitches(seed, 6),
  skew: () => clockSkew(-90_000),
  gaps: (seed) => gaps(seed, 6, 20),
  duplicates: (seed) => duplicates(seed, 0.05),
  late: (seed) => lateBursts(seed, 6, 40),
};

export const FAULT_NAMES: readonly string[] = Object.keys(FAULTS);

/** The named faults, in the order above; the same seed makes the same ones. Unknown names make nothing. */
export function faultsNamed(names: readonly string[], seed: string): Fault {
  return combine(...FAULT_NAMES.filter((name) => names.includes(name)).flatMap((name) => FAULTS[name]?.(seed) ?? []));
}
