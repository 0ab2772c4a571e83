import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { type Json, member, mentions, readObject } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { volumeChannel } from '../read/volume.ts';

/** The documented topics, `wmbusmeters/{id or name}`, and what the add-on for Home Assistant uses. */
const ROOT = 'wmbusmeters/';
/** Alarms as text. */
const ALARMS = 'wmbusmeters_alarm';

const isOwnTopic = (topic: string): boolean => topic.startsWith(ROOT);

/** Whether it is worth parsing a body on somebody's topic: owners choose their own, as they write the command that publishes. */
const mayBeTelegram = (payload: Buffer): boolean => mentions(payload, '"media"', '"meter"', '"timestamp"');

/** Whether an object is a telegram: it says so in `_`; old versions did not, and are known by their members. */
function isTelegram(body: Json): boolean {
  const kind = member(body, '_');
  if (kind !== undefined) return kind === 'telegram';
  return ['media', 'meter', 'name', 'id', 'timestamp'].every((name) => typeof member(body, name) === 'string');
}

/** Before the channel, by what a meter is of; a medium that is not here says nothing of energy, or nothing that is certain. */
const PREFIXES: Record<string, string> = {
  electricity: '',
  gas: 'gas/',
  heat: 'heat/',
  'heat volume at inlet': 'heat/',
  'heat volume at outlet': 'heat/',
  'heat/cooling load': 'heat/',
  // Cold is counted as heat is, and must not be taken for it.
  'cooling load volume at inlet': 'heat/cooling/',
  'cooling load volume at outlet': 'heat/cooling/',
  water: 'water/',
  'cold water': 'water/',
  'warm water': 'water/',
  'hot water': 'water/',
  'hot/cold water': 'water/',
};

/** What stands before the channels of a medium; null where it is not known. */
function prefixOf(media: unknown): string | null {
  const word = typeof media === 'string' ? media.trim().toLowerCase() : '';
  return Object.hasOwn(PREFIXES, word) ? (PREFIXES[word] as string) : null;
}

/** What a field is of: without its medium. */
interface Field {
  /** `import`, `export`, `import/t1`, `import/l2`, `cooling/import`; of a volume its tariff alone. */
  channel: string;
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
}

type Groups = (string | undefined)[];
const direction = (word = '') => (/^(production|negative)$/.test(word) ? 'export' : 'import');
const part = (letter: string, number: string | undefined) => (number ? `/${letter}${number}` : '');

/**
 * Names of registers in kWh, the usual ones first. They begin and end here: `due_…`, `target_…`, `prev_…`, `last_…`, `max_…`,
 * `…_at_set_date_…`, `…_last_month_…` are snapshots, `partial_…`, `…_period_…` can be reset, `reactive`, `apparent` is no energy.
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

/** Names of registers in m³. `…_subunit1_m3`, `c1_…`, `input1_…` are of pulse inputs, on which anything may be. */
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

/** What the name of a field says; null where it is nothing of the kind, or nothing that lasts. Also gives its precedence. */
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

/** The smallest 32-bit number: what drivers say where the meter has no value. */
const NO_VALUE = -2_147_483_648;
/** Where volumes go, by the prefix of their medium. Of cold there is no commodity, of electricity no volume. */
const VOLUME_CHANNELS = new Map(
  (['gas', 'heat', 'water'] as const).map((medium) => [`${medium}/`, volumeChannel(medium)]),
);

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
      const medium = VOLUME_CHANNELS.get(prefix);
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
