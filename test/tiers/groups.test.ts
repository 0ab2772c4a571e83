import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createReferenceGroupCalculator } from '#test/reference/group.ts';
import {
  addLateEnergy,
  changeGroupAtRandom,
  computeExpectedGroupRows,
  GROUP_NAMES,
  type GroupRowInterval,
  PROPERTY_TEST_OPTIONS,
  setUpGroupedHomes,
} from '#test/support/grouped-homes.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';
import {
  CALENDARS_BY_ZONE,
  convertToApiKwh,
  DATA_RANGE,
  INSIGHT_INCLUDES,
  pickRandomElement,
  QUARTER_HOUR_COUNT,
  QUARTER_HOUR_MS,
  RANDOM_HISTORY_START_MS,
  type TestHome,
  TIME_ZONES,
} from '#test/support/random-homes.ts';

/**
 * Random homes in random groups: the API's response about a group equals an independent sum over its homes, with and without stored sums.
 */
const UNITS: readonly GroupRowInterval[] = ['quarter_hour', 'half_hour', 'hour', 'day', 'month'];
const STORED_UNITS: readonly GroupRowInterval[] = ['day', 'month'];
const HOMES = [0, 1, 2, 3, 4, 5];
/** Indices of the remaining homes: one account was deleted, another is no longer a homeowner. */
const REMAINING_HOMES = [0, 1, 2, 5];
const grouped = setUpGroupedHomes(HOMES.length);
const { homes, members, ask, homesOf, put, keep } = grouped;

/**
 * Compares a group's usage in a time zone with the expected values by hour, day or month, with all measures and with the default measures.
 */
async function agree(name: string, zone: string, units = UNITS): Promise<void> {
  const of = homesOf(name);
  for (const unit of units) {
    const query = `start=${DATA_RANGE[0]}&end=${DATA_RANGE[1]}&group_by=${unit}&tz=${zone}`;
    const path = `${grouped.path(name)}/energy-insights?${query}`;
    const wanted = computeExpectedGroupRows(of, zone, unit);
    const groupAnswer = await ask(`${path}&include=${INSIGHT_INCLUDES}`);
    const rows = groupAnswer.data.map(({ hour, time, starts_at, ...row }: Record<string, unknown>) => row);
    expect({ name, zone, unit, homes: groupAnswer.homes, rows }).toEqual({
      name,
      zone,
      unit,
      homes: of.length,
      rows: wanted,
    });
    const alone = (await ask(path)).data.map(({ date, kwh_used, peak_hour }: Record<string, unknown>) => {
      return { date, kwh_used, peak_hour };
    });
    const known = wanted.filter(({ kwh_used }) => kwh_used !== null);
    const estimated = (await ask(`${path}&include=estimated`)).data.map(
      (row: Record<string, unknown>) => row.estimated_kwh,
    );
    expect({ name, zone, unit, estimated }).toEqual({
      name,
      zone,
      unit,
      estimated: known.map((row: Record<string, unknown>) => row.estimated_kwh),
    });
    expect({ name, zone, unit, alone }).toEqual({
      name,
      zone,
      unit,
      alone: known.map(({ date, kwh_used, peak_hour }) => ({ date, kwh_used, peak_hour })),
    });
  }
}

/** Returns the number of stored sums that a query reads. To detect this, raises each of them by 1 GWh for a moment. */
async function countUsedSums(name: string, unit: 'day' | 'month', zone: string): Promise<number> {
  const { pool } = grouped.api.database;
  const more = (sign: string) =>
    pool.query(`UPDATE kept_group_sums SET used_milliwatt_hours = used_milliwatt_hours ${sign} 1000000000000000`);
  await more('+');
  const [start, end] = unit === 'day' ? DATA_RANGE : ['2026-03-01', '2026-04-30'];
  const query = `start=${start}&end=${end}&group_by=${unit}&tz=${zone}`;
  const { data } = await ask(`${grouped.path(name)}/energy-insights?${query}`);
  await more('-');
  return data.filter((row: { kwh_used: number }) => row.kwh_used > 500_000_000).length;
}

