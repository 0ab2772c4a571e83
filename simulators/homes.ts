import { DAY_MS, MINUTE_MS } from '#src/core/units.ts';
import {
  type Appliance,
  addPowerOfRuns,
  type DayHabits,
  drawApplianceRuns,
  drawDayHabits,
  isResidentActive,
} from './appliances.ts';
import {
  computeNextThermostatState,
  computeOutdoorCelsius,
  computeSetpointCelsius,
  type ThermostatState,
} from './climate.ts';
import {
  type Compressor,
  computeCompressorWatts,
  computeForgottenHeaterWatts,
  createFaultMinuteChecker,
  type HomeFault,
} from './home-faults.ts';
import { createSeededRandom } from './random.ts';

const MINUTES = 1440;

/** Traits of a home. The simulation of a home depends only on its traits, including `seed`, and on the time. */
export interface HomeTraits {
  seed: string;
  /** Offset of the home's local days, in minutes east of UTC. */
  utcOffsetMinutes: number;
  /** Heating of the home. A heat pump heats with electricity; a boiler needs electricity only for its pump. */
  heating: 'heat pump' | 'boiler';
  worksFromHome: boolean;
  hasCar: boolean;
  comfortC: number;
  /** A freezer in addition to the fridge. */
  freezer?: Compressor;
  faults?: readonly HomeFault[];
  /** Appliances that have a meter of their own, in addition to the home's meter. */
  measured?: readonly Appliance[];
  /** Times, `[fromMs, toMs)` in Unix ms, in which no resident is at home. */
  holidays?: readonly { fromMs: number; toMs: number }[];
}

/** One local day of a home, minute by minute. */
export interface SimulatedHomeDay {
  startsAtMs: number;
  watts: Int32Array;
  /** Watts of the appliances that have a meter of their own. `watts` includes them. */
  appliances: AppliancePowers;
  habits: DayHabits;
  rooms: ThermostatState[];
}

type AppliancePowers = Partial<Record<Appliance, Int32Array>>;

export function drawHomeTraits(seed: string, utcOffsetMinutes = 0): HomeTraits {
  const random = createSeededRandom(seed, 'traits');
  return {
    seed,
    utcOffsetMinutes,
    heating: random.chance(0.5) ? 'heat pump' : 'boiler',
    worksFromHome: random.chance(0.35),
    hasCar: random.chance(0.3),
    comfortC: Math.round(random.between(19.5, 22) * 2) / 2,
  };
}

