import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { type Json, member, readObject } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { volumeChannel } from '../read/volume.ts';
import { type Field, parseField } from './fields.ts';
import { prefixOf } from './media.ts';
import { ALARMS, isOwnTopic, isTelegram, mayBeTelegram } from './topic.ts';

/** The smallest 32-bit number: what drivers say where the meter has no value. */
const NO_VALUE = -2_147_483_648;
/** Where volumes go, by the prefix of their medium. Of cold there is no commodity, of electricity no volume. */
const VOLUMES = new Map((['gas', 'heat', 'water'] as const).map((medium) => [`${medium}/`, volumeChannel(medium)]));

/** wmbusmeters: electricity, heat, cooling, gas and water meters that are heard by radio or read by wired M-Bus. */
export const wmbusmeters = withoutMemory({
  name: 'wmbusmeters',
  takes: (topic) => topic === ALARMS || isOwnTopic(topic),
  knows: mayBeTelegram,
  decode,
});

function decode({ topic, payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): Heard | null {
  if (topic === ALARMS) return nothing();
  const own = isOwnTopic(topic);
  if (!own && !mayBeTelegram(payload)) return null;
  const body = readObject(payload);
  if (!body) return own ? refusal('payload is not a JSON object') : null;
  if (!isTelegram(body)) {
    if (!own) return null;
    return member(body, '_') === undefined ? refusal('payload is no telegram of a meter') : nothing();
  }
  const device = member(body, 'id');
  // A number has lost its leading zeros, and is another meter's id.
  if (typeof device !== 'string' || device === '') return refusal('id is not a text');
  const heard = hearing();
  const atMs = trusted(fromIso(member(body, 'timestamp'), { tz, receivedAtMs }), receivedAtMs);
  const prefix = prefixOf(member(body, 'media'));
  const fields = fieldsOf(body);
  if (prefix === null) {
    if (fields.length > 0) heard.see(device);
    return heard;
  }
  for (const { name, channel, kind } of fields) {
    if (kind === 'volume_total_m3') {
      const medium = VOLUMES.get(prefix);
      if (medium) heard.add({ device, channel: medium + channel, kind, value: member(body, name), atMs, name });
      continue;
    }
    // Cold is no circuit of an electricity meter.
    if (prefix === '' && channel.startsWith('cooling/')) continue;
    const times = kind === 'power_w' ? 1_000 : 1;
    heard.add({ device, channel: withMedium(prefix, channel), kind, value: member(body, name), times, atMs, name });
  }
  return heard;
}

/** A meter of cold has its own register as `import`; what it names as cold or backward beside that stays apart. */
const withMedium = (prefix: string, channel: string) =>
  prefix.endsWith('cooling/') ? prefix + channel.replace('cooling/', 'other/') : prefix + channel;

/** The fields that have a value. Where two say the same of a meter, the usual name is taken and the other left. */
function fieldsOf(body: Json): (Field & { name: string })[] {
  const best = new Map<string, Field & { name: string; rank: number }>();
  for (const name of Object.keys(body)) {
    const field = parseField(name);
    const read = field && readNumber(member(body, name));
    if (!field || read === null || read === NO_VALUE) continue;
    // What is no number stays, to be refused, and does not push out one that is.
    const key = read === undefined ? name : `${field.kind} ${field.channel}`;
    const other = best.get(key);
    if (!other || field.rank < other.rank) best.set(key, { ...field, name });
  }
  return [...best.values()];
}
