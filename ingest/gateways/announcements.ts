import { createHash } from 'node:crypto';
import type { PoolClient } from '#src/database/connect.ts';
import { createDecoders, type Decoders } from '../decoders/remembering.ts';

/** Most topics and payload bytes that are remembered of a gateway; announcements beyond that are ignored. */
const MAX_TOPICS = 10_000;
const MAX_BYTES = 16 * 2 ** 20;
/** Longest topic of an announcement: it is part of a key, and an index of PostgreSQL takes 2,704 bytes. */
export const MAX_TOPIC_BYTES = 512;
/** Largest difference between the clocks of two workers. */
const CLOCKS_MS = 60_000;

/** The decoders of a gateway, and which announcements they have learnt. */
export interface Known {
  /** `gateways.announced` as it was then. */
  announced: number;
  decoders: Decoders;
  /** The last payload by topic: its hash, its length with that of the topic, and when it came. */
  learnt: Map<string, { hash: string; bytes: number; receivedAtMs: number }>;
  /** Bytes of all of them, with their topics. */
  bytes: number;
}

/** An announcement on a topic of the household's broker. */
export interface Announcement {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
}

/** Decoders that have learnt what the gateway's devices announced so far. */
export async function loadKnown(client: PoolClient, gatewayId: string, announced: number): Promise<Known> {
  const known: Known = { announced, decoders: createDecoders(), learnt: new Map(), bytes: 0 };
  if (announced === 0) return known;
  // Raw SQL: the hot path of ingest: any number of topics is one statement, by unnest.
  const { rows } = await client.query(
    'SELECT topic, payload, received_at FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place',
    [gatewayId],
  );
  for (const { topic, payload, received_at } of rows) {
    known.decoders.recall({ topic, payload, receivedAtMs: received_at.getTime() });
    remember(known, { topic, payload, receivedAtMs: received_at.getTime() });
  }
  return known;
}

/** Whether the message is an announcement that is not known yet, and may be: most are said again and again. */
export function isNews(known: Known, announcement: Announcement): boolean {
  const { topic, payload } = announcement;
  const last = known.learnt.get(topic);
  // A rejected one that is replayed, after a better one has come.
  if (last && announcement.receivedAtMs < last.receivedAtMs - CLOCKS_MS) return false;
  if (!last && (known.learnt.size >= MAX_TOPICS || payload.length === 0)) return false;
  if (known.bytes - (last?.bytes ?? 0) + bytesOf(announcement) > MAX_BYTES) return false;
  return known.decoders.isNews(announcement, () => last?.hash !== digestOf(payload));
}

/** Whether a topic is too long for an announcement. */
export const isTooLong = (topic: string): boolean => Buffer.byteLength(topic) > MAX_TOPIC_BYTES;

/** Stores the news of one gateway, in order, and counts them; an empty payload takes an announcement back. */
export async function saveNews(
  client: PoolClient,
  gatewayId: string,
  known: Known,
  news: readonly Announcement[],
): Promise<void> {
  // In order of each topic's last: what was born, died and was born again is alive.
  const last = new Map<string, Announcement>();
  for (const one of news) {
    last.delete(one.topic);
    last.set(one.topic, one);
  }
  const kept = [...last.values()].filter(({ payload }) => payload.length > 0);
  await client.query('DELETE FROM gateway_announcements WHERE gateway_id = $1 AND topic = ANY ($2)', [
    gatewayId,
    [...last.keys()],
  ]);
  await client.query(
    `INSERT INTO gateway_announcements (gateway_id, topic, payload, received_at)
     SELECT $1, a.topic, a.payload, to_timestamp(a.at_ms / 1000.0)
     FROM unnest($2::text[], $3::bytea[], $4::bigint[]) WITH ORDINALITY a (topic, payload, at_ms, n) ORDER BY a.n`,
    [
      gatewayId,
      kept.map(({ topic }) => topic),
      kept.map(({ payload }) => payload),
      kept.map(({ receivedAtMs }) => receivedAtMs),
    ],
  );
  known.announced++;
  await client.query('UPDATE gateways SET announced = $2 WHERE gateway_id = $1', [gatewayId, known.announced]);
  for (const { topic, payload } of last.values()) if (payload.length === 0) forget(known, topic);
}

/** Notes the last payload of a topic. */
export function remember(known: Known, announcement: Announcement): void {
  const { topic, payload, receivedAtMs } = announcement;
  const bytes = bytesOf(announcement);
  known.bytes += bytes - (known.learnt.get(topic)?.bytes ?? 0);
  known.learnt.set(topic, { hash: digestOf(payload), bytes, receivedAtMs });
}

/** The topic has none any more. */
function forget(known: Known, topic: string): void {
  known.bytes -= known.learnt.get(topic)?.bytes ?? 0;
  known.learnt.delete(topic);
}

const bytesOf = ({ topic, payload }: Announcement): number => topic.length + payload.length;

const digestOf = (payload: Buffer): string => createHash('sha256').update(payload).digest('base64');