/** Returns the start of the home's local day that contains a time, in Unix ms. */
export function getDayStartMs(traits: HomeTraits, atMs: number): number {
  const offsetMs = traits.utcOffsetMinutes * MINUTE_MS;
  return Math.floor((atMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
}

/** Simulates load and climate of one local day. The result depends only on the traits and the day. */
export function simulateDay(traits: HomeTraits, startsAtMs: number): SimulatedHomeDay {
  const localDayMs = startsAtMs + traits.utcOffsetMinutes * MINUTE_MS;
  const habits = habitsOfDay(traits, localDayMs);
  const random = createSeededRandom(traits.seed, localDayMs, 'load');
  const appliances: AppliancePowers = Object.fromEntries(
    (traits.measured ?? []).map((name) => [name, new Int32Array(MINUTES)]),
  );
  const watts = baseLoad(traits, habits, localDayMs, appliances);
  const runs = drawApplianceRuns(random, habits, traits.hasCar);
  addPowerOfRuns(watts, runs);
  for (const run of runs) {
    const own = run.appliance && appliances[run.appliance];
    if (own) addPowerOfRuns(own, [run]);
  }
  const rooms = climateOf(traits, habits, localDayMs);
  const heatPump = traits.heating === 'heat pump' ? appliances['heat pump'] : undefined;
  rooms.forEach((room, minute) => {
    if (!room.heating) return;
    watts[minute] = (watts[minute] as number) + (traits.heating === 'heat pump' ? 1900 : 70);
    if (heatPump) heatPump[minute] = 1900;
  });
  return { startsAtMs, watts, appliances, habits, rooms };
}

function habitsOfDay(traits: HomeTraits, localDayMs: number): DayHabits {
  const random = createSeededRandom(traits.seed, localDayMs, 'habits');
  const habits = drawDayHabits(random, new Date(localDayMs).getUTCDay(), traits.worksFromHome);
  const startsAtMs = localDayMs - traits.utcOffsetMinutes * MINUTE_MS;
  const isHoliday = traits.holidays?.some(({ fromMs, toMs }) => fromMs <= startsAtMs && startsAtMs < toMs);
  return isHoliday ? { ...habits, away: true } : habits;
}

/** Returns the base load of a day in watts. Also writes the power of appliances with a separate meter to `appliances`. */
function baseLoad(traits: HomeTraits, habits: DayHabits, localDayMs: number, appliances: AppliancePowers): Int32Array {
  const random = createSeededRandom(traits.seed, 'base');
  const standby = random.whole(60, 140);
  const fridge = { watts: random.whole(70, 110), everyMinutes: random.whole(42, 58), onMinutes: random.whole(14, 20) };
  const lights = random.whole(120, 260);
  const screens = random.whole(80, 200);
  const noise = createSeededRandom(traits.seed, localDayMs, 'noise');
  const dark = darkness(localDayMs);
  const watts = new Int32Array(MINUTES);
  const startsAtMs = localDayMs - traits.utcOffsetMinutes * MINUTE_MS;
  const freezerW = computeFreezerWatts(traits, startsAtMs);
  const isDoorOpen = createFaultMinuteChecker(traits.faults, 'fridge door', startsAtMs);
  for (let minute = 0; minute < MINUTES; minute++) {
    const sinceEver = localDayMs / MINUTE_MS + minute;
    let sum = standby + noise.whole(-8, 8);
    const fridgeW = computeCompressorWatts(fridge, sinceEver, isDoorOpen(minute) ? 'runs on' : undefined);
    sum += fridgeW;
    if (appliances.fridge) appliances.fridge[minute] = fridgeW;
    sum += (freezerW[minute] ?? 0) + computeForgottenHeaterWatts(traits.faults, startsAtMs + minute * MINUTE_MS);
    if (isResidentActive(habits, minute)) {
      if (minute < dark.untilMinute || minute >= dark.fromMinute) sum += lights + noise.whole(-30, 30);
      if (minute >= 1110 || habits.weekend || traits.worksFromHome) {
        sum += screens;
        if (appliances.tv) appliances.tv[minute] = screens;
      }
    }
    watts[minute] = sum;
  }
  return watts;
}

/** Returns the power of the freezer in each minute of a day, in watts. The power is 0 if the home has no freezer. */
export function computeFreezerWatts({ freezer, faults, utcOffsetMinutes }: HomeTraits, startsAtMs: number): Int32Array {
  const watts = new Int32Array(freezer ? MINUTES : 0);
  const isFailing = createFaultMinuteChecker(faults, 'failing freezer', startsAtMs);
  const firstMinute = startsAtMs / MINUTE_MS + utcOffsetMinutes;
  return freezer
    ? watts.map((_, minute) =>
        computeCompressorWatts(freezer, firstMinute + minute, isFailing(minute) ? 'failing' : undefined),
      )
    : watts;
}

/** Returns the minutes of a day at which it becomes light and dark. They vary over the year. */
function darkness(localDayMs: number): { untilMinute: number; fromMinute: number } {
  const swing = 120 * Math.cos((2 * Math.PI * (localDayMs / DAY_MS + 10)) / 365.25);
  return { untilMinute: 390 + swing, fromMinute: 1140 - swing };
}

/** Returns the states of the room on one day. The simulation starts half a day earlier, so that consecutive days join smoothly. */
function climateOf(traits: HomeTraits, habits: DayHabits, localDayMs: number): ThermostatState[] {
  const before = habitsOfDay(traits, localDayMs - DAY_MS);
  let room: ThermostatState = { temperatureC: traits.comfortC - 0.5, setpointC: traits.comfortC, heating: false };
  for (let minute = MINUTES / 2; minute < MINUTES; minute++) {
    room = computeNextThermostatState(
      room,
      hourly(traits, localDayMs - DAY_MS, minute),
      computeSetpointCelsius(before, minute, traits.comfortC),
    );
  }
  const rooms: ThermostatState[] = [];
  for (let minute = 0; minute < MINUTES; minute++) {
    room = computeNextThermostatState(
      room,
      hourly(traits, localDayMs, minute),
      computeSetpointCelsius(habits, minute, traits.comfortC),
    );
    rooms.push(room);
  }
  return rooms;
}

const outsideByHour = new Map<string, number>();
/** Returns the outdoor temperature of the hour in °C. */
function hourly(traits: HomeTraits, localDayMs: number, minute: number): number {
  const hourStart = minute - (minute % 60);
  const key = `${traits.seed} ${localDayMs} ${hourStart}`;
  const known = outsideByHour.get(key);
  if (known !== undefined) return known;
  if (outsideByHour.size > 5_000) outsideByHour.clear();
  const value = computeOutdoorCelsius(traits.seed, localDayMs, hourStart);
  outsideByHour.set(key, value);
  return value;
}
