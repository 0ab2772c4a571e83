import type { ReferenceDevice, ReferencePlacement } from '#test/reference/home.ts';
import type { TestApi } from './api.ts';
import { addToLoadProfile, type LoadProfileChange } from './load-profile.ts';

/** Random homes with four days of quarter-hours, which include a clock change. The same seed produces the same homes. */
export const QUARTER_HOUR_MS = 900_000;
export const RANDOM_HISTORY_START_MS = Date.UTC(2026, 2, 27);
export const QUARTER_HOUR_COUNT = 4 * 96;
export const TIME_ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'Australia/Lord_Howe'];
export const PLACEMENTS: ReferencePlacement[] = [
  'grid',
  'production',
  'storage',
  'consumption',
  'consumption',
  'excluded',
];
export const INSIGHT_INCLUDES =
  'grid_import,grid_export,production,charged,discharged,consumption,untracked,self_consumed,autarky,estimated,coverage';
/** First and last day of a range that contains all data in every time zone. */
export const DATA_RANGE: [string, string] = ['2026-03-26', '2026-04-01'];

export interface TestHome {
  userId: string;
  key: string;
  devices: ReferenceDevice[];
}

let seed = 1;
export const seedRandom = (from: number): void => {
  seed = from;
};
const random = (below: number): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
};
export const pickRandomElement = <Value>(values: readonly Value[]): Value => values[random(values.length)] as Value;

/**
 * Creates a home with two to eight devices. Some channels measure another part of the home than their device. `isPlain`: creates only
 * appliances.
 */
