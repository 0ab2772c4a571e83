import { fireSilenceAlerts } from '#src/alerts/silence.ts';
import { deleteOldRequestCounters } from '#src/auth/database-counter.ts';
import { deleteEndedSessions } from '#src/auth/sessions.ts';
import { makeCopyIfWalIncomplete, makeNightlyCopy } from '#src/backup/nightly.ts';
import type { LockSession } from '#src/database/exclusive-lock.ts';
import { compressOldChunks, dropExpiredReadings, ensurePartitions } from '#src/database/migrate.ts';
import { deleteExpiredCapturedMessages } from '#src/delivery/channel.ts';
import { notifyExpiringKeys } from '#src/delivery/expiring-keys.ts';
import { readRestoreHoldTime } from '#src/delivery/hold.ts';
import { deleteExpiredEvents } from '#src/delivery/retention.ts';
import { deleteExpiredSecrets } from '#src/devices/credentials.ts';
import { deleteOldDeviceSilences, recordDeviceSilences } from '#src/devices/fleet/record-silences.ts';
import { storeGroupSums } from '#src/energy/group/store-sums.ts';
import { listGroupHomes } from '#src/groups/members.ts';
import { deleteExpiredImportCredentials } from '#src/onboarding/imports.ts';
import { raiseRemarks } from '#src/remarks/raise.ts';
import { findFirstCheckedMonth } from '#src/rollups/check.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { packHoursIntoDays } from '#src/rollups/pack.ts';
import { refreshRollups } from '#src/rollups/refresh.ts';
import { deleteOldSourceHosts } from '#src/tariffs/sources/fetch-due.ts';
import { deleteOldAuditEntries } from '#src/users/audit.ts';
import { removeExpiredMovedAccounts } from '#src/users/departures.ts';
import { deleteOldIdempotentAnswers } from '#src/users/idempotent-answers.ts';
import { notifyOwnersOfRecomputedTotals } from '#src/users/notify-recomputed-totals.ts';
import { deleteExpiredRejectedMessages, deleteExpiredUnrecognisedMessages } from './delete-expired.ts';
import { warnOfNearlyFullDisk } from './disk-watch.ts';
import { JOB_RUNNING_IN_OTHER_WORKER, type Job, type JobDependencies } from './schedule.ts';

/** Number of months, including the current one, for which partitions are created in advance. */
const MONTHS_AHEAD = 3;
/** Interval in ms at which a long job reports its progress. */
const PROGRESS_MS = 60_000;

