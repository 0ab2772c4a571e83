import type { AnnouncedDevice, ChannelAssignment, DeviceMessage } from '../family.ts';
import { createCircuitWord } from '../read/circuit-word.ts';
import { parseJsonObject } from '../read/payload.ts';
import { isDeviceId } from '../read/value-collector.ts';
import { isFlowAndReturnTemperaturePair } from '../vocabulary/thermal.ts';
import type { AvailabilityTopic } from './availability.ts';
import { assignEntityChannels, canEntityHaveChannel, type MeteredEntity } from './channels.ts';
import { type AnnouncedEntity, getReadableEntities } from './entity.ts';
import type { ValueSource } from './source.ts';
import { isReadableConfigTopic, parseConfigTopic } from './topic.ts';

/** Maximum number of cached entities. Beyond this number, the oldest announcement is evicted. */
const MAX_ENTITIES = 5_000;
/**
 * Matches the state topics that the owner can configure a bridge to forward. Longer topics are not stored (`gateways/announcements.ts`).
 */
const STATE_TOPIC = /^[^\p{Cc}+#]{1,512}$/u;

interface Speakers {
  sources: Map<ValueSource, AnnouncedEntity>;
  availabilities: Map<AvailabilityTopic, AnnouncedEntity>;
}

/** Cache of announced entities, indexed by the topics of their states. */
export class AnnouncedEntityCache {
  #byConfig = new Map<string, AnnouncedEntity[]>();
  #byTopic = new Map<string, Speakers>();
  #byDevice = new Map<string, Set<AnnouncedEntity>>();
  /** Channels of each device's entities, computed on demand and discarded when an entity of the device is announced or removed. */
  #places = new Map<string, Map<AnnouncedEntity, ChannelAssignment>>();
  #count = 0;

  /**
   * Stores an announcement, which replaces the previous one on its topic. An empty payload removes the announcement; an invalid payload
   * changes nothing.
   */
  learn({ topic, payload }: DeviceMessage): void {
    const parsed = parseConfigTopic(topic);
    if (!parsed || !isReadableConfigTopic(topic)) return;
    const config = payload.length === 0 ? null : parseJsonObject(payload);
    if (payload.length > 0 && !config) return;
    this.#forget(topic);
    const entities = config ? getReadableEntities(parsed, config) : [];
    if (entities.length === 0) return;
    this.#byConfig.set(topic, entities);
    for (const entity of entities) this.#add(entity);
    for (const [oldest] of this.#byConfig) {
      if (this.#count <= MAX_ENTITIES) break;
      this.#forget(oldest);
    }
  }

  /** Returns the entities that publish on a topic; undefined if none was announced there. */
  on = (topic: string): Readonly<Speakers> | undefined => this.#byTopic.get(topic);

  /** Returns the device of an announcement and the topics of the device's values; undefined if no such topic can be listed. */
  announcedBy(configTopic: string): AnnouncedDevice | undefined {
    const entities = this.#byConfig.get(configTopic) ?? [];
    const listed = entities.filter((entity) => !isMetered(entity) || canEntityHaveChannel(entity));
    const sources = listed.flatMap((entity) => entity.sources.filter(({ refusal }) => refusal === undefined));
    const [first, ...rest] = new Set(sources.map(({ topic }) => topic).filter((topic) => STATE_TOPIC.test(topic)));
    const device = entities[0]?.device;
    return first !== undefined && device !== undefined && isDeviceId(device)
      ? { device, topics: [first, ...rest] }
      : undefined;
  }

  placeOf(entity: AnnouncedEntity): ChannelAssignment | undefined {
    let places = this.#places.get(entity.device);
    if (!places) {
      places = allPlaces([...(this.#byDevice.get(entity.device) ?? [])]);
      this.#places.set(entity.device, places);
    }
    return places.get(entity);
  }

  /**
   * Returns the device that publishes on a topic if its announcements contain meters, but none with a channel. Returns undefined for every
   * other topic.
   */
  deviceWithoutRegisters(topic: string): string | undefined {
    const [device, ...others] = new Set([...(this.on(topic)?.sources.values() ?? [])].map((entity) => entity.device));
    if (device === undefined || others.length > 0) return undefined;
    const meters = [...(this.#byDevice.get(device) ?? [])].filter(isMetered);
    return meters.length > 0 && !meters.some((entity) => this.placeOf(entity)) ? device : undefined;
  }

  #add(entity: AnnouncedEntity): void {
    this.#count += 1;
    this.#places.delete(entity.device);
    const siblings = this.#byDevice.get(entity.device) ?? new Set();
    this.#byDevice.set(entity.device, siblings.add(entity));
    for (const source of entity.sources) this.#speakers(source.topic).sources.set(source, entity);
    for (const one of entity.availability) this.#speakers(one.topic).availabilities.set(one, entity);
  }

  #forget(configTopic: string): void {
    for (const entity of this.#byConfig.get(configTopic) ?? []) {
      this.#count -= 1;
      this.#places.delete(entity.device);
      const siblings = this.#byDevice.get(entity.device);
      siblings?.delete(entity);
      if (siblings?.size === 0) this.#byDevice.delete(entity.device);
      for (const one of [...entity.sources, ...entity.availability]) {
        const speakers = this.#speakers(one.topic);
        speakers.sources.delete(one as ValueSource);
        speakers.availabilities.delete(one as AvailabilityTopic);
        if (speakers.sources.size + speakers.availabilities.size === 0) this.#byTopic.delete(one.topic);
      }
    }
    this.#byConfig.delete(configTopic);
  }

  #speakers(topic: string): Speakers {
    const speakers = this.#byTopic.get(topic) ?? { sources: new Map(), availabilities: new Map() };
    this.#byTopic.set(topic, speakers);
    return speakers;
  }
}

const isMetered = (entity: AnnouncedEntity): entity is AnnouncedEntity & MeteredEntity => entity.kind !== undefined;

const isThermometer = ({ component, sources }: AnnouncedEntity): boolean =>
  component === 'sensor' && sources.some(({ kind }) => kind === 'temperature_c');

/**
 * Assigns a channel to each entity of a device. `assignEntityChannels` chooses the channels of meters. The channel of a single thermostat
 * is `room`. Each thermometer has a channel of its own.
 */
function allPlaces(entities: readonly AnnouncedEntity[]): Map<AnnouncedEntity, ChannelAssignment> {
  const mayMeasureHeat = isFlowAndReturnTemperaturePair(
    entities.filter(isThermometer).flatMap(({ name, object }) => [object, name ?? '']),
  );
  const metered = entities.filter(isMetered);
  const places = new Map<AnnouncedEntity, ChannelAssignment>(assignEntityChannels(metered, mayMeasureHeat));
  const thermostats = entities.filter(({ component }) => component === 'climate');
  for (const entity of entities) {
    if (isMetered(entity)) continue;
    const word = createCircuitWord(entity.object);
    if (entity.component !== 'climate') places.set(entity, { channel: `temperature/${word}` });
    else places.set(entity, { channel: thermostats.length === 1 ? 'room' : `room/${word}` });
  }
  return places;
}
