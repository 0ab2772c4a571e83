import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { storeGroupSums } from '#src/energy/group/store-sums.ts';
import { listGroupHomes } from '#src/groups/members.ts';
import { createReferenceGroupCalculator } from '#test/reference/group.ts';
import { startTestApi, type TestApi } from './api.ts';
import { addToLoadProfile } from './load-profile.ts';
import {
  CALENDARS_BY_ZONE,
  convertToApiKwh,
  createRandomHome,
  DATA_RANGE,
  findRowOfQuarterHour,
  type LocalTimesByQuarterHour,
  pickRandomElement,
  QUARTER_HOUR_COUNT,
  QUARTER_HOUR_MS,
  RANDOM_HISTORY_START_MS,
  seedRandom,
  type TestHome,
  writeHomes,
} from './random-homes.ts';

/** Number of runs of the random tests, and their seed. Before a release, run them with GROUPED=100. */
export const PROPERTY_TEST_OPTIONS = {
  numRuns: Number(process.env.GROUPED ?? 1),
  seed: Number(process.env.GROUPED_SEED ?? 1),
};
/** The parent of each group; null for the root group. */
const PARENT: Record<string, string | null> = { district: null, feeder: 'district', building: 'feeder' };
export const GROUP_NAMES = Object.keys(PARENT);
const DAY_MS = 86_400_000;

export type GroupRowInterval = 'quarter_hour' | 'half_hour' | 'hour' | 'day' | 'month';

/** Random homes of a utility, and a tree of groups. Can be used only inside a test. */
interface GroupedHomes {
  api: TestApi;
  homes: TestHome[];
  /** Indices of the homes in each group, by the group's name. */
  members: Map<string, Set<number>>;
  // biome-ignore lint/suspicious/noExplicitAny: the columns of the rows depend on the query
  ask(path: string, method?: string, body?: unknown): Promise<any>;
  idOf(name: string): string;
  /** API path of a group. */
  path(name: string): string;
  /** Returns the homes of a group and its subgroups, each once. */
  homesOf(name: string): TestHome[];
  /** Replaces the members of a group by these homes. */
  put(name: string, homes: readonly number[]): Promise<void>;
  /** Stores the sums of all groups in UTC and in `zone`, as a worker would `daysLater` days later. Returns the number of stored sums. */
  keep(zone: string, daysLater?: number): Promise<number>;
}

/** Registers hooks that create and remove `count` homes. Every second home has only appliances. */
export function setUpGroupedHomes(count: number): GroupedHomes {
  let utility: { userId: string; key: string };
  let keptAt = 0;
  const groupIds = new Map<string, string>();
  const homes: TestHome[] = [];
  const members = new Map<string, Set<number>>(GROUP_NAMES.map((name) => [name, new Set()]));
  const indicesOf = (name: string): Set<number> => {
    const below = GROUP_NAMES.filter((one) => PARENT[one] === name).flatMap((one) => [...indicesOf(one)]);
    return new Set([...(members.get(name) ?? []), ...below]);
  };
  const grouped = {
    homes,
    members,
    async ask(path, method = 'GET', body) {
      const { status, json } = await grouped.api.send(path, { method, key: utility.key, body });
      expect({ path, status, json }).toMatchObject({ status: method === 'POST' && /groups$/.test(path) ? 201 : 200 });
      return json;
    },
    idOf: (name) => groupIds.get(name),
    path: (name) => `/v1/groups/${groupIds.get(name)}`,
    homesOf: (name) => [...indicesOf(name)].map((index) => homes[index] as TestHome),
    async put(name, indices) {
      const add = indices.map((index) => homes[index]?.userId);
      await grouped.ask(`${grouped.path(name)}/users`, 'POST', { add });
      members.set(name, new Set(indices));
    },
    async keep(zone, daysLater = 3) {
      const { api } = grouped;
      const { pool, capabilities } = api.database;
      await pool.query('UPDATE users SET timezone = $1 WHERE user_id = $2', [zone, utility.userId]);
      // Each call uses a later time, because a worker checks a group only every few minutes.
      keptAt += 10 * 60_000;
      return storeGroupSums({
        pool,
        db: createDatabase(pool),
        now: new Date(api.now.getTime() + daysLater * DAY_MS + keptAt),
        continuousAggregates: capabilities.continuousAggregates,
        homesOf: listGroupHomes,
        leastHomes: 1,
        passMs: Number.POSITIVE_INFINITY,
      });
    },
  } as Omit<GroupedHomes, 'api'> as GroupedHomes;
  beforeAll(async () => {
    seedRandom(PROPERTY_TEST_OPTIONS.seed);
    const api = await startTestApi();
    grouped.api = api;
    api.now = new Date(RANDOM_HISTORY_START_MS + QUARTER_HOUR_COUNT * QUARTER_HOUR_MS);
    utility = await api.user('utility');
    while (homes.length < count) homes.push(await createRandomHome(api, homes.length % 2 === 0));
    const ids = homes.map(({ userId }) => userId);
    await api.database.pool.query('UPDATE users SET enrolled_by = $1 WHERE user_id = ANY ($2)', [utility.userId, ids]);
    await writeHomes(api, homes);
    await api.database.settle(new Date(RANDOM_HISTORY_START_MS + 2 * 96 * QUARTER_HOUR_MS));
    for (const [name, parent] of Object.entries(PARENT)) {
      const parent_group_id = parent && groupIds.get(parent);
      groupIds.set(name, (await grouped.ask('/v1/groups', 'POST', { name, parent_group_id })).group_id);
    }
  });
  afterAll(() => grouped.api.close());
  return grouped;
}

