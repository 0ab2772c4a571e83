import { MINUTE_MS } from '#src/core/units.ts';
import { createFaultMinuteChecker } from './home-faults.ts';
import { type HomeTraits, type SimulatedHomeDay, simulateDay } from './homes.ts';
import { createSeededRandom } from './random.ts';
import { simulateSolarWatts } from './sun.ts';

const MINUTES = 1440;
/** Percentage of the charged energy that can be discharged again. */
const EFFICIENCY_PERCENT = 92;

/** Traits of the panels and the battery. */
export interface SolarTraits {
  /** Latitude in degrees, north is positive. */
  latitude: number;
  peakW: number;
  battery: { capacityWh: number; chargeW: number; dischargeW: number };
}

/** Energy flows of a solar home. In each minute: load = gridImport − gridExport + production + discharged − charged. */
export const SOLAR_FLOWS = ['load', 'production', 'charged', 'discharged', 'gridImport', 'gridExport'] as const;
export type SolarFlow = (typeof SOLAR_FLOWS)[number];

/** One local day of a solar home: whole watts, minute by minute. */
export interface SolarDay {
  startsAtMs: number;
  watts: Record<SolarFlow, Int32Array>;
  /** The same day of the same home, as it would be without panels. */
  home: SimulatedHomeDay;
}

/** Draws the traits of a home's panels and battery from a seed. */
export function drawSolarTraits(seed: string, latitude: number): SolarTraits {
  const random = createSeededRandom(seed, 'solar');
  const batteryW = random.whole(25, 40) * 100;
  return {
    latitude,
    peakW: random.whole(50, 70) * 100,
    battery: { capacityWh: random.whole(4, 8) * 1000, chargeW: batteryW, dischargeW: batteryW },
  };
}

/**
 * Simulates one local day of a home with panels and a battery. The result depends only on the traits and the day. `sinceMs`: time of the
 * installation; before it, the home has only its load.
 */
export function simulateSolarDay(home: HomeTraits, solar: SolarTraits, startsAtMs: number, sinceMs: number): SolarDay {
  const day = simulateDay(home, startsAtMs);
  const { watts: load } = day;
  const localDayMs = startsAtMs + home.utcOffsetMinutes * MINUTE_MS;
  const upFromMinute = Math.ceil((sinceMs - startsAtMs) / MINUTE_MS);
  const production = simulateSolarWatts(home.seed, solar.latitude, solar.peakW, localDayMs).fill(
    0,
    0,
    clamped(upFromMinute),
  );
  const isDead = createFaultMinuteChecker(home.faults, 'dead inverter', startsAtMs);
  for (let minute = 0; minute < MINUTES; minute++) if (isDead(minute)) production[minute] = 0;
  const { charged, discharged } = batteryOf(solar.battery, load, production);
  const gridImport = new Int32Array(MINUTES);
  const gridExport = new Int32Array(MINUTES);
  for (let minute = 0; minute < MINUTES; minute++) {
    const wanted = at(load, minute) + at(charged, minute) - at(production, minute) - at(discharged, minute);
    gridImport[minute] = Math.max(0, wanted);
    gridExport[minute] = Math.max(0, -wanted);
  }
  return { startsAtMs, watts: { load, production, charged, discharged, gridImport, gridExport }, home: day };
}

/**
 * Computes the flows of the battery, which stores the panels' surplus and covers the home's deficit. The battery is empty at the start of
 * each day, so that each day can be computed alone.
 */
function batteryOf(
  { capacityWh, chargeW, dischargeW }: SolarTraits['battery'],
  load: Int32Array,
  production: Int32Array,
): { charged: Int32Array; discharged: Int32Array } {
  const charged = new Int32Array(MINUTES);
  const discharged = new Int32Array(MINUTES);
  const sellsFrom = MINUTES - Math.ceil((capacityWh * 60) / dischargeW);
  // Capacity in hundredths of a watt-minute. In this unit, the losses are integers and therefore exact.
  const full = capacityWh * 60 * 100;
  let stored = 0;
  for (let minute = 0; minute < MINUTES; minute++) {
    const surplus = at(production, minute) - at(load, minute);
    if (minute < sellsFrom && surplus > 0) {
      const watts = Math.min(surplus, chargeW, Math.floor((full - stored) / EFFICIENCY_PERCENT));
      charged[minute] = watts;
      stored += watts * EFFICIENCY_PERCENT;
    } else {
      const asked = minute < sellsFrom ? -surplus : dischargeW;
      const watts = Math.min(asked, dischargeW, Math.floor(stored / 100));
      discharged[minute] = watts;
      stored -= watts * 100;
    }
  }
  return { charged, discharged };
}

const at = (watts: Int32Array, minute: number): number => watts[minute] as number;
const clamped = (minute: number): number => Math.min(MINUTES, Math.max(0, minute));
