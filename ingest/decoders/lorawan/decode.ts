import { toChannelWord } from '#src/devices/channel-name.ts';
import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, ownMember, readObject } from '../read/payload.ts';
import { parseIsoTime, plausibleTimeMs } from '../read/time.ts';
import {
  createValueCollector,
  emptyResult,
  refusedResult,
  toCelsius,
  type ValueCollector,
} from '../read/value-collector.ts';
import { registerFactsOf } from '../registers-of-a-device/register.ts';
import { assignChannels } from '../sparkplug/channels.ts';
import { metricMeaningOf } from '../sparkplug/meaning.ts';

/** Parsed topic: the network server that published, and the device. */
interface LorawanTopic {
  server: 'things-stack' | 'chirpstack';
  device: string;
  /** Whether the message is an uplink. All others (joins, acknowledgements, downlinks) contain no readings. */
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

/** Maximum number of members in one payload, and their maximum depth (below). */
const MAX_MEMBERS = 500;
const MAX_DEPTH = 4;

/** A member of the payload that the network server decoded, such as `meter/energy_kwh`. */
interface Member {
  path: string;
  value: unknown;
}

/** Returns all numbers and texts of an object, with the names of the enclosing objects. */
function membersOf(object: Json): Member[] {
  const members: Member[] = [];
  const visit = (inner: Json, before: string, depth: number) => {
    for (const [name, value] of Object.entries(inner)) {
      if (members.length >= MAX_MEMBERS) return;
      const path = before === '' ? name : `${before}/${name}`;
      const deeper = asObject(value);
      if (deeper) {
        if (depth < MAX_DEPTH) visit(deeper, path, depth + 1);
      } else if (typeof value === 'number' || typeof value === 'string') members.push({ path, value });
    }
  };
  visit(object, '', 1);
  return members;
}

/** Decoder of LoRaWAN devices behind The Things Stack or ChirpStack, whose payload the network server has decoded. */
export const lorawan = createStatelessFamily({
  name: 'lorawan',
  takes: (topic) => parseLorawanTopic(topic) !== null,
  decode,
});

/** Words for energy that state no unit. */
const ENERGY = /energ|consum|verbrauch|kwh/i;
/** Units of quantities other than active energy. */
const OTHER_UNIT = /k?va(?:rh?|h)?(?:_|$)/i;

function decode({ topic, payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseLorawanTopic(topic);
  if (!parsed) return null;
  if (!parsed.isUplink) return emptyResult();
  const body = readObject(payload);
  if (!body) return refusedResult('payload is not a JSON object: let the network server publish JSON');
  const uplink = uplinkOf(parsed, body);
  const heard = createValueCollector();
  if (!uplink.object || uplink.isSimulated) return heard;
  const atMs = plausibleTimeMs(parseIsoTime(uplink.time, { receivedAtMs }), receivedAtMs);
  hearMembers(heard, membersOf(uplink.object), { device: parsed.device, atMs });
  return heard;
}

interface Uplink {
  /** Payload as the network server decoded it; null if it has no formatter or the frame has no payload. */
  object: Json | null;
  time: unknown;
  isSimulated: boolean;
}

function uplinkOf({ server }: LorawanTopic, body: Json): Uplink {
  if (server === 'things-stack') {
    const message = asObject(ownMember(body, 'uplink_message'));
    return {
      object: asObject(ownMember(message, 'decoded_payload')),
      time: ownMember(message, 'received_at') ?? ownMember(body, 'received_at'),
      isSimulated: ownMember(body, 'simulated') === true,
    };
  }
  const text = ownMember(body, 'objectJSON');
  const gateways = ownMember(body, 'rxInfo');
  const first = Array.isArray(gateways) ? gateways[0] : undefined;
  return {
    object: asObject(ownMember(body, 'object')) ?? (typeof text === 'string' ? readObject(Buffer.from(text)) : null),
    time: ownMember(body, 'time') ?? ownMember(body, 'publishedAt') ?? ownMember(asObject(first), 'time'),
    isSimulated: false,
  };
}

function hearMembers(
  heard: ValueCollector,
  members: readonly Member[],
  said: { device: string; atMs: number | null },
): void {
  const meanings = members.flatMap(({ path }) => {
    const meaning = metricMeaningOf(path, undefined);
    return meaning ? [{ ...meaning, name: path }] : [];
  });
  const quantities = assignChannels(meanings);
  for (const { path, value } of members) {
    const quantity = quantities.get(path);
    if (quantity) {
      const { unit, ...place } = quantity;
      const { kind, times, per, fahrenheit } = unit;
      heard.add({ ...said, ...place, kind, times, per, value: fahrenheit ? toCelsius(value, 'F') : value, name: path });
    } else if (quantity === undefined && isUnknownEnergy(path, value)) {
      const place = {
        channel: `unknown/${toChannelWord(path)}`,
        asks: { unit: null },
        described: { names: [path], unit: null },
      };
      heard.add({ ...said, ...place, kind: 'energy_total_kwh', value, name: path });
    }
  }
}

/** Whether a member is named as energy but has no known unit. Members that are known not to count are excluded. */
const isUnknownEnergy = (path: string, value: unknown): boolean =>
  ENERGY.test(path) &&
  !OTHER_UNIT.test(path) &&
  typeof readNumber(value) === 'number' &&
  Number(value) >= 0 &&
  registerFactsOf({ names: [path], unit: null }).not === null &&
  metricMeaningOf(`${path}_kwh`, undefined) !== null;
