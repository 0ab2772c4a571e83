import type { Options } from 'amqplib';

/**
 * Exchange to which the MQTT plugin of RabbitMQ publishes (`mqtt.exchange` in its configuration). Until this exchange exists, no PUBLISH is
 * acknowledged.
 */
const MQTT_EXCHANGE = 'energy.mqtt';
/** Exchange that assigns each routing key to one shard, so that all readings of a device are in the same shard. */
const HASH_EXCHANGE = 'energy';
/** Queue of stray messages, which belong to neither a device nor a gateway. The broker stores them, and monitoring alerts an operator. */
export const STRAY_MESSAGES_QUEUE = 'energy.stray';
/**
 * A queue that is always empty. Workers consume it to check whether their broker can reach a majority of its cluster (watch-connection.ts).
 */
export const MAJORITY_CHECK_QUEUE = 'energy.beat';
export const getShardQueueName = (shard: number): string => `energy.shard.${shard}`;

/**
 * Maximum number of messages in a shard. Shards fill up while the database is unavailable. If a shard is full, publishers get no
 * acknowledgement. 64 shards store 16 million messages or 8 GiB, whichever is reached first. A million meters that send every 15 minutes
 * produce 16 million messages in four hours.
 */
const MAX_MESSAGES = 250_000;
const MAX_BYTES = 128 * 2 ** 20;
/** Maximum size in bytes of the queue of stray messages, which people inspect. If the queue is full, the oldest messages are dropped. */
const MAX_STRAY_BYTES = 256 * 2 ** 20;
/** Maximum time in ms for which a worker may leave a message unacknowledged, for example while it waits for its database. */
const CONSUMER_TIMEOUT_MS = 86_400_000;

/** An exchange, queue or binding that must exist at the broker, with its arguments. */
export type BrokerDeclaration =
  | { kind: 'exchange'; name: string; type: string; options: Options.AssertExchange }
  | { kind: 'queue'; name: string; options: Options.AssertQueue }
  | { kind: 'queue binding'; to: string; from: string; key: string }
  | { kind: 'exchange binding'; to: string; from: string; key: string };

/**
 * Arguments of a replicated queue. A message is acknowledged when a majority of the nodes has flushed it to disk. A message is never
 * dropped because of many redeliveries.
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
  // Messages that a worker rejects go to the queue of stray messages. They remain in the shard until that queue has stored them.
  'x-dead-letter-exchange': STRAY_MESSAGES_QUEUE,
  'x-dead-letter-strategy': 'at-least-once',
  // Without this argument, the node to which the declaring worker is connected would lead all queues.
  'x-queue-leader-locator': 'balanced',
};

/**
 * Returns the exchanges, queues and bindings through which messages pass from devices to workers, in the order in which they must be
 * created. The exchange that accepts messages is created last; otherwise messages would be lost while the others are missing. Pure.
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
    // The binding key is the weight of a shard. All shards have the same weight.
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
