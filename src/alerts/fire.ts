import { createId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { MILLIWATT_HOURS_PER_KWH, type MilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { QueryFunction } from '#src/database/connect.ts';
import { type DeviceImportedEnergy, readDeviceImportedEnergyInRanges } from '#src/energy/usage/totals.ts';
import type { EventBody, NewEvent } from '#src/events/bodies.ts';
import { addEvents } from '#src/events/outbox.ts';
import type { Alert } from './store.ts';

export interface AlertFiring {
  alertId: string;
  periodStart: Date;
  /** End of the period; null for a silence, which has no end yet. */
  periodEnd: Date | null;
  reason: Reason;
}

/** Reason why an alert fires. Amounts of money are decimals as text. */
type Reason =
  | { of: 'usage'; thresholdMilliwattHours: MilliwattHours; totalMilliwattHours: MilliwattHours }
  | { of: 'cost'; threshold: string; total: string; currency: string }
  | { of: 'silence'; thresholdHours: number; deviceId: string };

type FiredAlert = Alert & { event_id: string };

/**
 * Fires alerts in the caller's transaction: records each firing and adds an event for it. A firing is recorded once, even if two
 * workers process the same period. Returns the number of new firings.
 */
export async function fireAlerts(query: QueryFunction, firings: readonly AlertFiring[], now: Date): Promise<number> {
  if (firings.length === 0) return 0;
  // The rows are sorted by the table's key, so that concurrent workers cannot deadlock.
  const sorted = firings
    .map((firing) => ({ ...firing, eventId: createId('evt') }))
    .sort((a, b) => compare(a.alertId, b.alertId) || a.periodStart.getTime() - b.periodStart.getTime());
  // Raw SQL: `unnest` inserts any number of firings in one statement.
  const { rows } = await query<FiredAlert>(
    `WITH fired AS (INSERT INTO alert_firings (alert_id, period_start, device_id, period_end, total_milliwatt_hours, total_cost, currency, event_id, fired_at)
     SELECT f.alert_id, f.period_start, f.device_id, f.period_end, f.total_milliwatt_hours, f.total_cost, f.currency, f.event_id, $9
     FROM unnest($1::text[], $2::timestamptz[], $3::text[], $4::timestamptz[], $5::bigint[], $6::text[], $7::text[], $8::text[])
       WITH ORDINALITY f (alert_id, period_start, device_id, period_end, total_milliwatt_hours, total_cost, currency, event_id, place)
     JOIN alerts a USING (alert_id)
     ORDER BY f.place
     ON CONFLICT DO NOTHING RETURNING event_id, alert_id)
     SELECT fired.event_id, a.* FROM fired JOIN alerts a USING (alert_id)`,
    [
      sorted.map(({ alertId }) => alertId),
      sorted.map(({ periodStart }) => periodStart),
      sorted.map(({ reason }) => (reason.of === 'silence' ? reason.deviceId : '')),
      sorted.map(({ periodEnd }) => periodEnd),
      sorted.map(({ reason }) => (reason.of === 'usage' ? reason.totalMilliwattHours : null)),
      sorted.map(({ reason }) => (reason.of === 'cost' ? reason.total : null)),
      sorted.map(({ reason }) => (reason.of === 'cost' ? reason.currency : null)),
      sorted.map(({ eventId }) => eventId),
      now,
    ],
  );
  const alerts = new Map(rows.map((row) => [row.event_id, row]));
  const fired = sorted.flatMap((firing) => {
    const alert = alerts.get(firing.eventId);
    return alert ? [{ firing, alert }] : [];
  });
  if (fired.length === 0) return 0;
  // A silence has no end, so its range is empty here. The event then lists no usage of other devices.
  const spans = fired.map(({ alert, firing: { periodStart, periodEnd } }) => {
    const startMs = periodStart.getTime();
    return { userId: alert.user_id, startMs, endMs: periodEnd?.getTime() ?? startMs };
  });
  const devices = await readDeviceImportedEnergyInRanges(query, spans);
  const events = fired.map(
    ({ alert, firing }, index): NewEvent => ({
      eventId: alert.event_id,
      type: 'alert.triggered',
      userId: alert.user_id,
      data: dataOf(alert, firing, devices[index] ?? []),
      ...omitUndefined({ channel: alert.delivery === 'webhook' ? undefined : alert.delivery }),
    }),
  );
  await addEvents(query, events, now);
  return fired.length;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function dataOf(
  alert: Alert,
  { periodStart, periodEnd, reason }: AlertFiring,
  imports: readonly DeviceImportedEnergy[],
): EventBody<'alert.triggered'> {
  const devices = imports.map(({ deviceId, milliwattHours }) => ({
    device_id: deviceId,
    kwh_used: milliwattHoursToKwh(milliwattHours),
  }));
  return {
    alert_id: alert.alert_id,
    user_id: alert.user_id,
    type: alert.type,
    ...reasonOf(reason),
    period_start: periodStart.toISOString(),
    period_end: periodEnd?.toISOString() ?? null,
    devices: reason.of === 'silence' ? [{ device_id: reason.deviceId, kwh_used: 0 }] : devices,
  };
}

function reasonOf(reason: Reason) {
  switch (reason.of) {
    case 'usage':
      return {
        threshold_kwh: reason.thresholdMilliwattHours / MILLIWATT_HOURS_PER_KWH,
        kwh_used: milliwattHoursToKwh(reason.totalMilliwattHours),
      };
    case 'cost':
      return { threshold: reason.threshold, cost: reason.total, currency: reason.currency };
    case 'silence':
      return { threshold_hours: reason.thresholdHours };
  }
}
