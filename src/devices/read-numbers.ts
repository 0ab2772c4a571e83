import { channelWord, parseChannel } from './channel-name.ts';
import type { DecoderConfig } from './decoder-config.ts';
import { quantityOf } from './mapped-quantity.ts';
import { deviceForm, type Mapped, mayBeOne } from './mapping.ts';

/** A device as it was discovered, and one of its series that count. */
export interface ReadSeries {
  family: string;
  native_id: string;
  channel: string;
  /** `register` or `power`: of these the law looks at steps. */
  kind: string;
  /** How the device calls it; null: nobody kept that. */
  native_name: string | null;
}

/** What owners' settings for one device say of which numbers are read of it, and in which scale. */
export interface NumberSettings extends Pick<DecoderConfig, 'meter' | 'emon' | 'tasmota'> {
  /** What is mapped: for devices that mappings name, and for one of a family. */
  readonly mapped: readonly Source[];
  readonly ownMapped: readonly Source[];
}

/** A number that is mapped and counts: whose it may be, as what, and where it is read in which scale. */
interface Source {
  readonly device: string;
  readonly channel: string;
  readonly kind: string;
  readonly number: string;
}

/** What of a gateway's `decoder_config`, and of a device's own, of which each member stands in the place of the gateway's, says which numbers are read. */
export function numberSettings(gateway: DecoderConfig, own: DecoderConfig): NumberSettings {
  const { mapping = [], ...scales } = { ...gateway, ...own };
  // What a gateway's mapping reads of a message that a family knows is of another device: it is listed by the mapping.
  return { ...scales, mapped: sourcesOf(mapping), ownMapped: sourcesOf(own.mapping ?? []) };
}

/**
 * Whether a series reads another number by the second of two settings: of another place, or in another unit or scale. Pure. Where it cannot be
 * told, as names have wildcards, it does. Where nothing is read of it any more nothing comes to be parted; it is where it is read again.
 */
export function isReadOtherwise(before: NumberSettings, after: NumberSettings, series: ReadSeries): boolean {
  const is = numbersOf(after, series);
  return is !== '' && is !== numbersOf(before, series);
}

/** The numbers that are read as a series, each with its scale; one text, empty where none is. */
function numbersOf(settings: NumberSettings, series: ReadSeries): string {
  const { family, native_id: nativeId, channel, kind } = series;
  const isMapped = family === 'mapping';
  const mapped = (isMapped ? settings.mapped : settings.ownMapped)
    .filter((one) => one.channel === channel && one.kind === kind && mayBeOne(one.device, nativeId))
    .map(({ number }) => number);
  const read = isMapped ? [] : (BY_FAMILY.get(family) ?? ofMeter)(settings, series);
  return [...mapped, ...read].sort().join();
}

/** What a family reads without a setting. */
const ITSELF: readonly string[] = ['as the family reads it'];

/** Families that are told otherwise than by a meter's id what a number is. Their decoders lie in `ingest/decoders`; its tests hold the two together. */
const BY_FAMILY: ReadonlyMap<string, (settings: NumberSettings, series: ReadSeries) => readonly string[]> = new Map([
  ['espurna', (settings, series) => (series.channel === 'import' ? ofMeter(settings, series) : ITSELF)],
  ['vzlogger', ofVzlogger],
  ['emon', ofEmon],
  ['tasmota', ofTasmota],
]);

/** Kinds of series that are counted, of the kinds that an owner can map. */
const COUNTED = new Map([
  ['energy_total_kwh', 'register'],
  ['volume_total_m3', 'register'],
  ['power_w', 'power'],
]);

/** What of a mapping counts. */
const sourcesOf = (mapped: readonly Mapped[]): Source[] =>
  mapped.flatMap((one) => {
    const quantity = quantityOf(one);
    const kind = typeof quantity === 'string' ? undefined : COUNTED.get(quantity.kind);
    if (typeof quantity === 'string' || !kind) return [];
    const number = JSON.stringify([one.topic, one.path ?? null, quantity.times / quantity.per]);
    return { device: deviceForm(one), channel: quantity.channel, kind, number };
  });

