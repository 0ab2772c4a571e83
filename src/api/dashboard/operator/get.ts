import { adminOnly } from '#src/api/dashboard/admin-only.ts';
import { type Operator, operator } from '#src/api/dashboard/shapes.ts';
import { defineOperation } from '#src/api/operation.ts';
import { type BackupFault, type BackupState, findBackupFaults } from '#src/backup/state.ts';
import { queryOf } from '#src/database/connect.ts';
import { readBacklogs, readInventory } from '#src/database/inventory.ts';
import { heldBefore } from '#src/delivery/hold.ts';

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
    const [waits, has, backups, held] = await Promise.all([
      readBacklogs(query, now, MAX_WAITING),
      readInventory(query, now),
      context.readBackups?.() ?? null,
      heldBefore(context.db),
    ]);
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
      backups: backups && toWire(backups, now),
      held_before: held?.toISOString() ?? null,
    };
  },
});

function toWire(state: BackupState, now: Date): NonNullable<Operator['backups']> {
  const { copy, archive } = state;
  const details: Partial<Record<BackupFault, string | null>> = {
    given_up: state.givenUpAt,
    not_archived: archive.error,
    copy_failed: copy.error,
  };
  return {
    target: state.target,
    is_archiving: state.isArchiving,
    is_sealed: state.isSealed,
    last_copy: copy.last && { at: copy.last.at, packed_bytes: copy.last.packed_bytes },
    last_archived_at: archive.last?.at ?? null,
    waiting_bytes: state.waitingBytes,
    faults: findBackupFaults(state, now.getTime()).map((fault) => ({ fault, detail: details[fault] ?? null })),
  };
}
