import type { IncomingMessage, Reject } from '../message.ts';
import { type Step, statement } from './step.ts';

/** Longest payload that is kept for a rejection, in bytes. */
export const MAX_KEPT_BYTES = 65_536;
/** Rows of one message that have its payload each: for who looks at a few. Of 10,000 elements that are refused the others refer to the first. */
export const ROWS_WITH_PAYLOAD = 10;

/**
 * Keeps what could not be used, with topic, payload (cut at 64 KiB), time and reason. Only the first rows of a message have its
 * payload.
 */
export function saveRejects(rejects: readonly Reject[]): Step[] {
  if (rejects.length === 0) return [];
  const messages = new Map<IncomingMessage, { number: number; rows: number }>();
  const placed = rejects.map((reject) => {
    const known = messages.get(reject.message) ?? { number: messages.size, rows: 0 };
    messages.set(reject.message, known);
    return { ...reject, number: known.number, hasPayload: known.rows++ < ROWS_WITH_PAYLOAD };
  });
  // Any number of rejections is one statement. Ids are taken in the order of the rows, which is that of the list.
  const text = `WITH numbered AS MATERIALIZED (
       SELECT nextval(pg_get_serial_sequence('rejected_messages', 'rejected_id')) AS id, r.*
       FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::integer[], $6::text[], $7::boolean[], $8::integer[])
         WITH ORDINALITY r (at_ms, device_id, topic, payload, element, reason, replayed, message, n)
       ORDER BY n)
     INSERT INTO rejected_messages (rejected_id, message_id, received_at, device_id, topic, payload, element, reason, replayed)
     OVERRIDING SYSTEM VALUE
     SELECT id, nullif(first_value(id) OVER (PARTITION BY message ORDER BY n), id), to_timestamp(at_ms / 1000.0), device_id, topic, payload,
       element, reason, replayed
     FROM numbered`;
  const values = [
    rejects.map((r) => r.message.receivedAtMs),
    rejects.map((r) => withoutNul(r.message.decoded.deviceId)),
    rejects.map((r) => withoutNul(r.message.topic)),
    placed.map((r) => (r.hasPayload ? r.message.payload.subarray(0, MAX_KEPT_BYTES) : NONE)),
    rejects.map((r) => r.element),
    rejects.map((r) => withoutNul(r.reason)),
    rejects.map((r) => r.message.replayed ?? false),
    placed.map((r) => r.number),
  ];
  return [statement({ text, values })];
}

const NONE = Buffer.alloc(0);

/** PostgreSQL's text holds every character but NUL. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');
