import type { Channel, ChannelModel } from 'amqplib';
import { type BrokerDeclaration, getShardQueueName, listRequiredTopology } from './topology.ts';

/** Thrown if a queue or exchange at the broker differs from the required one. An operator must resolve this. */
export class TopologyError extends Error {
  override name = 'TopologyError';
}

/** Reply codes with which the broker closes a channel (AMQP 0-9-1, 1.2). */
const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;

/**
 * Creates missing exchanges, queues and bindings, and checks existing ones. Several workers may do this at the same time. Throws a
 * TopologyError that names the difference and the remedy.
 */
export async function declareTopology(
  connection: ChannelModel,
  shards: number,
  routingKeys: readonly string[],
): Promise<void> {
  const wanted = listRequiredTopology(shards, routingKeys);
  await runOnNewChannel(connection, async (channel) => {
    for (const one of wanted) await declare(channel, one);
  });
  if (await exists(connection, getShardQueueName(shards))) {
    throw new TopologyError(
      `The broker has the queue ${getShardQueueName(shards)}: it was used with more than ${shards} shards, by another database perhaps. ` +
        'Set SHARDS to the number of its queues energy.shard.…, or give this installation a virtual host of its own in MQTT_URL.',
    );
  }
}

async function declare(channel: Channel, one: BrokerDeclaration): Promise<unknown> {
  switch (one.kind) {
    case 'exchange':
      return channel.assertExchange(one.name, one.type, one.options).catch(differs(one.name));
    case 'queue':
      return channel.assertQueue(one.name, one.options).catch(differs(one.name));
    case 'queue binding':
      return channel.bindQueue(one.to, one.from, one.key);
    case 'exchange binding':
      return channel.bindExchange(one.to, one.from, one.key);
  }
}

/** The error text of RabbitMQ contains the argument's name, current value and requested value. */
const differs =
  (name: string) =>
  (error: Error & { code?: number }): never => {
    if (error.code !== PRECONDITION_FAILED) throw error;
    const difference = /inequivalent arg .*/.exec(error.message)?.[0].replace(/"$/, '') ?? error.message;
    throw new TopologyError(
      `${name} is at the broker, and not as this version needs it: ${difference}. If its messages are done with (rabbitmqctl list_queues), ` +
        `stop all ingest workers, delete it (rabbitmqctl delete_queue ${name}; an exchange at the management page) and start them again.`,
    );
  };

async function exists(connection: ChannelModel, queue: string): Promise<boolean> {
  try {
    await runOnNewChannel(connection, (channel) => channel.checkQueue(queue));
    return true;
  } catch (error) {
    if ((error as { code?: number }).code === NOT_FOUND) return false;
    throw error;
  }
}

/** Runs an action on a separate AMQP channel, because the broker closes a channel after an error. */
export async function runOnNewChannel<T>(connection: ChannelModel, act: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await connection.createChannel();
  channel.on('error', () => {});
  const result = await act(channel);
  await channel.close();
  return result;
}
