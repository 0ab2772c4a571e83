import type { PoolClient } from '#src/database/connect.ts';
import type { DevicePlan } from './plan.ts';
import type { SeriesPlan } from './series-plan.ts';

/** A series of a plan, and the id that it is stored under. */
export interface StoredPlan {
  seriesId: number;
  plan: SeriesPlan;
}

const tailOf = ({ head }: SeriesPlan): string | null =>
  head === null || head.tail === null ? null : JSON.stringify(head.tail);

/** Stores the series that are new, with where their laws stand, and answers all of the plans' with their ids. */
export async function createSeries(client: PoolClient, plans: readonly DevicePlan[]): Promise<StoredPlan[]> {
  const stored: StoredPlan[] = [];
  const fresh: { deviceId: string; plan: SeriesPlan }[] = [];
  for (const { device, series } of plans) {
    for (const plan of series) {
      const { seriesId } = plan.series;
      if (seriesId === null) fresh.push({ deviceId: device.deviceId, plan });
      else stored.push({ seriesId, plan });
    }
  }
  if (fresh.length === 0) return stored;
  // Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
  const { rows } = await client.query(
    `INSERT INTO series (device_id, channel, kind, counts_import, counts_export, last_read_at, tail)
     SELECT device_id, channel, kind, counts_import, counts_export, to_timestamp(at_ms / 1000.0), tail
     FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[], $5::boolean[], $6::bigint[], $7::jsonb[])
       s (device_id, channel, kind, counts_import, counts_export, at_ms, tail)
     RETURNING series_id, device_id, channel, kind`,
    [
      fresh.map(({ deviceId }) => deviceId),
      fresh.map(({ plan }) => plan.series.channel),
      fresh.map(({ plan }) => plan.series.kind),
      fresh.map(({ plan }) => plan.roles.import),
      fresh.map(({ plan }) => plan.roles.export),
      fresh.map(({ plan }) => plan.head?.lastReadAtMs ?? null),
      fresh.map(({ plan }) => tailOf(plan)),
    ],
  );
  const keyOf = (deviceId: string, channel: string, kind: string) => `${deviceId}\n${channel}\n${kind}`;
  const ids = new Map(rows.map((row) => [keyOf(row.device_id, row.channel, row.kind), row.series_id]));
  for (const { deviceId, plan } of fresh) {
    const { channel, kind } = plan.series;
    stored.push({ seriesId: ids.get(keyOf(deviceId, channel, kind)), plan });
  }
  return stored;
}

/** Stores what counts of series that were there, where it has changed, and where their laws stand. */
export async function updateSeries(client: PoolClient, stored: readonly StoredPlan[]): Promise<void> {
  const old = stored.filter(({ plan }) => plan.series.seriesId !== null);
  const changed = old.filter(
    ({ plan: { roles, series } }) => roles.import !== series.roles.import || roles.export !== series.roles.export,
  );
  if (changed.length > 0) {
    await client.query(
      `UPDATE series s SET counts_import = c.i, counts_export = c.e
       FROM unnest($1::bigint[], $2::boolean[], $3::boolean[]) c (series_id, i, e) WHERE s.series_id = c.series_id`,
      [
        changed.map(({ seriesId }) => seriesId),
        changed.map(({ plan }) => plan.roles.import),
        changed.map(({ plan }) => plan.roles.export),
      ],
    );
  }
  const moved = old.filter(({ plan }) => plan.head !== null);
  if (moved.length > 0) {
    await client.query(
      `UPDATE series s SET last_read_at = to_timestamp(t.at_ms / 1000.0), tail = t.tail
       FROM unnest($1::bigint[], $2::bigint[], $3::jsonb[]) t (series_id, at_ms, tail) WHERE s.series_id = t.series_id`,
      [
        moved.map(({ seriesId }) => seriesId),
        moved.map(({ plan }) => plan.head?.lastReadAtMs),
        moved.map(({ plan }) => tailOf(plan)),
      ],
    );
  }
}
