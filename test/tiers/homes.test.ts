import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDb } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { homeQuarters } from '#src/energy/home/quarters.ts';
import { type ReferenceDevice, type ReferencePlacement, referenceHome } from '#test/reference/home.ts';
import { type TestApi, testApi } from '#test/support/api.ts';
import { addToProfile, type Difference } from '#test/support/load-profile.ts';

/**
 * Random homes: what the API answers is what an independent sum of their devices' quarter-hours says, to the mWh that answers show.
 * HOMES=1000 for as many as a release is tried with.
 */
const HOMES = Number(process.env.HOMES ?? 10);
const SEED = Number(process.env.HOMES_SEED ?? 1);
const QUARTER_MS = 900_000;
const FROM_MS = Date.UTC(2026, 2, 27);
const QUARTERS = 4 * 96;
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'];
const PLACEMENTS: ReferencePlacement[] = ['grid', 'production', 'storage', 'consumption', 'consumption', 'excluded'];
const INCLUDE =
  'grid_import,grid_export,production,charged,discharged,consumption,untracked,self_consumed,autarky,estimated,coverage';

interface TestHome {
  userId: string;
  key: string;
  devices: ReferenceDevice[];
}

let api: TestApi;
let homes: TestHome[];
let seed = SEED;
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};
const oneOf = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;

beforeAll(async () => {
  api = await testApi();
  api.now = new Date(FROM_MS + QUARTERS * QUARTER_MS);
  homes = [];
  for (let index = 0; index < HOMES; index++) homes.push(await randomHome());
  await write(homes);
  await api.database.settle(new Date(FROM_MS + 2 * 96 * QUARTER_MS));
}, 600_000);
afterAll(() => api.close());

async function randomHome(): Promise<TestHome> {
  const { userId, key } = await api.user('homeowner');
  const devices: ReferenceDevice[] = [];
  for (let count = 2 + random(7); count > 0; count--) {
    const above = devices.filter(({ placement }) => random(2) === 0 && placement !== 'grid');
    devices.push(randomDevice(`dev_${userId.slice(4)}_${count}`, above.length > 0 ? oneOf(above).id : null));
  }
  const all = devices.flatMap((device) => (random(3) === 0 ? [device, randomPart(device)] : [device]));
  for (const device of devices) {
    const part = all.find(({ partOf }) => partOf === device.id);
    const words = part ? { second: { placement: part.placement } } : {};
    await api.database.pool.query(
      `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256, placement, placement_by, upstream_device_id, deleted_at, channels)
       VALUES ($1, $2, 'x', 'x', '', $3, 'owner', $4, $5, $6)`,
      [
        device.id,
        userId,
        device.placement,
        device.upstream,
        device.deletedAtMs && new Date(device.deletedAtMs - random(QUARTER_MS)),
        words,
      ],
    );
  }
  for (const { id, partOf, placement, channels } of all) {
    for (const direction of ['import', 'export'] as const) {
      if (channels[direction] === 0) continue;
      await api.database.pool.query(
        `INSERT INTO series (device_id, channel, kind, counts_import, counts_export, meter) VALUES ($1, $2, 'register', $3, $4, $5)`,
        [
          partOf ?? id,
          partOf ? `second/${direction}` : direction,
          direction === 'import',
          direction === 'export',
          partOf ? placement : null,
        ],
      );
    }
  }
  return { userId, key, devices: all };
}

/** Channels of a device with a place of their own; the device may have no others. */
function randomPart(device: ReferenceDevice): ReferenceDevice {
  const { id, upstream, deletedAtMs } = device;
  const part = randomDevice(id, upstream);
  part.partOf = id;
  part.deletedAtMs = deletedAtMs;
  for (const at of part.quarters.keys()) if (deletedAtMs !== null && at >= deletedAtMs) part.quarters.delete(at);
  if (random(3) === 0 && part.quarters.size > 0) {
    device.channels = { import: 0, export: 0 };
    device.quarters.clear();
  }
  return part;
}

