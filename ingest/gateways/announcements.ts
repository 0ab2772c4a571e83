import { createHash } from 'node:crypto';
import type { PoolClient } from '#src/database/connect.ts';
import { createDecoders, type Decoders } from '../decoders/gateway-decoders.ts';

/** Maximum number of topics and payload bytes that are stored for a gateway. Further announcements are ignored. */
const MAX_TOPICS = 10_000;
const MAX_BYTES = 16 * 2 ** 20;
/** Maximum length of an announcement's topic. The topic is part of a key, and a PostgreSQL index entry holds at most 2,704 bytes. */
export const MAX_ANNOUNCEMENT_TOPIC_BYTES = 512;
/** Maximum expected difference between the clocks of two workers. */
const CLOCKS_MS = 60_000;

/** Decoders of a gateway, and the announcements that they have processed. */
export interface KnownGateway {
  /** Value of `gateways.announced` at the time when the announcements were loaded. */
  announced: number;
  decoders: Decoders;
  /** The last payload on each topic: its hash, its time of receipt, and the length of payload and topic together. */
  learnt: Map<string, { hash: string; bytes: number; receivedAtMs: number }>;
  bytes: number;
}

/** A message in which a device announces itself, on a topic of the household's broker. */
export interface Announcement {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
}

/** Loads a gateway's decoders with all announcements of its devices so far. */
export async function loadKnownGateway(
  client: PoolClient,
  gatewayId: string,
  announced: number,
): Promise<KnownGateway> {
  const known: KnownGateway = { announced, decoders: createDecoders(), learnt: new Map(), bytes: 0 };
  if (announced === 0) return known;
  // Raw SQL: the hot path of ingest.
  const { rows } = await client.query(
    'SELECT topic, payload, received_at FROM gateway_announcements WHERE gateway_id = $1 ORDER BY place',
    [gatewayId],
  );
  for (const { topic, payload, received_at } of rows) {
    known.decoders.recall({ topic, payload, receivedAtMs: received_at.getTime() });
    recordAnnouncement(known, { topic, payload, receivedAtMs: received_at.getTime() });
  }
  return known;
}

/** Whether the announcement is new and still within the bounds of the gateway. Devices mostly repeat their announcements. */
export function isNewAnnouncement(known: KnownGateway, announcement: Announcement): boolean {
  const { topic, payload } = announcement;
  const last = known.learnt.get(topic);
  // A rejected announcement that is processed again (replay-rejected.ts) must not replace a newer one.
  if (last && announcement.receivedAtMs < last.receivedAtMs - CLOCKS_MS) return false;
  if (!last && (known.learnt.size >= MAX_TOPICS || payload.length === 0)) return false;
  if (known.bytes - (last?.bytes ?? 0) + bytesOf(announcement) > MAX_BYTES) return false;
  return known.decoders.isNews(announcement, () => last?.hash !== digestOf(payload));
}

export const isTopicTooLong = (topic: string): boolean => Buffer.byteLength(topic) > MAX_ANNOUNCEMENT_TOPIC_BYTES;

/**
 * Stores the new announcements of one gateway, in order, and increments its announcement count. An empty payload deletes an announcement.
 */
export async function saveAnnouncements(
  client: PoolClient,
  gatewayId: string,
  known: KnownGateway,
  news: readonly Announcement[],
): Promise<void> {
  // Stores only the last announcement of each topic. After a birth, a death and another birth in one batch, the device is online.
  const last = new Map<string, Announcement>();
  for (const one of news) {
    last.delete(one.topic);
    last.set(one.topic, one);
  }
  const current = [...last.values()].filter(({ payload }) => payload.length > 0);
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
      current.map(({ topic }) => topic),
      current.map(({ payload }) => payload),
      current.map(({ receivedAtMs }) => receivedAtMs),
    ],
  );
  known.announced++;
  await client.query('UPDATE gateways SET announced = $2 WHERE gateway_id = $1', [gatewayId, known.announced]);
  for (const { topic, payload } of last.values()) if (payload.length === 0) forget(known, topic);
}

export function recordAnnouncement(known: KnownGateway, announcement: Announcement): void {
  const { topic, payload, receivedAtMs } = announcement;
  const bytes = bytesOf(announcement);
  known.bytes += bytes - (known.learnt.get(topic)?.bytes ?? 0);
  known.learnt.set(topic, { hash: digestOf(payload), bytes, receivedAtMs });
}

/** Removes a topic whose announcement was deleted. */
function forget(known: KnownGateway, topic: string): void {
  known.bytes -= known.learnt.get(topic)?.bytes ?? 0;
  known.learnt.delete(topic);
}

const bytesOf = ({ topic, payload }: Announcement): number => topic.length + payload.length;

const digestOf = (payload: Buffer): string => createHash('sha256').update(payload).digest('base64');
