import type { MilliwattHours } from '#src/core/units.ts';
import type { QueryFunction } from '#src/database/connect.ts';
import type { UserTimeRange } from '#src/energy/usage/totals.ts';
import type { CostAlertType, UsageAlertType } from './period.ts';

/** An alert rule on usage or costs. Only the threshold of its type is set; the other threshold is null. */
export interface AlertRule {
  alert_id: string;
  user_id: string;
  type: UsageAlertType | CostAlertType;
  threshold_milliwatt_hours: MilliwattHours | null;
  threshold: string | null;
  timezone: string;
}

export type AlertRulePeriod = UserTimeRange & { rule: AlertRule };

/** Returns the users' active alerts on usage and costs. */
export async function loadActiveRules(query: QueryFunction, userIds: readonly string[]): Promise<AlertRule[]> {
  // Raw SQL, because each evaluation of alerts runs this query.
  const { rows } = await query<AlertRule>(
    `SELECT a.alert_id, a.user_id, a.type, a.threshold_milliwatt_hours, a.threshold, u.timezone
     FROM alerts a JOIN users u USING (user_id)
     WHERE a.user_id = ANY ($1) AND a.status = 'active' AND a.type <> 'no_data'`,
    [userIds],
  );
  return rows;
}

export const createFiringFields = ({ rule, startMs, endMs }: AlertRulePeriod) => ({
  alertId: rule.alert_id,
  periodStart: new Date(startMs),
  periodEnd: new Date(endMs),
});
