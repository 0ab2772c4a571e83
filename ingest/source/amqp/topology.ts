import type { Options } from 'amqplib';

/** Exchange to which RabbitMQ's MQTT plugin publishes (`mqtt.exchange` in its configuration). */
const MQTT_EXCHANGE = 'energy.mqtt';
/** Exchange that assigns each device's messages to one queue. */
const HASH_EXCHANGE = 'energy';
/** Queue of messages that belong to neither a device nor a gateway. Monitoring alerts an operator. */
export const STRAY_MESSAGES_QUEUE = 'energy.stray';
/** An always empty queue. Workers consume it to check whether their node reaches a majority of the cluster. */
export const MAJORITY_CHECK_QUEUE = 'energy.beat';
export const getShardQueueName = (shard: number): string => `energy.shard.${shard}`;

/**
 * Maximum number of messages in a queue, which fills up while the database is unavailable. Senders get no acknowledgement from a full
 * queue. A million meters that send every 15 minutes fill 64 queues in four hours.
 */
const MAX_MESSAGES = 250_000;
const MAX_BYTES = 128 * 2 ** 20;
/** Maximum size in bytes of `STRAY_MESSAGES_QUEUE`. If it is full, the oldest messages are dropped. */
const MAX_STRAY_BYTES = 256 * 2 ** 20;
const CONSUMER_TIMEOUT_MS = 86_400_000;

export type BrokerDeclaration =
  | { kind: 'exchange'; name: string; type: string; options: Options.AssertExchange }
  | { kind: 'queue'; name: string; options: Options.AssertQueue }
  | { kind: 'queue binding'; to: string; from: string; key: string }
  | { kind: 'exchange binding'; to: string; from: string; key: string };

/** Arguments of a replicated queue. A message is never dropped because of many redeliveries. */
const QUORUM = { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 };

/** Arguments of a shard's queue. They cannot be changed later, because RabbitMQ never changes the arguments of an existing queue. */
const SHARD = {
  ...QUORUM,
  'x-single-active-consumer': true,
  'x-consumer-timeout': CONSUMER_TIMEOUT_MS,
  'x-max-length': MAX_MESSAGES,
  'x-max-length-bytes': MAX_BYTES,
  'x-overflow': 'reject-publish',
  // A rejected message remains in its queue until `STRAY_MESSAGES_QUEUE` has stored it.
  'x-dead-letter-exchange': STRAY_MESSAGES_QUEUE,
  'x-dead-letter-strategy': 'at-least-once',
  // Without this argument, the node to which the declaring worker is connected would lead all queues.
  'x-queue-leader-locator': 'balanced',
};

/**
 * Returns the exchanges, queues and bindings in the order in which they must be created. The exchange that receives messages comes last: if
 * it existed before the others, messages would be lost.
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
    // The binding key is the weight of a queue. All queues have the same weight.
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