/** Every job of a worker. */
export const JOBS: readonly Job[] = [
  // No lock is needed, because the SQL function `make_room` takes one.
  { name: 'create partitions', at: { daily: '17 1 * * *' }, alsoAtStart: true, run: makePartitions },
  {
    name: 'compress and drop history',
    at: { daily: '7 1 * * *' },
    alsoAtStart: true,
    lock: 'historyUpkeep',
    whenTaken: 'again',
    run: keepHistory,
  },
  {
    name: 'nightly copy',
    at: { daily: '37 0 * * *' },
    lock: 'nightlyCopy',
    run: async ({ backup, log, clock }) => backup && makeNightlyCopy(backup, log, clock()),
  },
  {
    name: 'first copy of an archive',
    at: { everySeconds: 60 },
    alsoAtStart: true,
    lock: 'nightlyCopy',
    run: async ({ backup, log, clock }) => backup && makeCopyIfWalIncomplete(backup, log, clock()),
  },
  { name: 'rollup check', at: { daily: '43 2 * * *' }, lock: 'rollupCheck', run: checkRollups },
  // The job is skipped on databases with compression, where old hours are already small. No lock is needed, because
  // `packHoursIntoDays` takes one.
  {
    name: 'pack days',
    at: { daily: '11 3 * * *' },
    alsoAtStart: true,
    unless: 'compression',
    whenTaken: 'again',
    run: pack,
  },
  { name: 'update group sums', at: { everySeconds: 60 }, alsoAtStart: true, lock: 'groupSums', run: keepSums },
  // No lock is needed, because `refreshRollups` takes one. Corrections of the past must be visible within 30 s.
  { name: 'rollup refresh', at: { everySeconds: 5 }, alsoAtStart: true, needs: 'continuousAggregates', run: refresh },
  { name: 'silence alerts', at: { everySeconds: 30 }, alsoAtStart: true, run: fireSilences },
  {
    name: 'detect silences',
    at: { everySeconds: 60 },
    alsoAtStart: true,
    lock: 'silenceWatch',
    run: ({ db, clock }) => recordDeviceSilences(db, clock()),
  },
  {
    name: 'delete old silences',
    at: { daily: '51 4 * * *' },
    run: ({ db, ageClock, retentionMonths }) => deleteOldDeviceSilences(db, ageClock(), retentionMonths),
  },
  // No lock is needed, because each worker checks its own disk.
  {
    name: 'check disk space',
    at: { everySeconds: 600 },
    alsoAtStart: true,
    run: ({ dataDir, log }) => warnOfNearlyFullDisk(dataDir, log),
  },
  // Deletes captured mails and SMS (files) that are a month old or whose account was deleted. No lock is needed, because each
  // worker has its own disk.
  {
    name: 'delete old messages',
    at: { everySeconds: 10 },
    alsoAtStart: true,
    run: ({ db, dataDir, ageClock }) => deleteExpiredCapturedMessages(db, dataDir, ageClock()),
  },
  {
    name: 'delete old audit records',
    at: { daily: '19 4 * * *' },
    run: ({ db, ageClock }) => deleteOldAuditEntries(db, ageClock()),
  },
  {
    name: 'delete idempotent answers',
    at: { everySeconds: 3600 },
    run: ({ db, ageClock }) => deleteOldIdempotentAnswers(db, ageClock()),
  },
  {
    name: 'delete import credentials',
    at: { everySeconds: 3600 },
    alsoAtStart: true,
    run: async ({ db, ageClock }) => {
      await deleteExpiredImportCredentials(db, ageClock());
      await deleteExpiredSecrets(db, ageClock());
    },
  },
  {
    name: 'delete expired sessions',
    at: { everySeconds: 3600 },
    run: ({ db, ageClock }) => deleteEndedSessions(db, ageClock()),
  },
  {
    name: 'delete request counts',
    at: { everySeconds: 3600 },
    run: async ({ db, ageClock }) => {
      await deleteOldRequestCounters(db, ageClock());
      await deleteOldSourceHosts(db, ageClock());
    },
  },
  {
    name: 'delete old events',
    at: { everySeconds: 3600 },
    run: ({ db, ageClock }) => deleteExpiredEvents(db, ageClock()),
  },
  {
    name: 'mail recounted homes',
    at: { everySeconds: 3600 },
    alsoAtStart: true,
    run: unlessHeldBack(({ db, clock }) => notifyOwnersOfRecomputedTotals(db, clock())),
  },
  {
    name: 'mail expiring keys',
    at: { everySeconds: 3600 },
    alsoAtStart: true,
    run: unlessHeldBack(({ db, clock }) => notifyExpiringKeys(db, clock())),
  },
  {
    name: 'find remarks',
    // The job runs once an hour and in one worker only, because it reads weeks of quarter-hours of each home.
    at: { daily: '37 * * * *' },
    lock: 'remarks',
    run: unlessHeldBack(({ db, clock, ageClock, log }, stopping) =>
      raiseRemarks(db, { now: clock(), ageNow: ageClock(), log, stopping }),
    ),
  },
  {
    name: 'delete rejected messages',
    at: { everySeconds: 3600 },
    run: ({ pool, ageClock }) => deleteExpiredRejectedMessages(pool, ageClock()),
  },
  {
    name: 'delete unrecognised messages',
    at: { everySeconds: 600 },
    alsoAtStart: true,
    run: ({ pool, ageClock }) => deleteExpiredUnrecognisedMessages(pool, ageClock()),
  },
  { name: 'expire moved accounts', at: { daily: '31 5 * * *' }, alsoAtStart: true, run: keepDepartures },
];

/**
 * Wraps a job that sends mails. The job is skipped while deliveries are held after a restore, because the mails may already have
 * been sent.
 */
function unlessHeldBack(run: Job['run']): Job['run'] {
  return async (parts, ...rest) => ((await readRestoreHoldTime(parts.db)) === null ? run(parts, ...rest) : undefined);
}

