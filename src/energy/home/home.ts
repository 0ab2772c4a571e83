import { QUARTER_HOUR_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database, PREPARED_PREFIX } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { type AggregatedQuantity, getSeparateQuantityKey } from '#src/database/meter.ts';
import { deviceHistorySql } from '../usage/device-history.ts';
import { computeContributionSpans, mergeContributionSpans } from './contribution-spans.ts';
import {
  type ConstantRolesRange,
  computeConstantRolesRanges,
  type HomeDevice,
  hasContributingSeries,
} from './roles.ts';
import type { ContributingPlacements } from './sums.ts';

/**
 * The devices of a user, and the role of each in every time range, such as grid meter or production. They determine how the home's
 * consumption is computed.
 */
export interface Home extends HomeLoadingOptions {
  userId: string;
  /** Every device that contributes to the home's energy, including deleted ones. */
  devices: readonly HomeDevice[];
  stretches: readonly ConstantRolesRange[];
  /** Devices that at some time have another role than consumption. Their stored sums are read one by one. */
  special: readonly HomeDevice[];
  had: ContributingPlacements;
}

interface Row {
  device_id: string;
  user_id: string;
  placement: Placement;
  upstream_device_id: string | null;
  deleted_at: Date | null;
  /** The energy flow of some channels, if it differs from that of their device. Null: the row describes the other channels. */
  meter: Placement | null;
  /** Start of the time (Unix ms) in which the number of contributing series is constant. */
  counts_from: number;
  counts_until: number;
  imports: number;
  exports: number;
  /** Start of the quarter-hour in which the known energy of the device begins. Null if none is known. */
  begins_at: Date | null;
  /** Export minus import of a producing device, in mWh. */
  net_export: number | null;
  part_net_export: number | null;
}

export interface HomeLoadingOptions {
  isMoreAsked: boolean;
  needsConsumption: boolean;
}

export async function loadHome(db: Database, userId: string, asked: HomeLoadingOptions): Promise<Home> {
  // Raw SQL: every response about a home runs this query.
  const { rows } = await createQueryFunction(db)<Row>(
    `${PREPARED_PREFIX}${withPasts(devicesWhere('d.user_id = $1'))}`,
    [userId],
  );
  return homeOf(userId, placedDevices(rows), asked);
}

export async function loadHomes(db: Database, userIds: readonly string[], asked: HomeLoadingOptions): Promise<Home[]> {
  const { rows } = await createQueryFunction(db)<Row>(withPasts(devicesWhere('d.user_id = ANY ($1::text[])')), [
    userIds,
  ]);
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return userIds.map((userId) => homeOf(userId, placedDevices(byUser.get(userId) ?? []), asked));
}

/** Loads a home for gas, heat or water: all of its meters, or one device. The caller must have checked the access rights. */
export async function loadHomeForCommodity(
  db: Database,
  whose: { userId: string } | { deviceId: string },
  meter: AggregatedQuantity,
): Promise<Home> {
  const isOne = 'deviceId' in whose;
  const { rows } = await createQueryFunction(db)<Row>(
    withPasts(`SELECT d.device_id || '/' || $2::text AS device_id, d.user_id, d.placement, NULL::text AS upstream_device_id, d.deleted_at, NULL::text AS meter, ${TIMES},
         count(*)::int AS imports, 0 AS exports
       FROM devices d JOIN series_roles s ON s.device_id = d.device_id AND s.meter = $2
       WHERE ${isOne ? 'd.device_id' : 'd.user_id'} = $1 GROUP BY d.device_id, s.counts_from, s.counts_until`),
    [isOne ? whose.deviceId : whose.userId, meter],
  );
  // A single device is read as if it were the meter at the grid connection.
  const placed = isOne ? ('grid' as const) : ('consumption' as const);
  const devices = rows.map((row) => ({
    ...row,
    placement: row.placement === 'excluded' && !isOne ? ('excluded' as const) : placed,
  }));
  const asked = { isMoreAsked: true, needsConsumption: !isOne };
  return homeOf(isOne ? whose.deviceId : getSeparateQuantityKey(whose.userId, meter), placedDevices(devices), asked);
}

const TIMES = `(1000 * extract(epoch FROM s.counts_from))::float8 AS counts_from, (1000 * extract(epoch FROM s.counts_until))::float8 AS counts_until`;

