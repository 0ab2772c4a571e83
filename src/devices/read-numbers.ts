import { normaliseChannelWord, parseChannel } from './channel-name.ts';
import type { DecoderConfig } from './decoder-config.ts';
import { parseMappedQuantity } from './mapped-quantity.ts';
import { canPatternsMatchSameDevice, getDeviceNamePattern, type MappingEntry } from './mapping.ts';

export interface DiscoveredSeries {
  family: string;
  native_id: string;
  channel: string;
  /** Kind of the series. Only series of the kinds `register` and `power` are split when they receive another number of the messages. */
  kind: string;
  /** The device's own name for the quantity. Null if it was not stored. */
  native_name: string | null;
}

/** The settings of an owner for one device that determine which numbers of its messages are read. */
export interface MessageNumberSettings extends Pick<DecoderConfig, 'meter' | 'emon' | 'tasmota'> {
  /**
   * Numbers that mappings read. `mapped`: numbers of devices that exist only because of a mapping. `ownMapped`: numbers of a device that a
   * family reads, too.
   */
  readonly mapped: readonly Source[];
  readonly ownMapped: readonly Source[];
}

/** A mapped number of energy, volume or power, with its position in the message, its scale, device and series. */
interface Source {
  readonly device: string;
  readonly channel: string;
  readonly kind: string;
  readonly number: string;
}

/**
 * Returns the settings that determine which numbers are read. A member in the device's `decoder_config` replaces the gateway's member of
 * the same name.
 */
export function mergeMessageNumberSettings(gateway: DecoderConfig, own: DecoderConfig): MessageNumberSettings {
  const { mapping = [], ...scales } = { ...gateway, ...own };
  // If a mapping reads a number from a message that a device family also reads, the number belongs to a separate device.
  return { ...scales, mapped: sourcesOf(mapping), ownMapped: sourcesOf(own.mapping ?? []) };
}

/**
 * Whether a series receives another number of the messages after a change of settings. True if this is uncertain. False if it receives no
 * number any more.
 */
export function hasSeriesSourceChanged(
  before: MessageNumberSettings,
  after: MessageNumberSettings,
  series: DiscoveredSeries,
): boolean {
  const is = numbersOf(after, series);
  return is !== '' && is !== numbersOf(before, series);
}

/** Returns the numbers that are read into a series, each with its scale, as one text. */
function numbersOf(settings: MessageNumberSettings, series: DiscoveredSeries): string {
  const { family, native_id: nativeId, channel, kind } = series;
  const isMapped = family === 'mapping';
  const mapped = (isMapped ? settings.mapped : settings.ownMapped)
    .filter((one) => one.channel === channel && one.kind === kind && canPatternsMatchSameDevice(one.device, nativeId))
    .map(({ number }) => number);
  const read = isMapped ? [] : (BY_FAMILY.get(family) ?? ofMeter)(settings, series);
  return [...mapped, ...read].sort().join();
}

/** Placeholder for a number that a device family reads without a setting. */
const ITSELF: readonly string[] = ['as the family reads it'];

/** How each family reads numbers with the owner's settings. All other families use `ofMeter`. */
const BY_FAMILY: ReadonlyMap<string, (settings: MessageNumberSettings, series: DiscoveredSeries) => readonly string[]> =
  new Map([
    ['espurna', (settings, series) => (series.channel === 'import' ? ofMeter(settings, series) : ITSELF)],
    ['vzlogger', ofVzlogger],
    ['emon', ofEmon],
    ['tasmota', ofTasmota],
  ]);

/** Kind of series for each quantity that an owner can map, if it is energy, a volume or power. */
const COUNTED = new Map([
  ['energy_total_kwh', 'register'],
  ['volume_total_m3', 'register'],
  ['power_w', 'power'],
]);

/** Returns those numbers of a mapping that are energy, volumes or power. */
const sourcesOf = (mapped: readonly MappingEntry[]): Source[] =>
  mapped.flatMap((one) => {
    const quantity = parseMappedQuantity(one);
    const kind = typeof quantity === 'string' ? undefined : COUNTED.get(quantity.kind);
    if (typeof quantity === 'string' || !kind) return [];
    const where = one.where === undefined ? [] : [Object.entries(one.where).sort()];
    const number = JSON.stringify([one.topic, one.path ?? null, quantity.times / quantity.per, ...where]);
    return { device: getDeviceNamePattern(one), channel: quantity.channel, kind, number };
  });