/** A device that comes at some time, is silent at times, and may be deleted again. */
function randomDevice(id: string, upstream: string | null): ReferenceDevice {
  const placement = oneOf(PLACEMENTS);
  const has = { import: random(4) > 0 || placement === 'consumption', export: random(3) > 0 };
  const channels = { import: has.import || !has.export ? 1 : 0, export: has.export ? 1 : 0 };
  const begins = random(3) === 0 ? random(QUARTERS) : 0;
  const ends = random(4) === 0 ? begins + 1 + random(QUARTERS - begins) : QUARTERS;
  const device: ReferenceDevice = {
    id,
    placement,
    upstream,
    quarters: new Map(),
    deletedAtMs: ends < QUARTERS ? FROM_MS + ends * QUARTER_MS : null,
    channels,
  };
  const [most, mostOut] = [1 + random(400_000), 1 + random(400_000)];
  const isSilent = Array.from({ length: 3 }, () => ({ from: random(QUARTERS), length: random(40) }));
  for (let index = begins; index < ends; index++) {
    if (isSilent.some(({ from, length }) => index >= from && index < from + length)) continue;
    const energy = channels.import ? random(most) : 0;
    const exported = channels.export ? random(mostOut) : 0;
    device.quarters.set(FROM_MS + index * QUARTER_MS, {
      import: energy,
      export: exported,
      estimated: random(3) === 0 ? energy : 0,
      exportEstimated: random(3) === 0 ? exported : 0,
      importMs: channels.import ? QUARTER_MS : 0,
      exportMs: channels.export ? QUARTER_MS : 0,
    });
  }
  return device;
}

async function write(all: readonly TestHome[]): Promise<void> {
  const rows = all.flatMap(({ userId, devices }) =>
    devices.flatMap(({ id, partOf, placement, quarters }) =>
      [...quarters].flatMap(([startsAtMs, quarter]) => {
        const keys = (meter: string) => ({ deviceId: `${id}${meter}`, userId: `${userId}${meter}`, startsAtMs });
        const own = {
          readingCount: 1,
          energyMilliwattHours: quarter.import,
          exportMilliwattHours: quarter.export,
          estimatedMilliwattHours: quarter.estimated,
          coveredMs: quarter.importMs,
          exportCoveredMs: quarter.exportMs,
        };
        const { exportEstimated } = quarter;
        const outwards = {
          readingCount: 1,
          energyMilliwattHours: exportEstimated,
          estimatedMilliwattHours: exportEstimated,
          coveredMs: QUARTER_MS,
        };
        // What has a place of its own is told by itself, and is part of its device; so is what of its export is estimated.
        return (partOf ? ['', `/${placement}`] : ['']).flatMap((place) => [
          { ...keys(place), ...own },
          ...(exportEstimated > 0 ? [{ ...keys(`${place}/estimated_export`), ...outwards }] : []),
        ]);
      }),
    ),
  ) as Difference[];
  const shuffled = rows.toSorted((a, b) => a.startsAtMs - b.startsAtMs);
  for (let from = 0; from < shuffled.length; from += 20_000)
    await addToProfile(api.database, shuffled.slice(from, from + 20_000));
}

/** Local date and hour of quarter-hours, by the platform's own calendar. */
function calendar(zone: string) {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return new Map(
    Array.from({ length: QUARTERS + 400 }, (_, index) => FROM_MS + (index - 200) * QUARTER_MS).map((at) => {
      const { year, month, day, hour, minute } = Object.fromEntries(
        format.formatToParts(at).map(({ type, value }) => [type, value]),
      );
      return [
        at,
        { date: `${year}-${month}-${day}`, hour: `${hour}:00`, startMs: at - Number(minute) * 60_000 },
      ] as const;
    }),
  );
}
const calendars = new Map(ZONES.map((zone) => [zone, calendar(zone)]));

