import { QUARTER_MS } from '#src/core/units.ts';
import { type Database, PREPARED_TEXT, queryOf } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { type Meter, meterKey } from '#src/database/meter.ts';
import { addedSpans, countedSpans } from './counted.ts';
import { type DevicePast, pastsOf } from './pasts.ts';
import { type HomeDevice, type HomeStretch, hasChannels, stretchesOf } from './roles.ts';
import type { HadPlacements } from './sums.ts';

/** The devices of a user, and their roles by time, from which the home's consumption follows. */
export interface Home extends AskedOfHome {
  userId: string;
  /** Every device whose energy counts, including deleted ones. */
  devices: readonly HomeDevice[];
  stretches: readonly HomeStretch[];
  /** Devices with a role other than consumption at some time. Their aggregates are read one by one. */
  special: readonly HomeDevice[];
  had: HadPlacements;
}

/**
 * Whether a user's home is more than the sum of its devices' imports. It is if a device produces, stores, is excluded or lies behind another device, if
 * a channel has a placement of its own, or if there are meters both at and behind the connection point. All other homes are read from the aggregates
 * of users.
 */
export async function isComposed(db: Database, userId: string): Promise<boolean> {
  return (await composedAmong(db, [userId])).has(userId);
}

/** Users whose homes are composed (see `isComposed`). A series whose role changed with time is assumed to count: `series_roles` would take twice as long. */
export async function composedAmong(db: Database, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const energy = (
    placement: Placement,
  ) => `EXISTS (SELECT FROM devices d WHERE d.user_id = u.user_id AND d.placement = '${placement}'
    AND EXISTS (SELECT FROM series s WHERE s.device_id = d.device_id AND (s.counts_import OR s.counts_export OR s.earlier_roles IS NOT NULL)))`;
  // Raw SQL: the hot path of every answer about a user; each part is answered by an index.
  const { rows } = await queryOf(db)<{ user_id: string }>(
    `${PREPARED_TEXT}SELECT u.user_id FROM unnest($1::text[]) u (user_id)
     WHERE EXISTS (SELECT FROM devices d WHERE d.user_id = u.user_id AND (d.placement IN ('production', 'storage', 'excluded') OR d.upstream_device_id IS NOT NULL OR d.channels @? '$.*.placement'))
       OR ${energy('grid')} AND ${energy('consumption')}`,
    [userIds],
  );
  return new Set(rows.map(({ user_id }) => user_id));
}

interface Row {
  device_id: string;
  user_id: string;
  placement: Placement;
  upstream_device_id: string | null;
  deleted_at: Date | null;
  /** Placement that the owner gave to some channels of the device; null: the row of the other channels. */
  meter: Placement | null;
  /** Time in which these series count, Unix ms, and their number by direction. */
  counts_from: number;
  counts_until: number;
  imports: number;
  exports: number;
  /** Its past is being recomputed. */
  is_computing: boolean;
}

/** Measures that a query of a home needs besides its consumption. */
export interface AskedOfHome {
  /** Any further measure. */
  isMoreAsked: boolean;
  /** The sum of its consumption devices is needed. */
  needsConsumption: boolean;
  /** Reads the starts of its devices from the database instead of a cache of up to ten seconds: for messages that are sent only once. */
  isAfresh?: boolean;
}

/** Loads a user's home. */
export async function loadHome(db: Database, userId: string, asked: AskedOfHome): Promise<Home> {
  // Raw SQL: the hot path of every answer about a home.
  const { rows } = await queryOf(db)<Row>(`${PREPARED_TEXT}${DEVICES} WHERE d.user_id = $1 ${BY_COUNTED}`, [userId]);
  return homeOf(userId, await devicesOf(db, rows, asked.isAfresh), asked);
}

/** Loads the homes of some users, in their order. */
export async function loadHomes(db: Database, userIds: readonly string[], asked: AskedOfHome): Promise<Home[]> {
  const { rows } = await queryOf(db)<Row>(`${DEVICES} WHERE d.user_id = ANY ($1::text[]) ${BY_COUNTED}`, [userIds]);
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  const pasts = await pastsOf(db, askedOf(rows), asked.isAfresh);
  return userIds.map((userId) => homeOf(userId, placedDevices(byUser.get(userId) ?? [], pasts), asked));
}

/**
 * Loads a home for one commodity other than electricity: all of its meters that are not excluded, or one device with any placement. `meter`:
 * the commodity, in kWh or m³. The caller checks that the user or device is within its reach.
 */
export async function loadCommodity(
  db: Database,
  whose: { userId: string } | { deviceId: string },
  meter: Meter,
): Promise<Home> {
  const isOne = 'deviceId' in whose;
  const { rows } = await queryOf(db)<Omit<Row, 'meter' | 'exports'>>(
    `SELECT d.device_id, d.user_id, d.placement, d.upstream_device_id, d.deleted_at, d.computed_with IS NOT NULL AS is_computing, ${TIMES}, count(*)::int AS imports
     FROM devices d JOIN series_roles s ON s.device_id = d.device_id AND s.meter = $2
     WHERE ${isOne ? 'd.device_id' : 'd.user_id'} = $1 GROUP BY d.device_id, s.counts_from, s.counts_until`,
    [isOne ? whose.deviceId : whose.userId, meter],
  );
  // A single device is read like a meter at the connection point.
  const placed = isOne ? ('grid' as const) : ('consumption' as const);
  const keyed = rows.map((row) => ({
    ...row,
    device_id: meterKey(row.device_id, meter),
    placement: row.placement === 'excluded' && !isOne ? ('excluded' as const) : placed,
    upstream_device_id: null,
    meter: null,
    exports: 0,
  }));
  const asked = { isMoreAsked: true, needsConsumption: !isOne };
  return homeOf(isOne ? whose.deviceId : meterKey(whose.userId, meter), await devicesOf(db, keyed), asked);
}