const own = <T>(all: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  all && Object.hasOwn(all, key) ? all[key] : undefined;

/** Number of kWh per unit of energy. */
const KWH = new Map([
  ['wh', 0.001],
  ['kwh', 1],
  ['mwh', 1_000],
]);

/** Returns the number that is read into a series of a meter, for families whose settings use the id of the meter as key. */
function ofMeter({ meter }: MessageNumberSettings, { native_id, kind }: DiscoveredSeries): readonly string[] {
  if (kind !== 'register') return ITSELF;
  const { unit, multiplier = 1 } = own(meter, native_id) ?? {};
  if (unit === undefined) return ITSELF;
  const word = unit.trim().toLowerCase();
  const kwh = KWH.get(word);
  return [kwh === undefined ? `${multiplier} ${word}` : `${kwh * multiplier} kwh`];
}

/** Returns the number that is read into a series of vzlogger. If the owner has set no unit, a register is in kWh. */
function ofVzlogger({ meter }: MessageNumberSettings, { native_id, kind }: DiscoveredSeries): readonly string[] {
  if (kind !== 'register') return ITSELF;
  const { unit = 'kWh' } = own(meter, native_id) ?? {};
  return unit === 'Wh' || unit === 'kWh' ? [unit] : [];
}

/** Returns the numbers that are read into a series of emonPi. Each pulse input has its own circuit, the first word of the channel. */
function ofEmon(
  { emon = {} }: MessageNumberSettings,
  { native_id: node, channel, kind }: DiscoveredSeries,
): readonly string[] {
  if (kind !== 'register') return ITSELF;
  const pulses = Object.entries(emon).flatMap(([key, { pulses_per_kwh: perKwh }]) => {
    const name = key.slice(node.length + 1);
    const isIts =
      perKwh !== undefined && key === `${node}/${name}` && `${normaliseChannelWord(name)}/import` === channel;
    return isIts ? [JSON.stringify([name, perKwh])] : [];
  });
  return CLAMP.test(channel) ? [...pulses, ...ITSELF] : pulses;
}

/** Matches the channels of an emonPi node's current clamps. Their registers are read in Wh. */
const CLAMP = /^ct\d+\//;

/** For each unit: its conversion into kWh, W or m³, and the kind of series. */
const TASMOTA_UNITS = {
  Wh: { kind: 'register', isVolume: false, scale: 0.001 },
  kWh: { kind: 'register', isVolume: false, scale: 1 },
  MWh: { kind: 'register', isVolume: false, scale: 1_000 },
  W: { kind: 'power', isVolume: false, scale: 1 },
  kW: { kind: 'power', isVolume: false, scale: 1_000 },
  m3: { kind: 'register', isVolume: true, scale: 1 },
  l: { kind: 'register', isVolume: true, scale: 0.001 },
} as const;
/** Names of values that Tasmota itself measures. */
const NO_SCRIPT = /^(?:ENERGY|TIC|CTEnergy\d*)\./;

/**
 * Returns the numbers that Tasmota's meter scripts read into a series. The owner's setting takes precedence over the name; without one, the
 * unit is kWh or W.
 */
function ofTasmota({ tasmota = {} }: MessageNumberSettings, series: DiscoveredSeries): readonly string[] {
  const { native_name: name, channel } = series;
  if (name !== null && NO_SCRIPT.test(name)) return ITSELF;
  const isItsName = (key: string) => name !== null && (key === name || name.endsWith(`.${key}`));
  const put = Object.entries(tasmota).flatMap(([key, said]) => {
    const { scale } = TASMOTA_UNITS[said.unit ?? 'kWh'];
    return isPutAs(key, said, series) ? [JSON.stringify([isItsName(key) ? name : key, scale])] : [];
  });
  if (!Object.keys(tasmota).some(isItsName)) return [...put, JSON.stringify([name, 1])];
  // The settings assign the number `name` to another series. This series therefore contains a number with another name.
  return put.length > 0 || !parseChannel(channel).known ? put : ['what else is called so'];
}

type SaidOfName = NonNullable<DecoderConfig['tasmota']>[string];

/**
 * Whether the setting for the name `key` assigns the number with this name to this series. A name that does not contain the name of a meter
 * applies to all meters.
 */
function isPutAs(
  key: string,
  { counts_as: countsAs, unit = 'kWh' }: SaidOfName,
  { channel, kind }: DiscoveredSeries,
): boolean {
  const { kind: itsKind, isVolume } = TASMOTA_UNITS[unit];
  const isElectric = /^(?:im|ex)port/.test(countsAs);
  const place = isElectric ? `/${countsAs}` : `/${countsAs}/${isVolume ? 'm3' : 'import'}`;
  if (kind !== itsKind || !channel.endsWith(place) || (isElectric && isVolume)) return false;
  const circuit = channel.slice(0, -place.length);
  if (circuit.includes('/')) return false;
  const [block = '', ...more] = key.split('.');
  // Without the name of a meter, the text before a dot is part of the register's name, as in 1.8.0.
  if (more.length === 0 || !/^\p{L}/u.test(block)) return true;
  return more.some((_, at) => {
    const word = normaliseChannelWord([block, ...more.slice(0, at)].join('.'));
    return circuit === word || circuit === `sml-${word}`;
  });
}