/** Compares every group with the expected values, in a zone and for whole UTC months. */
async function agreeAll(zone: string, names = GROUP_NAMES, units = UNITS): Promise<void> {
  for (const name of names) {
    const of = homesOf(name);
    await agree(name, zone, units);
    const path = `${grouped.path(name)}/energy-insights`;
    // Ranges of days: two complete months, one incomplete month, and parts of two months.
    for (const [start, end] of [
      ['2026-03-01', '2026-04-30'],
      ['2026-03-02', '2026-03-28'],
      ['2026-03-29', '2026-04-29'],
    ] as const) {
      const monthlyAnswer = await ask(`${path}?start=${start}&end=${end}&group_by=month`);
      const months = computeExpectedGroupRows(of, 'UTC', 'month', [start, end]).filter(
        ({ kwh_used }) => kwh_used !== null,
      );
      expect({ name, start, end, months: monthlyAnswer.data }).toEqual({
        name,
        start,
        end,
        months: months.map(({ date, kwh_used, peak_hour }) => ({ date, kwh_used, peak_hour })),
      });
    }
    const { kwh_used, peak_usage_time } = await ask(path);
    const range = [...(CALENDARS_BY_ZONE.get('UTC')?.keys() ?? [])];
    const group = createReferenceGroupCalculator(of.map(({ devices }) => devices));
    const hours = [...Map.groupBy(range, (at) => new Date(at).toISOString().slice(11, 13))]
      .map(([hour, some]) => ({ hour, ...group(some) }))
      .filter((one) => (one.used ?? 0) > 0 && 2 * (one.estimated ?? 0) <= (one.used ?? 0))
      .sort((a, b) => (b.used ?? 0) - (a.used ?? 0) || (a.hour < b.hour ? -1 : 1));
    expect({ name, kwh_used, peak_usage_time }).toEqual({
      name,
      kwh_used: convertToApiKwh(group(range).used) ?? 0,
      peak_usage_time: hours[0] ? `${hours[0].hour}:00` : null,
    });
  }
}

test('a group’s answer is the sum over its distinct homes, for any tree of groups', async () => {
  const some = fc.subarray(HOMES);
  const membership = fc.record<Record<string, number[]>>(Object.fromEntries(GROUP_NAMES.map((name) => [name, some])));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(membership, async (drawn) => {
      for (const name of GROUP_NAMES) {
        const [before, now] = [members.get(name) ?? new Set<number>(), new Set(drawn[name])];
        const idOf = (index: number) => homes[index]?.userId;
        const add = [...now].filter((one) => !before.has(one)).map(idOf);
        const remove = [...before].filter((one) => !now.has(one)).map(idOf);
        const changed = await ask(`${grouped.path(name)}/users`, 'POST', { add, remove });
        expect(changed).toMatchObject({ added: add.length, removed: remove.length, members: now.size });
        members.set(name, now);
      }
      const zone = TIME_ZONES[run++ % TIME_ZONES.length] as string;
      await agreeAll(zone);
      await keep(zone);
      await agreeAll(zone, GROUP_NAMES, STORED_UNITS);
    }),
    PROPERTY_TEST_OPTIONS,
  );
}, 1_800_000);

