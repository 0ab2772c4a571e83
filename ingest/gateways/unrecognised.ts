import type { Logger } from '#src/core/log.ts';
import { type Loop, startLoop } from '#src/core/loop.ts';
import { HOME_ASSISTANT_TOPIC_ROOT } from '#src/core/version.ts';
import type { Pool, PoolClient } from '#src/database/connect.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { parseHomeUsageTopic } from '#src/devices/topics.ts';
import type { DeviceMessage } from '../decoders/family.ts';
import { generaliseTopic, isRadioMessage } from '../decoders/read/topic-shape.ts';

/** Maximum number of topic patterns that are stored per gateway. Messages on all further topics are counted together. */
const MAX_SHAPES = 200;
/** Messages beyond `MAX_SHAPES` are counted under this topic filter, which matches every topic. */
const FURTHER = '#';
const MAX_PAYLOAD_BYTES = 4_096;
const MAX_TOPIC_LENGTH = 512;
/** Minimum time in ms between two writes of a gateway's counts. */
const WRITE_MS = 10_000;
/** Age in seconds after which a newer sample message replaces the stored one. */
const EXAMPLE_SECONDS = 600;
/** Limits for all gateways of a worker. Beyond them, the counts of the gateways that have been silent for longest are discarded. */
const MOST = { gateways: 10_000, bytes: 8 * 2 ** 20 };
/** Approximate memory in bytes of one topic pattern without its text and sample. */
const SHAPE_BYTES = 200;

interface Example {
  topic: string;
  payload: Buffer;
  /** Length of the whole payload. The sample may contain only its beginning. */
  bytes: number;
  receivedAtMs: number;
}

interface Counted {
  count: number;
  firstMs: number;
  lastMs: number;
  example: Example | null;
}

interface OfGateway {
  writtenAtMs: number;
  shapes: Map<string, Counted>;
  bytes: number;
}

/**
 * Creates a counter of messages that no decoder recognises. It counts them by gateway and topic pattern, and writes the counts at
 * intervals. `now`: clock, Unix ms.
 */
export function createUnrecognisedMessageCounter(now: () => number = Date.now, most = MOST) {
  /** The gateway that sent last is the last entry. */
  const gateways = new Map<string, OfGateway>();
  let bytes = 0;

  const isDue = ({ shapes, writtenAtMs }: OfGateway, isLast: boolean): boolean =>
    shapes.size > 0 && (isLast || now() - writtenAtMs >= WRITE_MS);

  function drop(gatewayId: string): void {
    bytes -= gateways.get(gatewayId)?.bytes ?? 0;
    gateways.delete(gatewayId);
  }

  return {
    note(gatewayId: string, message: DeviceMessage): void {
      // An empty payload only deletes a retained message.
      if (message.payload.length === 0 || isOwn(message.topic)) return;
      const of = gateways.get(gatewayId) ?? { writtenAtMs: Number.NEGATIVE_INFINITY, shapes: new Map(), bytes: 0 };
      gateways.delete(gatewayId);
      gateways.set(gatewayId, of);
      const grown = count(of.shapes, message);
      of.bytes += grown;
      bytes += grown;
      for (const [oldest] of gateways) {
        if (gateways.size <= most.gateways && bytes <= most.bytes) break;
        drop(oldest);
      }
    },
    /**
     * Returns the ids of the gateways whose counts may be written now. `isLast`: includes gateways whose counts were written a moment ago.
     */
    due: (isLast = false): string[] =>
      [...gateways].flatMap(([gatewayId, of]) => (isDue(of, isLast) ? [gatewayId] : [])),
    /** Writes the counts of those gateways that are due. The caller must have locked the rows of the gateways. */
    async save(client: PoolClient, gatewayIds: readonly string[], isLast = false): Promise<void> {
      const due: { gatewayId: string; shapes: Map<string, Counted> }[] = [];
      for (const gatewayId of gatewayIds) {
        const of = gateways.get(gatewayId);
        if (!of || !isDue(of, isLast)) continue;
        due.push({ gatewayId, shapes: of.shapes });
        bytes -= of.bytes;
        gateways.set(gatewayId, { writtenAtMs: now(), shapes: new Map(), bytes: 0 });
      }
      if (due.length > 0) await write(client, due);
    },
    /** Discards the counts of gateways whose transaction was not committed: their messages are delivered again. */
    forget(gatewayIds: Iterable<string>): void {
      for (const gatewayId of gatewayIds) drop(gatewayId);
    },
  };
}

