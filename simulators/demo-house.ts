import { hasLittleMemory } from '#src/core/memory.ts';
import type { Appliance } from './appliances.ts';
import type { ThermostatState } from './climate.ts';
import { createRegisterSimulation, type MeterState } from './home-clock.ts';
import type { HomeTraits } from './homes.ts';
import { type SolarFlow, type SolarTraits, simulateSolarDay } from './solar.ts';
import { type DailyVolumes, simulateVolumes } from './volumes.ts';

/**
 * Quantity that a register of a house counts: an energy flow, the energy of an appliance, gas (as energy), or water (in litres, which are
 * treated as Wh).
 */
export type HouseRegisterQuantity = SolarFlow | Appliance | keyof DailyVolumes;

/** One local day of a house, minute by minute, in watts. Water is in litres per hour. */
interface HouseDay {
  startsAtMs: number;
  flows: Partial<Record<HouseRegisterQuantity, Int32Array>>;
  rooms: readonly ThermostatState[];
}

/** A simulated house. All its devices use the same simulated days. */
export interface DemoHouse {
  traits: HomeTraits;
  simulate(startsAtMs: number): HouseDay;
}

/** Registers of a device at one time, in the requested order, and the state of the room. */
interface HouseState {
  meters: MeterState[];
  room: ThermostatState;
}

/** Traits of a house without panels and with a battery that stores nothing. */
const NO_PANELS: SolarTraits = { latitude: 0, peakW: 0, battery: { capacityWh: 0, chargeW: 0, dischargeW: 1 } };
/** Number of cached days of a house (0.3 MB each). The devices of a house send their history concurrently and share the cached days. */
const SHARED_DAYS = hasLittleMemory() ? 8 : 24;

/** Creates a house. Each day of the house depends only on the house's traits and on the day. The latest days are cached. */
export function createDemoHouse(traits: HomeTraits, panels: SolarTraits = NO_PANELS): DemoHouse {
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

/**
 * Returns the function `at`, which returns the registers of a device in a house, and the state of the room, at a time. The registers are
 * zero at the start of the local day of `installedAtMs`. Calls with ascending times are fast.
 */
export function createHouseRegisters(
  { traits, simulate }: DemoHouse,
  flows: readonly HouseRegisterQuantity[],
  installedAtMs: number,
): { installedAtMs: number; at(timeMs: number): HouseState } {
  const clock = createRegisterSimulation(
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
