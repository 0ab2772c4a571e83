import { computeBelievedTime, isClockTooFarAhead } from '#src/core/believed-time.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from './connect.ts';

/** Interval in ms at which a process stores the believed time, and checks whether an operator has confirmed a clock. */
const SYNC_MS = 10_000;

const UNCONFIRMED =
  'the clock of this machine is more than 31 days ahead of the installation’s last activity: nothing is deleted by age until the clock is right or confirmed. If it is right: energy doctor --confirm-clock';

/** The believed time: the installation's estimate of the correct time, which does not follow a wrong clock. */
export interface BelievedTime {
  /** Returns the believed time, Unix ms. */
  nowMs(): number;
  /**
   * The clock for deletions by age: the earliest of the believed time, the clock of this process and the clock of the database. If one
   * clock is fast, nothing is deleted too early.
   */
  ageClock: Clock;
  stop(): void;
}

interface Row {
  at: Date;
  confirmations: number;
  databaseMs: number;
}

const COLUMNS = 'at, confirmations, extract(epoch FROM clock_timestamp())::float8 * 1000 AS "databaseMs"';

/**
 * Reads the believed time. If the clock of this process is ahead of it by at most 31 days, advances it to this clock. Updates it in the
 * database while the process runs. `monotonicMs`: ms since any fixed moment.
 */
export async function startBelievedTimeUpdates(
  pool: Pool,
  {
    clock,
    log,
    monotonicMs = () => performance.now(),
    syncMs = SYNC_MS,
  }: { clock: Clock; log: Logger; monotonicMs?: () => number; syncMs?: number },
): Promise<BelievedTime> {
  let read = { ...(await moveAtStart(pool, clock().getTime())), monoMs: monotonicMs() };
  let wasTooFar = false;
  const sinceMs = () => Math.max(0, monotonicMs() - read.monoMs);
  const nowMs = () => read.at.getTime() + sinceMs();
  const warn = () => {
    const isTooFar = isClockTooFarAhead(clock().getTime(), nowMs());
    if (isTooFar && !wasTooFar) log.error({ clock: clock(), believed: new Date(nowMs()) }, UNCONFIRMED);
    wasTooFar = isTooFar;
  };
  warn();
  const sync = async () => {
    // If an operator has confirmed a clock, the stored time applies even if it is earlier than the time in this process. Raw SQL, here and
    // below: the table is not declared for typed queries.
    const { rows } = await pool.query<Row>(
      `UPDATE believed_time SET at = CASE WHEN confirmations = $2 THEN greatest(at, $1) ELSE at END RETURNING ${COLUMNS}`,
      [new Date(nowMs()), read.confirmations],
    );
    const [row] = rows;
    if (row) {
      // `nowMs()` is read again, because the database took time to respond. The believed time moves back only if an operator has confirmed
      // a clock.
      const at = row.confirmations === read.confirmations ? new Date(Math.max(row.at.getTime(), nowMs())) : row.at;
      read = { ...row, at, monoMs: monotonicMs() };
    }
    warn();
  };
  let isSyncing = false;
  const timer = setInterval(() => {
    if (isSyncing) return;
    isSyncing = true;
    sync()
      .catch((error: Error) => log.warn({ err: error }, 'believed time not stored'))
      .finally(() => {
        isSyncing = false;
      });
  }, syncMs).unref();
  return {
    nowMs,
    ageClock: () => new Date(Math.min(nowMs(), clock().getTime(), read.databaseMs + sinceMs())),
    stop: () => clearInterval(timer),
  };
}

async function moveAtStart(pool: Pool, clockMs: number): Promise<Row> {
  const { rows } = await pool.query<{ at: Date | null; wasUsed: boolean }>(
    `SELECT (SELECT at FROM believed_time) AS at,
       EXISTS (SELECT FROM series) AS "wasUsed"`,
  );
  const { at = null, wasUsed = false } = rows[0] ?? {};
  const movedMs = computeBelievedTime({ storedMs: at?.getTime() ?? null, clockMs, wasUsed });
  const moved = await pool.query<Row>(
    `INSERT INTO believed_time AS b (at) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET at = CASE WHEN $2 THEN greatest(b.at, $1) ELSE $1 END RETURNING ${COLUMNS}`,
    [new Date(movedMs), wasUsed],
  );
  return moved.rows[0] as Row;
}

/** Sets the believed time to the time of a clock that an operator has confirmed. Running processes adopt it within ten seconds. */
export async function confirmClock(pool: Pool, now: Date): Promise<void> {
  await pool.query(
    `INSERT INTO believed_time AS b (at, confirmations) VALUES ($1, 1)
     ON CONFLICT (is_only) DO UPDATE SET at = $1, confirmations = b.confirmations + 1`,
    [now],
  );
}

/** Reads the believed time from the database without advancing it. Null if no process has started yet. */
export async function readBelievedTime(pool: Pool): Promise<Date | null> {
  const { rows } = await pool.query<{ at: Date }>('SELECT at FROM believed_time');
  return rows[0]?.at ?? null;
}