export type UnrecognisedMessageCounter = ReturnType<typeof createUnrecognisedMessageCounter>;

/** Whether the service itself publishes on this topic. A bridge can send such a message back to the service. */
const isOwn = (topic: string): boolean =>
  topic.startsWith(`${HOME_ASSISTANT_TOPIC_ROOT}/`) || parseHomeUsageTopic(topic) !== null;

/** Counts a message. Returns the number of bytes by which the memory of the counts has grown. */
function count(shapes: Map<string, Counted>, { topic, payload, receivedAtMs }: DeviceMessage): number {
  const shape = generaliseTopic(topic);
  const key = shapes.has(shape) || shapes.size < MAX_SHAPES ? shape : FURTHER;
  const known = shapes.get(key);
  const one = known ?? { count: 0, firstMs: receivedAtMs, lastMs: receivedAtMs, example: null };
  const before = known ? sizeOf(key, known) : 0;
  one.count++;
  one.firstMs = Math.min(one.firstMs, receivedAtMs);
  one.lastMs = Math.max(one.lastMs, receivedAtMs);
  if (key !== FURTHER && !one.example && !isRadioMessage(topic, payload)) {
    one.example = { topic: shownTopic(topic), payload: cut(payload), bytes: payload.length, receivedAtMs };
  }
  shapes.set(key, one);
  return sizeOf(key, one) - before;
}

const sizeOf = (shape: string, { example }: Counted): number =>
  SHAPE_BYTES + 2 * shape.length + (example ? 2 * example.topic.length + example.payload.length : 0);

const shownTopic = (topic: string): string => topic.slice(0, MAX_TOPIC_LENGTH).replaceAll(/\p{C}/gu, '?');

/** Copies the first bytes of a payload, without an incomplete UTF-8 character at the end. */
function cut(payload: Buffer): Buffer {
  let end = Math.min(payload.length, MAX_PAYLOAD_BYTES);
  if (end < payload.length) while (end > MAX_PAYLOAD_BYTES - 4 && ((payload[end] ?? 0) & 0xc0) === 0x80) end--;
  return Buffer.from(payload.subarray(0, end));
}

/** Merges new counts of a gateway into `FURTHER` if the gateway already has the maximum number of topic patterns. */
function withinBound(known: ReadonlySet<string>, counted: ReadonlyMap<string, Counted>): Map<string, Counted> {
  const bounded = new Map<string, Counted>();
  let room = MAX_SHAPES - known.size + (known.has(FURTHER) ? 1 : 0);
  for (const [shape, one] of counted) {
    if (shape !== FURTHER && (known.has(shape) || room-- > 0)) bounded.set(shape, one);
    else bounded.set(FURTHER, together(bounded.get(FURTHER), one));
  }
  return bounded;
}

const together = (of: Counted | undefined, one: Counted): Counted => ({
  count: (of?.count ?? 0) + one.count,
  firstMs: Math.min(of?.firstMs ?? one.firstMs, one.firstMs),
  lastMs: Math.max(of?.lastMs ?? one.lastMs, one.lastMs),
  example: null,
});