/** SQL for devices with contributing series, and the number of these series by time. */
const devicesWhere = (where: string): string => `
  SELECT d.device_id, d.user_id, d.placement, d.upstream_device_id, d.deleted_at, s.meter, ${TIMES},
    count(*) FILTER (WHERE s.counts_import)::int AS imports, count(*) FILTER (WHERE s.counts_export)::int AS exports
  FROM devices d JOIN series_roles s ON s.device_id = d.device_id AND (s.counts_import OR s.counts_export)
  WHERE ${where} GROUP BY d.device_id, s.meter, s.counts_from, s.counts_until`;

/**
 * SQL that adds facts from the history of each device to the rows of the query `counted`. Whether a producing device counts its import or
 * its export as production follows from its whole history. Rows and facts are read in one statement, so that they belong to the same
 * series.
 */
const withPasts = (counted: string): string => `WITH counted AS MATERIALIZED (${counted}),
  directions AS (
    SELECT device_id, coalesce(bool_or(placement = 'production' OR meter = 'production'), false) AND bool_or(imports > 0) AS produces FROM counted GROUP BY 1),
  keys AS (
    SELECT device_id AS key, produces FROM directions
    UNION ALL SELECT DISTINCT device_id || '/' || meter, true FROM counted JOIN directions USING (device_id) WHERE produces AND meter IS NOT NULL),
  pasts AS MATERIALIZED (${deviceHistorySql('keys d')})
  SELECT c.*, own.begins_at, own.net_export, part.net_export AS part_net_export
  FROM counted c LEFT JOIN pasts own ON own.key = c.device_id LEFT JOIN pasts part ON part.key = c.device_id || '/' || c.meter
  ORDER BY c.device_id, c.meter, c.counts_from, c.counts_until`;

/**
 * Loads one device as if it were the only meter of a home. Null if it never had any energy. `isSplit`: whether some of its channels belong
 * to another energy flow than the device. The caller must have checked the access rights.
 */
export async function loadDeviceAsHome(
  db: Database,
  deviceId: string,
): Promise<{ home: Home; device: HomeDevice; isSplit: boolean } | null> {
  // Raw SQL: every response about a device runs this query.
  const { rows } = await createQueryFunction(db)<Row>(
    `${PREPARED_PREFIX}${withPasts(devicesWhere('d.device_id = $1'))}`,
    [deviceId],
  );
  const devices = placedDevices(rows);
  const [row] = rows;
  const device = devices.find(({ partOf }) => partOf === null);
  if (!row || !device) return null;
  const meter: HomeDevice = {
    ...device,
    placement: 'grid',
    upstreamDeviceId: null,
    counted: mergeContributionSpans(devices.flatMap(({ counted }) => counted)),
  };
  const home = homeOf(row.user_id, [meter], { isMoreAsked: true, needsConsumption: false });
  // Only the time in which the device exists is retained. Before and after it, this home has no grid meter, so its usage would be the
  // consumption of the user's other devices.
  const stretches = home.stretches.filter(({ isGridThere }) => isGridThere);
  return { home: { ...home, stretches }, device, isSplit: devices.length > 1 };
}

/**
 * Returns devices and, as separate entries, those of their channels that belong to another energy flow. The energy of a device includes the
 * energy of these channels.
 */
function placedDevices(rows: readonly Row[]): HomeDevice[] {
  return [...Map.groupBy(rows, ({ device_id }) => device_id)].flatMap(([id, ofDevice]) => {
    const [row] = ofDevice as [Row];
    const neverImports = ofDevice.every(({ imports }) => imports === 0);
    const net = (meter: Placement) => Number(ofDevice.find((one) => one.meter === meter)?.part_net_export ?? 0);
    const counted = computeContributionSpans(
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
      beginsAtMs: row.begins_at?.getTime() ?? null,
      endsAtMs: row.deleted_at && Math.ceil(row.deleted_at.getTime() / QUARTER_HOUR_MS) * QUARTER_HOUR_MS,
      producesExport:
        neverImports || Number(row.net_export ?? 0) >= parts.reduce((sum, { meter }) => sum + net(meter), 0),
      counted: counted.get(null) ?? [],
      partOf: null,
    };
    const placed = parts.map(({ meter, counted }): HomeDevice => {
      const deviceId = getSeparateQuantityKey(id, meter);
      return {
        ...device,
        deviceId,
        placement: meter,
        producesExport: neverImports || net(meter) >= 0,
        counted,
        partOf: id,
      };
    });
    return [device, ...placed];
  });
}

function homeOf(userId: string, devices: readonly HomeDevice[], asked: HomeLoadingOptions): Home {
  const stretches = computeConstantRolesRanges(devices);
  const has = (placement: Placement) =>
    devices.some(
      (device) => device.placement === placement && device.beginsAtMs !== null && hasContributingSeries(device),
    );
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
