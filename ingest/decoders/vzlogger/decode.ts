import { channelWord } from '#src/devices/channel-name.ts';
import type { DecoderSettings, DeviceMessage, Family, Heard } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { asObject, member, readJson, readText } from '../read/payload.ts';
import { trusted } from '../read/time.ts';
import { readObis } from '../vocabulary/obis.ts';

/** A topic of one channel of vzlogger. */
interface VzloggerTopic {
  /** What stands before the channel's word: all channels of a prefix are taken for one meter. */
  device: string;
  /** `chn0`, or the owner's word. */
  channel: string;
  leaf: 'raw' | 'agg' | 'id' | 'uuid';
}

const TOPIC = /^(.+)\/([^/]+)\/(raw|agg|id|uuid)$/;
/** What vzlogger calls a channel whose owner has not named it. */
const USUAL = /^chn\d{1,4}$/;

/** Reads a topic by its shape: `vzlogger/data/chn0/raw`, `vzlogger/haus/bezug/id`; null for every other one. */
function parseVzloggerTopic(topic: string): VzloggerTopic | null {
  const [, device, channel, leaf] = TOPIC.exec(topic) ?? [];
  if (device === undefined || channel === undefined) return null;
  return { device, channel, leaf: leaf as VzloggerTopic['leaf'] };
}

/** Whether a channel's word is vzlogger's own; another one is a channel once its identifier was announced. */
const isUsualChannel = (channel: string): boolean => USUAL.test(channel);

/** What a channel measures. */
interface Measured {
  kind: 'energy_total_kwh' | 'power_w';
  channel: string;
}

/** As vzlogger writes identifiers: all six groups, 255 for those that the meter or the owner left out. */
const CODE = /^\d{1,3}-\d{1,3}:(\d{1,3})\.(\d{1,3})\.(\d{1,3})\*\d{1,3}$/;
/** Others than OBIS codes: Flukso, pulses, temperatures, programs. */
const OTHERS = /^(?:sensor\d+\/(?:power|consumption)|NilIdentifier|Impulse(?:_neg)?|Power(?:_neg)?)$/;

/** Whether a text is what vzlogger announces as an identifier. */
const isIdentifier = (text: string): boolean => CODE.test(text) || OTHERS.test(text);

/** Short codes (`1.8.0`), which only the readout of IEC 62056-21 has (protocol `d0`): its energy is in kWh. */
const isOfReadout = (id: string): boolean => id.startsWith('255-255:');

/** What an identifier says; null where it is nothing that counts, or that an OBIS code of electricity says. */
function measuredBy(id: string): Measured | null {
  const [code, flow, made] = CODE.exec(id) ?? [];
  if (code === undefined) return null;
  // Signed power: of all phases (16.7), of one (36.7, 56.7, 76.7).
  if (made === '7' && flow !== undefined && ['16', '36', '56', '76'].includes(flow)) {
    const phase = Math.floor(Number(flow) / 20);
    return { kind: 'power_w', channel: phase === 0 ? 'import' : `import/l${phase}` };
  }
  const said = readObis(code.replace(/\.255\*/, '.0*'));
  if (!said?.direction || said.quantity === 'none') return null;
  return {
    kind: said.quantity === 'register' ? 'energy_total_kwh' : 'power_w',
    channel: [said.direction, ...said.parts].join('/'),
  };
}

/** What is known of one channel. */
interface Known {
  id: string;
  measured: Measured | null;
  /** It tells each value, beside means of them. */
  isRaw: boolean;
}

/** Identifiers that channels have announced, by device and channel. */
class Channels {
  #devices = new Map<string, Map<string, Known>>();

  learn({ topic, payload, replayed = false }: DeviceMessage): void {
    const parsed = parseVzloggerTopic(topic);
    const known = parsed && this.of(parsed);
    // One that the broker has kept may be years old: it does not say that single values still come.
    if (parsed?.leaf === 'raw' && known && !replayed) known.isRaw = true;
    const id = parsed?.leaf === 'id' ? identifierIn(payload) : null;
    if (!parsed || id === null) return;
    const channels = this.#devices.get(parsed.device) ?? new Map<string, Known>();
    this.#devices.set(parsed.device, channels);
    // It has started again, with other settings maybe: single values tell by themselves whether they still come.
    channels.set(parsed.channel, { id, measured: measuredBy(id), isRaw: false });
  }

  /** Whether it says what is not known yet: identifiers come with each start, values every second. */
  isNews({ topic, payload, replayed = false }: DeviceMessage): boolean {
    const parsed = parseVzloggerTopic(topic);
    const known = parsed && this.of(parsed);
    if (parsed?.leaf === 'raw') return known ? !known.isRaw && !replayed : false;
    const id = identifierIn(payload);
    return id !== null && (known?.id !== id || known.isRaw);
  }

  of = ({ device, channel }: VzloggerTopic): Known | undefined => this.#devices.get(device)?.get(channel);

  /** Whether another channel of the device, before this one, measures the same: then it is another meter's. */
  isSecond({ device, channel }: VzloggerTopic, { kind, channel: place }: Measured): boolean {
    for (const [other, { measured }] of this.#devices.get(device) ?? []) {
      const isSame = measured?.kind === kind && measured.channel === place;
      if (isSame && inOrder.compare(other, channel) < 0) return true;
    }
    return false;
  }
}

/** `chn2` before `chn10`. */
const inOrder = new Intl.Collator('en', { numeric: true });

function identifierIn(payload: Buffer): string | null {
  const text = readText(payload)?.trim() ?? '';
  return isIdentifier(text) ? text : null;
}

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
