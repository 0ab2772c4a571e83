import type { SeededRandom } from './random.ts';

/** Appliances that a plug or a separate device can measure. */
export type Appliance = 'fridge' | 'tv' | 'dishwasher' | 'washing machine' | 'tumble dryer' | 'heat pump' | 'car';

/** A single use of an appliance, which starts at a minute of the local day. A use that lasts past midnight ends at midnight. */
interface ApplianceRun {
  /** The appliance that is used. Not set for cooking. */
  appliance?: Appliance;
  startMinute: number;
  /** Consecutive phases, each with its duration in minutes and its power in watts. */
  stretches: readonly (readonly [minutes: number, watts: number])[];
}

/** Daily routine of a household. */
export interface DayHabits {
  weekend: boolean;
  wakesAtMinute: number;
  leavesAtMinute: number;
  returnsAtMinute: number;
  sleepsAtMinute: number;
  /** Whether all residents are away all day. */
  away: boolean;
}

/** Draws the times at which the residents get up, leave, return and go to sleep on a weekday (0 = Sunday), in minutes of the local day. */
export function drawDayHabits(random: SeededRandom, weekday: number, worksFromHome: boolean): DayHabits {
  const weekend = weekday === 0 || weekday === 6;
  const wakesAtMinute = weekend ? random.whole(450, 570) : random.whole(375, 425);
  const stays = weekend ? random.chance(0.6) : worksFromHome;
  const leavesAtMinute = stays ? 1440 : wakesAtMinute + random.whole(55, 90);
  return {
    weekend,
    wakesAtMinute,
    leavesAtMinute,
    returnsAtMinute: stays ? 0 : random.whole(960, 1110),
    sleepsAtMinute: random.whole(1335, 1425),
    away: random.chance(0.02),
  };
}

/** Whether a resident is at home and awake. */
export function isResidentActive(habits: DayHabits, minute: number): boolean {
  if (habits.away || minute < habits.wakesAtMinute || minute >= habits.sleepsAtMinute) return false;
  return minute < habits.leavesAtMinute || minute >= habits.returnsAtMinute;
}

/** Draws the uses of appliances on one day: breakfast, dinner, dishes, laundry, car. */
export function drawApplianceRuns(random: SeededRandom, habits: DayHabits, hasCar: boolean): ApplianceRun[] {
  if (habits.away) return [];
  const runs: ApplianceRun[] = [];
  const breakfast = habits.wakesAtMinute + random.whole(10, 25);
  runs.push({
    startMinute: breakfast,
    stretches: [
      [random.whole(3, 5), 2000],
      [random.whole(4, 8), random.whole(700, 1100)],
    ],
  });
  if (isResidentActive(habits, 740))
    runs.push({ startMinute: random.whole(715, 765), stretches: [[random.whole(15, 30), 1200]] });
  const dinner = Math.max(random.whole(1065, 1155), habits.returnsAtMinute + 10);
  runs.push({
    startMinute: dinner,
    stretches: [
      [10, random.whole(1800, 2400)],
      [random.whole(20, 45), random.whole(800, 1400)],
    ],
  });
  if (random.chance(0.7)) {
    runs.push({
      appliance: 'dishwasher',
      startMinute: dinner + random.whole(50, 90),
      stretches: [
        [15, 80],
        [18, 1900],
        [40, 90],
        [16, 1900],
        [20, 30],
      ],
    });
  }
  if (random.chance(habits.weekend ? 0.75 : 0.3)) {
    const start = habits.weekend ? random.whole(570, 840) : random.whole(1080, 1140);
    runs.push({
      appliance: 'washing machine',
      startMinute: start,
      stretches: [
        [22, 2050],
        [45, 220],
        [10, 480],
      ],
    });
    if (random.chance(0.4))
      runs.push({ appliance: 'tumble dryer', startMinute: start + random.whole(80, 100), stretches: [[65, 850]] });
  }
  if (hasCar && random.chance(0.4)) {
    // The car charges from shortly after midnight, because the night tariff is cheap.
    runs.push({ appliance: 'car', startMinute: random.whole(15, 60), stretches: [[random.whole(80, 200), 7200]] });
  }
  return runs;
}

/** Adds the power of each use to `wattsByMinute`, which contains the watts of each minute of a day. */
export function addPowerOfRuns(wattsByMinute: Int32Array, runs: readonly ApplianceRun[]): void {
  for (const run of runs) {
    let minute = run.startMinute;
    for (const [minutes, watts] of run.stretches) {
      for (let count = 0; count < minutes && minute < wattsByMinute.length; count++, minute++) {
        wattsByMinute[minute] = (wattsByMinute[minute] as number) + watts;
      }
    }
  }
}