const TIMES = `(1000 * extract(epoch FROM s.counts_from))::float8 AS counts_from, (1000 * extract(epoch FROM s.counts_until))::float8 AS counts_until`;

/** Devices that count at some time, with the number of their counting series by placement of channels and by time. */
const DEVICES = `SELECT d.device_id, d.user_id, d.placement, d.upstream_device_id, d.deleted_at, d.computed_with IS NOT NULL AS is_computing, s.meter, ${TIMES},
    count(*) FILTER (WHERE s.counts_import)::int AS imports, count(*) FILTER (WHERE s.counts_export)::int AS exports
  FROM devices d JOIN series_roles s ON s.device_id = d.device_id AND (s.counts_import OR s.counts_export)`;
const BY_COUNTED =
  'GROUP BY d.device_id, s.meter, s.counts_from, s.counts_until ORDER BY d.device_id, s.meter, s.counts_from, s.counts_until';

/**
 * Loads one device as if it were the only meter of a home, so that its import and export are separate. Null if it never counts. `device`: the
 * device with its real placement. `isSplit`: some channels have placements of their own. The caller checks that the device is within its reach.
 */
export async function loadAsMeter(
  db: Database,
  deviceId: string,
): Promise<{ home: Home; device: HomeDevice; isSplit: boolean } | null> {
  // Raw SQL: as above, for one device.
  const { rows } = await queryOf(db)<Row>(`${PREPARED_TEXT}${DEVICES} WHERE d.device_id = $1 ${BY_COUNTED}`, [
    deviceId,
  ]);
  const devices = await devicesOf(db, rows);
  const [row] = rows;
  const device = devices.find(({ partOf }) => partOf === null);
  if (!row || !device) return null;
  const meter: HomeDevice = {
    ...device,
    placement: 'grid',
    upstreamDeviceId: null,
    counted: addedSpans(devices.flatMap(({ counted }) => counted)),
  };
  const home = homeOf(row.user_id, [meter], { isMoreAsked: true, needsConsumption: false });
  // Only the time in which the device exists: outside of it, a home's consumption would be that of its other devices.
  const stretches = home.stretches.filter(({ isGridThere }) => isGridThere);
  return { home: { ...home, stretches }, device, isSplit: devices.length > 1 };
}

const devicesOf = async (db: Database, rows: readonly Row[], isAfresh = false): Promise<HomeDevice[]> =>
  placedDevices(rows, await pastsOf(db, askedOf(rows), isAfresh));

/** Keys of the pasts to load. */
function askedOf(rows: readonly Row[]): { id: string; produces: boolean; counted: string }[] {
  return [...Map.groupBy(rows, ({ device_id }) => device_id)].flatMap(([id, [first, ...more]]) => {
    const hasProduction =
      first?.placement === 'production' || [first, ...more].some((row) => row?.meter === 'production');
    const all = [first, ...more];
    const parts = new Set(all.flatMap((row) => (row?.meter ? [meterKey(id, row.meter)] : [])));
    const counted = JSON.stringify(
      all.map((row) => [row?.counts_from, row?.counts_until, row?.imports, row?.exports, row?.is_computing]),
    );
    return [id, ...(hasProduction ? parts : [])].map((key) => ({ id: key, produces: hasProduction, counted }));
  });
}

/** Devices, each followed by its channels with placements of their own. The energy of these channels is part of the device's. Pure. */
function placedDevices(rows: readonly Row[], pasts: ReadonlyMap<string, DevicePast>): HomeDevice[] {
  return [...Map.groupBy(rows, ({ device_id }) => device_id)].flatMap(([id, ofDevice]) => {
    const [row] = ofDevice as [Row];
    const net = (key: string) => pasts.get(key)?.netExportMilliwattHours ?? 0;
    const counted = countedSpans(
      ofDevice.map(({ meter, counts_from: fromMs, counts_until: toMs, imports, exports }) => ({
        part: meter,
        fromMs,
        toMs,
        imports,
        exports,
      })),
    );
    const parts = [...counted].flatMap(([meter, spans]) => (meter ? [{ meter, counted: spans }] : []));
    const device: HomeDevice = {
      deviceId: id,
      placement: row.placement,
      upstreamDeviceId: row.upstream_device_id,
      beginsAtMs: pasts.get(id)?.beginsAtMs ?? null,
      endsAtMs: row.deleted_at && Math.ceil(row.deleted_at.getTime() / QUARTER_MS) * QUARTER_MS,
      producesExport: net(id) >= parts.reduce((sum, { meter }) => sum + net(meterKey(id, meter)), 0),
      counted: counted.get(null) ?? [],
      partOf: null,
    };
    const placed = parts.map(({ meter, counted }): HomeDevice => {
      const deviceId = meterKey(id, meter);
      return { ...device, deviceId, placement: meter, producesExport: net(deviceId) >= 0, counted, partOf: id };
    });
    return [device, ...placed];
  });
}

/** Derives a home from its devices. Pure. */
function homeOf(userId: string, devices: readonly HomeDevice[], asked: AskedOfHome): Home {
  const stretches = stretchesOf(devices);
  const has = (placement: Placement) =>
    devices.some((device) => device.placement === placement && device.beginsAtMs !== null && hasChannels(device));
  return {
    userId,
    devices,
    stretches,
    special: devices.filter(
      ({ deviceId, partOf }) => partOf !== null || stretches.some(({ roles }) => roles.get(deviceId) !== 'consumption'),
    ),
    had: {
      grid: has('grid'),
      production: has('production'),
      storage: has('storage'),
      consumption: has('consumption'),
    },
    ...asked,
  };
}