export async function createRandomHome(api: TestApi, isPlain = false): Promise<TestHome> {
  const { userId, key } = await api.user('homeowner');
  const devices: ReferenceDevice[] = [];
  for (let count = 2 + random(7); count > 0; count--) {
    const above = devices.filter(({ placement }) => !isPlain && random(2) === 0 && placement !== 'grid');
    devices.push(
      randomDevice(`dev_${userId.slice(4)}_${count}`, above.length > 0 ? pickRandomElement(above).id : null, isPlain),
    );
  }
  const all = devices.flatMap((device) => (!isPlain && random(3) === 0 ? [device, randomPart(device)] : [device]));
  for (const device of devices) {
    const part = all.find(({ partOf }) => partOf === device.id);
    const words = part ? { second: { placement: part.placement } } : {};
    await api.database.pool.query(
      `INSERT INTO devices (device_id, user_id, type, location, mqtt_secret_sha256, placement, placement_by, upstream_device_id, deleted_at, channels, managed_by)
       VALUES ($1, $2, 'x', 'x', '', $3, 'owner', $4, $5, $6, 'owner')`,
      [
        device.id,
        userId,
        device.placement,
        device.upstream,
        device.deletedAtMs && new Date(device.deletedAtMs - random(QUARTER_HOUR_MS)),
        words,
      ],
    );
  }
  for (const { id, partOf, placement, channels, earlier } of all) {
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
    if (!earlier) continue;
    const roles = {
      until_ms: earlier.untilMs + 1,
      import: true,
      export: earlier.export > 0,
      meter: partOf ? placement : null,
    };
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, earlier_roles) VALUES ($1, $2, 'power', $3)`,
      [partOf ?? id, partOf ? 'second/import' : 'import', JSON.stringify([roles])],
    );
  }
  return { userId, key, devices: all };
}

/**
 * Returns random channels of a device that measure another part of the home than the device. Sometimes the device then has no other
 * channels.
 */
function randomPart(device: ReferenceDevice): ReferenceDevice {
  const { id, upstream, deletedAtMs } = device;
  const part = randomDevice(id, upstream);
  part.partOf = id;
  part.deletedAtMs = deletedAtMs;
  for (const at of part.quarters.keys()) if (deletedAtMs !== null && at >= deletedAtMs) part.quarters.delete(at);
  if (random(3) === 0 && part.quarters.size > 0) {
    device.channels = { import: 0, export: 0 };
    delete device.earlier;
    device.quarters.clear();
  }
  return part;
}

/** Creates a random device: its data begins at a random time and may have gaps, and the device may be deleted. */
function randomDevice(id: string, upstream: string | null, isPlain = false): ReferenceDevice {
  const placement = isPlain ? 'consumption' : pickRandomElement(PLACEMENTS);
  const has = { import: random(4) > 0 || placement === 'consumption', export: random(3) > 0 };
  const channels = { import: has.import || !has.export ? 1 : 0, export: has.export ? 1 : 0 };
  const begins = random(3) === 0 ? random(QUARTER_HOUR_COUNT) : 0;
  const ends = random(4) === 0 ? begins + 1 + random(QUARTER_HOUR_COUNT - begins) : QUARTER_HOUR_COUNT;
  const device: ReferenceDevice = {
    id,
    placement,
    upstream,
    quarters: new Map(),
    deletedAtMs: ends < QUARTER_HOUR_COUNT ? RANDOM_HISTORY_START_MS + ends * QUARTER_HOUR_MS : null,
    channels,
  };
  // Until a random minute, a power channel also contributed to the device's total.
  if (channels.import > 0 && random(3) === 0)
    device.earlier = {
      untilMs: RANDOM_HISTORY_START_MS + random(QUARTER_HOUR_COUNT * 15) * 60_000,
      import: 1,
      export: channels.export && random(2),
    };
  const [most, mostOut] = [1 + random(400_000), 1 + random(400_000)];
  const isSilent = Array.from({ length: 3 }, () => ({ from: random(QUARTER_HOUR_COUNT), length: random(40) }));
  for (let index = begins; index < ends; index++) {
    if (isSilent.some(({ from, length }) => index >= from && index < from + length)) continue;
    const energy = channels.import ? random(most) : 0;
    const exported = channels.export ? random(mostOut) : 0;
    device.quarters.set(RANDOM_HISTORY_START_MS + index * QUARTER_HOUR_MS, {
      import: energy,
      export: exported,
      estimated: random(3) === 0 ? energy : 0,
      exportEstimated: random(3) === 0 ? exported : 0,
      importMs: channels.import ? QUARTER_HOUR_MS : 0,
      exportMs: channels.export ? QUARTER_HOUR_MS : 0,
    });
  }
  return device;
}

/** Writes the data of homes as ingest would. */
export async function writeHomes(api: TestApi, all: readonly TestHome[]): Promise<void> {
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
          coveredMs: QUARTER_HOUR_MS,
        };
        // The energy of a channel with its own placement is stored twice: separately, and as part of its device.
        return (partOf ? ['', `/${placement}`] : ['']).flatMap((place) => [
          { ...keys(place), ...own },
          ...(exportEstimated > 0 ? [{ ...keys(`${place}/estimated_export`), ...outwards }] : []),
        ]);
      }),
    ),
  ) as LoadProfileChange[];
  const shuffled = rows.toSorted((a, b) => a.startsAtMs - b.startsAtMs);
  for (let from = 0; from < shuffled.length; from += 20_000)
    await addToLoadProfile(api.database, shuffled.slice(from, from + 20_000));
}

/** Returns the local date and hour of each quarter-hour in a time zone, computed with Intl. */
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
    Array.from(
      { length: QUARTER_HOUR_COUNT + 400 },
      (_, index) => RANDOM_HISTORY_START_MS + (index - 200) * QUARTER_HOUR_MS,
    ).map((at) => {
      const { year, month, day, hour, minute } = Object.fromEntries(
        format.formatToParts(at).map(({ type, value }) => [type, value]),
      );
      return [
        at,
        {
          date: `${year}-${month}-${day}`,
          hour: `${hour}:00`,
          startMs: at - Number(minute) * 60_000,
          minute: Number(minute),
        },
      ] as const;
    }),
  );
}
export type LocalTimesByQuarterHour = ReturnType<typeof calendar>;
export const CALENDARS_BY_ZONE = new Map(TIME_ZONES.map((zone) => [zone, calendar(zone)]));

/** Length in minutes of rows shorter than a day. */
const CLOCK_MINUTES: Record<string, number> = { hour: 60, half_hour: 30, quarter_hour: 15 };

/** Returns the start (Unix ms) and the name of the row that contains a quarter-hour. Null for rows of a day or longer. */
export function findRowOfQuarterHour(unit: string, at: number, { hour, minute }: { hour: string; minute: number }) {
  const length = CLOCK_MINUTES[unit];
  if (length === undefined) return null;
  const after = minute % length;
  return { startMs: at - after * 60_000, time: `${hour.slice(0, 2)}:${String(minute - after).padStart(2, '0')}` };
}

/** Converts mWh to kWh, as in API responses. */
export const convertToApiKwh = (energy: number | null) =>
  energy === null ? null : (Math.sign(energy) * Math.floor((Math.abs(energy) + 500) / 1000)) / 1000 || 0;
