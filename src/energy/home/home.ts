import { QUARTER_MS } from '#src/core/units.ts';
import { type Database, PREPARED_TEXT, queryOf } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { type Meter, meterKey } from '#src/database/meter.ts';
import { addedSpans, countedSpans } from './counted.ts';
import { type DevicePast, pastsOf } from './pasts.ts';
import { type HomeDevice, type HomeStretch, hasChannels, stretchesOf } from './roles.ts';
import type { HadPlacements } from './sums.ts';

/** A user's home: what its consumption is made of. */
export interface Home extends AskedOfHome {
  userId: string;
  /** Every device whose energy counts, those that are gone, too. */
  devices: readonly HomeDevice[];
  stretches: readonly HomeStretch[];
  /** Those that are something else than consumption at some time: read one by one. */
  special: readonly HomeDevice[];
  had: HadPlacements;
}

/**
 * Whether a user's home is more than the sum of what its devices import: it has something that produces, stores, is left out or lies behind
 * another device, a channel with a place of its own, or a meter at the connection point beside meters of what is behind it. The aggregates of users tell all others.
 */
export async function isComposed(db: Database, userId: string): Promise<boolean> {
  return (await composedAmong(db, [userId])).has(userId);
}

/** Those of some users whose homes are, or may be: roles by time differ, so that one of them counts (`series_roles` takes twice as long here). */
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
  /** A place that its owner gave to channels of the device; null: of the others. */
  meter: Placement | null;
  /** Series of which that counts in this time, Unix ms, by direction. */
  counts_from: number;
  counts_until: number;
  imports: number;
  exports: number;
  /** Its past is being computed anew. */
  is_computing: boolean;
}

/** What is asked of a home beside what it used. */
export interface AskedOfHome {
  /** Any further measure. */
  isMoreAsked: boolean;
  /** What its consumption devices used. */
  needsConsumption: boolean;
  /** Since when its devices are there as it is now, not as it was up to ten seconds ago: for what is told once, and never again. */
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
 * The home as it is about one thing beside electricity: what all of its meters that are not left out tell of it, or one device, wherever it
 * is. `meter`: which, in kWh or m³.
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
  // One is read by itself, as what comes in at the connection point.
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

/** Devices of which anything counts at some time, what is told apart of them, and when how much of it counts. */
const DEVICES = `SELECT d.device_id, d.user_id, d.placement, d.upstream_device_id, d.deleted_at, d.computed_with IS NOT NULL AS is_computing, s.meter, ${TIMES},
    count(*) FILTER (WHERE s.counts_import)::int AS imports, count(*) FILTER (WHERE s.counts_export)::int AS exports
  FROM devices d JOIN series_roles s ON s.device_id = d.device_id AND (s.counts_import OR s.counts_export)`;
const BY_COUNTED =
  'GROUP BY d.device_id, s.meter, s.counts_from, s.counts_until ORDER BY d.device_id, s.meter, s.counts_from, s.counts_until';

/**
 * One device as if it were a home's only meter, so that its import and export are told apart; null where nothing of it counts.
 * `device`: what it is in truth; `isSplit`: channels of it have places of their own.
 */
export async function loadAsMeter(
  db: Database,
  deviceId: string,
): Promise<{ home: Home; device: HomeDevice; isSplit: boolean } | null> {
  // Raw SQL: as above, of one device.
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
  // While it is there alone: before and after that a home is what its others use, of which this one knows nothing.
  const stretches = home.stretches.filter(({ isGridThere }) => isGridThere);
  return { home: { ...home, stretches }, device, isSplit: devices.length > 1 };
}

const devicesOf = async (db: Database, rows: readonly Row[], isAfresh = false): Promise<HomeDevice[]> =>
  placedDevices(rows, await pastsOf(db, askedOf(rows), isAfresh));

/** Of what the pasts are asked. */
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

/** Devices, each followed by its channels that have places of their own: what those told is in what the device did, too. Pure. */
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

/** What follows from its devices. Pure. */
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
