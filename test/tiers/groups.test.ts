import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb } from '#src/database/connect.ts';
import { groupOf } from '#src/energy/group/homes.ts';
import { groupPages } from '#src/energy/group/insights.ts';
import { keepGroupSums } from '#src/energy/group/keep.ts';
import { keptSums } from '#src/energy/group/kept.ts';
import { dayRange } from '#src/energy/ranges.ts';
import { homesOf as homesOfGroup } from '#src/groups/members.ts';
import { referenceGroup } from '#test/reference/group.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { addToProfile, KNOWN } from '#test/support/load-profile.ts';
import {
  calendars,
  FROM_MS,
  INCLUDE,
  kwh,
  oneOf,
  QUARTER_MS,
  QUARTERS,
  RANGE,
  randomHome,
  sow,
  type TestHome,
  writeHomes,
  ZONES,
} from '#test/support/random-homes.ts';

/**
 * Random homes in random groups: what a group answers is what an independent sum over its distinct homes says, to the mWh that answers
 * show, whether or not sums of it are kept. GROUPED=100 for as many memberships as a release is tried with.
 */
const GROUPED = Number(process.env.GROUPED ?? 1);
const SEED = Number(process.env.GROUPED_SEED ?? 1);
type Unit = 'hour' | 'day' | 'month';
const UNITS: readonly Unit[] = ['hour', 'day', 'month'];
const KEPT_UNITS: readonly Unit[] = ['day', 'month'];
/** A tree: which group each is a part of. */
const PARENT: Record<string, string | null> = { district: null, feeder: 'district', building: 'feeder' };
const NAMES = Object.keys(PARENT);

let api: TestApi;
let utility: { userId: string; key: string };
let homes: TestHome[];
const groupIds = new Map<string, string>();
/** Indices of homes. */
const members = new Map<string, Set<number>>(NAMES.map((name) => [name, new Set()]));

const ask = async (path: string, method = 'GET', body?: unknown) => {
  const { status, json } = await api.send(path, { method, key: utility.key, body });
  expect({ path, status, json }).toMatchObject({ status: method === 'POST' && /groups$/.test(path) ? 201 : 200 });
  return json;
};

beforeAll(async () => {
  sow(SEED);
  api = await testApi();
  api.now = new Date(FROM_MS + QUARTERS * QUARTER_MS);
  utility = await api.user('utility');
  homes = [];
  for (let index = 0; index < 6; index++) homes.push(await randomHome(api, index % 2 === 0));
  const ids = homes.map(({ userId }) => userId);
  await api.database.pool.query('UPDATE users SET enrolled_by = $1 WHERE user_id = ANY ($2)', [utility.userId, ids]);
  await writeHomes(api, homes);
  await api.database.settle(new Date(FROM_MS + 2 * 96 * QUARTER_MS));
  for (const [name, parent] of Object.entries(PARENT)) {
    const parent_group_id = parent && groupIds.get(parent);
    groupIds.set(name, (await ask('/v1/groups', 'POST', { name, parent_group_id })).group_id);
  }
}, 600_000);
afterAll(() => api.close());

/** Homes of a group and of those below it, each once. */
function homesOf(name: string): Set<number> {
  const below = NAMES.filter((one) => PARENT[one] === name).flatMap((one) => [...homesOf(one)]);
  return new Set([...(members.get(name) ?? []), ...below]);
}

const all = () => NAMES.map((name) => [name, [...homesOf(name)].map((index) => homes[index] as TestHome)] as const);

