import { createHash } from 'node:crypto';

/**
 * Every advisory lock of the service: what only one session of the installation does at a time, over all processes. The
 * numbers are one space for the whole database, so each is declared here and nowhere else (test/contract/advisory-locks.test.ts).
 * SQL cannot import them: a file of sql/ that takes one writes its number with its name beside it, as `7241001 /* partitions *\/`.
 */
export const ADVISORY_LOCKS = {
  /** Migrating the schema. */
  migration: 7_241_000,
  /** Making partitions (make_room in sql/storage/postgres). */
  partitions: 7_241_001,
  /** Refreshing continuous aggregates; hold_refresh() in sql/rollups/timescale takes it, too. */
  refresh: 7_241_002,
  /** First of two keys: being the client of a session of an earlier version at an external broker; the second key is its number. */
  ingestSession: 7_241_003,
  /** Taking deliveries that are due. */
  deliveries: 7_241_004,
  /** Replaying rejected messages. */
  replay: 7_241_005,
  /** Jobs that one worker does for all (src/jobs/jobs.ts). */
  historyUpkeep: 7_241_006,
  rollupCheck: 7_241_007,
  /** Packing old hours of the load profile into days. */
  packing: 7_241_008,
  /** Noting silences of devices. */
  silenceWatch: 7_241_037,
  /** Keeping sums of groups (src/energy/group/keep.ts). */
  groupSums: 7_241_046,
  /** Moving accounts into another installation, which this one may be, too. */
  usersMove: 7_241_020,
  /** Opening accounts that came from another installation, and asking whether they were. */
  usersArrival: 7_241_021,
  /** Telling Home Assistant of homes (src/homeassistant). */
  homeAssistant: 7_241_022,
} as const;

/**
 * Number of the lock on one of many things, which its parts name: a hash of 64 bits, in the same space. That two of them, or one and
 * a number above, are the same is one chance in 10^18.
 */
export const lockOf = (
  kind:
    | 'idempotency key'
    | 'webhooks of'
    | 'price series of'
    | 'tariffs of'
    | 'upstreams of'
    | 'imports of'
    | 'bills of'
    | 'session at',
  ...parts: readonly string[]
): bigint =>
  createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest()
    .readBigInt64BE();
