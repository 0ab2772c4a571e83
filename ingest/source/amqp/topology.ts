import type { Options } from 'amqplib';

/**
 * Exchange to which RabbitMQ's MQTT plugin publishes (`mqtt.exchange` in its configuration). Until the exchange exists, no PUBLISH is
 * acknowledged.
 */
const MQTT_EXCHANGE = 'energy.mqtt';
/** Exchange that maps each routing key, and thus each device's readings, to one shard. */
const HASH_EXCHANGE = 'energy';
/** Queue of stray messages, which belong to neither a device nor a gateway. The broker stores them, and they raise an alert. */
export const STRAY_MESSAGES_QUEUE = 'energy.stray';
/**
 * A queue that is always empty. Workers consume this queue to check that their broker has a majority of its cluster (watch-connection.ts).
 */
export const MAJORITY_CHECK_QUEUE = 'energy.beat';
export const getShardQueueName = (shard: number): string => `energy.shard.${shard}`;

/**
 * Maximum number of messages in a shard while the database is unavailable. A publisher gets no acknowledgement if the shard is full. 64
 * shards hold 16 million messages or 8 GiB, whichever comes first. 16 million messages are four hours of a million meters that send every
 * 15 minutes.
 */
const MAX_MESSAGES = 250_000;
const MAX_BYTES = 128 * 2 ** 20;
/** Maximum size of the queue of stray messages, which people inspect. If the queue is full, the oldest messages are dropped. */
const MAX_STRAY_BYTES = 256 * 2 ** 20;
/** Maximum time for which a worker may leave a message unacknowledged while it waits for its database, ms. */
const CONSUMER_TIMEOUT_MS = 86_400_000;

/** An exchange, queue or binding that must exist at the broker, with its arguments. */
export type BrokerDeclaration =
  | { kind: 'exchange'; name: string; type: string; options: Options.AssertExchange }
  | { kind: 'queue'; name: string; options: Options.AssertQueue }
  | { kind: 'queue binding'; to: string; from: string; key: string }
  | { kind: 'exchange binding'; to: string; from: string; key: string };

/**
 * Arguments of a replicated queue: a message is acknowledged once a majority has flushed it to disk, and is never
 * dropped because it was redelivered often.
 */
const QUORUM = { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 };

/** Arguments of a shard's queue. RabbitMQ never changes the arguments of an existing queue. */
const SHARD = {
  ...QUORUM,
  'x-single-active-consumer': true,
  'x-consumer-timeout': CONSUMER_TIMEOUT_MS,
  'x-max-length': MAX_MESSAGES,
  'x-max-length-bytes': MAX_BYTES,
  'x-overflow': 'reject-publish',
  // Rejected messages go to the queue of stray messages, and remain in the shard until that queue has stored them.
  'x-dead-letter-exchange': STRAY_MESSAGES_QUEUE,
  'x-dead-letter-strategy': 'at-least-once',
  // Without this argument, one node would lead all queues: the node to which the declaring worker is connected.
  'x-queue-leader-locator': 'balanced',
};

/**
 * Returns the exchanges, queues and bindings through which messages pass from devices to workers, in the order of creation. The exchange
 * that accepts messages is created last, because messages would be lost if any of the others were missing. Pure.
 */
export function listRequiredTopology(shards: number, routingKeys: readonly string[]): BrokerDeclaration[] {
  const numbers = Array.from({ length: shards }, (_, shard) => shard);
  const durable = true;
  return [
    { kind: 'exchange', name: STRAY_MESSAGES_QUEUE, type: 'fanout', options: { durable } },
    {
      kind: 'queue',
      name: STRAY_MESSAGES_QUEUE,
      options: { durable, arguments: { ...QUORUM, 'x-max-length-bytes': MAX_STRAY_BYTES, 'x-overflow': 'drop-head' } },
    },
    { kind: 'queue binding', to: STRAY_MESSAGES_QUEUE, from: STRAY_MESSAGES_QUEUE, key: '' },
    { kind: 'queue', name: MAJORITY_CHECK_QUEUE, options: { durable, arguments: QUORUM } },
    {
      kind: 'exchange',
      name: HASH_EXCHANGE,
      type: 'x-consistent-hash',
      options: { durable, alternateExchange: STRAY_MESSAGES_QUEUE },
    },
    ...numbers.map(
      (shard): BrokerDeclaration => ({
        kind: 'queue',
        name: getShardQueueName(shard),
        options: { durable, arguments: SHARD },
      }),
    ),
    // The binding key is the weight of the shard. All shards have the same weight.
    ...numbers.map(
      (shard): BrokerDeclaration => ({
        kind: 'queue binding',
        to: getShardQueueName(shard),
        from: HASH_EXCHANGE,
        key: '1',
      }),
    ),
    {
      kind: 'exchange',
      name: MQTT_EXCHANGE,
      type: 'topic',
      options: { durable, alternateExchange: STRAY_MESSAGES_QUEUE },
    },
    ...routingKeys.map(
      (key): BrokerDeclaration => ({ kind: 'exchange binding', to: HASH_EXCHANGE, from: MQTT_EXCHANGE, key }),
    ),
  ];
}