/** Returns the expected response for a group of these homes, by row. */
export function computeExpectedGroupRows(
  of: readonly TestHome[],
  zone: string,
  unit: GroupRowInterval,
  [start, end] = DATA_RANGE,
) {
  const local = CALENDARS_BY_ZONE.get(zone) as LocalTimesByQuarterHour;
  const group = createReferenceGroupCalculator(of.map(({ devices }) => devices));
  const inside = [...local].filter(([, { date }]) => date >= start && date <= end);
  const buckets = Map.groupBy(inside, ([at, one]) => {
    const row = findRowOfQuarterHour(unit, at, one);
    return row ? String(row.startMs) : unit === 'day' ? one.date : `${one.date.slice(0, 8)}01`;
  });
  return [...buckets].flatMap(([name, rows]) => {
    const { used, autarky, coverage, complete, ...energies } = group(rows.map(([at]) => at));
    if (used === null && Object.values(energies).every((energy) => energy === null)) return [];
    const parts = [...Map.groupBy(rows, ([, { hour, startMs }]) => (unit === 'month' ? hour : String(startMs)))]
      .map(([hour, some]) => ({ hour, label: some[0]?.[1].hour, ...group(some.map(([at]) => at)) }))
      .filter((one) => (one.used ?? 0) > 0 && 2 * (one.estimated ?? 0) <= (one.used ?? 0))
      .sort((a, b) => (b.used ?? 0) - (a.used ?? 0) || (a.hour < b.hour ? -1 : 1));
    return {
      date: unit === 'month' ? name : rows[0]?.[1].date,
      kwh_used: convertToApiKwh(used),
      peak_hour: rows[0] && (findRowOfQuarterHour(unit, ...rows[0])?.time ?? parts[0]?.label ?? null),
      ...Object.fromEntries(
        Object.entries(energies).map(([measure, energy]) => [`${measure}_kwh`, convertToApiKwh(energy)]),
      ),
      autarky,
      coverage,
      complete,
    };
  });
}

/** Returns the devices of a home that have data. */
export const getDevicesWithData = (home: TestHome) =>
  home.devices.filter(({ quarters, partOf }) => quarters.size > 0 && !partOf);

/** Adds energy to a random quarter-hour of each device. By default, the only device is a random one of those with data. */
export async function addLateEnergy(
  { database, now }: TestApi,
  home: TestHome,
  devices = [pickRandomElement(getDevicesWithData(home))],
): Promise<void> {
  const late = devices.map(({ id, quarters }) => {
    const startsAtMs = pickRandomElement([...quarters.keys()]);
    const quarter = quarters.get(startsAtMs) as { import: number };
    quarter.import += 7_654_321;
    return { deviceId: id, userId: home.userId, startsAtMs, energyMilliwattHours: 7_654_321 };
  });
  await addToLoadProfile(database, late);
  await database.settle(now);
}

/**
 * Randomly changes the data and the members of the group `district`, and sometimes stores sums. After each step, `agree` compares the sums
 * with the expected ones.
 */
export async function changeGroupAtRandom(
  grouped: GroupedHomes,
  { indices, zone, times, daysLater }: { indices: readonly number[]; zone: string; times: number; daysLater: number },
  agree: () => Promise<void>,
): Promise<void> {
  const { api, homes, members, ask, path, put, keep } = grouped;
  await put('district', indices);
  for (const below of ['feeder', 'building']) {
    const remove = homes.map(({ userId }) => userId);
    await ask(`${path(below)}/users`, 'POST', { remove });
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
        if (step === 'late' && there.length > 0) await addLateEnergy(api, pickRandomElement(there));
        if (step === 'member') {
          const index = pickRandomElement(indices);
          const isIn = members.get('district')?.has(index);
          const userId = homes[index]?.userId;
          await ask(`${path('district')}/users/${userId}`, isIn ? 'DELETE' : 'PUT');
          if (isIn) members.get('district')?.delete(index);
          else members.get('district')?.add(index);
        }
        if (step === 'placement') {
          const device = pickRandomElement(
            (homes[1] as TestHome).devices.filter((one) => one.deletedAtMs === null && !one.partOf),
          );
          device.placement = pickRandomElement(['grid', 'consumption', 'excluded'] as const);
          await ask(`/v1/devices/${device.id}`, 'PATCH', { placement: device.placement });
        }
        await agree();
      }
    }),
    PROPERTY_TEST_OPTIONS,
  );
}
