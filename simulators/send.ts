import { setImmediate } from 'node:timers/promises';
import { hasLittleMemory } from '#src/core/memory.ts';
import type { DevicePublisher } from './publisher.ts';

/** Number of elements in a message. A message with 400 elements has some 30 KB. */
const ELEMENTS_A_MESSAGE = hasLittleMemory() ? 100 : 400;

/**
 * Publishes elements as arrays on a topic, several per message. A group of elements is never split. Resolves with the number of elements
 * when all are acknowledged.
 */
export async function publishReadings(
  publisher: DevicePublisher,
  topic: string,
  elements: Iterable<object | readonly object[]> | AsyncIterable<object>,
  onSent?: (elements: number) => void,
): Promise<number> {
  let batch: object[] = [];
  let sent = 0;
  const send = async () => {
    await publisher.publish(topic, JSON.stringify(batch));
    sent += batch.length;
    onSent?.(batch.length);
    batch = [];
    // Other events must run meanwhile: computing the elements may take long, and a broker closes connections that do not respond.
    await setImmediate();
  };
  for await (const element of elements) {
    if (Array.isArray(element)) batch.push(...element);
    else batch.push(element);
    if (batch.length >= ELEMENTS_A_MESSAGE) await send();
  }
  if (batch.length > 0) await send();
  await publisher.flush();
  return sent;
}
