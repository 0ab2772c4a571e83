import { describe, expect, it } from 'vitest';
import { createSimulatedHome, createSolarHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { drawSolarTraits, SOLAR_FLOWS, type SolarDay, simulateSolarDay } from '#simulators/solar.ts';
import { computeClearSkyShare } from '#simulators/sun.ts';
import { createSolarReadings } from './demo-solar.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5);
const BERLIN = 52.5;
const traits = drawHomeTraits('solar', 0);
const solar = drawSolarTraits('solar', BERLIN);
const home = (sinceMs?: number) => createSolarHome(traits, solar, START, sinceMs);
const dayOf = (startsAtMs: number) => simulateSolarDay(traits, solar, startsAtMs, Number.NEGATIVE_INFINITY);
const kwh = (day: SolarDay, flow: (typeof SOLAR_FLOWS)[number]) =>
  day.watts[flow].reduce((sum, watts) => sum + watts, 0) / 60_000;
const year = Array.from({ length: 365 }, (_, day) => dayOf(Date.UTC(2026, 0, 1) + day * DAY_MS));

describe('a simulated solar home', () => {
  it('balances all energy flows, to the watt in every minute of a year', () => {
    let wrong = 0;
    for (const { watts } of year) {
      for (let minute = 0; minute < 1440; minute++) {
        const at = (flow: (typeof SOLAR_FLOWS)[number]) => watts[flow][minute] as number;
        const used = at('gridImport') - at('gridExport') + at('production') + at('discharged') - at('charged');
        const isPhysical =
          SOLAR_FLOWS.every((flow) => at(flow) >= 0) &&
          at('charged') * at('discharged') === 0 &&
          at('gridImport') * at('gridExport') === 0;
        if (used !== at('load') || !isPhysical) wrong++;
      }
    }
    expect(wrong).toBe(0);
  });

  it('has a battery with limits and losses that is empty at midnight', () => {
    const { capacityWh, chargeW, dischargeW } = solar.battery;
    for (const day of year) {
      const { charged, discharged } = day.watts;
      expect(Math.max(...charged)).toBeLessThanOrEqual(chargeW);
      expect(Math.max(...discharged)).toBeLessThanOrEqual(dischargeW);
      let [stored, least, most] = [0, 0, 0];
      charged.forEach((watts, minute) => {
        stored += (0.92 * watts - (discharged[minute] as number)) / 60;
        [least, most] = [Math.min(least, stored), Math.max(most, stored)];
      });
      expect(least).toBeGreaterThan(-0.001);
      expect(most).toBeLessThanOrEqual(capacityWh + 0.001);
      expect(stored).toBeLessThan(1);
    }
    expect(year.some((day) => kwh(day, 'discharged') > 0.95 * (capacityWh / 1000))).toBe(true);
  });

  it('produces what such panels produce in a year there, mostly in summer, and varies by day', () => {
    const made = year.map((day) => kwh(day, 'production'));
    const of = (from: number, to: number) => made.slice(from, to).reduce((sum, one) => sum + one, 0);
    const perPeak = of(0, 365) / (solar.peakW / 1000);
    expect(perPeak).toBeGreaterThan(850);
    expect(perPeak).toBeLessThan(1200);
    expect(of(151, 181)).toBeGreaterThan(3 * of(334, 364));
    const july = made.slice(181, 212);
    expect(Math.max(...july)).toBeGreaterThan(1.5 * Math.min(...july));
  });

  it('has a realistic sun: none at night, high at noon, long days in the summer of each hemisphere', () => {
    const [june, december] = [Date.UTC(2026, 5, 21), Date.UTC(2026, 11, 21)];
    const lightHours = (latitude: number, dayMs: number) =>
      Array.from({ length: 1440 }, (_, minute) => computeClearSkyShare(latitude, dayMs, minute)).filter(
        (share) => share > 0,
      ).length / 60;
    expect(computeClearSkyShare(BERLIN, june, 0)).toBe(0);
    expect(computeClearSkyShare(BERLIN, june, 750)).toBeGreaterThan(0.85);
    expect(computeClearSkyShare(BERLIN, december, 750)).toBeLessThan(0.5);
    expect(lightHours(BERLIN, december)).toBeGreaterThan(7);
    expect(lightHours(BERLIN, december)).toBeLessThan(8.5);
    expect(lightHours(-BERLIN, december)).toBeGreaterThan(12);
    for (const dayMs of [june, december])
      for (let minute = 0; minute < 1440; minute += 10)
        expect(computeClearSkyShare(0, dayMs, minute)).toBeLessThanOrEqual(1);
  });

  it('gives the same values in any order and cadence of requests, and its registers are the sums of its minutes', () => {
    const later = home().at(START + 5 * DAY_MS + 12_345);
    const one = home();
    const earlier = one.at(START + DAY_MS + 40_000_678);
    expect(one.at(START + 5 * DAY_MS + 12_345)).toEqual(later);
    expect(one.at(START + DAY_MS + 40_000_678)).toEqual(earlier);
    const until = one.at(START + 3 * DAY_MS);
    for (const flow of SOLAR_FLOWS) {
      const millijoules = [0, 1, 2].reduce((sum, day) => sum + kwh(dayOf(START + day * DAY_MS), flow) * 3.6e9, 0);
      expect(until[flow].registerMilliwattHours).toBe(Math.floor(Math.round(millijoules) / 3_600));
    }
  });

  it('equals the home without panels until panels and battery are installed', () => {
    const since = START + 2 * DAY_MS + 11 * 3_600_000;
    const [plain, before] = [createSimulatedHome(traits, START), home(since)];
    for (let atMs = START; atMs <= since; atMs += 600_000) {
      const { registerMilliwattHours } = plain.at(atMs);
      expect(before.at(atMs)).toMatchObject({
        gridImport: { registerMilliwattHours },
        gridExport: { registerMilliwattHours: 0 },
        production: { registerMilliwattHours: 0 },
        load: { registerMilliwattHours },
      });
    }
    expect(before.at(since + DAY_MS).production.registerMilliwattHours).toBeGreaterThan(0);
    expect(before.at(since + DAY_MS).load.registerMilliwattHours).toBe(plain.at(since + DAY_MS).registerMilliwattHours);
  });

  it('is measured by a meter, an inverter and a battery, with a channel for each direction', () => {
    const atMs = START + 3 * DAY_MS + 12 * 3_600_000;
    const [state, ts] = [home().at(atMs), new Date(atMs).toISOString()];
    const wh = (flow: (typeof SOLAR_FLOWS)[number]) => Math.floor(state[flow].registerMilliwattHours / 1000) / 1000;
    expect(createSolarReadings(home(), 'smart_meter', atMs, true)).toEqual([
      { ts, energy_total_kwh: wh('gridImport'), power_w: state.gridImport.powerW },
      { ts, channel: 'export', energy_total_kwh: wh('gridExport'), power_w: state.gridExport.powerW },
    ]);
    expect(createSolarReadings(home(), 'inverter', atMs, false)).toEqual([
      { ts, channel: 'export', energy_total_kwh: wh('production') },
    ]);
    expect(createSolarReadings(home(), 'battery', atMs, false)).toEqual([
      { ts, energy_total_kwh: wh('charged') },
      { ts, channel: 'export', energy_total_kwh: wh('discharged') },
    ]);
  });
});
