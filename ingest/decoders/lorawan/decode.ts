import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { listNamedNumbers } from '../names/members.ts';
import { addNamedQuantities } from '../names/quantities.ts';
import { getOwnMember, type Json, parseJsonObject, toObjectOrNull } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createValueCollector, emptyResult, refusedResult } from '../read/value-collector.ts';

/** Parsed topic: the network server that has published the message, and the device. */
interface LorawanTopic {
  server: 'things-stack' | 'chirpstack';
  device: string;
  /** Whether the message is an uplink. Other messages (joins, acknowledgements, downlinks) contain no readings. */
  isUplink: boolean;
}

const THINGS_STACK = /^v3\/([^/]+)\/devices\/([^/]+)\/(.+)$/;
/** Topic of ChirpStack. Before version 3.11 it had no word `event`, and in much older versions an uplink was called `rx`. */
const CHIRPSTACK = /^application\/[^/]+\/device\/([0-9A-Fa-f]{16})\/(?:event\/)?([a-z]+(?:\/[a-z]+)?)$/;

/** Parses `v3/{app}@{tenant}/devices/{id}/up` and `application/{id}/device/{devEui}/event/up`; returns null for every other topic. */
function parseLorawanTopic(topic: string): LorawanTopic | null {
  const [, application, thing, about] = THINGS_STACK.exec(topic) ?? [];
  // The application is part of the device's id, because another application may have a device with the same id.
  if (thing !== undefined)
    return { server: 'things-stack', device: `${application}/${thing}`, isUplink: about === 'up' };
  const [, device, event = ''] = CHIRPSTACK.exec(topic) ?? [];
  if (device === undefined) return null;
  return { server: 'chirpstack', device: device.toLowerCase(), isUplink: event === 'up' || event === 'rx' };
}

/** Decoder of LoRaWAN devices behind The Things Stack or ChirpStack, whose payload the network server has decoded. */
export const lorawanFamily = createStatelessFamily({
  name: 'lorawan',
  takes: (topic) => parseLorawanTopic(topic) !== null,
  decode,
});

function decode({ topic, payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseLorawanTopic(topic);
  if (!parsed) return null;
  if (!parsed.isUplink) return emptyResult();
  const body = parseJsonObject(payload);
  if (!body) return refusedResult('payload is not a JSON object: let the network server publish JSON');
  const uplink = uplinkOf(parsed, body);
  const collector = createValueCollector();
  if (!uplink.object || uplink.isSimulated) return collector;
  const atMs = parseMessageTime(uplink.time, 'iso', { receivedAtMs });
  addNamedQuantities(collector, listNamedNumbers(uplink.object), { device: parsed.device, atMs });
  return collector;
}

interface Uplink {
  /** Payload as the network server has decoded it; null if the server has no formatter for the device, or the frame has no payload. */
  object: Json | null;
  time: unknown;
  isSimulated: boolean;
}

function uplinkOf({ server }: LorawanTopic, body: Json): Uplink {
  if (server === 'things-stack') {
    const message = toObjectOrNull(getOwnMember(body, 'uplink_message'));
    return {
      object: toObjectOrNull(getOwnMember(message, 'decoded_payload')),
      time: getOwnMember(message, 'received_at') ?? getOwnMember(body, 'received_at'),
      isSimulated: getOwnMember(body, 'simulated') === true,
    };
  }
  const text = getOwnMember(body, 'objectJSON');
  const gateways = getOwnMember(body, 'rxInfo');
  const first = Array.isArray(gateways) ? gateways[0] : undefined;
  return {
    object:
      toObjectOrNull(getOwnMember(body, 'object')) ??
      (typeof text === 'string' ? parseJsonObject(Buffer.from(text)) : null),
    time:
      getOwnMember(body, 'time') ?? getOwnMember(body, 'publishedAt') ?? getOwnMember(toObjectOrNull(first), 'time'),
    isSimulated: false,
  };
}