const own = <T>(all: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  all && Object.hasOwn(all, key) ? all[key] : undefined;

/** How many kWh are one. */
const KWH = new Map([
  ['wh', 0.001],
  ['kwh', 1],
  ['mwh', 1_000],
]);

/** A meter that counts, by its id: several families hear them. Of volumes the unit's word is compared: m3 and m³ are two. */
function ofMeter({ meter }: NumberSettings, { native_id, kind }: ReadSeries): readonly string[] {
  if (kind !== 'register') return ITSELF;
  const { unit, multiplier = 1 } = own(meter, native_id) ?? {};
  if (unit === undefined) return ITSELF;
  const word = unit.trim().toLowerCase();
  const kwh = KWH.get(word);
  return [kwh === undefined ? `${multiplier} ${word}` : `${kwh * multiplier} kwh`];
}

/** Without a unit of its owner's it is kWh, as meters have it that are read out in text, or nothing. */
function ofVzlogger({ meter }: NumberSettings, { native_id, kind }: ReadSeries): readonly string[] {
  if (kind !== 'register') return ITSELF;
  const { unit = 'kWh' } = own(meter, native_id) ?? {};
  return unit === 'Wh' || unit === 'kWh' ? [unit] : [];
}

/** Pulses are a circuit, called by their name. */
function ofEmon({ emon = {} }: NumberSettings, { native_id: node, channel, kind }: ReadSeries): readonly string[] {
  if (kind !== 'register') return ITSELF;
  const pulses = Object.entries(emon).flatMap(([key, { pulses_per_kwh: perKwh }]) => {
    const name = key.slice(node.length + 1);
    const isIts = perKwh !== undefined && key === `${node}/${name}` && `${channelWord(name)}/import` === channel;
    return isIts ? [JSON.stringify([name, perKwh])] : [];
  });
  return CLAMP.test(channel) ? [...pulses, ...ITSELF] : pulses;
}

/** The registers that a node tells in Wh: one of each clamp. */
const CLAMP = /^ct\d+\//;

/** What makes kWh, W or m³ of a unit, and the kind of series that it is read as. */
const TASMOTA_UNITS = {
  Wh: { kind: 'register', isVolume: false, scale: 0.001 },
  kWh: { kind: 'register', isVolume: false, scale: 1 },
  MWh: { kind: 'register', isVolume: false, scale: 1_000 },
  W: { kind: 'power', isVolume: false, scale: 1 },
  kW: { kind: 'power', isVolume: false, scale: 1_000 },
  m3: { kind: 'register', isVolume: true, scale: 1 },
  l: { kind: 'register', isVolume: true, scale: 0.001 },
} as const;
/** What a device with Tasmota measures by itself, and no script reads. */
const NO_SCRIPT = /^(?:ENERGY|TIC|CTEnergy\d*)\./;

/** What scripts of meters read: by what is said of a name, or by what the name says, which is in kWh or W. */
function ofTasmota({ tasmota = {} }: NumberSettings, series: ReadSeries): readonly string[] {
  const { native_name: name, channel } = series;
  if (name !== null && NO_SCRIPT.test(name)) return ITSELF;
  const isItsName = (key: string) => name !== null && (key === name || name.endsWith(`.${key}`));
  const put = Object.entries(tasmota).flatMap(([key, said]) => {
    const { scale } = TASMOTA_UNITS[said.unit ?? 'kWh'];
    return isPutAs(key, said, series) ? [JSON.stringify([isItsName(key) ? name : key, scale])] : [];
  });
  if (!Object.keys(tasmota).some(isItsName)) return [...put, JSON.stringify([name, 1])];
  // What it was is something else now: another name of the meter may say the same.
  return put.length > 0 || !parseChannel(channel).known ? put : ['what else is called so'];
}

type SaidOfName = NonNullable<DecoderConfig['tasmota']>[string];

/** Whether what is said of a name puts its number into a series: `sml/import` for `SML.E_in`, and for a name alone of each meter. */
function isPutAs(
  key: string,
  { counts_as: countsAs, unit = 'kWh' }: SaidOfName,
  { channel, kind }: ReadSeries,
): boolean {
  const { kind: itsKind, isVolume } = TASMOTA_UNITS[unit];
  const isElectric = /^(?:im|ex)port/.test(countsAs);
  const place = isElectric ? `/${countsAs}` : `/${countsAs}/${isVolume ? 'm3' : 'import'}`;
  if (kind !== itsKind || !channel.endsWith(place) || (isElectric && isVolume)) return false;
  const circuit = channel.slice(0, -place.length);
  if (circuit.includes('/')) return false;
  const [block = '', ...more] = key.split('.');
  // Names of registers have dots, too: 1.8.0.
  if (more.length === 0 || !/^\p{L}/u.test(block)) return true;
  return more.some((_, at) => {
    const word = channelWord([block, ...more.slice(0, at)].join('.'));
    return circuit === word || circuit === `sml-${word}`;
  });
}