/** What the answer should be, row by row. */
function expected(of: readonly TestHome[], zone: string, unit: Unit, [start, end] = RANGE) {
  const local = calendars.get(zone) as Map<number, { date: string; hour: string; startMs: number }>;
  const group = referenceGroup(of.map(({ devices }) => devices));
  const inside = [...local].filter(([, { date }]) => date >= start && date <= end);
  const buckets = Map.groupBy(inside, ([, { date, startMs }]) =>
    unit === 'hour' ? String(startMs) : unit === 'day' ? date : `${date.slice(0, 8)}01`,
  );
  return [...buckets].flatMap(([name, rows]) => {
    const { used, autarky, coverage, complete, ...energies } = group(rows.map(([at]) => at));
    if (used === null && Object.values(energies).every((energy) => energy === null)) return [];
    const parts = [...Map.groupBy(rows, ([, { hour, startMs }]) => (unit === 'month' ? hour : String(startMs)))]
      .map(([hour, some]) => ({ hour, label: some[0]?.[1].hour, ...group(some.map(([at]) => at)) }))
      .filter((one) => (one.used ?? 0) > 0 && 2 * (one.estimated ?? 0) <= (one.used ?? 0))
      .sort((a, b) => (b.used ?? 0) - (a.used ?? 0) || (a.hour < b.hour ? -1 : 1));
    return {
      date: unit === 'month' ? name : rows[0]?.[1].date,
      kwh_used: kwh(used),
      peak_hour: unit === 'hour' ? rows[0]?.[1].hour : (parts[0]?.label ?? null),
      ...Object.fromEntries(Object.entries(energies).map(([measure, energy]) => [`${measure}_kwh`, kwh(energy)])),
      autarky,
      coverage,
      complete,
    };
  });
}

