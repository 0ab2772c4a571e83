import type { DecodedReading } from '../decoders/decoder.ts';
import type { IncomingMessage, Rejection, ResultsByMessage } from '../message.ts';
import type { DeviceHeadWithPlan } from './head.ts';

interface BatchOutcome {
  stepped: readonly DecodedReading[];
  plans: readonly DeviceHeadWithPlan[];
  rejects: readonly Rejection[];
}

/** Returns the result of each message of a batch. Readings that are neither stored nor rejected are duplicates. */
export function groupResultsByMessage(
  batch: readonly IncomingMessage[],
  { stepped, plans, rejects }: BatchOutcome,
): ResultsByMessage {
  const isStepped = new Set(stepped);
  const stored = new Map<IncomingMessage, number>();
  for (const { plan } of plans)
    for (const { inserts, lowered } of plan.series)
      for (const points of [inserts, lowered])
        for (const { message } of points) stored.set(message, (stored.get(message) ?? 0) + 1);
  const rejected = Map.groupBy(
    rejects.filter(({ isOfEarlier }) => !isOfEarlier),
    ({ message }) => message,
  );
  return new Map(
    batch.map((message) => {
      const { readings, rejections } = message.decoded;
      const ofMessage = rejected.get(message) ?? [];
      const count = readings.reduce((sum, one) => sum + (isStepped.has(one) ? 1 : 0), stored.get(message) ?? 0);
      // Rejections without a decoder error concern one reading or, if the device is unknown, the whole message.
      const isWhole = ofMessage.length > rejections.length && ofMessage.some(({ element }) => element === null);
      const lost = isWhole ? readings.length - count : ofMessage.length - rejections.length;
      return [
        message,
        {
          stored: count,
          duplicates: readings.length - count - lost,
          rejections: ofMessage.map(({ element, reason }) => ({ element, reason })),
        },
      ];
    }),
  );
}
