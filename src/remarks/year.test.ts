import { describe, expect, test } from 'vitest';
import type { HomeFault } from '#simulators/home-faults.ts';
import { createSeededRandom } from '#simulators/random.ts';
import {
  createHomeProfile,
  createLastingFault,
  createOrdinaryHomeTraits,
  HOME_KINDS,
  type HomeKind,
  simulateYear,
} from '#test/support/simulated-year.ts';
import { findRemarksOfProfile } from './decide.ts';
import { QUARTER_HOURS_PER_DAY } from './profile.ts';

/** Number of simulated homes of each kind. Use a higher number after a change of the rules for remarks. */
const HOMES = Number(process.env.REMARKED_HOMES ?? 1);
const SEED = process.env.REMARKED_SEED ?? 'remarks';
/** First evaluated day of the year. Before it, the history is too short. */
const FIRST_DAY = 35;
const YEAR_DAYS = 365;
const DAY_HOURS = 24;
/** Two remarks of one kind count as two messages if they are more than this number of days apart. */
const APART_DAYS = 3;

const homes = HOME_KINDS.flatMap((kind) =>
  Array.from({ length: HOMES }, (_, index) => ({ kind, seed: `${SEED} ${kind} ${index}` })),
);

/** Returns the days with a new remark in a year of daily evaluations. */
function messagesOf(kind: HomeKind, seed: string): { day: number; kind: string }[] {
  const year = simulateYear(kind, createOrdinaryHomeTraits(kind, seed), YEAR_DAYS);
  const hour = createSeededRandom(seed, 'looks').whole(0, 23);
  const lastDay = new Map<string, number>();
  const messages: { day: number; kind: string }[] = [];
  for (let day = FIRST_DAY; day < YEAR_DAYS; day++) {
    for (const remark of findRemarksOfProfile(createHomeProfile(year, day * QUARTER_HOURS_PER_DAY + hour * 4, true))) {
      const before = lastDay.get(remark.kind);
      if (before === undefined || day - before > APART_DAYS) messages.push({ day, kind: remark.kind });
      lastDay.set(remark.kind, day);
    }
  }
  return messages;
}

test('an ordinary home, with holidays, gets at most one remark in any 30 days of a year', () => {
  let all = 0;
  for (const { kind, seed } of homes) {
    const messages = messagesOf(kind, seed);
    all += messages.length;
    for (const [index, { day }] of messages.entries()) {
      const next = messages[index + 1];
      const diagnosis = `${seed}: ${JSON.stringify(messages)}`;
      if (next) expect(next.day - day, diagnosis).toBeGreaterThanOrEqual(30);
    }
  }
  // On average, a home may get at most two remarks a year.
  expect(all / homes.length).toBeLessThan(2);
});

/** For each simulated fault: the expected remarks, and the kinds of homes that can have the fault. */
const FAULTS: { fault: HomeFault['kind']; in: readonly HomeKind[]; hasPlug: boolean; said: string[] }[] = [
  { fault: 'fridge door', in: HOME_KINDS, hasPlug: false, said: ['stays_on'] },
  { fault: 'forgotten heater', in: HOME_KINDS, hasPlug: false, said: ['stays_on'] },
  { fault: 'failing freezer', in: HOME_KINDS, hasPlug: false, said: ['night_rose', 'stays_on'] },
  { fault: 'failing freezer', in: HOME_KINDS, hasPlug: true, said: ['device_uses_more'] },
  { fault: 'dead inverter', in: ['solar'], hasPlug: false, said: ['production_missing'] },
];

describe('a simulated fault is reported within a day', () => {
  for (const { fault, in: kinds, hasPlug, said } of FAULTS) {
    test(`${fault}${hasPlug ? ', which is measured by itself' : ''}`, () => {
      for (const { kind, seed } of homes.filter((home) => kinds.includes(home.kind))) {
        const begins = createSeededRandom(seed, fault, String(hasPlug)).whole(
          40 * QUARTER_HOURS_PER_DAY,
          360 * QUARTER_HOURS_PER_DAY,
        );
        const traits = { ...createOrdinaryHomeTraits(kind, seed), faults: [createLastingFault(fault, begins)] };
        const beginsOn = Math.floor(begins / QUARTER_HOURS_PER_DAY);
        const year = simulateYear(kind, traits, beginsOn + 3, beginsOn - 33);
        const toldAt = (hours: number) =>
          findRemarksOfProfile(createHomeProfile(year, begins + hours * 4, hasPlug)).map((one) => one.kind);
        const where = `${seed}, quarter-hour ${begins}`;
        expect(
          toldAt(0).filter((one) => said.includes(one)),
          where,
        ).toEqual([]);
        expect(
          said.some((one) => toldAt(DAY_HOURS).includes(one as never)),
          where,
        ).toBe(true);
      }
    });
  }
});
