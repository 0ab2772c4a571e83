import type { IncomingMessage, Reject } from '../message.ts';
import { type Step, statement } from './statement.ts';

/** Longest payload that is kept for a rejection, in bytes. */
export const MAX_KEPT_BYTES = 65_536;
/** Rows of one message that have its payload each: for who looks at a few. Of 10,000 elements that are refused the others refer to the first. */
const ROWS_WITH_PAYLOAD = 10;

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

/** What is kept in an hour, of one device and of all, in bytes: rubbish must not fill the disk, nor hide its neighbour's. */
const HOURLY_BYTES = { ofDevice: 64 * 2 ** 20, ofAll: 256 * 2 ** 20 };
const HOUR_MS = 3_600_000;
/** A row beside its texts and its payload. */
const ROW_BYTES = 200;

/** Decides which rejections are kept; all of them are counted. */
export interface Keeping {
  /** Of these the ones to keep. `nowMs`: clock. */
  of(rejects: readonly Reject[], nowMs: number): Reject[];
  /** Takes a decision back: what was to be kept was not committed. */
  undo(rejects: readonly Reject[], kept: readonly Reject[]): void;
  /** Rejections that were only counted. */
  readonly unkept: number;
}

/** Keeps up to a number of bytes each hour, by the hours of the clock. */
export function createKeeping({ ofDevice, ofAll } = HOURLY_BYTES): Keeping {
  let hour = 0;
  let all = 0;
  let unkept = 0;
  const devices = new Map<string, number>();
  return {
    get unkept() {
      return unkept;
    },
    undo(rejects, kept) {
      unkept -= rejects.length - kept.length;
      const rows = new Map<IncomingMessage, number>();
      for (const one of kept) {
        const { deviceId } = one.message.decoded;
        const ofMessage = rows.get(one.message) ?? 0;
        const bytes = bytesOf(one, ofMessage);
        rows.set(one.message, ofMessage + 1);
        all = Math.max(0, all - bytes);
        devices.set(deviceId, Math.max(0, (devices.get(deviceId) ?? 0) - bytes));
      }
    },
    of(rejects, nowMs) {
      const current = Math.floor(nowMs / HOUR_MS);
      if (current !== hour) {
        hour = current;
        all = 0;
        devices.clear();
      }
      const rows = new Map<IncomingMessage, number>();
      return rejects.filter((one) => {
        const { decoded } = one.message;
        const ofMessage = rows.get(one.message) ?? 0;
        const bytes = bytesOf(one, ofMessage);
        const device = (devices.get(decoded.deviceId) ?? 0) + bytes;
        if (device > ofDevice || all + bytes > ofAll) {
          unkept++;
          return false;
        }
        rows.set(one.message, ofMessage + 1);
        devices.set(decoded.deviceId, device);
        all += bytes;
        return true;
      });
    },
  };
}

/** What a row takes; `before`: rows of the same message that come before it. */
function bytesOf({ message: { payload, topic }, reason }: Reject, before: number): number {
  const kept = before < ROWS_WITH_PAYLOAD ? Math.min(payload.length, MAX_KEPT_BYTES) : 0;
  return kept + topic.length + reason.length + ROW_BYTES;
}
