import { describeMessage, type PriorMessage } from '#ingest/decoders/describe.ts';

/** Time of receipt of all messages of `readMessage`, in Unix ms. */
export const RECEIVED_AT_MS = Date.UTC(2026, 10, 28);

/** Decodes a message of an unknown device as the message tester does. A `body` that is not text is sent as JSON. `prior`: earlier messages. */
export function readMessage(
  topic: string,
  body: unknown,
  { replayed = false, prior = [] }: { replayed?: boolean; prior?: readonly PriorMessage[] } = {},
): ReturnType<typeof describeMessage> {
  const payload = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return describeMessage({ topic, payload, receivedAtMs: RECEIVED_AT_MS, replayed }, {}, prior);
}
