import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { findRegisterCodePattern } from '../names/codes.ts';
import { listNumbersWithPaths, unwrapSingleObjectLists } from '../names/members.ts';
import { addNamedQuantities } from '../names/quantities.ts';
import type { MemberContext } from '../names/without-unit.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';

/** Network server that has published the message, and the device, from the topic. */
interface LorawanTopic {
  server: 'things-stack' | 'chirpstack' | 'helium';
  device: string;
  /** Whether the message is an uplink. Other messages (joins, acknowledgements, downlinks) contain no readings. */
  isUplink: boolean;
}

const THINGS_STACK = /^v3\/([^/]+)\/devices\/([^/]+)\/(up|join|(?:down|service|location)\/.+)$/;
/** Topic of ChirpStack. Before version 3.11, the topic had no level `event`; much older versions called an uplink `rx`. */
const CHIRPSTACK = /^application\/[^/]+\/device\/([0-9A-Fa-f]{16})\/(?:event\/)?([a-z]+(?:\/[a-z]+)?)$/;
/** Topic of the Helium console. Only `rx` is an uplink. */
const HELIUM = /^helium\/[^/]+\/(rx|tx|join)\/device\/([^/]+)$/;

/**
 * Parses `v3/{app}@{tenant}/devices/{id}/up`, `application/{id}/device/{devEui}/event/up` and `helium/{organisation}/rx/device/{id}`; returns
 * null for every other topic.
 */
function parseLorawanTopic(topic: string): LorawanTopic | null {
  const [, application, thing, about] = THINGS_STACK.exec(topic) ?? [];
  // The application is part of the device's id, because another application may have a device with the same id.
  if (thing !== undefined)
    return { server: 'things-stack', device: `${application}/${thing}`, isUplink: about === 'up' };
  const [, way, node] = HELIUM.exec(topic) ?? [];
  if (node !== undefined) return { server: 'helium', device: node.toLowerCase(), isUplink: way === 'rx' };
  const [, device, event = ''] = CHIRPSTACK.exec(topic) ?? [];
  if (device === undefined) return null;
  return { server: 'chirpstack', device: device.toLowerCase(), isUplink: event === 'up' || event === 'rx' };
}

/** Decoder of LoRaWAN devices behind The Things Stack, ChirpStack or Helium, whose payload the network server has decoded. */
export const lorawanFamily = createStatelessFamily({
  name: 'lorawan',
  takes: (topic) => parseLorawanTopic(topic) !== null,
  decode,
});

/** Members by which the network servers' messages are recognised: ids of the device, or the decoded payload. */
const SERVER_MEMBERS = [
  'end_device_ids',
  'uplink_message',
  'deviceInfo',
  'devEUI',
  'object',
  'objectJSON',
  'dev_eui',
  'decoded',
];

function decode({ topic, payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseLorawanTopic(topic);
  if (!parsed) return null;
  if (!parsed.isUplink) return createEmptyResult();
  const body = parseJsonObject(payload);
  if (!body) return createRefusedResult('payload is not a JSON object: let the network server publish JSON');
  const uplink = uplinkOf(parsed, body);
  const collector = createValueCollector();
  if (!SERVER_MEMBERS.some((name) => Object.hasOwn(body, name))) return { ...collector, isUnread: true };
  if (!uplink.object || uplink.isSimulated) return collector;
  const atMs = parseMessageTime(uplink.time, parsed.server === 'helium' ? 'ms' : 'iso', { receivedAtMs });
  const members = listNumbersWithPaths(unwrapSingleObjectLists(uplink.object));
  const context = registersOf(uplink.object, [topic, uplink.name]);
  addNamedQuantities(collector, members, { device: parsed.device, atMs }, context);
  return collector;
}

/** Matches the names of members that accompany the `index` of a pulse reader or optical reader. */
const OF_READER = /^(?:meter_?type|increments?)$/i;
/** Matches the name of a meter's register without a quantity and a unit (Talkpool OY1320). */
const METER_READING = /^meter_?reading$/i;

/**
 * Returns a pattern of the register codes in a payload, and whether they count gas or water (`isVolume`). The pattern is undefined if neither
 * the payload nor the names show which codes the device uses.
 */
function registersOf(object: Json, names: readonly unknown[]): Pick<MemberContext, 'codes' | 'isVolume'> {
  const members = Object.keys(object);
  const isReading = members.some((name) => METER_READING.test(name));
  const codes = members.some((name) => OF_READER.test(name)) ? /^index$/ : isReading ? METER_READING : undefined;
  if (!codes) return { codes: findRegisterCodePattern(names.join(' ')) };
  const media = [...names, ...Object.values(object)].flatMap((text) =>
    typeof text === 'string' ? getNameMeaning(text).medium : '',
  );
  // If a text names heat, the unit of the register may be a volume or an energy, so no pattern is returned.
  if (media.includes('heat')) return { codes: undefined };
  return { codes, isVolume: media.includes('gas') || media.includes('water') };
}

interface Uplink {
  /** Payload as the network server has decoded it; null if the server has no formatter for the device, or the frame has no payload. */
  object: Json | null;
  /** Name that the owner has given to the device. */
  name: unknown;
  time: unknown;
  isSimulated: boolean;
}

function uplinkOf({ server }: LorawanTopic, body: Json): Uplink {
  if (server === 'things-stack') {
    const message = asObjectOrNull(getMember(body, 'uplink_message'));
    return {
      object: asObjectOrNull(getMember(message, 'decoded_payload')),
      // No separate name is needed: the decoder searches the topic, which contains the name of the device.
      name: '',
      time: getMember(message, 'received_at') ?? getMember(body, 'received_at'),
      isSimulated: getMember(body, 'simulated') === true,
    };
  }
  if (server === 'helium') {
    return {
      object: asObjectOrNull(getMember(asObjectOrNull(getMember(body, 'decoded')), 'payload')),
      name: getMember(body, 'name'),
      time: getMember(body, 'reported_at'),
      isSimulated: false,
    };
  }
  const text = getMember(body, 'objectJSON');
  const gateways = getMember(body, 'rxInfo');
  const first = Array.isArray(gateways) ? gateways[0] : undefined;
  return {
    object:
      asObjectOrNull(getMember(body, 'object')) ??
      (typeof text === 'string' ? parseJsonObject(Buffer.from(text)) : null),
    name: getMember(asObjectOrNull(getMember(body, 'deviceInfo')) ?? body, 'deviceName'),
    time: getMember(body, 'time') ?? getMember(body, 'publishedAt') ?? getMember(asObjectOrNull(first), 'time'),
    isSimulated: false,
  };
}
