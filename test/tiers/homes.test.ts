import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { readHomeQuarterHours } from '#src/energy/home/quarter-hours.ts';
import { createReferenceHomeCalculator } from '#test/reference/home.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import {
  CALENDARS_BY_ZONE,
  convertToApiKwh,
  createRandomHome,
  DATA_RANGE,
  findRowOfQuarterHour,
  INSIGHT_INCLUDES,
  type LocalTimesByQuarterHour,
  PLACEMENTS,
  pickRandomElement,
  QUARTER_HOUR_COUNT,
  QUARTER_HOUR_MS,
  RANDOM_HISTORY_START_MS,
  seedRandom,
  type TestHome,
  TIME_ZONES,
  writeHomes,
} from '#test/support/random-homes.ts';

/**
 * Random homes: the usage in API responses equals an independent sum of the devices' quarter-hours. Before a release, run this with
 * HOMES=1000.
 */
const HOMES = Number(process.env.HOMES ?? 6);
const SEED = Number(process.env.HOMES_SEED ?? 1);
let api: TestApi;
let homes: TestHome[];
beforeAll(async () => {
  seedRandom(SEED);
  api = await startTestApi();
  api.now = new Date(RANDOM_HISTORY_START_MS + QUARTER_HOUR_COUNT * QUARTER_HOUR_MS);
  homes = [];
  for (let index = 0; index < HOMES; index++) homes.push(await createRandomHome(api));
  await writeHomes(api, homes);
  await api.database.settle(new Date(RANDOM_HISTORY_START_MS + 2 * 96 * QUARTER_HOUR_MS));
});
afterAll(() => api.close());

function expected(
  { devices }: TestHome,
  zone: string,
  [start, end]: [string, string],
  group: 'quarter_hour' | 'half_hour' | 'hour' | 'day' | 'month',
) {
  const local = CALENDARS_BY_ZONE.get(zone) as LocalTimesByQuarterHour;
  const home = createReferenceHomeCalculator(devices);
  const inside = [...local].filter(([, { date }]) => date >= start && date <= end);
  const buckets = Map.groupBy(inside, ([at, one]) => {
    const row = findRowOfQuarterHour(group, at, one);
    return row ? String(row.startMs) : group === 'day' ? one.date : `${one.date.slice(0, 8)}01`;
  });
  return [...buckets].flatMap(([name, members]) => {
    const quarters = members.map(([at]) => at);
    const answer = home(quarters);
    const { used, autarky, coverage, complete, ...energies } = answer;
    if (used === null && Object.values(energies).every((energy) => energy === null)) return [];
    const hours = Map.groupBy(members, ([, { hour, startMs }]) => (group === 'month' ? hour : String(startMs)));
    const candidates = [...hours]
      .map(([hour, all]) => ({
        hour,
        label: all[0]?.[1].hour,
        of: home(all.map(([at]) => at)),
      }))
      .filter(({ of }) => (of.used ?? 0) > 0 && 2 * (of.estimated ?? 0) <= (of.used ?? 0))
      .sort((a, b) => (b.of.used ?? 0) - (a.of.used ?? 0) || (a.hour < b.hour ? -1 : 1));
    return [
      {
        date: group === 'month' ? name : members[0]?.[1].date,
        kwh_used: convertToApiKwh(used),
        peak_hour: members[0] && (findRowOfQuarterHour(group, ...members[0])?.time ?? candidates[0]?.label ?? null),
        ...Object.fromEntries(
          Object.entries(energies).map(([measure, energy]) => [`${measure}_kwh`, convertToApiKwh(energy)]),
        ),
        autarky,
        coverage,
        complete,
      },
    ];
  });
}

async function agree(home: TestHome, zone: string): Promise<void> {
  for (const group of ['quarter_hour', 'half_hour', 'hour', 'day', 'month'] as const) {
    const query = `start=${DATA_RANGE[0]}&end=${DATA_RANGE[1]}&group_by=${group}&tz=${zone}`;
    const wanted = expected(home, zone, DATA_RANGE, group);
    const { status, json } = await api.send(`/v1/energy-insights?${query}&include=${INSIGHT_INCLUDES}`, {
      key: home.key,
    });
    expect(status).toBe(200);
    const rows = json.data.map(({ hour, time, starts_at, ...row }: Record<string, unknown>) => row);
    expect({ home: home.userId, zone, group, rows }).toEqual({ home: home.userId, zone, group, rows: wanted });
    const plain = await api.send(`/v1/energy-insights?${query}`, { key: home.key });
    expect(plain.json.data.map((row: { kwh_used: number }) => row.kwh_used)).toEqual(
      wanted.filter(({ kwh_used }) => kwh_used !== null).map(({ kwh_used }) => kwh_used),
    );
  }
}

test.each(TIME_ZONES)(
  'answers about random homes equal an independent sum, in %s',
  async (zone) => {
    for (const home of homes) await agree(home, zone);
  },
  1_800_000,
);

test('lists of their quarter-hours equal the same sum', async () => {
  const db = createDatabase(api.database.pool);
  const range = {
    from: new Date(RANDOM_HISTORY_START_MS),
    to: new Date(RANDOM_HISTORY_START_MS + QUARTER_HOUR_COUNT * QUARTER_HOUR_MS),
  };
  for (const { userId, devices } of homes) {
    const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: false });
    const readQuarterHours = await readHomeQuarterHours(db, home, range);
    const answerOf = createReferenceHomeCalculator(devices);
    const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
    const rows = { told: [] as object[], wanted: [] as object[] };
    for (let at = 0; at < QUARTER_HOUR_COUNT; at++) {
      const { used, estimated, production, coverage } = answerOf([RANDOM_HISTORY_START_MS + at * QUARTER_HOUR_MS]);
      rows.wanted.push({ at, used, estimated, production, coverage });
      const share = known(readQuarterHours.coverage[at]);
      rows.told.push({
        at,
        used: known(readQuarterHours.used[at]),
        estimated: known(readQuarterHours.estimated[at]),
        production: known(readQuarterHours.production[at]),
        coverage: share === null ? null : Math.floor(1_000 * share) / 1_000,
      });
    }
    expect({ userId, rows: rows.told }).toEqual({ userId, rows: rows.wanted });
  }
});

test('a changed placement applies to the whole past', async () => {
  for (const home of homes) {
    const device = pickRandomElement(home.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
    if (!device) continue;
    device.placement = pickRandomElement(PLACEMENTS);
    const body = { placement: device.placement };
    const { status } = await api.send(`/v1/devices/${device.id}`, { method: 'PATCH', key: home.key, body });
    expect(status).toBe(200);
    await agree(home, pickRandomElement(TIME_ZONES));
  }
}, 1_800_000);
