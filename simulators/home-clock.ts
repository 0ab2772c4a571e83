import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';
import type { ThermostatState } from './climate.ts';
import { getDayStartMs, type HomeTraits, type SimulatedHomeDay, simulateDay } from './homes.ts';
import { SOLAR_FLOWS, type SolarDay, type SolarFlow, type SolarTraits, simulateSolarDay } from './solar.ts';

/** 1 W for 1 ms is 1 mJ, and 1 mWh is 3,600 mJ. */
const MILLIJOULES_PER_MILLIWATT_HOUR = 3_600;

export interface MeterState {
  /** Whole mWh since the meter was installed. */
  registerMilliwattHours: number;
  powerW: number;
}

/** State of a home's meter and thermostat at one time. */
interface HomeState extends MeterState {
  room: ThermostatState;
}

/** A simulated home with its state at any time since its meter was installed. */
export interface SimulatedHome {
  traits: HomeTraits;
  installedAtMs: number;
  at(timeMs: number): HomeState;
}

/** A home with panels and a battery: register and power of each energy flow at any time since the installation. */
export interface SolarHome {
  installedAtMs: number;
  at(timeMs: number): Record<SolarFlow, MeterState> & { room: ThermostatState };
}

/**
 * Creates a home whose register is zero at the start of the local day of `installedAtMs`. Its state depends only on traits, installation
 * and time. Requests with ascending times are fast.
 */
export function createSimulatedHome(traits: HomeTraits, installedAtMs: number): SimulatedHome {
  const simulate = (startsAtMs: number) => simulateDay(traits, startsAtMs);
  const clock = createRegisterSimulation(traits, installedAtMs, simulate, [(day: SimulatedHomeDay) => day.watts]);
  return {
    traits,
    installedAtMs: clock.installedAtMs,
    at(timeMs) {
      const { day, minute, meters } = clock.at(timeMs);
      return { ...(meters[0] as MeterState), room: day.rooms[minute] as ThermostatState };
    },
  };
}

/** Creates a home with panels and a battery, which are installed at `sinceMs`. The load is the same as without panels and battery. */
export function createSolarHome(
  traits: HomeTraits,
  solar: SolarTraits,
  installedAtMs: number,
  sinceMs = installedAtMs,
): SolarHome {
  const simulate = (startsAtMs: number) => simulateSolarDay(traits, solar, startsAtMs, sinceMs);
  const flows = SOLAR_FLOWS.map((flow) => (day: SolarDay) => day.watts[flow]);
  const clock = createRegisterSimulation(traits, installedAtMs, simulate, flows);
  return {
    installedAtMs: clock.installedAtMs,
    at(timeMs) {
      const { day, minute, meters } = clock.at(timeMs);
      const byFlow = Object.fromEntries(SOLAR_FLOWS.map((flow, index) => [flow, meters[index]]));
      return { ...(byFlow as Record<SolarFlow, MeterState>), room: day.home.rooms[minute] as ThermostatState };
    },
  };
}

/**
 * Creates a clock that adds up registers over simulated days. Each of `flows` returns the watts of one register in each minute of a day.
 */
export function createRegisterSimulation<Day extends { startsAtMs: number }>(
  traits: HomeTraits,
  installedAtMs: number,
  simulate: (startsAtMs: number) => Day,
  flows: readonly ((day: Day) => Int32Array)[],
) {
  const firstDayMs = getDayStartMs(traits, installedAtMs);
  const begin = () => {
    day = simulate(firstDayMs);
    sums = flows.map((watts) => sumsOf(watts(day), 0));
  };
  let day: Day;
  let sums: Float64Array[];
  begin();
  const moveTo = (startsAtMs: number) => {
    if (startsAtMs < day.startsAtMs) begin();
    while (day.startsAtMs < startsAtMs) {
      day = simulate(day.startsAtMs + DAY_MS);
      sums = flows.map((watts, index) => sumsOf(watts(day), sums[index]?.[1440] as number));
    }
  };
  return {
    installedAtMs: firstDayMs,
    at(timeMs: number) {
      if (timeMs < firstDayMs) throw new RangeError('the home has no meter yet at that time');
      moveTo(getDayStartMs(traits, timeMs));
      const sinceMs = timeMs - day.startsAtMs;
      const minute = Math.floor(sinceMs / MINUTE_MS);
      const meters = flows.map((watts, index): MeterState => {
        const powerW = watts(day)[minute] as number;
        const millijoules = (sums[index]?.[minute] as number) + powerW * (sinceMs - minute * MINUTE_MS);
        return { registerMilliwattHours: Math.floor(millijoules / MILLIJOULES_PER_MILLIWATT_HOUR), powerW };
      });
      return { day, minute, meters };
    },
  };
}

/** Returns the energy since the installation in mJ, at the start of each minute and at the end of the day. The sums are exact integers. */
function sumsOf(watts: Int32Array, beforeMillijoules: number): Float64Array {
  const sums = new Float64Array(1441);
  sums[0] = beforeMillijoules;
  for (let minute = 0; minute < 1440; minute++) {
    sums[minute + 1] = (sums[minute] as number) + (watts[minute] as number) * MINUTE_MS;
  }
  return sums;
}
