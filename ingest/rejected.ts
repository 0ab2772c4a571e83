import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { type Pool, type Query, queryOn } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';
import { toIncoming } from './incoming.ts';
import { MAX_KEPT_BYTES } from './write/rejected.ts';
import { createWriter, type IncomingMessage } from './write/writer.ts';

/** Messages per page of a replay, each of which may have thousands of elements. */
const PAGE = 50;

/** A message, or an element of one, that could not be used. */
export interface Rejected {
  rejected_id: number;
  received_at: string;
  device_id: string | null;
  topic: string;
  /** Position in the message from 0; null for the whole of it. */
  element: number | null;
  reason: string;
  /** As text where it is UTF-8, else in base64. */
  payload?: string;
  payload_b64?: string;
}

/** Which of them are meant. */
export interface Which {
  deviceId?: string;
  since?: Date;
}

const CONDITION = `($1::text IS NULL OR device_id = $1) AND ($2::timestamptz IS NULL OR received_at >= $2)`;
const valuesOf = ({ deviceId, since }: Which) => [deviceId ?? null, since ?? null];

/** What could not be used, the youngest first; `before`: a rejected_id, of which only earlier ones are wanted. */
export async function listRejected(
  pool: Pool,
  which: Which,
  { limit, before }: { limit: number; before?: number },
): Promise<Rejected[]> {
  // Raw SQL: a row takes its payload from the one that has it.
  const { rows } = await pool.query(
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

function shownPayload(payload: Buffer): { payload: string } | { payload_b64: string } {
  const text = payload.toString('utf8');
  return Buffer.from(text, 'utf8').equals(payload) ? { payload: text } : { payload_b64: payload.toString('base64') };
}

/** Result of a replay. */
export interface Replayed {
  messages: number;
  stored: number;
  /** Still not usable; they stay, with the reason of now. */
  rejected: number;
  /** Too long to have been kept whole; they stay as they are. */
  cut: number;
  /** Whether it came to its end; else there are more to try. */
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
 * Tries again what could not be used: after a fix of a decoder, a setting, a clock. Each message is taken as it came, with
 * its time of receipt; what was used of it before is known and changes nothing. What is usable now is removed from the list.
 * Null while another replay is under way, wherever: two at once would put what stays rejected on the list once each. `signal`:
 * ends it between pages. `whileAllowed`: runs each page, or throws, which ends it, too.
 */
export async function replayRejected(pool: Pool, which: Which, options: Options): Promise<Replayed | null> {
  return withExclusiveLock(pool, ADVISORY_LOCKS.replay, (_session, lost) => {
    // A page that is under way while another replay begins is harmless: what it could not use is on the list twice.
    const signal = AbortSignal.any([lost, ...(options.signal ? [options.signal] : [])]);
    return replay(pool, which, { ...options, signal });
  });
}

async function replay(
  pool: Pool,
  which: Which,
  { signal, whileAllowed = (page) => page(), ...options }: Options,
): Promise<Replayed> {
  const writer = createWriter(pool, options);
  const query = queryOn(pool);
  const result: Replayed = { messages: 0, stored: 0, rejected: 0, cut: 0, isComplete: false };
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
    // One of this length may have been cut.
    const whole = rows.filter(({ payload }) => payload.length < MAX_KEPT_BYTES);
    result.cut += rows.length - whole.length;
    const messages = distinct(whole);
    const { stored, rejected } = await whileAllowed(async () => {
      const written = await writer.write(messages);
      // After the commit: killed in between, they are on the list twice, and replayed without harm. With each go the rows of
      // the same message.
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

async function lastId(query: Query): Promise<number> {
  const { rows } = await query<{ last: number }>(
    'SELECT coalesce(max(rejected_id), 0) AS last FROM rejected_messages',
    [],
  );
  return rows[0]?.last ?? 0;
}

/** Each message once, however often it came. */
function distinct(rows: readonly Row[]): IncomingMessage[] {
  const messages = new Map<string, IncomingMessage>();
  for (const { received_at, topic, payload, replayed } of rows) {
    const receivedAtMs = received_at.getTime();
    const key = `${topic}\n${receivedAtMs}\n${replayed}\n${payload.toString('base64')}`;
    const message = toIncoming({ topic, payload, receivedAtMs, replayed });
    // A host whose clock was behind has refused what was right: it is judged by the clock of now.
    if (message) messages.set(key, { ...message, judgedAtMs: Math.max(receivedAtMs, Date.now()) });
  }
  return [...messages.values()];
}
