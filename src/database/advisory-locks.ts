import { createHash } from 'node:crypto';

/**
 * Numbers of all PostgreSQL advisory locks of the service. Each guards work that only one session of the installation may do at a time,
 * over all processes. The numbers share one space for the whole database, so all are declared here (held by
 * test/contract/advisory-locks.test.ts). SQL cannot import them: a file of sql/ that takes a lock writes its number and its name, as
 * `7241001 /* partitions *\/`.
 */
export const ADVISORY_LOCKS = {
  migration: 7_241_000,
  /** Creating partitions (make_room in sql/storage/postgres). */
  partitions: 7_241_001,
  /** Refreshing continuous aggregates. hold_refresh() in sql/rollups/timescale takes this lock, too. */
  refresh: 7_241_002,
  /**
   * First of two lock keys; the second is the number of the session. Held by the client of a broker session that an earlier version of the
   * service created at an external broker.
   */
  ingestSession: 7_241_003,
  /** Claiming deliveries that are due. */
  deliveries: 7_241_004,
  /** Replaying rejected messages. */
  replay: 7_241_005,
  /** Jobs that one worker runs for all (src/jobs/jobs.ts). */
  historyUpkeep: 7_241_006,
  rollupCheck: 7_241_007,
  /** Copying the embedded database (src/backup/nightly.ts). */
  nightlyCopy: 7_241_041,
  /** Writing ended.jsonl next to the copies (src/backup/ended.ts). */
  endings: 7_241_042,
  /** Packing old hours of the load profile into days. */
  packing: 7_241_008,
  /** Recording silences of devices. */
  silenceWatch: 7_241_037,
  /** Maintaining the stored sums of groups (src/energy/group/store-sums.ts). */
  groupSums: 7_241_046,
  /** Raising remarks on homes (src/remarks/raise.ts). */
  remarks: 7_241_072,
  /** Moving accounts into another installation, which may be this one. */
  usersMove: 7_241_020,
  /** Opening accounts that arrived from another installation, and answering whether they have arrived. */
  usersArrival: 7_241_021,
  /** Publishing homes to Home Assistant (src/homeassistant). */
  homeAssistant: 7_241_022,
} as const;

/**
 * Returns the number of a lock for one of many objects, which `parts` name: a 64-bit hash in the same number space. The chance that two of
 * these numbers collide, or one collides with a number above, is 1 in 10^18.
 */
export const advisoryLockId = (
  kind:
    | 'idempotency key'
    | 'webhooks of'
    | 'price series of'
    | 'tariffs of'
    | 'upstreams of'
    | 'imports of'
    | 'bills of'
    | 'memberships of'
    | 'apps of'
    | 'authorizations of'
    | 'session at'
    | 'listener of',
  ...parts: readonly string[]
): bigint =>
  createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest()
    .readBigInt64BE();
