import type { Logger } from '#src/core/log.ts';
import { withTimeout } from '#src/core/timeout.ts';
import { createQueryFunctionOnConnection, type Pool, type QueryFunction } from './connect.ts';

const POLL_MS = 1_000;
/** Maximum duration of a poll in ms. A slower standby counts as unavailable. */
const ANSWER_MS = 2_000;

export interface StandbyState {
  /** Maximum age of the standby's data in ms. */
  ageMs: number;
  /** The standby contains all transactions with a lower id (64 bits). */
  horizon: number;
}

export type Standby = ReturnType<typeof watchStandby>;

/** Polls once a second how far the standby lags behind the primary. */
export function watchStandby(primary: Pool, standby: Pool, log: Logger) {
  let samples: readonly StandbySample[] = [];
  let known: { horizon: number; replayed: number } | null = null;
  let isOver = false;
  /** The last logged reason, so that it is not repeated. */
  let lastLogged: string | null = null;
  const logChange = (what: string | null) => {
    if (what === lastLogged) return;
    lastLogged = what;
    if (what === null) log.info('reads are answered by the standby');
    else log.warn({ reason: what }, 'reads are answered by the primary: the standby is away');
  };

  async function poll(): Promise<void> {
    const atMs = performance.now();
    // The position of the primary is read before that of the standby, so that the computed age of the standby's data is never too low.
    const position = await within(writtenTo(createQueryFunctionOnConnection(primary)));
    samples = appendStandbySample(samples, { atMs, position });
    const replayed = await within(replayedTo(createQueryFunctionOnConnection(standby)));
    if (replayed === null) throw new Error('DATABASE_READ_URL leads to no standby that streams from DATABASE_URL');
    known = replayed;
    samples = filterNeededStandbySamples(samples, replayed.replayed);
    logChange(null);
  }

  void (async () => {
    while (!isOver) {
      await poll().catch((error: Error) => {
        known = null;
        logChange(error.message);
      });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref());
    }
  })();
  return {
    /** Returns the standby's state. Null if it is unavailable; queries then use the primary. */
    state(): StandbyState | null {
      const ageMs = known && computeDataAgeMs(samples, known.replayed, performance.now());
      return known === null || ageMs === null ? null : { ageMs, horizon: known.horizon };
    },
    /** Reports a failed read. The standby counts as unavailable until it responds again. */
    failed(): void {
      known = null;
    },
    stop(): void {
      isOver = true;
    },
  };
}

async function writtenTo(query: QueryFunction): Promise<number> {
  // Raw SQL, here and below: the statements call functions of the server.
  const { rows } = await query<{ position: number }>(`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS "position"`, []);
  return rows[0]?.position ?? 0;
}

async function replayedTo(query: QueryFunction): Promise<{ replayed: number; horizon: number } | null> {
  const { rows } = await query<{ replayed: number | null; horizon: number }>(
    `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0'::pg_lsn END AS "replayed",
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "horizon"`,
    [],
  );
  const [row] = rows;
  return row?.replayed == null ? null : { replayed: row.replayed, horizon: row.horizon };
}

const within = <T>(answer: Promise<T>): Promise<T> =>
  withTimeout(answer, ANSWER_MS, `no answer within ${ANSWER_MS} ms`);

/** A position of the primary's write-ahead log, and the time at which it was reached. */
export interface StandbySample {
  atMs: number;
  /** In bytes. */
  position: number;
}

/** Maximum number of samples. A standby that lags behind the oldest one counts as unavailable. */
const KEPT = 900;

/**
 * Returns the maximum age in ms of a standby's data: the time since the primary was at the position that the standby has reached. Null if
 * unknown.
 */
export function computeDataAgeMs(samples: readonly StandbySample[], replayed: number, nowMs: number): number | null {
  const reached = samples.findLast(({ position }) => position <= replayed);
  return reached ? Math.max(0, nowMs - reached.atMs) : null;
}

/** Appends a sample, and drops the oldest ones beyond the maximum number. */
export const appendStandbySample = (
  samples: readonly StandbySample[],
  latest: StandbySample,
): readonly StandbySample[] => [...samples, latest].slice(-KEPT);

/** Returns the samples that are needed later: the last one that the standby has reached, and all after it. */
export function filterNeededStandbySamples(
  samples: readonly StandbySample[],
  replayed: number,
): readonly StandbySample[] {
  const reached = samples.findLastIndex(({ position }) => position <= replayed);
  return samples.slice(Math.max(0, reached));
}

/** Number of different 32-bit transaction ids. Later transactions use the ids again. */
const ROUND = 2 ** 32;

/**
 * Whether a standby contains a transaction. `number`: its 32-bit id. `horizon`: the standby contains all transactions with a lower 64-bit
 * id.
 */
export function isTransactionReplayed(number: number, horizon: number): boolean {
  const ahead = (((horizon - number) % ROUND) + ROUND) % ROUND;
  return ahead > 0 && ahead < ROUND / 2;
}
