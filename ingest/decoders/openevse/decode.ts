import type { DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { getMember, parseJsonObject, readText } from '../read/payload.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { isDefaultOpenevseBaseTopic, parseOpenevseTopic } from './topic.ts';

/** Matches a gateway's prefix. A charger that publishes directly below this prefix includes it in the base topic that it announces. */
const PREFIX = /^gw\/[^/]+\//;

/** Cache of announced base topics, and of the chargers that publish their energy register in kWh. */
class Chargers {
  /** Announced base topics, by the topic of the announcement. */
  #announced = new Map<string, string>();
  #inKwh = new Set<string>();

  learn(message: DeviceMessage): void {
    const parsed = parseOpenevseTopic(message.topic);
    if (parsed?.about === 'announcement') {
      const base = baseIn(message);
      if (base !== null) this.#announced.set(message.topic, base);
    } else if (parsed && this.isOurs(parsed.base)) this.#inKwh.add(parsed.base);
  }

  /** Whether the message contains anything new. Chargers repeat announcements at each connection, and registers every few seconds. */
  isNews(message: DeviceMessage): boolean {
    const parsed = parseOpenevseTopic(message.topic);
    if (parsed?.about === 'value') return this.isOurs(parsed.base) && !this.#inKwh.has(parsed.base);
    const base = baseIn(message);
    return base !== null && this.#announced.get(message.topic) !== base;
  }

  isOurs = (base: string): boolean => isDefaultOpenevseBaseTopic(base) || [...this.#announced.values()].includes(base);
  tellsKwh = (base: string): boolean => this.#inKwh.has(base);
  /**
   * Returns the last base topic that was announced on a topic. It identifies the charger of a last will, because a last will does not
   * contain the base topic.
   */
  announcedOn = (topic: string): string | undefined => this.#announced.get(topic);
}

function baseIn({ payload }: DeviceMessage): string | null {
  const base = getMember(parseJsonObject(payload), 'mqtt');
  if (typeof base !== 'string') return null;
  const own = base.replace(PREFIX, '');
  return own === '' || own.length > 128 ? null : own;
}

const STATES = new Map<unknown, boolean>([
  ['connected', true],
  ['disconnected', false],
]);

/** Decoder of car chargers with the OpenEVSE firmware: lifetime energy, power, availability. */
export const openevseFamily: Family<Chargers> = {
  name: 'openevse',
  takes: (topic) => parseOpenevseTopic(topic) !== null,
  remembers(topic) {
    const parsed = parseOpenevseTopic(topic);
    return parsed?.about === 'announcement' || parsed?.name === 'total_energy';
  },
  newMemory: () => new Chargers(),
  isNews: (chargers, message) => chargers.isNews(message),
  learn: (chargers, message) => chargers.learn(message),
  decode,
};

function decode(message: DeviceMessage, _settings: unknown, chargers: Chargers): FamilyDecodeResult | null {
  const parsed = parseOpenevseTopic(message.topic);
  if (!parsed) return null;
  if (parsed.about === 'announcement') return availability(message, chargers);
  const { base, name } = parsed;
  if (!chargers.isOurs(base)) return null;
  const isInWh = name === 'wh' || name === 'watthour';
  // The charger publishes the same register in Wh and in kWh. The two values are rounded differently, so a decoder that used both would see
  // a register that decreases.
  if (isInWh && chargers.tellsKwh(base)) return createEmptyResult();
  if (!isInWh && name !== 'total_energy' && name !== 'power') return createEmptyResult();
  const value = readText(message.payload);
  if (value === null) return createRefusedResult(`${name} is not text`);
  const collector = createValueCollector();
  const said = { device: base, channel: 'import', value, name };
  if (name === 'power') collector.add({ ...said, kind: 'power_w' });
  else collector.add({ ...said, kind: 'energy_total_kwh', per: isInWh ? 1_000 : 1 });
  return collector;
}

function availability({ topic, payload }: DeviceMessage, chargers: Chargers): FamilyDecodeResult {
  if (payload.length === 0) return createEmptyResult();
  const body = parseJsonObject(payload);
  if (!body) return createRefusedResult('the announcement is not a JSON object');
  const value = STATES.get(getMember(body, 'state'));
  const device = chargers.announcedOn(topic);
  if (value === undefined) return createRefusedResult('the announcement has no state that is known');
  // Without a previous announcement, the charger of a last will is unknown.
  if (device === undefined) return createEmptyResult();
  const collector = createValueCollector();
  collector.addState({ device, channel: 'device', kind: 'availability', value, name: 'announce' });
  return collector;
}