async function write(
  client: PoolClient,
  due: readonly { gatewayId: string; shapes: Map<string, Counted> }[],
): Promise<void> {
  // Raw SQL for speed: one statement reads or writes the counts of any number of gateways.
  const { rows } = await client.query(
    `SELECT gateway_id, array_agg(shape) AS shapes,
       array_agg(shape) FILTER (WHERE example_received_at > now() - make_interval(secs => $2)) AS young
     FROM unread_messages WHERE gateway_id = ANY ($1) GROUP BY gateway_id`,
    [due.map(({ gatewayId }) => gatewayId), EXAMPLE_SECONDS],
  );
  const known = new Map<string, { shapes: string[]; young: string[] | null }>(
    rows.map(({ gateway_id, shapes, young }) => [gateway_id, { shapes, young }]),
  );
  const all = due.flatMap(({ gatewayId, shapes }) => {
    const young = new Set(known.get(gatewayId)?.young);
    return [...withinBound(new Set(known.get(gatewayId)?.shapes), shapes)].map(([shape, one]) => ({
      gatewayId,
      shape,
      ...one,
      example: young.has(shape) ? null : one.example,
    }));
  });
  await client.query(
    `INSERT INTO unread_messages AS stored (gateway_id, shape, messages, first_seen_at, last_seen_at,
       example_topic, example_payload, example_bytes, example_received_at)
     SELECT gateway_id, shape, count, to_timestamp(first_ms / 1000.0), to_timestamp(last_ms / 1000.0),
       topic, payload, bytes, to_timestamp(received_ms / 1000.0)
     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bytea[], $8::integer[], $9::bigint[])
       AS u (gateway_id, shape, count, first_ms, last_ms, topic, payload, bytes, received_ms)
     ON CONFLICT (gateway_id, shape) DO UPDATE SET
       messages = stored.messages + excluded.messages,
       first_seen_at = least(stored.first_seen_at, excluded.first_seen_at),
       last_seen_at = greatest(stored.last_seen_at, excluded.last_seen_at),
       example_topic = coalesce(excluded.example_topic, stored.example_topic),
       example_payload = coalesce(excluded.example_payload, stored.example_payload),
       example_bytes = coalesce(excluded.example_bytes, stored.example_bytes),
       example_received_at = coalesce(excluded.example_received_at, stored.example_received_at)`,
    [
      all.map(({ gatewayId }) => gatewayId),
      all.map(({ shape }) => shape),
      all.map((one) => one.count),
      all.map(({ firstMs }) => firstMs),
      all.map(({ lastMs }) => lastMs),
      all.map(({ example }) => example?.topic ?? null),
      all.map(({ example }) => example?.payload ?? null),
      all.map(({ example }) => example?.bytes ?? null),
      all.map(({ example }) => example?.receivedAtMs ?? null),
    ],
  );
}

const LOOK_MS = 2_000;
const MAX_GATEWAYS = 100;

/** Starts a loop that writes due counts at intervals. Otherwise they would be written only with the gateway's next message. */
export const startSavingUnrecognisedCounts = (pool: Pool, unread: UnrecognisedMessageCounter, log: Logger): Loop =>
  startLoop('unread messages', () => saveUnrecognisedCounts(pool, unread), LOOK_MS, log);

/**
 * Writes the due counts of some gateways in a separate transaction, and returns the number of these gateways. `isLast`: writes all counts.
 * If the transaction fails, its counts are lost.
 */
export async function saveUnrecognisedCounts(
  pool: Pool,
  unread: UnrecognisedMessageCounter,
  isLast = false,
): Promise<number> {
  const ids = unread.due(isLast).slice(0, MAX_GATEWAYS);
  if (ids.length === 0) return 0;
  const remainingIds = new Set(ids);
  try {
    await runInTransaction(pool, async (client) => {
      // Raw SQL, like the other statements of message intake. The gateways are locked in the order of their ids to avoid deadlocks.
      const { rows } = await client.query(
        'SELECT gateway_id FROM gateways WHERE gateway_id = ANY ($1) ORDER BY gateway_id FOR NO KEY UPDATE',
        [ids],
      );
      for (const { gateway_id } of rows) remainingIds.delete(gateway_id);
      await unread.save(
        client,
        rows.map(({ gateway_id }) => gateway_id),
        isLast,
      );
    });
  } catch (error) {
    unread.forget(ids);
    throw error;
  }
  unread.forget(remainingIds);
  return ids.length;
}
