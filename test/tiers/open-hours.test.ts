import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatOpenHour } from '#ingest/write/open-hour.ts';
import { computeUsageTotals } from '#src/alerts/totals.ts';
import { createDatabase } from '#src/database/connect.ts';
import { createDevice } from '#src/devices/store.ts';
import { loadImportedEnergyInsights, loadUsageSummary } from '#src/energy/insights.ts';
import { loadHomePeriod } from '#src/energy/period/period.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import type { UserTimeRange } from '#src/energy/usage/totals.ts';
import { LOAD_PROFILE_LEVEL, MEASURE_NAMES, type Measure, ROLLUP_LEVELS } from '#src/rollups/levels.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import {
  addToLoadProfile,
  COMPLETE_QUARTER_HOUR_MEASURES,
  type LoadProfileChange,
} from '#test/support/load-profile.ts';
import { closeOpenHours } from '#test/support/without-heads.ts';

const HOUR_MS = 3_600_000;
const QUARTER_HOUR_MS = HOUR_MS / 4;
/** Start and end of the tested two days: the last day of May and the first of June, Unix ms. */
const [FROM_MS, TO_MS] = [Date.UTC(2026, 4, 31), Date.UTC(2026, 5, 2)];
const NOW = new Date('2026-06-01T20:10:00Z');
const HOMES = 5;
const DEVICES = 3;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  // Only data before the requested ranges is materialised.
  await database.settle(new Date(FROM_MS + 1.5 * 24 * HOUR_MS));
});
afterAll(() => database.drop());

/** Returns a random generator that gives the same numbers for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
}

type Sums = Partial<Record<Measure, number>>;

/** Returns random values of a quarter-hour, mostly small, so that sums are often equal; some are missing. */
function quarterHour(draw: (below: number) => number): Sums {
  if (draw(9) === 0) return {};
  const energyMilliwattHours = draw(3) * 1_000;
  return {
    energyMilliwattHours,
    estimatedMilliwattHours: draw(2) * (energyMilliwattHours / 2),
    ...COMPLETE_QUARTER_HOUR_MEASURES,
  };
}

/** Creates homes with devices. Each device has an open (incomplete) hour and closed hours. */
async function homes() {
  const db = createDatabase(database.pool);
  const closed: LoadProfileChange[] = [];
  const made: { userId: string; deviceIds: string[] }[] = [];
  for (let home = 0; home < HOMES; home++) {
    const draw = createRandom(home + 1);
    const { user_id: userId } = await createUser(db, { email: `home${home}@example.com`, role: 'homeowner' });
    const deviceIds: string[] = [];
    for (let index = 0; index < DEVICES; index++) {
      const { device } = await createDevice(db, { userId, type: 'smart_meter', location: 'test' });
      const deviceId = device.device_id;
      deviceIds.push(deviceId);
      // In every second home, all devices have the same open (incomplete) hour.
      const openMs = FROM_MS + (home % 2 ? 20 + home : draw(48)) * HOUR_MS;
      const open: Sums[] = [];
      for (let at = FROM_MS; at < TO_MS; at += QUARTER_HOUR_MS) {
        const truth = quarterHour(draw);
        const isOpen = at >= openMs && at < openMs + HOUR_MS;
        const stored = isOpen ? (draw(2) ? quarterHour(draw) : {}) : truth;
        if (stored.coveredMs) closed.push({ deviceId, userId, startsAtMs: at, ...stored });
        if (isOpen)
          open.push(Object.fromEntries(MEASURE_NAMES.map((one) => [one, (truth[one] ?? 0) - (stored[one] ?? 0)])));
      }
      const numbers = MEASURE_NAMES.flatMap((one) => open.map((quarter) => quarter[one] ?? 0));
      await database.pool.query('UPDATE device_heads SET open = $2 WHERE device_id = $1', [
        deviceId,
        withZeros(formatOpenHour({ hour: openMs / HOUR_MS, quarters: numbers }), home % 3 === 0),
      ]);
    }
    made.push({ userId, deviceIds });
  }
  await addToLoadProfile(database, closed);
  return made;
}

/**
 * Converts an open (incomplete) hour to the format of earlier versions if `isEarlier` is true. Earlier versions stored zeros instead of
 * empty values.
 */
function withZeros(text: string, isEarlier: boolean): string {
  if (!isEarlier) return text;
  const numbers = text.split(',');
  return Array.from({ length: 1 + 5 * MEASURE_NAMES.length }, (_, index) => numbers[index] || '0').join(',');
}

/** Returns the results of all queries about a home's usage that the service or its users run. */
async function answers({ userId, deviceIds }: { userId: string; deviceIds: string[] }) {
  const db = createDatabase(database.pool);
  const found: Record<string, unknown> = {};
  for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata']) {
    const range = createDayRange('2026-05-31', '2026-06-01', zone);
    for (const whose of [{ userId }, ...deviceIds.map((deviceId) => ({ deviceId }))]) {
      const name = `${zone} ${Object.keys(whose)} ${Object.values(whose)}`;
      for (const group of ['hour', 'day', 'month'] as const)
        found[`${name} ${group}`] = await loadImportedEnergyInsights(db, whose, range, group);
      const asked = { unit: 'month', date: '2026-06-01', zone, now: NOW, newest: null } as const;
      found[`${name} period`] = await loadHomePeriod(db, { userId, ...whose }, asked);
    }
    found[`${zone} summary`] = await loadUsageSummary(db, userId, range);
  }
  found['whole months'] = await loadImportedEnergyInsights(
    db,
    { userId },
    createDayRange('2026-05-01', '2026-06-30', 'UTC'),
    'month',
  );
  const asked: UserTimeRange[] = [
    [FROM_MS, TO_MS],
    [FROM_MS + 5 * HOUR_MS, TO_MS - 3 * HOUR_MS],
    [FROM_MS - 10 * 24 * HOUR_MS, TO_MS + 10 * 24 * HOUR_MS],
    [FROM_MS + 5 * HOUR_MS + 2 * QUARTER_HOUR_MS, TO_MS - 2 * QUARTER_HOUR_MS],
  ].map(([startMs = 0, endMs = 0]) => ({ userId, startMs, endMs }));
  found.totals = [...(await computeUsageTotals(db, asked, NOW.getTime()))];
  for (const { relation, keys } of [LOAD_PROFILE_LEVEL, ...ROLLUP_LEVELS]) {
    const order = keys.join(', ');
    const { rows } = await database.pool.query(`SELECT * FROM ${relation} WHERE user_id = $1 ORDER BY ${order}`, [
      userId,
    ]);
    found[relation] = rows;
  }
  return found;
}

test('every answer is the same whether hours are open or closed, including peaks and coverage', async () => {
  const made = await homes();
  const open = await Promise.all(made.map(answers));
  await closeOpenHours(database.pool);
  for (const [index, home] of made.entries()) expect(open[index]).toEqual(await answers(home));
  const days = open.flatMap((one) => one.user_daily as unknown[]);
  expect(days).toHaveLength(2 * HOMES);
});
