import { type Database, PREPARED_TEXT, queryOf } from '#src/database/connect.ts';
import type { Placement } from '#src/database/enums.ts';
import { type DevicePast, pastsOf } from './pasts.ts';
import { type HomeDevice, type HomeStretch, stretchesOf } from './roles.ts';
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

const QUARTER_MS = 900_000;

/**
 * Whether a user's home is more than the sum of what its devices import: it has something that produces, stores, is left out or lies behind
 * another device, or a meter at the connection point beside meters of what is behind it. The aggregates of users tell all others.
 */
export async function isComposed(db: Database, userId: string): Promise<boolean> {
  return (await composedAmong(db, [userId])).has(userId);
}

/** Those of some users whose homes are. */
export async function composedAmong(db: Database, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const energy = (
    placement: Placement,
  ) => `EXISTS (SELECT FROM devices d WHERE d.user_id = u.user_id AND d.placement = '${placement}'
    AND EXISTS (SELECT FROM series s WHERE s.device_id = d.device_id AND (s.counts_import OR s.counts_export)))`;
  // Raw SQL: the hot path of every answer about a user; each part is answered by an index.
  const { rows } = await queryOf(db)<{ user_id: string }>(
    `${PREPARED_TEXT}SELECT u.user_id FROM unnest($1::text[]) u (user_id)
     WHERE EXISTS (SELECT FROM devices d WHERE d.user_id = u.user_id AND (d.placement IN ('production', 'storage', 'excluded') OR d.upstream_device_id IS NOT NULL))
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
  imports: number;
  exports: number;
}

/** What is asked of a home beside what it used. */
export interface AskedOfHome {
  /** Any further measure. */
  isMoreAsked: boolean;
  /** What its consumption devices used. */
  needsConsumption: boolean;
}

/** Loads a user's home. */
export async function loadHome(db: Database, userId: string, asked: AskedOfHome): Promise<Home> {
  // Raw SQL: the hot path of every answer about a home.
  const { rows } = await queryOf(db)<Row>(
    `${PREPARED_TEXT}${DEVICES} WHERE d.user_id = $1 GROUP BY d.device_id ORDER BY d.device_id`,
    [userId],
  );
  const pasts = await pastsOf(db, rows);
  return homeOf(
    userId,
    rows.map((row) => deviceOf(row, pasts.get(row.device_id))),
    asked,
  );
}

/** Devices of which anything counts. */
const DEVICES = `SELECT d.device_id, d.user_id, d.placement, d.upstream_device_id, d.deleted_at,
    count(*) FILTER (WHERE s.counts_import)::int AS imports, count(*) FILTER (WHERE s.counts_export)::int AS exports
  FROM devices d JOIN series s ON s.device_id = d.device_id AND (s.counts_import OR s.counts_export)`;

/**
 * One device as if it were a home's only meter, so that its import and export are told apart; null where nothing of it counts.
 * `device`: what it is in truth.
 */
export async function loadAsMeter(db: Database, deviceId: string): Promise<{ home: Home; device: HomeDevice } | null> {
  // Raw SQL: as above, of one device.
  const { rows } = await queryOf(db)<Row>(`${PREPARED_TEXT}${DEVICES} WHERE d.device_id = $1 GROUP BY d.device_id`, [
    deviceId,
  ]);
  const [row] = rows;
  if (!row) return null;
  const device = deviceOf(row, (await pastsOf(db, rows)).get(deviceId));
  const meter = { ...device, placement: 'grid' as const, upstreamDeviceId: null };
  return { home: homeOf(row.user_id, [meter], { isMoreAsked: true, needsConsumption: false }), device };
}

const deviceOf = (row: Row, past: DevicePast | undefined): HomeDevice => ({
  deviceId: row.device_id,
  placement: row.placement,
  upstreamDeviceId: row.upstream_device_id,
  beginsAtMs: past?.beginsAtMs ?? null,
  endsAtMs: row.deleted_at && Math.ceil(row.deleted_at.getTime() / QUARTER_MS) * QUARTER_MS,
  producesExport: past?.producesExport ?? true,
  importChannels: row.imports,
  exportChannels: row.exports,
});

/** What follows from its devices. Pure. */
function homeOf(userId: string, devices: readonly HomeDevice[], asked: AskedOfHome): Home {
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
    ...asked,
  };
}
