import { MINUTE_MS } from '#src/core/units.ts';
import type { HomeTraits, SimulatedHomeDay } from './homes.ts';
import { createSeededRandom } from './random.ts';

const MINUTES = 1440;
/** One litre within one minute, as a flow in litres per hour. */
const LITRE = 60;
const BOILER_W = 9_000;
const HOT_WATER_W = 20_000;

/** Gas and water of one local day, minute by minute. Gas is the power of the boiler in watts; water is in litres per hour. */
export interface DailyVolumes {
  gas: Int32Array;
  water: Int32Array;
}

/**
 * Simulates gas and water of a home with a boiler: showers, heating, and small amounts of water. The result depends only on the traits and
 * the day.
 */
export function simulateVolumes(traits: HomeTraits, { startsAtMs, habits, rooms }: SimulatedHomeDay): DailyVolumes {
  const gas = new Int32Array(MINUTES);
  const water = new Int32Array(MINUTES);
  rooms.forEach(({ heating }, minute) => {
    if (heating) gas[minute] = BOILER_W;
  });
  if (habits.away) return { gas, water };
  const random = createSeededRandom(traits.seed, startsAtMs + traits.utcOffsetMinutes * MINUTE_MS, 'water');
  const run = (startMinute: number, minutes: number, litresPerMinute: number, isHot: boolean) => {
    for (let minute = startMinute; minute < Math.min(MINUTES, startMinute + minutes); minute++) {
      water[minute] = (water[minute] as number) + litresPerMinute * LITRE;
      if (isHot) gas[minute] = HOT_WATER_W;
    }
  };
  for (let shower = 0; shower < 2; shower++)
    run(habits.wakesAtMinute + 5 + shower * 15, random.whole(5, 8), random.whole(7, 9), true);
  run(Math.max(1_065, habits.returnsAtMinute) + random.whole(20, 60), random.whole(3, 6), 5, true);
  for (let flush = random.whole(8, 12); flush > 0; flush--)
    run(random.whole(habits.wakesAtMinute, habits.sleepsAtMinute), 1, 6, false);
  return { gas, water };
}