const kwh = (energy: number | null) =>
  energy === null ? null : (Math.sign(energy) * Math.floor((Math.abs(energy) + 500) / 1000)) / 1000 || 0;

/** What the answer should be, row by row. */
function expected(
  { devices }: TestHome,
  zone: string,
  [start, end]: [string, string],
  group: 'hour' | 'day' | 'month',
) {
  const local = calendars.get(zone) as Map<number, { date: string; hour: string; startMs: number }>;
  const home = referenceHome(devices);
  const inside = [...local].filter(([, { date }]) => date >= start && date <= end);
  const buckets = Map.groupBy(inside, ([, { date, startMs }]) =>
    group === 'hour' ? String(startMs) : group === 'day' ? date : `${date.slice(0, 8)}01`,
  );
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
        kwh_used: kwh(used),
        peak_hour: group === 'hour' ? members[0]?.[1].hour : (candidates[0]?.label ?? null),
        ...Object.fromEntries(Object.entries(energies).map(([measure, energy]) => [`${measure}_kwh`, kwh(energy)])),
        autarky,
        coverage,
        complete,
      },
    ];
  });
}

const RANGE: [string, string] = ['2026-03-26', '2026-04-01'];

async function agree(home: TestHome, zone: string): Promise<void> {
  for (const group of ['hour', 'day', 'month'] as const) {
    const query = `start=${RANGE[0]}&end=${RANGE[1]}&group_by=${group}&tz=${zone}`;
    const wanted = expected(home, zone, RANGE, group);
    const { status, json } = await api.send(`/v1/energy-insights?${query}&include=${INCLUDE}`, { key: home.key });
    expect(status).toBe(200);
    const rows = json.data.map(({ hour, starts_at, ...row }: Record<string, unknown>) => row);
    expect({ home: home.userId, zone, group, rows }).toEqual({ home: home.userId, zone, group, rows: wanted });
    const plain = await api.send(`/v1/energy-insights?${query}`, { key: home.key });
    expect(plain.json.data.map((row: { kwh_used: number }) => row.kwh_used)).toEqual(
      wanted.filter(({ kwh_used }) => kwh_used !== null).map(({ kwh_used }) => kwh_used),
    );
  }
}

test.each(ZONES)(
  'answers about random homes are those of an independent sum, in %s',
  async (zone) => {
    for (const home of homes) await agree(home, zone);
  },
  1_800_000,
);

test('their quarter-hours, as lists, are those of the same sum', async () => {
  const db = createDb(api.database.pool);
  const range = { from: new Date(FROM_MS), to: new Date(FROM_MS + QUARTERS * QUARTER_MS) };
  for (const { userId, devices } of homes) {
    const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: false });
    const told = await homeQuarters(db, home, range);
    const answerOf = referenceHome(devices);
    const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
    const rows = { told: [] as object[], wanted: [] as object[] };
    for (let at = 0; at < QUARTERS; at++) {
      const { used, estimated, production, coverage } = answerOf([FROM_MS + at * QUARTER_MS]);
      rows.wanted.push({ at, used, estimated, production, coverage });
      const share = known(told.coverage[at]);
      rows.told.push({
        at,
        used: known(told.used[at]),
        estimated: known(told.estimated[at]),
        production: known(told.production[at]),
        coverage: share === null ? null : Math.floor(1_000 * share) / 1_000,
      });
    }
    expect({ userId, rows: rows.told }).toEqual({ userId, rows: rows.wanted });
  }
});

test('a placement that is changed holds for the whole past', async () => {
  for (const home of homes) {
    const device = oneOf(home.devices.filter(({ deletedAtMs, partOf }) => deletedAtMs === null && !partOf));
    if (!device) continue;
    device.placement = oneOf(PLACEMENTS);
    const body = { placement: device.placement };
    const { status } = await api.send(`/v1/devices/${device.id}`, { method: 'PATCH', key: home.key, body });
    expect(status).toBe(200);
    await agree(home, oneOf(ZONES));
  }
}, 1_800_000);
