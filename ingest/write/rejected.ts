import type { PoolClient } from '#src/database/connect.ts';
import type { Reject } from '../message.ts';

/** Longest payload that is kept for a rejection, in bytes. */
export const MAX_KEPT_BYTES = 65_536;

/** Keeps what could not be used, with topic, payload (cut at 64 KiB), time and reason. */
export async function saveRejects(client: PoolClient, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  // Raw SQL: the hot path of ingest: any number of rejections is one statement, by unnest.
  await client.query(
    `INSERT INTO rejected_messages (received_at, device_id, topic, payload, element, reason)
     SELECT to_timestamp(r.at_ms / 1000.0), r.device_id, r.topic, r.payload, r.element, r.reason
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::integer[], $6::text[])
       r (at_ms, device_id, topic, payload, element, reason)`,
    [
      rejects.map((r) => r.message.receivedAtMs),
      rejects.map((r) => withoutNul(r.message.decoded.deviceId)),
      rejects.map((r) => withoutNul(r.message.topic)),
      rejects.map((r) => r.message.payload.subarray(0, MAX_KEPT_BYTES)),
      rejects.map((r) => r.element),
      rejects.map((r) => withoutNul(r.reason)),
    ],
  );
}

/** PostgreSQL's text holds every character but NUL. */
const withoutNul = (text: string): string => text.replaceAll('\0', '\uFFFD');