async function agree(name: string, of: readonly TestHome[], zone: string, units = UNITS): Promise<void> {
  for (const unit of units) {
    const query = `start=${RANGE[0]}&end=${RANGE[1]}&group_by=${unit}&tz=${zone}`;
    const path = `/v1/groups/${groupIds.get(name)}/energy-insights?${query}`;
    const wanted = expected(of, zone, unit);
    const told = await ask(`${path}&include=${INCLUDE}`);
    const rows = told.data.map(({ hour, starts_at, ...row }: Record<string, unknown>) => row);
    expect({ name, zone, unit, homes: told.homes, rows }).toEqual({ name, zone, unit, homes: of.length, rows: wanted });
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

const DAY_MS = 86_400_000;
let keptAt = 0;

/** Keeps sums of everything that there is by some days later, in UTC and in a zone. Returns how many it added up. */
async function keep(zone: string, daysLater = 3): Promise<number> {
  const { pool } = api.database;
  await pool.query('UPDATE users SET timezone = $1 WHERE user_id = $2', [zone, utility.userId]);
  // Each time later than it is looked again.
  keptAt += 10 * 60_000;
  return keepGroupSums({
    pool,
    db: createDb(pool),
    now: new Date(api.now.getTime() + daysLater * DAY_MS + keptAt),
    continuousAggregates: api.database.capabilities.continuousAggregates,
    homesOf: homesOfGroup,
    leastHomes: 1,
    passMs: Number.POSITIVE_INFINITY,
  });
}

/** How many of the kept sums are told: each is told as 1 GWh more for a moment. */
async function toldOfKept(name: string, unit: 'day' | 'month', zone: string): Promise<number> {
  const { pool } = api.database;
  const more = (sign: string) =>
    pool.query(`UPDATE kept_group_sums SET used_milliwatt_hours = used_milliwatt_hours ${sign} 1000000000000000`);
  await more('+');
  const [start, end] = unit === 'day' ? RANGE : ['2026-03-01', '2026-04-30'];
  const query = `start=${start}&end=${end}&group_by=${unit}&tz=${zone}`;
  const { data } = await ask(`/v1/groups/${groupIds.get(name)}/energy-insights?${query}`);
  await more('-');
  return data.filter((row: { kwh_used: number }) => row.kwh_used > 500_000_000).length;
}

/** Every group in a zone, and whole months of UTC. */
async function agreeAll(zone: string, names = NAMES, units = UNITS): Promise<void> {
  for (const [name, of] of all().filter(([name]) => names.includes(name))) {
    await agree(name, of, zone, units);
    const path = `/v1/groups/${groupIds.get(name)}/energy-insights`;
    // All of both months, most of one, and of each a part.
    for (const [start, end] of [
      ['2026-03-01', '2026-04-30'],
      ['2026-03-02', '2026-03-28'],
      ['2026-03-29', '2026-04-29'],
    ] as const) {
      const told = await ask(`${path}?start=${start}&end=${end}&group_by=month`);
      const months = expected(of, 'UTC', 'month', [start, end]).filter(({ kwh_used }) => kwh_used !== null);
      expect({ name, start, end, months: told.data }).toEqual({
        name,
        start,
        end,
        months: months.map(({ date, kwh_used, peak_hour }) => ({ date, kwh_used, peak_hour })),
      });
    }
    const { kwh_used, peak_usage_time } = await ask(path);
    const range = [...(calendars.get('UTC')?.keys() ?? [])];
    const group = referenceGroup(of.map(({ devices }) => devices));
    const hours = [...Map.groupBy(range, (at) => new Date(at).toISOString().slice(11, 13))]
      .map(([hour, some]) => ({ hour, ...group(some) }))
      .filter((one) => (one.used ?? 0) > 0 && 2 * (one.estimated ?? 0) <= (one.used ?? 0))
      .sort((a, b) => (b.used ?? 0) - (a.used ?? 0) || (a.hour < b.hour ? -1 : 1));
    expect({ name, kwh_used, peak_usage_time }).toEqual({
      name,
      kwh_used: kwh(group(range).used) ?? 0,
      peak_usage_time: hours[0] ? `${hours[0].hour}:00` : null,
    });
  }
}

test('a group answers the sum over its distinct homes, whatever is in which group of a tree', async () => {
  const some = fc.subarray([...Array(6).keys()]);
  const membership = fc.record<Record<string, number[]>>(Object.fromEntries(NAMES.map((name) => [name, some])));
  let run = 0;
  await fc.assert(
    fc.asyncProperty(membership, async (drawn) => {
      for (const name of NAMES) {
        const [before, now] = [members.get(name) ?? new Set<number>(), new Set(drawn[name])];
        const idOf = (index: number) => homes[index]?.userId;
        const add = [...now].filter((one) => !before.has(one)).map(idOf);
        const remove = [...before].filter((one) => !now.has(one)).map(idOf);
        const changed = await ask(`/v1/groups/${groupIds.get(name)}/users`, 'POST', { add, remove });
        expect(changed).toMatchObject({ added: add.length, removed: remove.length, members: now.size });
        members.set(name, now);
      }
      const zone = ZONES[run++ % ZONES.length] as string;
      await agreeAll(zone);
      await keep(zone);
      await agreeAll(zone, NAMES, KEPT_UNITS);
    }),
    { numRuns: GROUPED, seed: SEED },
  );
}, 1_800_000);

test('a late reading, another placement, a home that goes: the sum of then', async () => {
  for (const name of NAMES) {
    const add = homes.map(({ userId }) => userId);
    await ask(`/v1/groups/${groupIds.get(name)}/users`, 'POST', { add });
    members.set(name, new Set(homes.keys()));
  }
  // Late: two days ago, of a home that is the sum of its plugs.
  const plain = homes[0] as TestHome;
  const device = plain.devices.find(({ quarters }) => quarters.size > 0);
  if (!device) throw new Error('the first home has told nothing: another seed');
  const startsAtMs = [...device.quarters.keys()][0] as number;
  const quarter = device.quarters.get(startsAtMs) as { import: number };
  quarter.import += 12_345_679;
  const late = { deviceId: device.id, userId: plain.userId, startsAtMs, energyMilliwattHours: 12_345_679 };
  await addToProfile(api.database, [late]);
  await api.database.settle(api.now);
  await agreeAll('Australia/Lord_Howe', ['district']);

  const solar = homes[1] as TestHome;
  const changed = oneOf(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  changed.placement = changed.placement === 'excluded' ? 'consumption' : 'excluded';
  await ask(`/v1/devices/${changed.id}`, 'PATCH', { placement: changed.placement });
  await agreeAll('UTC', ['district']);

  await ask(`/v1/groups/${groupIds.get('building')}/users/${homes[2]?.userId}`, 'DELETE');
  members.get('building')?.delete(2);
  await ask(`/v1/users/${homes[3]?.userId}`, 'DELETE');
  for (const set of members.values()) set.delete(3);
  await agreeAll('America/New_York', ['district', 'building']);

  // No longer a homeowner: the utility reaches it no more, and so does the group.
  await api.database.pool.query(`UPDATE users SET role = 'utility' WHERE user_id = $1`, [homes[4]?.userId]);
  for (const set of members.values()) set.delete(4);
  await agreeAll('Asia/Kolkata', ['building']);
}, 1_800_000);

/** Sets the members of a group to all homes that are still there. */
async function putAll(name: string): Promise<void> {
  const there = [...homes.keys()].filter((index) => index !== 3 && index !== 4);
  await ask(`/v1/groups/${groupIds.get(name)}/users`, 'POST', { add: there.map((index) => homes[index]?.userId) });
  members.set(name, new Set(there));
}

/** Devices of a home of which anything is known, without what is told apart of them. */
const devicesOf = (home: TestHome) => home.devices.filter(({ quarters, partOf }) => quarters.size > 0 && !partOf);

/** More of a quarter-hour that a device knows, or several, days ago. */
async function addLate(home: TestHome, devices = [oneOf(devicesOf(home))]): Promise<void> {
  const late = devices.map(({ id, quarters }) => {
    const startsAtMs = oneOf([...quarters.keys()]);
    const quarter = quarters.get(startsAtMs) as { import: number };
    quarter.import += 7_654_321;
    return { deviceId: id, userId: home.userId, startsAtMs, energyMilliwattHours: 7_654_321 };
  });
  await addToProfile(api.database, late);
  await api.database.settle(api.now);
}

test('what was kept is told, and never once it no longer holds', async () => {
  const zone = 'Europe/Berlin';
  const name = 'district';
  await putAll(name);
  const days = () => toldOfKept(name, 'day', zone);
  expect(await keep(zone)).toBeGreaterThan(0);
  const all = await days();
  expect(all).toBeGreaterThan(3);
  expect(await toldOfKept(name, 'month', 'UTC')).toBe(1);
  await agreeAll(zone, [name], KEPT_UNITS);

  // A late reading: its day is added up at once, the others stay.
  const changing = homes[0] as TestHome;
  await addLate(changing);
  expect(await days()).toBeLessThan(all);
  expect(await toldOfKept(name, 'month', 'UTC')).toBe(0);
  await agreeAll(zone, [name], KEPT_UNITS);
  await keep(zone);
  expect(await days()).toBe(all);
  await agreeAll(zone, [name], KEPT_UNITS);

  // Another placement, a member that goes and comes back: nothing of before is told.
  const solar = homes[1] as TestHome;
  const device = oneOf(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  const before = device.placement;
  device.placement = before === 'excluded' ? 'grid' : 'excluded';
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
  expect(await days()).toBe(0);
  await agreeAll(zone, [name], KEPT_UNITS);
  device.placement = before;
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: before });
  expect(await days()).toBe(all);
  await agreeAll(zone, [name], KEPT_UNITS);
  const path = `/v1/groups/${groupIds.get('building')}/users/${changing.userId}`;
  for (const one of NAMES) await ask(`/v1/groups/${groupIds.get(one)}/users/${changing.userId}`, 'DELETE');
  for (const one of NAMES) members.get(one)?.delete(0);
  expect(await days()).toBe(0);
  await addLate(changing);
  await agreeAll(zone, [name], KEPT_UNITS);
  await ask(path, 'PUT');
  members.get('building')?.add(0);
  expect(await days()).toBeLessThan(all);
  await agreeAll(zone, [name], KEPT_UNITS);
}, 1_800_000);

/** A month under way of a group, to each of its last days, in UTC and in a zone. */
async function agreeOnMonth(name: string, zone: string): Promise<void> {
  const [, of] = all().find(([one]) => one === name) ?? [];
  for (const tz of ['UTC', zone]) {
    for (const end of ['2026-03-27', '2026-03-29', '2026-03-30']) {
      const query = `start=2026-03-01&end=${end}&group_by=month&tz=${tz}&include=estimated`;
      const { data } = await ask(`/v1/groups/${groupIds.get(name)}/energy-insights?${query}`);
      const months = expected(of ?? [], tz, 'month', ['2026-03-01', end])
        .filter(({ kwh_used }) => kwh_used !== null)
        .map((row: Record<string, unknown>) => {
          const { date, kwh_used, peak_hour, estimated_kwh } = row;
          return { date, kwh_used, peak_hour, estimated_kwh };
        });
      expect({ name, tz, end, months: data }).toEqual({ name, tz, end, months });
    }
  }
}

/** Which halves of what is kept of a month under way are told, each as 1 GWh more for a moment, and until which day it is kept. */
async function toldOfBegun(
  name: string,
  zone: string,
): Promise<{ plain: boolean; composed: boolean; end: string | null }> {
  const { pool } = api.database;
  const path = `/v1/groups/${groupIds.get(name)}/energy-insights?start=2026-03-01&end=2026-03-30&group_by=month&tz=${zone}`;
  const isTold = async (change: (sign: string) => string) => {
    await pool.query(change('+'));
    const { data } = await ask(path);
    await pool.query(change('-'));
    return data[0].kwh_used > 500_000_000;
  };
  const { rows } = await pool.query(
    `SELECT string_agg(((s.ends_at - interval '1 ms') AT TIME ZONE s.zone)::date::text, ' ') AS end FROM kept_group_sums s
     WHERE s.unit = 'begun' AND s.group_id = $1 AND s.zone = $2`,
    [groupIds.get(name), zone],
  );
  const more = '1000000000000000';
  return {
    plain: await isTold(
      (sign) => `UPDATE kept_group_sums SET used_by_hour[1] = used_by_hour[1] ${sign} ${more} WHERE unit = 'begun'`,
    ),
    composed: await isTold(
      (sign) => `UPDATE kept_begun_homes SET alone[1] = alone[1] ${sign} ${more}, alone_ms[1] = alone_ms[1] ${sign} 1`,
    ),
    end: rows[0]?.end ?? null,
  };
}

/** An answer about a month under way, while which hours of its homes change and what was kept is replaced; and what it should have been before. */
async function answeredMeanwhile(name: string, zone: string) {
  const db = createDb(api.database.pool);
  const groupId = groupIds.get(name) as string;
  const [, of = []] = all().find(([one]) => one === name) ?? [];
  const [start, end] = ['2026-03-01', '2026-03-30'];
  const months = expected(of, zone, 'month', [start, end]).map(({ kwh_used }) => kwh_used);
  const group = await groupOf(db, await homesOfGroup(db, groupId), new Set());
  let turns = 0;
  const changing = {
    ...group,
    async *composed() {
      // First it is asked what the group is made of; then the rest of the month is read.
      if (++turns === 2) {
        // Not of what produces: which way its energy flowed is remembered for some seconds.
        const inHome = (home: TestHome) => devicesOf(home).filter(({ placement }) => placement !== 'production');
        for (const home of of) await addLate(home, inHome(home));
        await keep(zone, 0);
      }
      yield* group.composed();
    },
  };
  const range = dayRange(start, end, zone);
  const kept = await keptSums(db, groupId, changing, { range, groupBy: 'month' });
  const told = [];
  for await (const page of groupPages(db, changing, range, 'month', kept)) told.push(...page);
  return { turns, begun: kept.begun?.end, told: told.map(({ kwh_used }) => kwh_used), before: months };
}

test('a month under way goes on from the days that are kept of it, and not once they no longer hold', async () => {
  const { pool } = api.database;
  const [name, zone] = ['district', 'Europe/Berlin'];
  await putAll(name);
  // As if nothing had been kept yet, and each time a day later: what is kept goes on from what was.
  await pool.query('DELETE FROM kept_groups');
  await pool.query(`UPDATE group_sums_progress SET noted_before = '-infinity', kept_before = '-infinity'`);
  for (const [daysLater, end] of [
    [-2, '2026-03-27'],
    [-1, '2026-03-28'],
    [0, '2026-03-29'],
  ] as const) {
    expect(await keep(zone, daysLater)).toBeGreaterThan(0);
    for (const tz of ['UTC', zone]) {
      const told = await toldOfBegun(name, tz);
      expect({ daysLater, tz, ...told }).toMatchObject({ daysLater, tz, plain: true, composed: true });
      // A day of Berlin ends before that of UTC.
      expect({ daysLater, tz, end: told.end }).toEqual({ daysLater, tz, end });
    }
    await agreeOnMonth(name, zone);
  }
  expect(await keep(zone, 0)).toBe(0);

  const { before, ...meanwhile } = await answeredMeanwhile(name, zone);
  expect(meanwhile).toEqual({ turns: 2, begun: '2026-03-29', told: before });
  await agreeOnMonth(name, zone);

  const nothing = { plain: false, composed: false };
  await addLate(homes[0] as TestHome);
  await agreeOnMonth(name, zone);
  const isKept = async () => (await toldOfBegun(name, zone)).composed;
  await keep(zone, 0);
  expect(await isKept()).toBe(true);
  await agreeOnMonth(name, zone);

  const solar = homes[1] as TestHome;
  const device = oneOf(solar.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
  device.placement = device.placement === 'excluded' ? 'grid' : 'excluded';
  await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
  expect(await toldOfBegun(name, zone)).toMatchObject(nothing);
  await agreeOnMonth(name, zone);
  await keep(zone, 0);
  expect(await isKept()).toBe(true);
  await agreeOnMonth(name, zone);

  // Days that end amid an hour of UTC.
  const half = 'Asia/Kolkata';
  await changeAtRandom(half, 5, { daysLater: 0, agree: () => agreeOnMonth(name, half) });

  // The month is over, the next one has nothing yet.
  await putAll(name);
  await keep(zone, 0);
  expect(await toldOfBegun(name, zone)).toEqual({ plain: true, composed: true, end: '2026-03-29' });
  await keep(zone, 3);
  expect(await toldOfBegun(name, zone)).toEqual({ ...nothing, end: '2026-04-01' });
  await agreeOnMonth(name, zone);
}, 1_800_000);

/** Changes what the district is the sum of, so many times, and keeps its sums now and then; each time it is held against what is. */
async function changeAtRandom(
  zone: string,
  times: number,
  { daysLater, agree }: { daysLater: number; agree: () => Promise<void> },
): Promise<void> {
  await putAll('district');
  for (const below of ['feeder', 'building']) {
    const remove = homes.map(({ userId }) => userId);
    await ask(`/v1/groups/${groupIds.get(below)}/users`, 'POST', { remove });
    members.get(below)?.clear();
  }
  const steps = fc.array(fc.constantFrom('late', 'late', 'member', 'placement', 'keep', 'keep'), {
    minLength: times,
    maxLength: times,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      for (const step of drawn) {
        const there = [...(members.get('district') ?? [])].map((index) => homes[index] as TestHome);
        if (step === 'keep') await keep(zone, daysLater);
        if (step === 'late' && there.length > 0) await addLate(oneOf(there));
        if (step === 'member') {
          const index = oneOf([0, 1, 2, 5]);
          const isIn = members.get('district')?.has(index);
          const userId = homes[index]?.userId;
          await ask(`/v1/groups/${groupIds.get('district')}/users/${userId}`, isIn ? 'DELETE' : 'PUT');
          if (isIn) members.get('district')?.delete(index);
          else members.get('district')?.add(index);
        }
        if (step === 'placement') {
          const device = oneOf((homes[1] as TestHome).devices.filter((one) => one.deletedAtMs === null && !one.partOf));
          device.placement = oneOf(['grid', 'consumption', 'excluded'] as const);
          await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
        }
        await agree();
      }
    }),
    { numRuns: GROUPED, seed: SEED },
  );
}

test('at random: whatever changes between two passes, a group answers what is', async () => {
  const zone = 'Asia/Kolkata';
  await changeAtRandom(zone, 8, { daysLater: 3, agree: () => agreeAll(zone, ['district'], KEPT_UNITS) });
}, 1_800_000);

test('what is still open counts at once', async () => {
  await putAll('district');
  const before = await ask(`/v1/groups/${groupIds.get('district')}/energy-insights?start=2026-03-30&end=2026-03-30`);
  const startsAtMs = FROM_MS + (QUARTERS - 1) * QUARTER_MS;
  const { userId } = homes[0] as TestHome;
  await addToProfile(api.database, [
    { deviceId: `dev_${userId.slice(4)}_1`, userId, startsAtMs, energyMilliwattHours: 5_000_000, ...KNOWN },
  ]);
  const after = await ask(`/v1/groups/${groupIds.get('district')}/energy-insights?start=2026-03-30&end=2026-03-30`);
  expect(after.data[0].kwh_used).toBeCloseTo(before.data[0].kwh_used + 5, 6);
});