test('after a late reading, a changed placement or a removed home, the answer is the new sum', async () => {
  for (const name of GROUP_NAMES) await put(name, HOMES);
  // A late reading for an earlier day. The home has no meter, so its usage is the sum of its plugs.
  const plain = homes[0] as TestHome;
  const device = plain.devices.find(({ quarters }) => quarters.size > 0);
  if (!device) throw new Error('the first home has told nothing: another seed');
  const startsAtMs = [...device.quarters.keys()][0] as number;
  const quarter = device.quarters.get(startsAtMs) as { import: number };
  quarter.import += 12_345_679;
  const late = { deviceId: device.id, userId: plain.userId, startsAtMs, energyMilliwattHours: 12_345_679 };
  await addToLoadProfile(grouped.api.database, [late]);
  await grouped.api.database.settle(grouped.api.now);
  await agreeAll('Australia/Lord_Howe', ['district']);

  const solar = homes[1] as TestHome;
  const changed = pickRandomElement(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  changed.placement = changed.placement === 'excluded' ? 'consumption' : 'excluded';
  await ask(`/v1/devices/${changed.id}`, 'PATCH', { placement: changed.placement });
  await agreeAll('UTC', ['district']);

  await ask(`${grouped.path('building')}/users/${homes[2]?.userId}`, 'DELETE');
  members.get('building')?.delete(2);
  await ask(`/v1/users/${homes[3]?.userId}`, 'DELETE');
  for (const set of members.values()) set.delete(3);
  await agreeAll('America/New_York', ['district', 'building']);

  // A utility and its groups may only access homeowners, and this account is no longer a homeowner.
  await grouped.api.database.pool.query(`UPDATE users SET role = 'utility' WHERE user_id = $1`, [homes[4]?.userId]);
  for (const set of members.values()) set.delete(4);
  await agreeAll('Asia/Kolkata', ['building']);
}, 1_800_000);

test('stored sums are used only while they are valid', async () => {
  const zone = 'Europe/Berlin';
  const name = 'district';
  await put(name, REMAINING_HOMES);
  const days = () => countUsedSums(name, 'day', zone);
  expect(await keep(zone)).toBeGreaterThan(0);
  const all = await days();
  expect(all).toBeGreaterThan(3);
  expect(await countUsedSums(name, 'month', 'UTC')).toBe(1);
  await agreeAll(zone, [name], STORED_UNITS);

  // The day of the late reading is computed from its hours, all other days from stored sums.
  const changing = homes[0] as TestHome;
  await addLateEnergy(grouped.api, changing);
  expect(await days()).toBeLessThan(all);
  expect(await countUsedSums(name, 'month', 'UTC')).toBe(0);
  await agreeAll(zone, [name], STORED_UNITS);
  await keep(zone);
  expect(await days()).toBe(all);
  await agreeAll(zone, [name], STORED_UNITS);

  // Earlier sums are not used after a device measures another part of the home, or a home leaves the group and returns.
  const solar = homes[1] as TestHome;
  const device = pickRandomElement(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  const before = device.placement;
  device.placement = before === 'excluded' ? 'grid' : 'excluded';
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
  expect(await days()).toBe(0);
  await agreeAll(zone, [name], STORED_UNITS);
  device.placement = before;
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: before });
  expect(await days()).toBe(all);
  await agreeAll(zone, [name], STORED_UNITS);
  const path = `${grouped.path('building')}/users/${changing.userId}`;
  for (const one of GROUP_NAMES) await ask(`${grouped.path(one)}/users/${changing.userId}`, 'DELETE');
  for (const one of GROUP_NAMES) members.get(one)?.delete(0);
  expect(await days()).toBe(0);
  await addLateEnergy(grouped.api, changing);
  await agreeAll(zone, [name], STORED_UNITS);
  await ask(path, 'PUT');
  members.get('building')?.add(0);
  expect(await days()).toBeLessThan(all);
  await agreeAll(zone, [name], STORED_UNITS);
}, 1_800_000);

test('for random changes between two passes, a group’s answer is correct', async () => {
  const zone = 'Asia/Kolkata';
  const change = { indices: REMAINING_HOMES, zone, times: 8, daysLater: 3 };
  await changeGroupAtRandom(grouped, change, () => agreeAll(zone, ['district'], STORED_UNITS));
}, 1_800_000);

test('open hours are included at once', async () => {
  await put('district', REMAINING_HOMES);
  const before = await ask(`${grouped.path('district')}/energy-insights?start=2026-03-30&end=2026-03-30`);
  const startsAtMs = RANDOM_HISTORY_START_MS + (QUARTER_HOUR_COUNT - 1) * QUARTER_HOUR_MS;
  const { userId } = homes[0] as TestHome;
  await addToLoadProfile(grouped.api.database, [
    {
      deviceId: `dev_${userId.slice(4)}_1`,
      userId,
      startsAtMs,
      energyMilliwattHours: 5_000_000,
      ...COMPLETE_QUARTER_HOUR_MEASURES,
    },
  ]);
  const after = await ask(`${grouped.path('district')}/energy-insights?start=2026-03-30&end=2026-03-30`);
  expect(after.data[0].kwh_used).toBeCloseTo(before.data[0].kwh_used + 5, 6);
});
