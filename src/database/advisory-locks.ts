import { createHash } from 'node:crypto';

/**
 * Numbers of PostgreSQL advisory locks. Each lock guards work that only one process of the installation may do at a time. SQL files cannot
 * import the numbers, so a file of sql/ contains the lock's number and name, as in `7241001 /* partitions *\/`.
 */
export const ADVISORY_LOCKS = {
  migration: 7_241_000,
  /** Guards the creation of partitions. */
  partitions: 7_241_001,
  /** Guards the refresh of continuous aggregates. `hold_refresh()` in sql/rollups/timescale takes the same lock. */
  refresh: 7_241_002,
  /**
   * First of two numbers that identify the lock of an MQTT session at an external broker; the second number identifies the session. Workers
   * of earlier versions take the same lock.
   */
  ingestSession: 7_241_003,
  /** Guards the selection of deliveries that are due. */
  deliveries: 7_241_004,
  replay: 7_241_005,
  /** Guards jobs that one worker runs for the whole installation (src/jobs/jobs.ts). */
  historyUpkeep: 7_241_006,
  rollupCheck: 7_241_007,
  /** Guards the nightly copy of the embedded database. */
  nightlyCopy: 7_241_041,
  /** Guards the file `ended.jsonl`, a list of deleted accounts, keys and other objects, next to the copies of the embedded database. */
  endings: 7_241_042,
  /** Guards the job that packs stored hours into one row per day. */
  packing: 7_241_008,
  silenceWatch: 7_241_037,
  /** Guards the job that updates the stored sums of groups of homes. */
  groupSums: 7_241_046,
  remarks: 7_241_072,
  /** Guards moves of accounts from or to another installation. */
  usersMove: 7_241_020,
  /** Guards the transaction that inserts accounts from another installation and makes them usable. */
  usersArrival: 7_241_021,
  homeAssistant: 7_241_022,
} as const;

/** Returns the number of the lock of one object, such as an account: a 64-bit hash of `parts`, which identify the object. */
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
