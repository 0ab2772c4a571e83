import type { DeviceMessage } from '../family.ts';
import { readText } from '../read/payload.ts';
import { isIdentifier, type Measured, measuredBy } from './identifier.ts';
import { parseVzloggerTopic, type VzloggerTopic } from './topic.ts';

/** What is known of one channel. */
interface Known {
  id: string;
  measured: Measured | null;
  /** It tells each value, beside means of them. */
  isRaw: boolean;
}

/** Identifiers that channels have announced, by device and channel. */
export class Channels {
  #devices = new Map<string, Map<string, Known>>();

  learn({ topic, payload, replayed = false }: DeviceMessage): void {
    const parsed = parseVzloggerTopic(topic);
    const known = parsed && this.of(parsed);
    // One that the broker has kept may be years old: it does not say that single values still come.
    if (parsed?.leaf === 'raw' && known && !replayed) known.isRaw = true;
    const id = parsed?.leaf === 'id' ? identifierIn(payload) : null;
    if (!parsed || id === null) return;
    const channels = this.#devices.get(parsed.device) ?? new Map<string, Known>();
    this.#devices.set(parsed.device, channels);
    // It has started again, with other settings maybe: single values tell by themselves whether they still come.
    channels.set(parsed.channel, { id, measured: measuredBy(id), isRaw: false });
  }

  /** Whether it says what is not known yet: identifiers come with each start, values every second. */
  isNews({ topic, payload, replayed = false }: DeviceMessage): boolean {
    const parsed = parseVzloggerTopic(topic);
    const known = parsed && this.of(parsed);
    if (parsed?.leaf === 'raw') return known ? !known.isRaw && !replayed : false;
    const id = identifierIn(payload);
    return id !== null && (known?.id !== id || known.isRaw);
  }

  of = ({ device, channel }: VzloggerTopic): Known | undefined => this.#devices.get(device)?.get(channel);

  /** Whether another channel of the device, before this one, measures the same: then it is another meter's. */
  isSecond({ device, channel }: VzloggerTopic, { kind, channel: place }: Measured): boolean {
    for (const [other, { measured }] of this.#devices.get(device) ?? []) {
      const isSame = measured?.kind === kind && measured.channel === place;
      if (isSame && inOrder.compare(other, channel) < 0) return true;
    }
    return false;
  }
}

/** `chn2` before `chn10`. */
const inOrder = new Intl.Collator('en', { numeric: true });

function identifierIn(payload: Buffer): string | null {
  const text = readText(payload)?.trim() ?? '';
  return isIdentifier(text) ? text : null;
}
