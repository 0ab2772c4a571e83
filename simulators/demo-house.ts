import { hasLittleMemory } from '#src/core/memory.ts';
import type { Appliance } from './appliances.ts';
import type { ThermostatState } from './climate.ts';
import { createClock, type MeterState } from './home-clock.ts';
import type { HomeTraits } from './homes.ts';
import { type SolarFlow, type SolarTraits, simulateSolarDay } from './solar.ts';
import { simulateVolumes, type VolumeDay } from './volumes.ts';

/** What a register of a house counts: an energy flow, an appliance, gas (energy), or water (litres, as if they were Wh). */
export type HouseFlow = SolarFlow | Appliance | keyof VolumeDay;

/** One local day of a house, minute by minute, in watts (water: litres an hour). */
interface HouseDay {
  startsAtMs: number;
  flows: Partial<Record<HouseFlow, Int32Array>>;
  rooms: readonly ThermostatState[];
}

/** A house, whose days all its devices share. */
export interface House {
  traits: HomeTraits;
  simulate(startsAtMs: number): HouseDay;
}

/** Registers of a device at one time, in the order in which they were requested, and the room. */
interface HouseState {
  meters: MeterState[];
  room: ThermostatState;
}

/** Panels of a house that has none, and a battery that stores nothing. */
const NO_PANELS: SolarTraits = { latitude: 0, peakW: 0, battery: { capacityWh: 0, chargeW: 0, dischargeW: 1 } };
/** The devices of a house send their history concurrently, about at the same pace. Each day of a house takes 0.3 MB. */
const SHARED_DAYS = hasLittleMemory() ? 8 : 24;

/** Creates a house. Its days are functions of the traits and the day only; the last ones are cached. */
export function createHouse(traits: HomeTraits, panels: SolarTraits = NO_PANELS): House {
  const days = new Map<number, HouseDay>();
  const simulate = (startsAtMs: number): HouseDay => {
    const { watts, home } = simulateSolarDay(traits, panels, startsAtMs, Number.NEGATIVE_INFINITY);
    const volumes = traits.heating === 'boiler' ? simulateVolumes(traits, home) : {};
    return { startsAtMs, flows: { ...watts, ...home.appliances, ...volumes }, rooms: home.rooms };
  };
  return {
    traits,
    simulate(startsAtMs) {
      const day = days.get(startsAtMs) ?? simulate(startsAtMs);
      days.delete(startsAtMs);
      days.set(startsAtMs, day);
      for (const oldest of days.keys()) {
        if (days.size <= SHARED_DAYS) break;
        days.delete(oldest);
      }
      return day;
    },
  };
}

/** Registers of a device in a house, at zero on the local day of `installedAtMs`. Requesting times in ascending order is fast. */
export function installRegisters(
  { traits, simulate }: House,
  flows: readonly HouseFlow[],
  installedAtMs: number,
): { installedAtMs: number; at(timeMs: number): HouseState } {
  const clock = createClock(
    traits,
    installedAtMs,
    simulate,
    flows.map((flow) => (day: HouseDay) => {
      const watts = day.flows[flow];
      if (!watts) throw new Error(`The house ${traits.seed} does not measure ${flow}`);
      return watts;
    }),
  );
  return {
    installedAtMs: clock.installedAtMs,
    at(timeMs) {
      const { day, minute, meters } = clock.at(timeMs);
      return { meters, room: day.rooms[minute] as ThermostatState };
    },
  };
}
