import { milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { type Reach, within } from '#src/database/reach.ts';

/** That an alert fired, as the dashboard shows it. */
export interface PastFiring {
  fired_at: string;
  period_start: string;
  /** Null for a silence: it had no end when it was told of. */
  period_end: string | null;
  /** As it was when the alert fired; null for no_data. */
  kwh_used: number | null;
  /** The silent one, for no_data. */
  device_id: string | null;
  event_id: string;
}

/**
 * When an alert within the reach fired, the youngest first, before `cursor` (an event_id: they sort by time); at most `limit`.
 * One alert's firings are found by the key and sorted: an hourly one has fewer than ten thousand in the 400 days they are kept.
 */
export async function listFirings(
  db: Database,
  reach: Reach,
  alertId: string,
  page: { limit: number; cursor?: string },
): Promise<PastFiring[]> {
  const { cursor, limit } = page;
  const all = db
    .selectFrom('alert_firings as f')
    .innerJoin('alerts as a', 'a.alert_id', 'f.alert_id')
    .select(['f.fired_at', 'f.period_start', 'f.period_end', 'f.total_mwh', 'f.device_id', 'f.event_id'])
    .where('f.alert_id', '=', alertId)
    .where(within(reach, 'a.user_id'));
  const rows = await (cursor === undefined ? all : all.where('f.event_id', '<', cursor))
    .orderBy('f.event_id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ fired_at, period_start, period_end, total_mwh, device_id, event_id }) => ({
    fired_at: fired_at.toISOString(),
    period_start: period_start.toISOString(),
    period_end: period_end?.toISOString() ?? null,
    kwh_used: total_mwh === null ? null : milliwattHoursToKwh(total_mwh),
    device_id: device_id === '' ? null : device_id,
    event_id,
  }));
}
