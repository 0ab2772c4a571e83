import { describe, expect, it } from 'vitest';
import { generateMeterReadings, type MeterReading } from '#simulators/devices/native-meter.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import {
  addGlitches,
  combineFaults,
  delayReadingRuns,
  dropReadingRuns,
  repeatReadings,
  resetRegister,
  shiftDeviceClock,
} from './faults.ts';

const START = Date.UTC(2026, 1, 2);
const clean = [
  ...generateMeterReadings(createSimulatedHome(drawHomeTraits('faults'), START), START, START + 2 * 86_400_000, 900),
];
const times = (readings: MeterReading[]) => readings.map((reading) => Date.parse(reading.ts));
const sorted = (readings: MeterReading[]) => [...readings].sort((left, right) => (left.ts < right.ts ? -1 : 1));
const kwh = (readings: MeterReading[]) => readings.map((reading) => reading.energy_total_kwh);

describe('faults', () => {
  it('returns the same faults for the same seed', () => {
    const fault = (seed: string) =>
      combineFaults(dropReadingRuns(seed, 2, 5), repeatReadings(seed, 0.1), delayReadingRuns(seed, 1, 8))(clean);
    expect(fault('x')).toEqual(fault('x'));
    expect(fault('y')).not.toEqual(fault('x'));
  });

  it('gaps drop runs of readings, but neither the first nor the last reading', () => {
    const remaining = dropReadingRuns('x', 1, 12)(clean);
    expect(remaining).toHaveLength(clean.length - 12);
    expect([remaining[0], remaining.at(-1)]).toEqual([clean[0], clean.at(-1)]);
    const steps = times(remaining).map((time, index, all) => time - (all[index - 1] ?? time));
    expect(Math.max(...steps)).toBe(13 * 900_000);
  });

  it('duplicates repeat readings and lose none', () => {
    const doubled = repeatReadings('x', 0.2)(clean);
    expect(doubled.length).toBeGreaterThan(clean.length);
    expect(new Set(doubled.map((reading) => JSON.stringify(reading))).size).toBe(clean.length);
  });

  it('late bursts change only the order of arrival', () => {
    const late = delayReadingRuns('x', 2, 6)(clean);
    expect(late).not.toEqual(clean);
    expect(sorted(late)).toEqual(clean);
  });

  it('a reset sets the register to zero once, and it continues from there', () => {
    const values = kwh(resetRegister('x')(clean));
    const drops = values.filter((value, index) => value < (values[index - 1] ?? 0));
    expect(drops).toHaveLength(1);
    expect(drops[0]).toBeLessThan(0.1 * Math.max(...values) + 1);
  });

  it('glitches change the requested number of readings, never two neighbours', () => {
    const bad = addGlitches('x', 3)(clean).map((reading) => reading.energy_total_kwh > 400_000);
    expect(bad.filter(Boolean)).toHaveLength(3);
    expect(bad.some((is, index) => is && bad[index + 1])).toBe(false);
  });

  it('clock skew shifts every time by the same amount', () => {
    expect(times(shiftDeviceClock(-90_000)(clean))).toEqual(times(clean).map((time) => time - 90_000));
  });
});
