import type { Logger } from '#src/core/log.ts';
import { type Pool, type Query, queryOn } from './connect.ts';

const POLL_MS = 1_000;
/** Longest that a poll takes: a standby that answers later is away. */
const ANSWER_MS = 2_000;

/** How far a standby has come. */
export interface StandbyState {
  /** How old its data may be, ms; 0 to a second where it follows. */
  ageMs: number;
  /** Every transaction of the primary with a lower number (in 64 bits) is over and seen by whoever reads from it. */
  horizon: number;
}

/** What this process knows of the standby that it reads from. */
export interface Standby {
  /** Null while it is away, is none, or it is not known how old its data is: the primary answers. */
  state(): StandbyState | null;
  /** A read from it failed: away until it has answered again. */
  failed(): void;
  stop(): void;
}

/** Asks the primary where it writes and the standby what it has replayed, once a second. */
export function watchStandby(primary: Pool, standby: Pool, log: Logger): Standby {
  let samples: readonly Sample[] = [];
  let known: { horizon: number; replayed: number } | null = null;
  let isOver = false;
  /** What was said last, so that it is said once. */
  let said: string | null = null;
  const tell = (what: string | null) => {
    if (what === said) return;
    said = what;
    if (what === null) log.info('reads are answered by the standby');
    else log.warn({ reason: what }, 'reads are answered by the primary: the standby is away');
  };

  async function poll(): Promise<void> {
    const atMs = performance.now();
    // Before the standby is asked: what it has replayed by then it had at this time, or later.
    const position = await within(writtenTo(queryOn(primary)));
    samples = withLatest(samples, { atMs, position });
    const replayed = await within(replayedTo(queryOn(standby)));
    if (replayed === null) throw new Error('DATABASE_READ_URL leads to no standby that streams from DATABASE_URL');
    known = replayed;
    samples = stillNeeded(samples, replayed.replayed);
    tell(null);
  }

  void (async () => {
    while (!isOver) {
      await poll().catch((error: Error) => {
        known = null;
        tell(error.message);
      });
      await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref());
    }
  })();
  return {
    state() {
      const ageMs = known && ageOf(samples, known.replayed, performance.now());
      return known === null || ageMs === null ? null : { ageMs, horizon: known.horizon };
    },
    failed() {
      known = null;
    },
    stop() {
      isOver = true;
    },
  };
}

async function writtenTo(query: Query): Promise<number> {
  // Raw SQL: here and below functions of the server, without a table.
  const { rows } = await query<{ position: number }>(`SELECT pg_current_wal_lsn() - '0/0'::pg_lsn AS "position"`, []);
  return rows[0]?.position ?? 0;
}

async function replayedTo(query: Query): Promise<{ replayed: number; horizon: number } | null> {
  const { rows } = await query<{ replayed: number | null; horizon: number }>(
    `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0'::pg_lsn END AS "replayed",
       pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "horizon"`,
    [],
  );
  const [row] = rows;
  return row?.replayed == null ? null : { replayed: row.replayed, horizon: row.horizon };
}

function within<T>(answer: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, fail) =>
    setTimeout(() => fail(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS).unref(),
  );
  answer.catch(() => {});
  return Promise.race([answer, late]);
}

/** How far the primary had written its log at a time. */
export interface Sample {
  atMs: number;
  /** Bytes of its log. */
  position: number;
}

/** So many samples are kept: a standby that is further behind is as good as away. */
const KEPT = 900;

/**
 * How old the data of a standby that has replayed so far may be, ms: the time since the primary stood there. A primary that writes
 * nothing lets no data grow old: its position is reached. Null where all samples are beyond what was replayed: older than is known. Pure.
 */
export function ageOf(samples: readonly Sample[], replayed: number, nowMs: number): number | null {
  const reached = samples.findLast(({ position }) => position <= replayed);
  return reached ? Math.max(0, nowMs - reached.atMs) : null;
}

/** The samples with one more; the oldest goes where there are too many, however long the standby does not answer. Pure. */
export const withLatest = (samples: readonly Sample[], latest: Sample): readonly Sample[] =>
  [...samples, latest].slice(-KEPT);

/** Those samples that a later question may be answered by: the last one that was replayed, and what comes after it. Pure. */
export function stillNeeded(samples: readonly Sample[], replayed: number): readonly Sample[] {
  const reached = samples.findLastIndex(({ position }) => position <= replayed);
  return samples.slice(Math.max(0, reached));
}

/** Numbers of transactions in a row go round after 2^32. */
const ROUND = 2 ** 32;

/**
 * Whether a standby has replayed a transaction: `number`, in 32 bits as rows have it, of one of the last two thousand millions;
 * `horizon`: all with lower numbers are over there. Pure.
 */
export function isReplayed(number: number, horizon: number): boolean {
  const ahead = (((horizon - number) % ROUND) + ROUND) % ROUND;
  return ahead > 0 && ahead < ROUND / 2;
}
