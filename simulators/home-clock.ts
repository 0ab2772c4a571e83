import type { Room } from './climate.ts';
import { dayStartMs, type HomeDay, type HomeTraits, simulateDay } from './homes.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** 1 W for 1 ms is 1 mJ; 1 mWh is 3600 mJ. */
const MILLIJOULES_PER_MILLIWATT_HOUR = 3_600;

/** What the meter and the thermostat of a home show at one time. */
interface HomeState {
  /** Whole mWh since the meter was installed. */
  registerMilliwattHours: number;
  powerW: number;
  room: Room;
}

/** A home that can be asked for its state at any time since its meter was installed. */
export interface SimulatedHome {
  traits: HomeTraits;
  installedAtMs: number;
  at(timeMs: number): HomeState;
}

/**
 * A home whose register starts at zero on the local day of `installedAtMs`. The state is a function of traits,
 * installation and time; asking in order of time is fast, asking for an earlier day starts the sum anew.
 */
export function createHome(traits: HomeTraits, installedAtMs: number): SimulatedHome {
  const firstDayMs = dayStartMs(traits, installedAtMs);
  let day = simulateDay(traits, firstDayMs);
  let sums = sumsOf(day, 0);
  const moveTo = (startsAtMs: number) => {
    if (startsAtMs < day.startsAtMs) {
      day = simulateDay(traits, firstDayMs);
      sums = sumsOf(day, 0);
    }
    while (day.startsAtMs < startsAtMs) {
      day = simulateDay(traits, day.startsAtMs + DAY_MS);
      sums = sumsOf(day, sums[1440] as number);
    }
  };
  return {
    traits,
    installedAtMs: firstDayMs,
    at(timeMs) {
      if (timeMs < firstDayMs) throw new RangeError('the home has no meter yet at that time');
      moveTo(dayStartMs(traits, timeMs));
      const sinceMs = timeMs - day.startsAtMs;
      const minute = Math.floor(sinceMs / MINUTE_MS);
      const powerW = day.watts[minute] as number;
      const millijoules = (sums[minute] as number) + powerW * (sinceMs - minute * MINUTE_MS);
      return {
        registerMilliwattHours: Math.floor(millijoules / MILLIJOULES_PER_MILLIWATT_HOUR),
        powerW,
        room: day.rooms[minute] as Room,
      };
    },
  };
}

/** Millijoules since installation at the start of each minute, and at the end of the day. Exact: whole numbers below 2^53. */
function sumsOf(day: HomeDay, beforeMillijoules: number): Float64Array {
  const sums = new Float64Array(1441);
  sums[0] = beforeMillijoules;
  for (let minute = 0; minute < 1440; minute++) {
    sums[minute + 1] = (sums[minute] as number) + (day.watts[minute] as number) * MINUTE_MS;
  }
  return sums;
}
