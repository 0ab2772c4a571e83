import { HOUR_MS } from '#src/core/units.ts';
import type { IncomingMessage, Rejection } from '../message.ts';
import { type BatchStatement, createBatchStatement } from './statement.ts';

export const MAX_STORED_PAYLOAD_BYTES = 65_536;
/** Maximum number of rejections of one message that are stored with its payload. The rows of further rejections refer to the first row. */
const ROWS_WITH_PAYLOAD = 10;

/** Returns the statement that stores rejections. */
export function saveRejections(rejects: readonly Rejection[]): BatchStatement[] {
  if (rejects.length === 0) return [];
  const messages = new Map<IncomingMessage, { number: number; rows: number }>();
  const placed = rejects.map((reject) => {
    const known = messages.get(reject.message) ?? { number: messages.size, rows: 0 };
    messages.set(reject.message, known);
    return { ...reject, number: known.number, hasPayload: known.rows++ < ROWS_WITH_PAYLOAD };
  });
  // One statement, so that the ids are assigned in the order of the list.
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
    placed.map((r) => (r.hasPayload ? r.message.payload.subarray(0, MAX_STORED_PAYLOAD_BYTES) : NONE)),
    rejects.map((r) => r.element),
    rejects.map((r) => withoutNul(r.reason)),
    rejects.map((r) => r.message.replayed ?? false),
    placed.map((r) => r.number),
  ];
  return [createBatchStatement({ text, values })];
}

const NONE = Buffer.alloc(0);

/** PostgreSQL cannot store NUL characters in text. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** Maximum bytes of rejections that are stored per hour, so that invalid messages do not fill the disk. */
const HOURLY_BYTES = { ofDevice: 64 * 2 ** 20, ofAll: 256 * 2 ** 20 };
/** Approximate bytes of a row without its strings and payload. */
const ROW_BYTES = 200;

/** Creates the hourly limit for stored rejections. Further rejections are only counted. */
export function createRejectionQuota({ ofDevice, ofAll } = HOURLY_BYTES) {
  let hour = 0;
  let all = 0;
  let unstoredCount = 0;
  const devices = new Map<string, number>();
  return {
    get unstoredCount() {
      return unstoredCount;
    },
    /** Restores the counts after a failed transaction. */
    undo(rejects: readonly Rejection[], stored: readonly Rejection[]): void {
      unstoredCount -= rejects.length - stored.length;
      const rows = new Map<IncomingMessage, number>();
      for (const one of stored) {
        const { deviceId } = one.message.decoded;
        const ofMessage = rows.get(one.message) ?? 0;
        const bytes = bytesOf(one, ofMessage);
        rows.set(one.message, ofMessage + 1);
        all = Math.max(0, all - bytes);
        devices.set(deviceId, Math.max(0, (devices.get(deviceId) ?? 0) - bytes));
      }
    },
    /** Returns the rejections that may be stored. `nowMs`: Unix ms. */
    of(rejects: readonly Rejection[], nowMs: number): Rejection[] {
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
          unstoredCount++;
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

export type RejectionQuota = ReturnType<typeof createRejectionQuota>;

/** Returns the bytes of a row. `before`: number of earlier rows of the same message. */
function bytesOf({ message: { payload, topic }, reason }: Rejection, before: number): number {
  const kept = before < ROWS_WITH_PAYLOAD ? Math.min(payload.length, MAX_STORED_PAYLOAD_BYTES) : 0;
  return kept + topic.length + reason.length + ROW_BYTES;
}
