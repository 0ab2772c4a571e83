import { compileJsonPath } from '#src/core/json-path.ts';
import { matchTopicFilter } from '#src/core/topic-filter.ts';
import { parseMappedQuantity } from '#src/devices/mapped-quantity.ts';
import { isCommandTopic, type MappingEntry } from '#src/devices/mapping.ts';
import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { compilePayloadConditions } from '../read/conditions.ts';
import { readNumber } from '../read/number.ts';
import { parseNameValuePairs, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import {
  convertToCelsius,
  createEmptyResult,
  createValueCollector,
  type ValueCollector,
} from '../read/value-collector.ts';

/** A mapping that matches a topic, and the device that the topic identifies. */
interface Named {
  mapped: MappingEntry;
  device: string;
}

/** Returns the mappings whose filter matches the topic, with the device of each. */
function namedOn(topic: string, mapping: readonly MappingEntry[]): Named[] {
  if (isCommandTopic(topic)) return [];
  return mapping.flatMap((mapped) => {
    const wild = matchTopicFilter(mapped.topic, topic);
    if (!wild) return [];
    if (!mapped.topic.includes('+')) return [{ mapped, device: mapped.device ?? topic }];
    // The topic levels that match `#` are not part of the device's name.
    const name = wild.slice(0, mapped.topic.split('+').length - 1).join('/');
    // The replacement is a function, because `replace` would interpret a `$` in a replacement text.
    return [{ mapped, device: (mapped.device ?? '+').replace('+', () => name) }];
  });
}

/** Decoder of the owner's own mapping: numbers on topics that the owner has described (`decoder_config.mapping`). */
export const mappingFamily = createStatelessFamily({ name: 'mapping', decode });

function decode(message: DeviceMessage, settings: DecoderSettings): FamilyDecodeResult | null {
  if (!settings.mapping) return null;
  const named = namedOn(message.topic, settings.mapping);
  if (named.length === 0) return null;
  // An empty payload only deletes a retained message and contains no value.
  if (message.payload.length === 0) return createEmptyResult();
  const collector = createValueCollector();
  const hasPath = named.some(({ mapped }) => mapped.path !== undefined);
  const json = hasPath ? (readJson(message.payload) ?? parseNameValuePairs(message.payload)) : undefined;
  const placed = new Set<string>();
  let isTaken = false;
  for (const one of named) {
    const value = numberAt(one.mapped, message.payload, json);
    if (value === undefined) continue;
    isTaken = true;
    if (value === UNREADABLE)
      collector.refuse(`payload is not ${one.mapped.path === undefined ? 'a number' : 'JSON'}`, one.device);
    else {
      const { time_path, time_unit } = one.mapped;
      const time = time_path === undefined ? undefined : compileJsonPath(time_path)?.(json);
      const atMs = parseMessageTime(time, time_unit, { tz: settings.tz, receivedAtMs: message.receivedAtMs });
      add(collector, placed, one, value, atMs);
    }
  }
  // If the message contains no mapped member, it may belong to another family.
  return isTaken ? collector : null;
}

const UNREADABLE = Symbol('unreadable');

/**
 * Returns the number to which a mapping refers; undefined if the payload does not contain it. If the mapping's filter ends in `#`, payloads
 * without the number are ignored.
 */
function numberAt({ topic, path, where }: MappingEntry, payload: Buffer, json: unknown): unknown {
  const unreadable = topic.endsWith('#') ? undefined : UNREADABLE;
  if (path !== undefined) {
    if (json === undefined) return unreadable;
    return compilePayloadConditions(where)(json) ? compileJsonPath(path)?.(json) : undefined;
  }
  const text = readText(payload);
  return text === null || readNumber(text) === undefined ? unreadable : text;
}

function add(
  collector: ValueCollector,
  placed: Set<string>,
  { mapped, device }: Named,
  value: unknown,
  atMs: number | null,
) {
  const quantity = parseMappedQuantity(mapped);
  const name = [mapped.topic, mapped.path].join(' ').trim();
  // Mappings are validated when they are stored. If a stored mapping is invalid nevertheless, the message is refused.
  if (typeof quantity === 'string') return collector.refuse(`${name}: ${quantity}`, device);
  const place = JSON.stringify([device, quantity.channel, quantity.kind]);
  if (placed.has(place))
    return collector.refuse(`${name}: another mapping already has the meaning ${quantity.channel}`, device);
  placed.add(place);
  if (mapped.unit !== 'F') return collector.add({ device, ...quantity, value, atMs, name });
  const { times, per, ...of } = quantity;
  const read = readNumber(value);
  const degrees = typeof read === 'number' ? convertToCelsius((read * times) / per, 'F') : value;
  collector.add({ device, ...of, value: degrees, atMs, name });
}
