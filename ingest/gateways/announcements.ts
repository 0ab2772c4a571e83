import { createHash } from 'node:crypto';
import type { PoolClient } from '#src/database/connect.ts';
import { createGatewayDecoders, type GatewayDecoders } from '../decoders/gateway-decoders.ts';

/** Maximum number of announcement topics per gateway. Further announcements are ignored. */
const MAX_TOPICS = 10_000;
const MAX_BYTES = 16 * 2 ** 20;
/**
 * Maximum length of an announcement's topic in bytes. The topic is part of a database key, and an index entry of PostgreSQL has at most
 * 2,704 bytes.
 */
export const MAX_ANNOUNCEMENT_TOPIC_BYTES = 512;
/** Maximum clock difference in ms that is assumed between two workers. */
const CLOCKS_MS = 60_000;

export interface GatewayWithAnnouncements {
  /**
   * Value of `gateways.announced` when the announcements were loaded. A higher value in the database shows that another worker has stored
   * more.
   */
  announced: number;
  decoders: GatewayDecoders;
  /** The last announcement on each topic. `hash` is the hash of its payload. */
  learnt: Map<string, { hash: string; bytes: number; receivedAtMs: number }>;
  bytes: number;
}

/** A message in which a device announces itself at the household's broker, for example for Home Assistant's discovery. */
export interface Announcement {
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
}

/** Loads the decoders of a gateway, and replays all stored announcements to them. */
export async function loadGatewayWithAnnouncements(
  client: PoolClient,
  gatewayId: string,
  announced: number,
): Promise<GatewayWithAnnouncements> {
  const known: GatewayWithAnnouncements = { announced, decoders: createGatewayDecoders(), learnt: new Map(), bytes: 0 };
  if (announced === 0) return known;
  // Raw SQL for speed: a batch runs this statement for each gateway that is not cached.
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

/**
 * Whether an announcement differs from the last one on its topic and fits into the limits of the gateway. Devices often repeat their
 * announcements.
 */
export function isNewAnnouncement(known: GatewayWithAnnouncements, announcement: Announcement): boolean {
  const { topic, payload } = announcement;
  const last = known.learnt.get(topic);
  // A rejected announcement may be processed again later. It must not replace a newer announcement.
  if (last && announcement.receivedAtMs < last.receivedAtMs - CLOCKS_MS) return false;
  if (!last && (known.learnt.size >= MAX_TOPICS || payload.length === 0)) return false;
  if (known.bytes - (last?.bytes ?? 0) + bytesOf(announcement) > MAX_BYTES) return false;
  return known.decoders.isNews(announcement, () => last?.hash !== digestOf(payload));
}

export const isTopicTooLong = (topic: string): boolean => Buffer.byteLength(topic) > MAX_ANNOUNCEMENT_TOPIC_BYTES;

/** Stores the new announcements of one gateway. An empty payload deletes the stored announcement of its topic. */
export async function saveAnnouncements(
  client: PoolClient,
  gatewayId: string,
  known: GatewayWithAnnouncements,
  news: readonly Announcement[],
): Promise<void> {
  // Only the last announcement on each topic is stored.
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

export function recordAnnouncement(known: GatewayWithAnnouncements, announcement: Announcement): void {
  const { topic, payload, receivedAtMs } = announcement;
  const bytes = bytesOf(announcement);
  known.bytes += bytes - (known.learnt.get(topic)?.bytes ?? 0);
  known.learnt.set(topic, { hash: digestOf(payload), bytes, receivedAtMs });
}

function forget(known: GatewayWithAnnouncements, topic: string): void {
  known.bytes -= known.learnt.get(topic)?.bytes ?? 0;
  known.learnt.delete(topic);
}

const bytesOf = ({ topic, payload }: Announcement): number => topic.length + payload.length;

const digestOf = (payload: Buffer): string => createHash('sha256').update(payload).digest('base64');
