import type { PoolClient } from '#src/database/connect.ts';
import type { DevicePlan } from './plan.ts';
import type { SeriesPlan } from './series-plan.ts';
import { type Step, statement } from './step.ts';

/** A series of a plan, and the id that it is stored under. */
export interface StoredPlan {
  deviceId: string;
  seriesId: number;
  plan: SeriesPlan;
}

/** Stores the series that are new, and answers all of the plans' with their ids. */
export async function createSeries(client: PoolClient, plans: readonly DevicePlan[]): Promise<StoredPlan[]> {
  const stored: StoredPlan[] = [];
  const fresh: { deviceId: string; plan: SeriesPlan }[] = [];
  for (const { device, series } of plans) {
    for (const plan of series) {
      const { seriesId } = plan.series;
      if (seriesId === null) fresh.push({ deviceId: device.deviceId, plan });
      else stored.push({ deviceId: device.deviceId, seriesId, plan });
    }
  }
  if (fresh.length === 0) return stored;
  // Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
  const { rows } = await client.query(
    `INSERT INTO series (device_id, channel, kind, counts_import, counts_export, native_name, unit)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::text[], $7::text[])
     RETURNING series_id, device_id, channel, kind`,
    [
      fresh.map(({ deviceId }) => deviceId),
      fresh.map(({ plan }) => plan.series.channel),
      fresh.map(({ plan }) => plan.series.kind),
      fresh.map(({ plan }) => plan.roles.import),
      fresh.map(({ plan }) => plan.roles.export),
      fresh.map(({ plan }) => plan.series.nativeName ?? null),
      fresh.map(({ plan }) => plan.series.unit ?? null),
    ],
  );
  const keyOf = (deviceId: string, channel: string, kind: string) => `${deviceId}\n${channel}\n${kind}`;
  const ids = new Map(rows.map((row) => [keyOf(row.device_id, row.channel, row.kind), row.series_id]));
  for (const { deviceId, plan } of fresh) {
    const { channel, kind } = plan.series;
    stored.push({ deviceId, seriesId: ids.get(keyOf(deviceId, channel, kind)), plan });
  }
  return stored;
}

/** Stores what counts of series that were there, where it has changed. */
export function updateSeries(stored: readonly StoredPlan[]): Step[] {
  const changed = stored.filter(
    ({ plan: { roles, series } }) =>
      series.seriesId !== null && (roles.import !== series.roles.import || roles.export !== series.roles.export),
  );
  if (changed.length === 0) return [];
  const text = `UPDATE series s SET counts_import = c.i, counts_export = c.e
                FROM unnest($1::bigint[], $2::boolean[], $3::boolean[]) c (series_id, i, e) WHERE s.series_id = c.series_id`;
  const values = [
    changed.map(({ seriesId }) => seriesId),
    changed.map(({ plan }) => plan.roles.import),
    changed.map(({ plan }) => plan.roles.export),
  ];
  return [statement({ text, values })];
}
