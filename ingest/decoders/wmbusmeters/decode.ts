import { createStatelessFamily, type DecoderSettings, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { readNumber } from '../read/number.ts';
import { getMember, hasJsonObjectWithWords, type Json, parseJsonObject } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createEmptyResult, createRefusedResult, createValueCollector } from '../read/value-collector.ts';
import { getVolumeChannel } from '../read/volume.ts';

/** First level of the documented topics, `wmbusmeters/{id or name}`. The Home Assistant add-on uses it, too. */
const ROOT = 'wmbusmeters/';
const ALARMS = 'wmbusmeters_alarm';

const isOwnTopic = (topic: string): boolean => topic.startsWith(ROOT);

/** Whether a payload may be a telegram. A quick check before parsing, because owners choose the topic in the command that publishes. */
const mayBeTelegram = (payload: Buffer): boolean =>
  hasJsonObjectWithWords(payload, '"media"', '"meter"', '"timestamp"');

/**
 * Whether an object is a telegram. The member `_` identifies telegrams. Old versions of wmbusmeters omit `_`, so their telegrams are
 * recognised by the other members.
 */
function isTelegram(body: Json): boolean {
  const kind = getMember(body, '_');
  if (kind !== undefined) return kind === 'telegram';
  return ['media', 'meter', 'name', 'id', 'timestamp'].every((name) => typeof getMember(body, name) === 'string');
}

/** Channel prefixes by medium. Other media carry no energy, or their commodity is ambiguous. */
const PREFIXES: Record<string, string> = {
  electricity: '',
  gas: 'gas/',
  heat: 'heat/',
  'heat volume at inlet': 'heat/',
  'heat volume at outlet': 'heat/',
  'heat/cooling load': 'heat/',
  // Energy for cooling contributes to the total of heat, but must be distinguishable from heat.
  'cooling load volume at inlet': 'heat/cooling/',
  'cooling load volume at outlet': 'heat/cooling/',
  water: 'water/',
  'cold water': 'water/',
  'warm water': 'water/',
  'hot water': 'water/',
  'hot/cold water': 'water/',
};

/** Returns the channel prefix of a medium; null if messages with this medium are ignored. */
function prefixOf(media: unknown): string | null {
  const word = typeof media === 'string' ? media.trim().toLowerCase() : '';
  return Object.hasOwn(PREFIXES, word) ? (PREFIXES[word] as string) : null;
}

/** Meaning of a telegram's field, without the medium of the meter. */
interface Field {
  /** Channel such as `import`, `export/t1`, `import/l2` or `cooling/import`. For a volume: empty, or a tariff such as `/t1`. */
  channel: string;
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
}

type Groups = (string | undefined)[];
const direction = (word = '') => (/^(production|negative)$/.test(word) ? 'export' : 'import');
const part = (letter: string, number: string | undefined) => (number ? `/${letter}${number}` : '');

/**
 * Patterns of the names of registers in kWh, most usual name first. The patterns match whole names, so they exclude snapshots (`due_…`,
 * `target_…`, `prev_…`, `last_…`, `max_…`, `…_at_set_date_…`, `…_last_month_…`), registers that can be reset (`partial_…`, `…_period_…`),
 * and `reactive` and `apparent` energy.
 */
const REGISTERS: [RegExp, (groups: Groups) => string][] = [
  [
    /^total_energy_(consumption|production)(?:_tariff_?(\d{1,2})|_(?:l|phase_?)([123]))?_kwh$/,
    ([, flow, tariff, phase]) => direction(flow) + part('t', tariff) + part('l', phase),
  ],
  [/^total(?:_tariff_?(\d{1,2}))?_kwh$/, ([, tariff]) => `import${part('t', tariff)}`],
  [/^total_(?:energy|heat_energy|heating)_kwh$/, () => 'import'],
  [/^heat_kwh$/, () => 'import'],
  [/^total_(?:cooling_energy|cooling_consumption|cooling|energy_cooling|energy_backward)_kwh$/, () => 'cooling/import'],
  [
    /^(positive|negative)_(?:total|tariff(\d))_active_energy_kwh$/,
    ([, sign, tariff]) => direction(sign) + part('t', tariff),
  ],
  [/^total_active_(positive|negative)_3phase_kwh$/, ([, sign]) => direction(sign)],
];

/** Names of powers in kW. */
const POWERS: [RegExp, (groups: Groups) => string][] = [
  [
    /^current_power_(consumption|production)(?:_(?:l|phase_?)?([123]))?_kw$/,
    ([, flow, phase]) => direction(flow) + part('l', phase),
  ],
  [/^active_(consumption|production)(?:_l([123]))?_kw$/, ([, flow, phase]) => direction(flow) + part('l', phase)],
  [/^active_power(?:_overall|_(?:l|at_phase_)([123]))?_kw$/, ([, phase]) => `import${part('l', phase)}`],
  [/^power(?:_(?:l|phase_?)([123]))?_kw$/, ([, phase]) => `import${part('l', phase)}`],
  [/^active_(positive|negative)_3phase_kw$/, ([, sign]) => direction(sign)],
  [/^(?:current_power|current|three_phase_total_active_power)_kw$/, () => 'import'],
];

