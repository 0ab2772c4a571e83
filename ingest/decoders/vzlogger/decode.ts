import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import type { DecoderSettings, DeviceMessage, Family, FamilyDecodeResult } from '../family.ts';
import { asObjectOrNull, getMember, readJson, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { parseObisCode } from '../vocabulary/obis.ts';

interface VzloggerTopic {
  /** Topic levels before the channel's level. They identify the device: all channels with the same prefix are treated as one meter. */
  device: string;
  /** Level of the topic that names the channel: `chn0`, or a word that the owner has chosen. */
  channel: string;
  leaf: 'raw' | 'agg' | 'id' | 'uuid';
}

const TOPIC = /^(.+)\/([^/]+)\/(raw|agg|id|uuid)$/;
/** Matches the default name of a vzlogger channel. */
const USUAL = /^chn\d{1,4}$/;

/** Parses a topic by its form: `vzlogger/data/chn0/raw`, `vzlogger/haus/bezug/id`; returns null for every other topic. */
function parseVzloggerTopic(topic: string): VzloggerTopic | null {
  const [, device, channel, leaf] = TOPIC.exec(topic) ?? [];
  if (device === undefined || channel === undefined) return null;
  return { device, channel, leaf: leaf as VzloggerTopic['leaf'] };
}

/** Whether a channel has its default name. A channel with another name is accepted only after its identifier was announced. */
const isUsualChannel = (channel: string): boolean => USUAL.test(channel);

interface Measured {
  kind: 'energy_total_kwh' | 'power_w';
  channel: string;
}

/** Matches an OBIS code in vzlogger's form: all six groups, with 255 for groups that the meter or the owner has omitted. */
const CODE = /^\d{1,3}-\d{1,3}:(\d{1,3})\.(\d{1,3})\.(\d{1,3})\*\d{1,3}$/;
/**
 * Matches identifiers that are not OBIS codes. vzlogger uses them for Flukso sensors, pulse counters, temperatures and the output of
 * programs.
 */
const OTHERS = /^(?:sensor\d+\/(?:power|consumption)|NilIdentifier|Impulse(?:_neg)?|Power(?:_neg)?)$/;

const isIdentifier = (text: string): boolean => CODE.test(text) || OTHERS.test(text);

/**
 * Whether the meter sends an identifier as a short code (`1.8.0`), to which vzlogger adds 255. Only meters with the readout of IEC 62056-21
 * (protocol `d0`) have short codes, and their energy is in kWh.
 */
const isOfReadout = (id: string): boolean => id.startsWith('255-255:');

/**
 * Returns the meaning of a channel's identifier; null if the identifier is not an OBIS code of electricity, or if its quantity contributes
 * to no total.
 */
function measuredBy(id: string): Measured | null {
  const [code, flow, made] = CODE.exec(id) ?? [];
  if (code === undefined) return null;
  // OBIS codes of a signed power: the total (16.7), or one phase (36.7, 56.7, 76.7).
  if (made === '7' && flow !== undefined && ['16', '36', '56', '76'].includes(flow)) {
    const phase = Math.floor(Number(flow) / 20);
    return { kind: 'power_w', channel: phase === 0 ? 'import' : `import/l${phase}` };
  }
  const said = parseObisCode(code.replace(/\.255\*/, '.0*'));
  if (!said?.direction || said.quantity === 'none') return null;
  return {
    kind: said.quantity === 'register' ? 'energy_total_kwh' : 'power_w',
    channel: [said.direction, ...said.parts].join('/'),
  };
}

interface Known {
  id: string;
  measured: Measured | null;
  /** Whether the channel publishes each single value in addition to means over several values. */
  isRaw: boolean;
}

/** Announced identifiers, by device and channel. */
class Channels {
  #devices = new Map<string, Map<string, Known>>();

  learn({ topic, payload, replayed = false }: DeviceMessage): void {
    const parsed = parseVzloggerTopic(topic);
    const known = parsed && this.of(parsed);
    // A replayed message may be years old, so it does not prove that vzlogger still publishes single values.
    if (parsed?.leaf === 'raw' && known && !replayed) known.isRaw = true;
    const id = parsed?.leaf === 'id' ? identifierIn(payload) : null;
    if (!parsed || id === null) return;
    const channels = this.#devices.get(parsed.device) ?? new Map<string, Known>();
    this.#devices.set(parsed.device, channels);
    // vzlogger publishes identifiers when it starts, possibly with new settings. Until a single value arrives, it is unknown whether
    // vzlogger still publishes single values.
    channels.set(parsed.channel, { id, measured: measuredBy(id), isRaw: false });
  }

  /** Whether the message contains anything new. vzlogger repeats identifiers at each start, and values every second. */
  isNews({ topic, payload, replayed = false }: DeviceMessage): boolean {
    const parsed = parseVzloggerTopic(topic);
    const known = parsed && this.of(parsed);
    if (parsed?.leaf === 'raw') return known ? !known.isRaw && !replayed : false;
    const id = identifierIn(payload);
    return id !== null && (known?.id !== id || known.isRaw);
  }

  of = ({ device, channel }: VzloggerTopic): Known | undefined => this.#devices.get(device)?.get(channel);

  /**
   * Whether another channel of the device measures the same quantity and has a name that sorts before this channel's name. If so, this
   * channel belongs to a second meter.
   */
  isSecond({ device, channel }: VzloggerTopic, { kind, channel: place }: Measured): boolean {
    for (const [other, { measured }] of this.#devices.get(device) ?? []) {
      const isSame = measured?.kind === kind && measured.channel === place;
      if (isSame && inOrder.compare(other, channel) < 0) return true;
    }
    return false;
  }
}

/** Compares names of channels so that `chn2` precedes `chn10`. */
const inOrder = new Intl.Collator('en', { numeric: true });

function identifierIn(payload: Buffer): string | null {
  const text = readText(payload)?.trim() ?? '';
  return isIdentifier(text) ? text : null;
}

/**
 * Divisors that convert registers to kWh, by the unit that the owner has set. If a meter's registers are in Wh, its power is in W; if they
 * are in kWh, its power is in W or kW, depending on the meter.
 */
const UNITS = new Map([
  ['Wh', 1_000],
  ['kWh', 1],
]);
/** Smallest positive normal floating-point number. With `aggmode: max`, vzlogger sends it if all values are negative. */
const NO_HIGHEST = 2.2250738585072014e-308;

/** Decoder of vzlogger: electricity meters that are read by SML or IEC 62056-21 (D0). */
export const vzloggerFamily: Family<Channels> = {
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

function decode(message: DeviceMessage, settings: DecoderSettings, channels: Channels): FamilyDecodeResult | null {
  const parsed = parseVzloggerTopic(message.topic);
  if (!parsed) return null;
  const known = channels.of(parsed);
  if (!known && !isUsualChannel(parsed.channel)) return null;
  if (parsed.leaf === 'id' || parsed.leaf === 'uuid') return createEmptyResult();
  const { device, channel } = parsed;
  const collector = createValueCollector();
  // The channel's identifier is unknown: vzlogger announced it at its start, but the message was not retained.
  if (!known) collector.see(device);
  if (!known?.measured || (parsed.leaf === 'agg' && known.isRaw)) return collector;
  const read = measuredIn(message);
  if (!read) return createRefusedResult('payload is no number, and no JSON object with a value');
  const { kind, channel: place } = known.measured;
  const set = Object.hasOwn(settings.meter ?? {}, device) ? settings.meter?.[device]?.unit : undefined;
  const per = UNITS.get(set ?? (isOfReadout(known.id) ? 'kWh' : ''));
  const said = { device, kind, value: read.value, atMs: read.atMs, name: `${channel} ${known.id}` };
  const isSecond = channels.isSecond(parsed, known.measured);
  if (per === undefined) {
    // SML sends Wh, the readout of IEC 62056-21 sends kWh, and both may use the same identifier. The owner must therefore state the unit.
    collector.see(device);
    // A register without a unit gets a channel of its own. Once its unit is known, it is stored with other numbers, which must not belong
    // to the same series.
    const unset = `unknown/${normaliseChannelWord(`${channel} without unit`)}`;
    if (kind !== 'power_w') collector.add({ ...said, channel: unset, asks: { unit: null } });
  } else if (kind === 'power_w') {
    if (!isSecond && per !== 1) collector.add({ ...said, channel: place });
  } else if (!isSecond) collector.add({ ...said, per, channel: place });
  else collector.add({ ...said, per, channel: `unknown/${normaliseChannelWord(channel)}`, asks: { unit: 'kWh' } });
  return collector;
}

/** Returns value and time of a payload, which is a number as text, or `{"timestamp": ms, "value"}`. Returns null for any other payload. */
function measuredIn({ payload, receivedAtMs }: DeviceMessage): { value: unknown; atMs: number | null } | null {
  const text = readText(payload);
  if (text === null) return null;
  if (!/^\s*\{/.test(text)) return { value: text, atMs: null };
  const body = asObjectOrNull(readJson(payload));
  if (!body || !Object.hasOwn(body, 'value')) return null;
  const value = getMember(body, 'value');
  return {
    value: value === NO_HIGHEST ? null : value,
    atMs: parseMessageTime(getMember(body, 'timestamp'), 'ms', { receivedAtMs }),
  };
}
