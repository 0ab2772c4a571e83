import type { Selectable } from 'kysely';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createQueryFunctionOnConnection, type Pool, type QueryFunction } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';
import type { Tables } from '#src/database/tables.ts';
import { writeOrRejectMessages } from './batch-writer.ts';
import { createIncomingMessage } from './incoming.ts';
import { MAX_STORED_PAYLOAD_BYTES } from './write/save-rejections.ts';
import { createReadingBatchWriter, type IncomingMessage } from './write/writer.ts';

const PAGE = 50;

type StoredMessage = Pick<
  Selectable<Tables['rejected_messages']>,
  'rejected_id' | 'received_at' | 'device_id' | 'topic' | 'element' | 'reason' | 'payload'
>;

export interface RejectionFilter {
  deviceId?: string;
  since?: Date;
}

const CONDITION = `($1::text IS NULL OR device_id = $1) AND ($2::timestamptz IS NULL OR received_at >= $2)`;
const valuesOf = ({ deviceId, since }: RejectionFilter) => [deviceId ?? null, since ?? null];

/** Returns rejections, newest first. `before`: only those with a lower rejected_id. */
export async function listRejectedMessages(
  pool: Pool,
  which: RejectionFilter,
  { limit, before }: { limit: number; before?: number },
) {
  // Raw SQL: a self-join. Only one row of a message contains the payload, and the rows of its other elements refer to this row.
  const { rows } = await pool.query<StoredMessage>(
    `SELECT r.rejected_id, r.received_at, r.device_id, r.topic, r.element, r.reason, coalesce(m.payload, r.payload) AS payload
     FROM (SELECT * FROM rejected_messages
           WHERE ${CONDITION} AND ($4::bigint IS NULL OR rejected_id < $4) ORDER BY rejected_id DESC LIMIT $3) r
     LEFT JOIN rejected_messages m ON m.rejected_id = r.message_id ORDER BY r.rejected_id DESC`,
    [...valuesOf(which), limit, before ?? null],
  );
  return rows.map(({ payload, received_at, ...row }) => ({
    ...row,
    received_at: received_at.toISOString(),
    ...shownPayload(payload),
  }));
}

/** Returns the payload as text if it is valid UTF-8, otherwise in base64. */
function shownPayload(payload: Buffer): { payload?: string; payload_b64?: string } {
  const text = payload.toString('utf8');
  return Buffer.from(text, 'utf8').equals(payload) ? { payload: text } : { payload_b64: payload.toString('base64') };
}

interface RejectionReplayResult {
  messages: number;
  stored: number;
  /** Number of messages and elements that were rejected again. */
  rejected: number;
  /** Number of messages that could not be processed, because their payload was truncated when it was stored. */
  cut: number;
  /** Whether all rejections were processed. */
  isComplete: boolean;
}

interface Options {
  retentionMonths: number;
  maxChannels?: number;
  signal?: AbortSignal;
  whileAllowed?: <T>(page: () => Promise<T>) => Promise<T>;
}

interface Row {
  rejected_id: number;
  received_at: Date;
  topic: string;
  payload: Buffer;
  replayed: boolean;
}

/**
 * Processes rejected messages again, for example after a decoder was corrected. Messages keep their original time of receipt. Readings that
 * are already stored count as duplicates. Returns null if another process is already running a replay. `signal`: stops the replay.
 * `whileAllowed`: runs each page of messages, or throws to end the replay.
 */
export async function replayRejectedMessages(
  pool: Pool,
  which: RejectionFilter,
  options: Options,
): Promise<RejectionReplayResult | null> {
  return withExclusiveLock(pool, ADVISORY_LOCKS.replay, (_session, lost) => {
    // If this replay loses its lock, another one may start. Some rejections may then be stored twice, which does no harm.
    const signal = AbortSignal.any([lost, ...(options.signal ? [options.signal] : [])]);
    return replay(pool, which, { ...options, signal });
  });
}

async function replay(
  pool: Pool,
  which: RejectionFilter,
  { signal, whileAllowed = (page) => page(), ...options }: Options,
): Promise<RejectionReplayResult> {
  const writer = createReadingBatchWriter(pool, options);
  const query = createQueryFunctionOnConnection(pool);
  const result: RejectionReplayResult = { messages: 0, stored: 0, rejected: 0, cut: 0, isComplete: false };
  const last = await lastId(query);
  for (let after = 0; !signal?.aborted; ) {
    const { rows } = await query<Row>(
      `SELECT rejected_id, received_at, topic, payload, replayed FROM rejected_messages
       WHERE ${CONDITION} AND message_id IS NULL AND rejected_id > $3 AND rejected_id <= $4
       ORDER BY rejected_id LIMIT ${PAGE}`,
      [...valuesOf(which), after, last],
    );
    const final = rows.at(-1);
    if (!final) return { ...result, isComplete: true };
    after = final.rejected_id;
    // A payload of exactly the maximum length may have been truncated.
    const whole = rows.filter(({ payload }) => payload.length < MAX_STORED_PAYLOAD_BYTES);
    result.cut += rows.length - whole.length;
    const messages = distinct(whole);
    const { stored, rejected } = await whileAllowed(async () => {
      const written = await writeOrRejectMessages(writer, messages);
      // If the process is killed between the commit and the deletion, the messages remain listed. They can be replayed again without harm.
      await query('DELETE FROM rejected_messages WHERE rejected_id = ANY ($1)', [
        whole.map(({ rejected_id }) => rejected_id),
      ]);
      return written;
    });
    result.messages += messages.length;
    result.stored += stored;
    result.rejected += rejected;
  }
  return result;
}

async function lastId(query: QueryFunction): Promise<number> {
  const { rows } = await query<{ last: number }>(
    'SELECT coalesce(max(rejected_id), 0) AS last FROM rejected_messages',
    [],
  );
  return rows[0]?.last ?? 0;
}

function distinct(rows: readonly Row[]): IncomingMessage[] {
  const messages = new Map<string, IncomingMessage>();
  for (const { received_at, topic, payload, replayed } of rows) {
    const receivedAtMs = received_at.getTime();
    const key = `${topic}\n${receivedAtMs}\n${replayed}\n${payload.toString('base64')}`;
    const message = createIncomingMessage({ topic, payload, receivedAtMs, replayed });
    // The host's clock may have been slow when the message arrived, so that correct timestamps were rejected as future.
    if (message) messages.set(key, { ...message, judgedAtMs: Math.max(receivedAtMs, Date.now()) });
  }
  return [...messages.values()];
}
