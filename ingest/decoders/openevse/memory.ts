import type { DeviceMessage } from '../family.ts';
import { member, readObject } from '../read/payload.ts';
import { isUsualBase, parseOpenevseTopic } from './topic.ts';

/** A charger that publishes below a gateway's prefix by itself announces its whole base. */
const PREFIX = /^gw\/[^/]+\//;

/** What chargers have announced, and which of them tell their register in kWh. */
export class Chargers {
  /** Base by the topic of its announcement. */
  #announced = new Map<string, string>();
  #inKwh = new Set<string>();

  learn(message: DeviceMessage): void {
    const parsed = parseOpenevseTopic(message.topic);
    if (parsed?.about === 'announcement') {
      const base = baseIn(message);
      if (base !== null) this.#announced.set(message.topic, base);
    } else if (parsed && this.isOurs(parsed.base)) this.#inKwh.add(parsed.base);
  }

  /** Whether it says what is not known yet: announcements come with each connection, registers every few seconds. */
  isNews(message: DeviceMessage): boolean {
    const parsed = parseOpenevseTopic(message.topic);
    if (parsed?.about === 'value') return this.isOurs(parsed.base) && !this.#inKwh.has(parsed.base);
    const base = baseIn(message);
    return base !== null && this.#announced.get(message.topic) !== base;
  }

  isOurs = (base: string): boolean => isUsualBase(base) || [...this.#announced.values()].includes(base);
  tellsKwh = (base: string): boolean => this.#inKwh.has(base);
  /** The base that is announced on a topic; a last will does not repeat it. */
  announcedOn = (topic: string): string | undefined => this.#announced.get(topic);
}

function baseIn({ payload }: DeviceMessage): string | null {
  const base = member(readObject(payload), 'mqtt');
  if (typeof base !== 'string') return null;
  const own = base.replace(PREFIX, '');
  return own === '' || own.length > 128 ? null : own;
}
