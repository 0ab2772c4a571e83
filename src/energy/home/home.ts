import { type Database, queryOf } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { COLUMN, ROW_TIME } from '#src/rollups/levels.ts';
import { type HomeDevice, type HomeStretch, stretchesOf } from './roles.ts';
import type { HadPlacements } from './sums.ts';

/** A user's home: what its consumption is made of. */
export interface Home {
  userId: string;
  /** Every device whose energy counts, those that are gone, too. */
  devices: readonly HomeDevice[];
  stretches: readonly HomeStretch[];
  /** Those that are something else than consumption at some time: read one by one. */
  special: readonly HomeDevice[];
  had: HadPlacements;
  /** What the consumption devices used is asked for. */
  needsConsumption: boolean;
}

const QUARTER_MS = 900_000;
const [IMPORT, EXPORT] = [COLUMN.energyMilliwattHours, COLUMN.exportMilliwattHours];
const KNOWN = `sum(${COLUMN.coveredMs}) > 0 OR sum(${COLUMN.exportCoveredMs}) > 0`;

/**
 * Whether a user's home is more than the sum of what its devices import: it has something that produces, stores, is left out or lies behind
 * another device, or a meter at the connection point beside meters of what is behind it. The aggregates of users tell all others.
 */
export async function isComposed(db: Database, userId: string): Promise<boolean> {
  const energy = (
    placement: Placement,
  ) => `EXISTS (SELECT FROM devices d WHERE d.user_id = $1 AND d.placement = '${placement}'
    AND EXISTS (SELECT FROM series s WHERE s.device_id = d.device_id AND (s.counts_import OR s.counts_export)))`;
  // Raw SQL: the hot path of every answer about a user; each part is answered by an index.
  const { rows } = await queryOf(db)<{ isComposed: boolean }>(
    `SELECT EXISTS (SELECT FROM devices WHERE user_id = $1 AND (placement IN ('production', 'storage', 'excluded') OR upstream_device_id IS NOT NULL))
       OR ${energy('grid')} AND ${energy('consumption')} AS "isComposed"`,
    [userId],
  );
  return rows[0]?.isComposed ?? false;
}

interface Row {
  device_id: string;
  placement: Placement;
  upstream_device_id: string | null;
  deleted_at: Date | null;
  imports: number;
  exports: number;
  begins_at: Date | null;
  flows: { imported: number; exported: number } | null;
}

/** Loads a user's home. `needsConsumption`: whether more than what was used is asked for. */
export async function loadHome(db: Database, userId: string, needsConsumption: boolean): Promise<Home> {
  const parts = (where: string) => `(
    SELECT starts_at, ${COLUMN.coveredMs}, ${COLUMN.exportCoveredMs} FROM closed_device_intervals c WHERE c.device_id = d.device_id ${where}
    UNION ALL
    SELECT starts_at, ${COLUMN.coveredMs}, ${COLUMN.exportCoveredMs} FROM open_quarter_hours o WHERE o.device_id = d.device_id)`;
  const begin = (where: string) =>
    `(SELECT min(starts_at) FROM (SELECT starts_at FROM ${parts(where)} p GROUP BY 1 HAVING ${KNOWN}) q)`;
  // Raw SQL: the first quarter-hour of each device is looked for where its first rows are, and everywhere only where those tell nothing.
  const { rows } = await queryOf(db)<Row>(
    `SELECT d.device_id, d.placement, d.upstream_device_id, d.deleted_at, s.imports, s.exports,
       coalesce(${begin(`AND c.${ROW_TIME} >= f.first_at AND c.${ROW_TIME} < f.first_at + interval '24 hours'`)}, ${begin('')}) AS begins_at,
       CASE WHEN d.placement = 'production' THEN (SELECT jsonb_build_object('imported', sum(${IMPORT}), 'exported', sum(${EXPORT})) FROM (
         SELECT ${IMPORT}, ${EXPORT} FROM closed_device_hourly h WHERE h.device_id = d.device_id
         UNION ALL SELECT ${IMPORT}, ${EXPORT} FROM open_hours o WHERE o.device_id = d.device_id) p) END AS flows
     FROM devices d
     CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE counts_import)::int AS imports, count(*) FILTER (WHERE counts_export)::int AS exports
       FROM series s WHERE s.device_id = d.device_id) s
     CROSS JOIN LATERAL (SELECT date_trunc('day', least(
       (SELECT min(starts_at) FROM device_hours h WHERE h.device_id = d.device_id),
       (SELECT min(day) FROM device_days y WHERE y.device_id = d.device_id)), 'UTC') AS first_at) f
     WHERE d.user_id = $1 AND s.imports + s.exports > 0 ORDER BY d.device_id`,
    [userId],
  );
  return homeOf(userId, rows.map(deviceOf), needsConsumption);
}

const deviceOf = (row: Row): HomeDevice => ({
  deviceId: row.device_id,
  placement: row.placement,
  upstreamDeviceId: row.upstream_device_id,
  beginsAtMs: row.begins_at?.getTime() ?? null,
  endsAtMs: row.deleted_at && Math.ceil(row.deleted_at.getTime() / QUARTER_MS) * QUARTER_MS,
  producesExport: (row.flows?.exported ?? 0) >= (row.flows?.imported ?? 0),
  importChannels: row.imports,
  exportChannels: row.exports,
});

/** What follows from its devices. Pure. */
export function homeOf(userId: string, devices: readonly HomeDevice[], needsConsumption: boolean): Home {
  const stretches = stretchesOf(devices);
  const has = (placement: Placement) =>
    devices.some((device) => device.placement === placement && device.beginsAtMs !== null);
  return {
    userId,
    devices,
    stretches,
    special: devices.filter(({ deviceId }) => stretches.some(({ roles }) => roles.get(deviceId) !== 'consumption')),
    had: {
      grid: has('grid'),
      production: has('production'),
      storage: has('storage'),
      consumption: has('consumption'),
    },
    needsConsumption,
  };
}
