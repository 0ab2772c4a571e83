import { adminOnly } from '#src/api/dashboard/admin-only.ts';
import { operator } from '#src/api/dashboard/shapes.ts';
import { defineOperation } from '#src/api/operation.ts';
import { queryOf } from '#src/database/connect.ts';
import { readBacklogs, readInventory } from '#src/database/inventory.ts';

/** Queues are counted up to this number; the page shows a longer one as “or more”. */
const MAX_WAITING = 1_000_000;

export const getOperator = defineOperation({
  summary: 'How the installation does: what comes in, what waits, what was rejected, whom it has. For administrators.',
  method: 'GET',
  path: '/v1/operator',
  scope: 'users:read',
  answer: operator,
  async handle({ context, caller }) {
    adminOnly(caller);
    // The statistics exist only on the primary; a standby has none.
    const query = queryOf(context.db);
    const now = context.clock();
    const [waits, has] = await Promise.all([readBacklogs(query, now, MAX_WAITING), readInventory(query, now)]);
    return {
      at: now.toISOString(),
      readings_stored: has.readingsStored,
      lag_seconds: waits.lagSeconds,
      waiting: {
        late_differences: waits.lateDifferences,
        stale_days: waits.staleDays,
        usage_changes: waits.usageChanges,
        deliveries: waits.deliveries,
      },
      rejected: { last_hour: has.rejectedLastHour, last_day: has.rejectedLastDay },
      devices: { active: has.active, inactive: has.inactive, faulty: has.faulty },
    };
  },
});
