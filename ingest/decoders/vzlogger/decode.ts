import { channelWord } from '#src/devices/channel-name.ts';
import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, member, readJson, readText } from '../read/payload.ts';
import { trusted } from '../read/time.ts';
import { isOfReadout } from './identifier.ts';
import { Channels } from './memory.ts';
import { isUsualChannel, parseVzloggerTopic } from './topic.ts';

/** What a register has to be divided by. Beside Wh power is in W; beside kWh it is in W or kW, by the meter. */
const UNITS = new Map([
  ['Wh', 1_000],
  ['kWh', 1],
]);
/** What `aggmode: max` makes of values below zero: the smallest double that is above it. */
const NO_HIGHEST = 2.2250738585072014e-308;

/** vzlogger: electricity meters that are read by SML or IEC 62056-21 (D0). */
export const vzlogger: Family<Channels> = {
  name: 'vzlogger',
  takes: (topic) => parseVzloggerTopic(topic) !== null,
  remembers(topic) {
    const leaf = parseVzloggerTopic(topic)?.leaf;
    return leaf === 'id' || leaf === 'raw';
  },
  newMemory: () => new Channels(),
  isNews: (channels, message) => channels.isNews(message),
  learn: (channels, message) => channels.learn(message),
  decode,
};

function decode(message: DeviceMessage, settings: DecoderSettings, channels: Channels): Heard | null {
  const parsed = parseVzloggerTopic(message.topic);
  if (!parsed) return null;
  const known = channels.of(parsed);
  if (!known && !isUsualChannel(parsed.channel)) return null;
  if (parsed.leaf === 'id' || parsed.leaf === 'uuid') return nothing();
  const { device, channel } = parsed;
  const heard = hearing();
  // What it measures was said when vzlogger started, and nobody kept it.
  if (!known) heard.see(device);
  if (!known?.measured || (parsed.leaf === 'agg' && known.isRaw)) return heard;
  const read = measuredIn(message);
  if (!read) return refusal('payload is no number, and no JSON object with a value');
  const { kind, channel: place } = known.measured;
  const set = Object.hasOwn(settings.meter ?? {}, device) ? settings.meter?.[device]?.unit : undefined;
  const per = UNITS.get(set ?? (isOfReadout(known.id) ? 'kWh' : ''));
  if (per === undefined) {
    // SML has Wh, the readout kWh, and both may write the same identifier.
    heard.see(device);
    return heard;
  }
  const said = { device, kind, value: read.value, atMs: read.atMs, name: `${channel} ${known.id}` };
  const isSecond = channels.isSecond(parsed, known.measured);
  if (kind === 'power_w') {
    if (!isSecond && per !== 1) heard.add({ ...said, channel: place });
  } else if (!isSecond) heard.add({ ...said, per, channel: place });
  else heard.add({ ...said, per, channel: `unknown/${channelWord(channel)}`, asks: { unit: 'kWh' } });
  return heard;
}

/** The value and the time in a payload: a number as text, or `{"timestamp": ms, "value"}`; null where it is neither. */
function measuredIn({ payload, receivedAtMs }: DeviceMessage): { value: unknown; atMs: number | null } | null {
  const text = readText(payload);
  if (text === null) return null;
  if (!/^\s*\{/.test(text)) return { value: text, atMs: null };
  const body = asObject(readJson(payload));
  if (!body || !Object.hasOwn(body, 'value')) return null;
  const at = readNumber(member(body, 'timestamp'));
  const value = member(body, 'value');
  return {
    value: value === NO_HIGHEST ? null : value,
    atMs: trusted(typeof at === 'number' ? at : null, receivedAtMs),
  };
}
