import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { listNumbersWithPaths } from '../names/members.ts';
import { addNamedQuantities } from '../names/quantities.ts';
import { asObjectOrNull, getMember, type Json, parseJsonObject } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusal, createValueCollector } from '../read/value-collector.ts';

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
  if (!parsed.isUplink) return createEmptyResult();
  const body = parseJsonObject(payload);
  if (!body) return createRefusal('payload is not a JSON object: let the network server publish JSON');
  const uplink = uplinkOf(parsed, body);
  const collector = createValueCollector();
  if (!uplink.object || uplink.isSimulated) return collector;
  const atMs = parseMessageTime(uplink.time, 'iso', { receivedAtMs });
  addNamedQuantities(collector, listNumbersWithPaths(uplink.object), { device: parsed.device, atMs });
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
    const message = asObjectOrNull(getMember(body, 'uplink_message'));
    return {
      object: asObjectOrNull(getMember(message, 'decoded_payload')),
      time: getMember(message, 'received_at') ?? getMember(body, 'received_at'),
      isSimulated: getMember(body, 'simulated') === true,
    };
  }
  const text = getMember(body, 'objectJSON');
  const gateways = getMember(body, 'rxInfo');
  const first = Array.isArray(gateways) ? gateways[0] : undefined;
  return {
    object:
      asObjectOrNull(getMember(body, 'object')) ??
      (typeof text === 'string' ? parseJsonObject(Buffer.from(text)) : null),
    time: getMember(body, 'time') ?? getMember(body, 'publishedAt') ?? getMember(asObjectOrNull(first), 'time'),
    isSimulated: false,
  };
}
