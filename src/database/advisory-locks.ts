import { createHash } from 'node:crypto';

/**
 * Numbers of all PostgreSQL advisory locks of the service. Each lock guards work that only one session of the installation may do at a
 * time, across all processes. The numbers are unique in the whole database, so all are declared here (checked by
 * test/contract/advisory-locks.test.ts). SQL cannot import these numbers: a file of sql/ that takes a lock contains the lock's number and
 * name, as in `7241001 /* partitions *\/`.
 */
export const ADVISORY_LOCKS = {
  migration: 7_241_000,
  /** Lock for creating partitions (`make_room` in sql/storage/postgres). */
  partitions: 7_241_001,
  /** Lock for refreshing continuous aggregates. `hold_refresh()` in sql/rollups/timescale takes the same lock. */
  refresh: 7_241_002,
  /**
   * First of the two keys of a lock on a session that an earlier version of the service created at an external broker. The second key is
   * the session's number. The process that connects to such a session takes the lock.
   */
  ingestSession: 7_241_003,
  /** Lock for selecting the deliveries that are due. */
  deliveries: 7_241_004,
  /** Lock for replaying rejected messages. */
  replay: 7_241_005,
  /** Lock for jobs that one worker runs for the whole installation (src/jobs/jobs.ts). */
  historyUpkeep: 7_241_006,
  rollupCheck: 7_241_007,
  /** Lock for copying the embedded database (src/backup/nightly.ts). */
  nightlyCopy: 7_241_041,
  /**
   * Lock for writing `ended.jsonl`, the list of ended accounts, keys and other objects, next to the copies of the embedded database
   * (src/backup/deletion-records.ts).
   */
  endings: 7_241_042,
  /** Lock for packing old hours of the load profile into days. */
  packing: 7_241_008,
  /** Lock for recording silences of devices. */
  silenceWatch: 7_241_037,
  /** Lock for maintaining the stored sums of groups of homes (src/energy/group/store-sums.ts). */
  groupSums: 7_241_046,
  /** Lock for raising remarks on homes (src/remarks/raise.ts). */
  remarks: 7_241_072,
  /** Lock for moving accounts from this installation to another one, or from another one to this one. */
  usersMove: 7_241_020,
  /** Lock for opening accounts that arrive from another installation, and for checking whether such accounts have arrived. */
  usersArrival: 7_241_021,
  /** Lock for publishing homes to Home Assistant (src/homeassistant). */
  homeAssistant: 7_241_022,
} as const;

/**
 * Returns the number of the lock of one object, such as one account: a 64-bit hash of `parts`, which identify the object. The probability
 * that it equals another lock's number is 1 in 10^18.
 */
export const getAdvisoryLockId = (
  kind:
    | 'first administrator'
    | 'administrators'
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
    | 'passkeys of'
    | 'session at'
    | 'listener of',
  ...parts: readonly string[]
): bigint =>
  createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest()
    .readBigInt64BE();
