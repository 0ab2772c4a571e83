import { describe, expect, it } from 'vitest';
import { createMeterReading, generateMeterReadings } from '#simulators/devices/native-meter.ts';
import { generateThermostatReadings } from '#simulators/devices/native-thermostat.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5);
const home = (seed: string, offset = 60) => createSimulatedHome(drawHomeTraits(seed, offset), START);
const kwhOfDays = (seed: string, fromMs: number, days: number) => {
  const one = createSimulatedHome(drawHomeTraits(seed), START);
  return (one.at(fromMs + days * DAY_MS).registerMilliwattHours - one.at(fromMs).registerMilliwattHours) / 1e6;
};

describe('a simulated home', () => {
  it('returns the same readings for the same seed and time, and others for another seed', () => {
    const first = [...generateMeterReadings(home('a'), START, START + 3 * DAY_MS, 900)];
    expect([...generateMeterReadings(home('a'), START, START + 3 * DAY_MS, 900)]).toEqual(first);
    expect([...generateMeterReadings(home('b'), START, START + 3 * DAY_MS, 900)]).not.toEqual(first);
  });

  it('does not depend on the order or the cadence of requests', () => {
    const one = home('order');
    const later = one.at(START + 5 * DAY_MS + 12_345);
    const earlier = one.at(START + DAY_MS + 678);
    expect(home('order').at(START + DAY_MS + 678)).toEqual(earlier);
    expect(home('order').at(START + 5 * DAY_MS + 12_345)).toEqual(later);
    const coarse = [...generateMeterReadings(home('order'), START, START + DAY_MS, 3600)];
    const fine = [...generateMeterReadings(home('order'), START, START + DAY_MS, 10)];
    expect(fine.filter((_, index) => index % 360 === 0)).toEqual(coarse);
  });

  it('has a register that never decreases and equals the exact sum of the power', () => {
    const one = home('sum');
    const shown = [...generateMeterReadings(one, START, START + 2 * DAY_MS, 10)].map(
      (reading) => reading.energy_total_kwh,
    );
    expect(shown.filter((kwh, index) => kwh < (shown[index - 1] ?? 0))).toEqual([]);
    const at = START + DAY_MS + 7 * 3_600_000;
    let millijoules = 0;
    for (let minute = 0; minute < 60; minute++) millijoules += one.at(at + minute * 60_000).powerW * 60_000;
    const step = one.at(at + 3_600_000).registerMilliwattHours - one.at(at).registerMilliwattHours;
    expect(Math.abs(step - millijoules / 3600)).toBeLessThanOrEqual(1);
  });

  it('includes power next to the register only if requested', () => {
    expect(createMeterReading(home('p'), START + 60_000, true)).toHaveProperty('power_w');
    expect(createMeterReading(home('p'), START + 60_000, false)).not.toHaveProperty('power_w');
  });

  it('uses as much as a household does, and more in winter with a heat pump', () => {
    for (const seed of ['one', 'two', 'three', 'four']) {
      const week = kwhOfDays(seed, START, 7);
      expect(week).toBeGreaterThan(25);
      expect(week).toBeLessThan(500);
    }
    const seed = ['s1', 's2', 's3', 's4', 's5', 's6'].find(
      (name) => drawHomeTraits(name).heating === 'heat pump',
    ) as string;
    expect(kwhOfDays(seed, START, 14)).toBeGreaterThan(1.5 * kwhOfDays(seed, Date.UTC(2026, 6, 6), 14));
  });

  it('keeps its rooms near the set-point in winter', () => {
    for (const reading of generateThermostatReadings(home('warm'), START + DAY_MS, START + 4 * DAY_MS, 900)) {
      expect(reading.temperature_c).toBeGreaterThan(reading.setpoint_c - 4);
      expect(reading.temperature_c).toBeLessThan(reading.setpoint_c + 5);
    }
  });
});
