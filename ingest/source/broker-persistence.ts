import { Readable } from 'node:stream';
import type { AedesPublishPacket, Client } from 'aedes';
import type { Unreleased } from './unreleased.ts';

type Packet = AedesPublishPacket & { messageId: number };

/**
 * What aedes keeps, in the place of its own memory, which keeps whole messages by client id, for ever where a session is to last. Here that is the retained messages
 * of the service's own and, of sessions, the ids of messages that were received at QoS 2 and not released (`unreleased.ts`). Nothing is sent but at QoS 0, so no
 * message waits for a client that is away; subscriptions end with their connections; a will is kept by its connection alone. An entry that
 * aedes asks for and does not find is an error to it.
 */
export function brokerPersistence(unreleased: Unreleased, accountOf: (client: Client) => string) {
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
    /** What is granted has no wildcards: each is looked up, and nothing is scanned. */
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
    subscriptionsByClient: none,
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
