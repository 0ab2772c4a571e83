import { askingOf } from './asking.ts';
import { FAMILIES } from './families.ts';
import type { DecoderSettings, DeviceMessage, Family, Heard } from './family.ts';

/** What a message said, and whose family it is of. */
export interface FamilyHeard extends Heard {
  family: string;
}

/** Decoders of one gateway with what they have learnt. */
export interface Decoders {
  /**
   * Whether the message teaches something: then it is to be kept for those who come after, and learnt. `isAnother`: whether
   * its payload is another one than the last on its topic.
   */
  isNews(message: DeviceMessage, isAnother: () => boolean): boolean;
  /** Learns from a message, and reads it; null: nobody's. */
  hear(message: DeviceMessage, settings: DecoderSettings): FamilyHeard | null;
  /** Reads only. */
  read(message: DeviceMessage, settings: DecoderSettings): FamilyHeard | null;
  /** Learns only. */
  recall(message: DeviceMessage): void;
}

/** Decoders that remember nothing yet. `families`: in the order in which they are asked. */
export function createDecoders(families: readonly Family[] = FAMILIES): Decoders {
  const askedOn = askingOf(families);
  const memories = families.map((family) => family.newMemory());
  const recall = (message: DeviceMessage) => {
    for (const at of askedOn(message.topic).learns) families[at]?.learn(memories[at], message);
  };
  const read = (message: DeviceMessage, settings: DecoderSettings): FamilyHeard | null => {
    const { reads, byBody } = askedOn(message.topic);
    for (const at of reads) {
      const family = families[at] as Family;
      if (byBody.has(at) && !family.knows?.(message.payload)) continue;
      const heard = family.decode(message, settings, memories[at]);
      if (heard) return { family: family.name, ...heard };
    }
    return null;
  };
  return {
    isNews: (message, isAnother) =>
      askedOn(message.topic).learns.some((at) => {
        const family = families[at] as Family;
        return family.isNews ? family.isNews(memories[at], message) : isAnother();
      }),
    recall,
    read,
    hear(message, settings) {
      recall(message);
      return read(message, settings);
    },
  };
}