/**
 * Patterns of the names of registers in m³. They exclude `…_subunit1_m3`, `c1_…` and `input1_…`, which belong to pulse inputs with an
 * unknown commodity.
 */
const VOLUMES: [RegExp, (groups: Groups) => string][] = [
  [/^total(?:_volume)?_m3$/, () => ''],
  [/^total_(?:water|heating)_m3$/, () => ''],
  [/^(?:volume|totalitator)_m3$/, () => ''],
  [/^total(?:_volume)?_tariff_?(\d{1,2})_m3$/, ([, tariff]) => part('t', tariff)],
];
const UNITS: [unit: string, kind: Field['kind'], names: [RegExp, (groups: Groups) => string][]][] = [
  ['_kwh', 'energy_total_kwh', REGISTERS],
  ['_kw', 'power_w', POWERS],
  ['_m3', 'volume_total_m3', VOLUMES],
];
const MAX_NAME_CHARACTERS = 64;

/**
 * Returns the meaning of a field by its name; null if the field is ignored. `rank`: position of the name among the names with the same
 * meaning, the most usual name first.
 */
function parseField(name: string): (Field & { rank: number }) | null {
  if (name.length > MAX_NAME_CHARACTERS) return null;
  const found = UNITS.find(([unit]) => name.endsWith(unit));
  if (!found) return null;
  const [, kind, names] = found;
  for (const [rank, [pattern, channelOf]] of names.entries()) {
    const groups = pattern.exec(name);
    if (groups) return { channel: channelOf(groups), kind, rank };
  }
  return null;
}

/** Smallest 32-bit number, which drivers of wmbusmeters send if the meter has no value. */
const NO_VALUE = -2_147_483_648;
/**
 * Channels of volumes, by the channel prefix of the medium. Cooling is missing, because it is not a commodity of its own here. Electricity
 * is missing, because it has no volume.
 */
const VOLUME_CHANNELS = new Map(
  (['gas', 'heat', 'water'] as const).map((medium) => [`${medium}/`, getVolumeChannel(medium)]),
);

/** Decoder of wmbusmeters: electricity, heat, cooling, gas and water meters that are received by radio or read by wired M-Bus. */
export const wmbusmetersFamily = createStatelessFamily({
  name: 'wmbusmeters',
  takes: (topic) => topic === ALARMS || isOwnTopic(topic),
  knows: mayBeTelegram,
  decode,
});

function decode({ topic, payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): FamilyDecodeResult | null {
  if (topic === ALARMS) return createEmptyResult();
  const own = isOwnTopic(topic);
  if (!own && !mayBeTelegram(payload)) return null;
  const body = parseJsonObject(payload);
  if (!body) return own ? createRefusedResult('payload is not a JSON object') : null;
  if (!isTelegram(body)) {
    if (!own) return null;
    return getMember(body, '_') === undefined
      ? createRefusedResult('payload is no telegram of a meter')
      : createEmptyResult();
  }
  const device = getMember(body, 'id');
  // An id that is a JSON number has lost its leading zeros, so it could belong to another meter.
  if (typeof device !== 'string' || device === '') return createRefusedResult('id is not a text');
  const collector = createValueCollector();
  const atMs = parseMessageTime(getMember(body, 'timestamp'), 'iso', { tz, receivedAtMs });
  const prefix = prefixOf(getMember(body, 'media'));
  const fields = fieldsOf(body);
  if (prefix === null) {
    if (fields.length > 0) collector.see(device);
    return collector;
  }
  for (const { name, channel, kind } of fields) {
    if (kind === 'volume_total_m3') {
      const medium = VOLUME_CHANNELS.get(prefix);
      if (medium) collector.add({ device, channel: medium + channel, kind, value: getMember(body, name), atMs, name });
      continue;
    }
    // An electricity meter may send a field for cooling energy, which is skipped.
    if (prefix === '' && channel.startsWith('cooling/')) continue;
    const times = kind === 'power_w' ? 1_000 : 1;
    collector.add({
      device,
      channel: withMedium(prefix, channel),
      kind,
      value: getMember(body, name),
      times,
      atMs,
      name,
    });
  }
  return collector;
}

/**
 * Returns the channel with the prefix of the medium. The main register of a cooling meter is `import`. In the channels of its other
 * registers, whose names mention cooling or backward flow, `other/` replaces `cooling/`.
 */
const withMedium = (prefix: string, channel: string) =>
  prefix.endsWith('cooling/') ? prefix + channel.replace('cooling/', 'other/') : prefix + channel;

/**
 * Returns the fields that have a value. If several fields of a meter have the same meaning, only the field with the most usual name is
 * returned.
 */
function fieldsOf(body: Json): (Field & { name: string })[] {
  const best = new Map<string, Field & { name: string; rank: number }>();
  for (const name of Object.keys(body)) {
    const field = parseField(name);
    const read = field && readNumber(getMember(body, name));
    if (!field || read === null || read === NO_VALUE) continue;
    // A value that is not a number is stored under a key of its own. It is then refused later and does not replace a valid value.
    const key = read === undefined ? name : `${field.kind} ${field.channel}`;
    const other = best.get(key);
    if (!other || field.rank < other.rank) best.set(key, { ...field, name });
  }
  return [...best.values()];
}
