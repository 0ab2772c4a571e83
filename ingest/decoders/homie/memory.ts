import { replaceUnstorableCharacters } from '#src/core/storable-text.ts';
import type { DeviceMessage } from '../family.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject, readText } from '../read/payload.ts';
import { getReadableProperties, type PropertyDescription, type ReadableProperty } from './property.ts';
import { type HomieAttribute, parseHomieTopic } from './topic.ts';

/** Maximum number of cached properties. Beyond this number, the device with the oldest description is evicted. */
const MAX_PROPERTIES = 5_000;
const MAX_TEXT = 200;

interface Known {
  properties: Map<string, PropertyDescription>;
  /** Root device whose connection to the broker this device uses. */
  root?: string;
  /** Decoding rules of the properties. They are computed on demand, and discarded when an attribute changes. */
  readables?: Map<string, ReadableProperty>;
}

export class DescribedPropertyCache {
  #devices = new Map<string, Known>();
  #children = new Map<string, Set<string>>();
  #count = 0;

  /**
   * Stores an attribute (Homie 3 and 4) or a description (Homie 5). An empty payload removes the stored attribute or description; an
   * invalid payload changes nothing.
   */
  learn({ topic, payload }: DeviceMessage): void {
    const parsed = parseHomieTopic(topic);
    if (parsed?.about === 'description') this.#describe(parsed.device, payload);
    else if (parsed?.about === 'attribute')
      this.#tell(parsed, replaceUnstorableCharacters(readText(payload)?.slice(0, MAX_TEXT) ?? ''));
    for (const [oldest] of this.#devices) {
      if (this.#count <= MAX_PROPERTIES || this.#devices.size === 1) break;
      this.#forget(oldest);
    }
  }

  /**
   * Returns the rule by which a property is decoded; undefined if the decoder ignores the property. The description of an array applies to
   * each of its nodes (`plug_2`).
   */
  readable({
    device,
    node,
    property,
  }: {
    device: string;
    node: string;
    property: string;
  }): ReadableProperty | undefined {
    const known = this.#devices.get(device);
    if (!known) return undefined;
    known.readables ??= getReadableProperties(device, known.properties.values());
    const exact = known.readables.get(`${node}/${property}`);
    const [, array, index] = /^(.+)_(\d{1,4})$/.exec(node) ?? [];
    const shared = exact ? undefined : known.readables.get(`${array}/${property}`);
    if (!shared) return exact;
    const { described, key = '' } = shared;
    // The description of an array does not contain the node's index, so the index is added to the names.
    const of = described && { ...described, names: [`${array} ${index}`, ...described.names] };
    const place = { channel: `n${index}/${shared.channel}`, key: `n${index}/${key}` };
    return { ...shared, ...place, ...(of && { described: of }) };
  }

  /** Whether the device has described at least one property. */
  isDescribed = (device: string): boolean => this.#devices.has(device);

  /** Returns the child devices that are lost when their root device is lost. */
  childrenOf = (root: string): string[] => [...(this.#children.get(root) ?? [])];

  #describe(device: string, payload: Buffer): void {
    const description = payload.length === 0 ? null : parseJsonObject(payload);
    if (payload.length > 0 && !description) return;
    this.#forget(device);
    if (!description) return;
    const properties = new Map<string, PropertyDescription>();
    for (const one of propertiesOf(description)) {
      if (properties.size >= MAX_PROPERTIES) break;
      properties.set(`${one.node}/${one.property}`, one);
    }
    const root = getMember(description, 'root');
    const known: Known = { properties, ...(typeof root === 'string' && root !== device ? { root } : {}) };
    this.#devices.set(device, known);
    this.#count += Math.max(1, properties.size);
    if (known.root) this.#children.set(known.root, (this.#children.get(known.root) ?? new Set()).add(device));
  }

  #tell(
    {
      device,
      node,
      property,
      attribute,
    }: { device: string; node: string; property: string; attribute: HomieAttribute },
    text: string,
  ): void {
    const known: Known = this.#devices.get(device) ?? { properties: new Map() };
    const key = `${node}/${property}`;
    const before = Math.max(known.properties.size, this.#devices.has(device) ? 1 : 0);
    if (!known.properties.has(key) && known.properties.size >= MAX_PROPERTIES) return;
    const name = attribute.slice(1) as 'unit' | 'datatype' | 'name' | 'settable';
    const { [name]: _old, ...rest } = known.properties.get(key) ?? { node, property };
    const value = name === 'settable' ? text.trim() === 'true' : text.trim();
    known.properties.set(key, (text === '' ? rest : { ...rest, [name]: value }) as PropertyDescription);
    delete known.readables;
    this.#devices.delete(device);
    this.#devices.set(device, known);
    this.#count += known.properties.size - before;
  }

  #forget(device: string): void {
    const known = this.#devices.get(device);
    if (!known) return;
    this.#count -= Math.max(1, known.properties.size);
    this.#devices.delete(device);
    const siblings = known.root === undefined ? undefined : this.#children.get(known.root);
    siblings?.delete(device);
    if (known.root !== undefined && siblings?.size === 0) this.#children.delete(known.root);
  }
}

function propertiesOf(description: Json): PropertyDescription[] {
  return entries(getMember(description, 'nodes')).flatMap(([node, nodeBody]) =>
    entries(getMember(nodeBody, 'properties')).map(([property, body]): PropertyDescription => {
      const text = (from: Json, name: string) => {
        const value = getMember(from, name);
        return typeof value === 'string' && value !== ''
          ? { [name]: replaceUnstorableCharacters(value.slice(0, MAX_TEXT)) }
          : {};
      };
      const { name: nodeName } = text(nodeBody, 'name');
      return {
        node,
        property,
        ...(nodeName ? { nodeName } : {}),
        ...text(body, 'unit'),
        ...text(body, 'datatype'),
        ...text(body, 'name'),
        settable: getMember(body, 'settable') === true,
      };
    }),
  );
}

const entries = (value: unknown): [string, Json][] =>
  Object.entries(asObjectOrNull(value) ?? {}).flatMap(([key, one]) => {
    const body = asObjectOrNull(one);
    return body ? [[key, body] as [string, Json]] : [];
  });
