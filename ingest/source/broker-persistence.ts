import { Readable } from 'node:stream';
import type { AedesPublishPacket, Client } from 'aedes';
import type { UnreleasedMessages } from './unreleased-messages.ts';

type Packet = AedesPublishPacket & { messageId: number };

/**
 * Creates the storage for the MQTT broker (aedes). It stores only retained messages of the service itself and the ids of unreleased QoS 2
 * messages, within limits. Messages for absent clients are not stored. The default storage of aedes has no limits.
 */
export function createBrokerPersistence(unreleased: UnreleasedMessages, accountOf: (client: Client) => string) {
  const retained = new Map<string, AedesPublishPacket>();
  const missing = async () => {
    throw new Error('no such packet');
  };
  const nothing = async () => {};
  const none = async () => [];
  return {
    async setup() {},
    async storeRetained(packet: AedesPublishPacket) {
      if (packet.payload.length === 0) retained.delete(packet.topic);
      else retained.set(packet.topic, { ...packet });
    },
    /** Granted subscriptions contain no wildcards, so each topic needs only one lookup. */
    createRetainedStreamCombi: (topics: readonly string[]) =>
      Readable.from(topics.flatMap((topic) => retained.get(topic) ?? [])),
    async incomingGetPacket({ id }: Client, { messageId }: Packet) {
      return unreleased.has(id, messageId) ? { messageId } : missing();
    },
    async incomingStorePacket(client: Client, { messageId }: Packet) {
      unreleased.isRepeated(client.id, messageId, accountOf(client), () => {});
      unreleased.commit(client.id, messageId);
    },
    async incomingDelPacket({ id }: Client, { messageId }: Packet) {
      if (!unreleased.release(id, messageId)) await missing();
    },
    async cleanIncoming({ id }: Client) {
      unreleased.drop(id);
    },
    addSubscriptions: nothing,
    removeSubscriptions: nothing,
    cleanSubscriptions: nothing,
    subscriptionsByClient: async ({ id }: Pick<Client, 'id'>) =>
      unreleased.topicsOf(id).map((topic) => ({ topic, qos: 0 })),
    subscriptionsByTopic: none,
    outgoingEnqueue: nothing,
    outgoingEnqueueCombi: nothing,
    outgoingUpdate: missing,
    outgoingClearMessageId: nothing,
    outgoingStream: () => Readable.from([]),
    putWill: nothing,
    delWill: nothing,
    streamWill: () => Readable.from([]),
  };
}
