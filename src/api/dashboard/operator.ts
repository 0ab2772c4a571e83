import { z } from 'zod';
import type { RollupsPort } from '#src/api/context.ts';
import { idField, paginationFields } from '#src/api/fields.ts';
import { defineOperation } from '#src/api/operation.ts';
import { auditRecordToResponse as actToResponse } from '#src/api/v1/audit/shape.ts';
import { loadAccessibleUser, requireAdministrator, requireStorableId } from '#src/auth/access.ts';
import { AppError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { createQueryFunction } from '#src/database/connect.ts';
import { readBacklogs, readInstallationInventory } from '#src/database/inventory.ts';
import { findFirstCheckedMonth } from '#src/rollups/check.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { listAudit } from '#src/users/audit.ts';
import {
  auditRecordWithEmailsSchema,
  type DoctorReport,
  doctorReportSchema,
  operatorOverviewSchema,
  type RejectedMessageEntry,
  rejectedMessageSchema as rejectWholeMessage,
  replayCountsSchema,
  rollupCheckSchema,
} from './shapes.ts';

// Operations for the dashboard's operator pages, which only administrators can open.

/** Returns a function that calls `run`, but never twice at the same time. During a call, further calls throw 503. */
function runOneAtATime<Given extends unknown[], Result>(
  run: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  let isUnderWay = false;
  return async (...given) => {
    if (isUnderWay) throw new AppError('unavailable');
    isUnderWay = true;
    try {
      return await run(...given);
    } finally {
      isUnderWay = false;
    }
  };
}

/** Maximum duration in ms of a replay and of a check, because a person waits for the response. */
const MAX_DURATION_MS = 20_000;

/** Maximum number of messages of a queue that are counted. For a longer queue, the page shows this number and “or more”. */
const MAX_WAITING = 1_000_000;

export const getOperatorOverview = defineOperation('GET /v1/operator', {
  summary:
    'Returns the state of the installation: incoming readings, queues, rejected messages and accounts. For administrators.',
  scope: 'users:read',
  answer: operatorOverviewSchema,
  async handle({ context, db, caller }) {
    requireAdministrator(caller);
    // The statistics are read from the primary server, because the standby server has none.
    const query = createQueryFunction(db);
    const now = context.clock();
    const [waits, has] = await Promise.all([
      readBacklogs(query, now, MAX_WAITING),
      readInstallationInventory(query, now),
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
    };
  },
});

/** Checks the installation. A person waits for the response, and each check runs a process, so there is one check at a time. */
const diagnose = runOneAtATime((run: () => Promise<DoctorReport>) => run());

export const getOperatorFindings = defineOperation('GET /v1/operator/findings', {
  summary:
    'Runs the checks of `energy doctor` on the machine of the API, and returns their findings. For administrators.',
  scope: 'users:read',
  answer: doctorReportSchema,
  async handle({ context: { runDoctor }, caller }) {
    requireAdministrator(caller);
    if (!runDoctor) throw new AppError('unavailable');
    return diagnose(runDoctor);
  },
});

/** Maximum number of characters of a rejected message's payload that a response contains. */
const SHOWN = 2_000;

export const listRejectedMessages = defineOperation('GET /v1/rejected', {
  summary:
    'Lists messages and elements of messages that could not be used, latest first, page by page. For administrators.',
  scope: 'devices:read',
  answer: z.array(rejectWholeMessage),
  query: z.object({ device_id: idField.describe('Id of a device. Default: all.').optional(), ...paginationFields }),
  async handle({ context: { rejected }, caller, query: { device_id }, page }) {
    requireAdministrator(caller);
    if (!rejected) throw new AppError('unavailable');
    const which = omitUndefined({ deviceId: device_id === undefined ? undefined : requireStorableId(device_id) });
    const rows = await page('rejected_id', ({ limit, cursor }) =>
      rejected.list(which, { limit, ...(cursor !== undefined && { before: Number(cursor) }) }),
    );
    return rows.map(shown);
  },
});

const shown = ({ payload, payload_b64, ...row }: RejectedMessageEntry): RejectedMessageEntry =>
  omitUndefined({ ...row, payload: payload?.slice(0, SHOWN), payload_b64: payload_b64?.slice(0, SHOWN) });

export const replayRejectedMessages = defineOperation('POST /v1/rejected/replay', {
  summary:
    'Processes the rejected messages of one device, or of all devices, again; usable readings are stored. For administrators.',
  changes: 'piece by piece',
  audit: { action: 'rejected.replayed', target: 'device_id' },
  scope: 'devices:write',
  answer: replayCountsSchema,
  status: 200,
  body: z.strictObject({ device_id: idField.optional() }).optional(),
  async handle({ context: { rejected }, caller, body, whileAllowed }) {
    requireAdministrator(caller);
    if (!rejected) throw new AppError('unavailable');
    const which = omitUndefined({
      deviceId: body?.device_id === undefined ? undefined : requireStorableId(body.device_id),
    });
    const done = await rejected.replay(which, AbortSignal.timeout(MAX_DURATION_MS), (page) =>
      whileAllowed((anew) => {
        requireAdministrator(anew);
        return page();
      }),
    );
    if (!done) throw new AppError('unavailable');
    const { isComplete, ...counts } = done;
    return { ...counts, complete: isComplete };
  },
});

const check = runOneAtATime(
  ({ pool, capabilities, retentionMonths }: RollupsPort, now: Date, userId: string | undefined) =>
    checkAllRollups(pool, {
      capabilities,
      since: findFirstCheckedMonth(now, retentionMonths),
      mode: 'check',
      signal: AbortSignal.timeout(MAX_DURATION_MS),
      ...omitUndefined({ userId }),
    }),
);

export const checkRollups = defineOperation('POST /v1/rollups/check', {
  summary:
    'Compares the aggregates with the load profile, of one user or of as many users as 20 s allow. For administrators.',
  changes: 'nothing',
  scope: 'insights:read',
  answer: rollupCheckSchema,
  status: 200,
  body: z.strictObject({ user_id: idField.optional() }).optional(),
  async handle({ context: { rollups, clock }, db, caller, body }) {
    requireAdministrator(caller);
    if (!rollups) throw new AppError('unavailable');
    const user = body?.user_id === undefined ? undefined : await loadAccessibleUser(db, caller, body.user_id);
    const { users, checked, differing, differences } = await check(rollups, clock(), user?.user_id);
    return { users, checked, differences, truncated: differing > differences.length };
  },
});

export const listAuditEntries = defineOperation('GET /v1/acts', {
  summary:
    'Lists the audit log like GET /v1/audit, with the e-mail addresses of existing accounts. For administrators.',
  scope: 'users:read',
  answer: z.array(auditRecordWithEmailsSchema),
  query: z.object({ user_id: idField.optional(), ...paginationFields }),
  async handle({ db, caller, query: { user_id }, page }) {
    requireAdministrator(caller);
    const userId = user_id === undefined ? undefined : requireStorableId(user_id);
    const acts = await page('audit_id', (at) => listAudit(db, { ...at, ...omitUndefined({ userId }) }));
    return acts.map(({ actor_email, target_email, ...one }) => ({
      ...actToResponse({ actor_email, target_email, ...one }),
      actor_email,
      target_email,
    }));
  },
});