async function makePartitions({ pool, clock, log }: JobDependencies): Promise<void> {
  const from = clock();
  const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + MONTHS_AHEAD - 1, 1));
  const made = await ensurePartitions(pool, { from, to });
  if (made.length > 0) log.info({ made }, 'partitions created');
}

/** Drops readings that are older than the retention period, and compresses old readings that are no longer changed. */
async function keepHistory(
  { pool, ageClock, retentionMonths, log }: JobDependencies,
  stopping: AbortSignal,
  session: LockSession = pool,
): Promise<void> {
  const dropped = await dropExpiredReadings(session, ageClock(), retentionMonths);
  if (dropped.length > 0) log.info({ dropped }, 'readings beyond the retention dropped; their consumption stays');
  const { compressed, nextChunks } = await compressOldChunks(session, ageClock(), undefined, stopping);
  if (compressed.length > 0) log.info({ compressed }, 'chunks compressed');
  if (nextChunks) log.info({ next_chunks: nextChunks }, 'chunk length changed');
}

/** Compares every aggregate with the quarter-hours from which it is computed. Repairs and logs differences. */
async function checkRollups(
  { pool, clock, capabilities, retentionMonths, log }: JobDependencies,
  signal: AbortSignal,
): Promise<void> {
  const since = findFirstCheckedMonth(clock(), retentionMonths);
  const pass = await checkAllRollups(pool, { capabilities, since, mode: 'repair', signal });
  const { users, checked, rebuilt, differing, differences } = pass;
  if (checked < users) log.info({ users, checked }, 'stopped before the aggregates of all users were compared');
  else if (differing === 0) log.info({ users }, 'aggregates are right');
  if (differing > 0) log.error({ users, rebuilt, differing, differences }, 'aggregates differed and were repaired');
}

/** Packs old hours of the load profile into one row for each day. */
async function pack({ pool, ageClock, log, ahead }: JobDependencies, signal: AbortSignal): Promise<unknown> {
  const startedAt = performance.now();
  let loggedAt = startedAt;
  try {
    const days = await packHoursIntoDays(pool, ageClock(), {
      signal,
      onProgress(done, of) {
        ahead.daysToPack = of - done;
        if (performance.now() - loggedAt < PROGRESS_MS) return;
        loggedAt = performance.now();
        log.info({ days: done, of }, 'packing days of the load profile');
      },
    });
    if (days === null) return JOB_RUNNING_IN_OTHER_WORKER;
    const tookMs = Math.round(performance.now() - startedAt);
    if (days > 0) log.info({ days, took_ms: tookMs }, 'days of the load profile packed');
  } finally {
    ahead.daysToPack = 0;
  }
}

/** Removes the data of accounts that moved to another installation long ago, and logs how many messages still wait to be forwarded. */
async function keepDepartures({ db, ageClock, log }: JobDependencies): Promise<void> {
  const { ended, removed, waiting, firstEnds } = await removeExpiredMovedAccounts(db, ageClock());
  if (ended + removed > 0)
    log.warn(
      { accounts: ended, messages: removed },
      'departures ended: what their devices sent here since was removed',
    );
  if (waiting > 0)
    log.warn(
      { messages: waiting, removed_from: firstEnds },
      'messages for accounts that moved into another installation wait: energy cells move writes them there',
    );
}

/** Refreshes the continuous aggregates. */
async function refresh({ pool, clock, log }: JobDependencies, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const { busy, folded, days } = await refreshRollups(pool, clock(), { signal });
  const tookMs = Math.round(performance.now() - startedAt);
  if (!busy && folded + days > 0) log.info({ late_differences: folded, days, took_ms: tookMs }, 'late data folded in');
}

async function keepSums({ pool, db, clock, capabilities, log }: JobDependencies, signal: AbortSignal): Promise<void> {
  const { continuousAggregates } = capabilities;
  const startedAt = performance.now();
  const sums = await storeGroupSums({ pool, db, now: clock(), continuousAggregates, homesOf: listGroupHomes, signal });
  if (sums > 0) log.info({ sums, took_ms: Math.round(performance.now() - startedAt) }, 'sums of groups kept');
}

/** Fires no_data alerts until none is due. */
async function fireSilences({ pool, clock }: JobDependencies, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await fireSilenceAlerts(pool, clock())) > 0);
}
