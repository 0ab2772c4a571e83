import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal, turned } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { member, readObject } from '../read/payload.ts';
import { measuredOf } from './paths.ts';
import { parseVictronTopic } from './topic.ts';

/** Most chargers that are remembered. */
const MAX_CHARGERS = 500;

/** Victron's Venus OS: what a GX device publishes of what is connected to it. Remembers chargers that tell a session by itself. */
export const victron: Family<Set<string>> = {
  name: 'victron',
  takes: (topic) => parseVictronTopic(topic) !== null,
  remembers: (topic) => sessionOf(topic) !== null,
  newMemory: () => new Set(),
  isNews: (memory, message) => {
    const charger = chargerWithSession(message);
    return charger !== null && !memory.has(charger);
  },
  learn(memory, message) {
    const charger = chargerWithSession(message);
    if (charger !== null && memory.size < MAX_CHARGERS) memory.add(charger);
  },
  decode,
};

function decode({ topic, payload }: DeviceMessage, _settings: DecoderSettings, withSession: Set<string>): Heard | null {
  const parsed = parseVictronTopic(topic);
  if (!parsed) return null;
  if (parsed.about === 'nothing') return nothing();
  const { device, service, path } = parsed;
  const measured = measuredOf(service, path, withSession.has(device));
  // Nothing at all: the device has disappeared from the bus.
  if (!measured || payload.length === 0) return nothing();
  const body = readObject(payload);
  if (!body || !Object.hasOwn(body, 'value')) return refusal('payload is not a JSON object with a value');
  const heard = hearing();
  const { channel, kind, asks } = measured;
  const value = measured.isTurned ? turned(member(body, 'value')) : member(body, 'value');
  heard.add({ device, channel, kind, value, asks, name: path });
  return heard;
}

/** The charger of a topic on which a session's energy is. */
function sessionOf(topic: string): string | null {
  const parsed = parseVictronTopic(topic);
  return parsed?.about === 'value' && parsed.service === 'evcharger' && parsed.path === 'Session/Energy'
    ? parsed.device
    : null;
}

/** The charger that tells how much a session has, so that its other energy is all that it ever charged. */
function chargerWithSession({ topic, payload }: DeviceMessage): string | null {
  const charger = sessionOf(topic);
  return charger !== null && typeof readNumber(member(readObject(payload), 'value')) === 'number' ? charger : null;
}
