import type { Options } from 'amqplib';

/** Where RabbitMQ's MQTT plugin publishes (`mqtt.exchange` of its configuration). Until it is there no PUBLISH is acknowledged. */
const MQTT_EXCHANGE = 'energy.mqtt';
/** Gives each routing key, so each device's readings, to one shard. */
const HASH_EXCHANGE = 'energy';
/** For what is nobody's: it is kept, and raises an alarm. */
export const STRAYS = 'energy.stray';
/** Nothing ever lies here: workers ask for it to see that their broker reaches a majority (watch-connection.ts). */
export const BEAT = 'energy.beat';
export const shardQueue = (shard: number): string => `energy.shard.${shard}`;

/**
 * What a shard holds while the database is away, before publishers get no acknowledgement: with 64 shards 16 million messages or 8 GiB,
 * whichever comes first. 16 million are four hours of a million meters every 15 minutes.
 */
const MAX_MESSAGES = 250_000;
const MAX_BYTES = 128 * 2 ** 20;
/** Strays are for a person to look at; those of more than this are the oldest's place. */
const MAX_STRAY_BYTES = 256 * 2 ** 20;
/** How long a worker may keep a message unacknowledged: it waits for its database that long. */
const CONSUMER_TIMEOUT_MS = 86_400_000;

/** A thing of the broker that must be there, as it is said here. */
export type Declared =
  | { kind: 'exchange'; name: string; type: string; options: Options.AssertExchange }
  | { kind: 'queue'; name: string; options: Options.AssertQueue }
  | { kind: 'queue binding'; to: string; from: string; key: string }
  | { kind: 'exchange binding'; to: string; from: string; key: string };

/** Replicated, and flushed by a majority before anything is acknowledged. A message is never dropped for being delivered often. */
const QUORUM = { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 };

/** Arguments of a shard's queue. RabbitMQ never changes those of a queue that exists. */
const SHARD = {
  ...QUORUM,
  'x-single-active-consumer': true,
  'x-consumer-timeout': CONSUMER_TIMEOUT_MS,
  'x-max-length': MAX_MESSAGES,
  'x-max-length-bytes': MAX_BYTES,
  'x-overflow': 'reject-publish',
  // What a worker refuses goes to the strays, and is kept here until it is there.
  'x-dead-letter-exchange': STRAYS,
  'x-dead-letter-strategy': 'at-least-once',
  // Else all would be led by the node that a worker happened to ask.
  'x-queue-leader-locator': 'balanced',
};

/**
 * All that messages need on their way from devices to workers, in the order in which it is made: what a message could be lost without
 * stands before the exchange that lets it in. Pure.
 */
export function topologyOf(shards: number, routingKeys: readonly string[]): Declared[] {
  const numbers = Array.from({ length: shards }, (_, shard) => shard);
  const durable = true;
  return [
    { kind: 'exchange', name: STRAYS, type: 'fanout', options: { durable } },
    {
      kind: 'queue',
      name: STRAYS,
      options: { durable, arguments: { ...QUORUM, 'x-max-length-bytes': MAX_STRAY_BYTES, 'x-overflow': 'drop-head' } },
    },
    { kind: 'queue binding', to: STRAYS, from: STRAYS, key: '' },
    { kind: 'queue', name: BEAT, options: { durable, arguments: QUORUM } },
    {
      kind: 'exchange',
      name: HASH_EXCHANGE,
      type: 'x-consistent-hash',
      options: { durable, alternateExchange: STRAYS },
    },
    ...numbers.map(
      (shard): Declared => ({ kind: 'queue', name: shardQueue(shard), options: { durable, arguments: SHARD } }),
    ),
    // The key is the shard's weight: each has the same.
    ...numbers.map(
      (shard): Declared => ({ kind: 'queue binding', to: shardQueue(shard), from: HASH_EXCHANGE, key: '1' }),
    ),
    { kind: 'exchange', name: MQTT_EXCHANGE, type: 'topic', options: { durable, alternateExchange: STRAYS } },
    ...routingKeys.map((key): Declared => ({ kind: 'exchange binding', to: HASH_EXCHANGE, from: MQTT_EXCHANGE, key })),
  ];
}
