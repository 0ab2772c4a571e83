import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import type { ChannelAssignment } from '../family.ts';
import { getVolumeChannel } from '../read/volume.ts';
import { classifySingleRegister } from '../registers-of-a-device/classify-single.ts';
import { findVolumeCommodity } from '../vocabulary/volume-of.ts';

/** Matches the path of an IPSO (LwM2M) resource, `object/instance/resource`: `3305/0/5805`. */
const IPSO = /^(?:(.*)[/:])?\/?(\d{4,5})\/(\d{1,5})\/(\d{4,5})(?:\/\d{1,5})?$/s;
/** Matches the path of a water meter's register: resource 1 of uCIFI's object 3424. */
const WATER_METER = /^(?:(.*)[/:])?\/?(3424)\/(\d{1,5})\/(1)$/s;
const EXPORT = new Set([
  'export',
  'exported',
  'returned',
  'feedin',
  'produced',
  'production',
  'generated',
  'generation',
]);
const IMPORT = new Set(['import', 'imported', 'delivered', 'consumed', 'consumption']);
const MEDIA = new Set(['gas', 'heat', 'water']);
/** Words for quantities. Channels omit them, because the unit already states the quantity. */
const QUANTITIES = new Set(['energy', 'power', 'temperature', 'temp']);
const SEPARATORS = ['/', ':'];

/** Result of splitting a SenML name: the device, and the part of the name that identifies the quantity. */
export interface SenmlName {
  device: string;
  part: string;
  ipso?: { object: number; instance: number; resource: number };
}

/**
 * Splits a SenML name into a device and a quantity. If the name contains an IPSO path, the path is the quantity, and the text before the
 * path is the device. If the name is a URN, the device ends with the URN's id. If a record has a base name and a name, the base name is the
 * device. Otherwise the text before the last separator is the device. `fallback`: the device if the name contains none.
 */
export function splitSenmlName(base: string, name: string, fallback: string): SenmlName {
  const whole = base + name;
  const [path, before, object, instance, resource] = IPSO.exec(whole) ?? WATER_METER.exec(whole) ?? [];
  if (path !== undefined) {
    const ipso = { object: Number(object), instance: Number(instance), resource: Number(resource) };
    return { device: trimEnd(before ?? '') || fallback, part: `${object}/${instance}/${resource}`, ipso };
  }
  if (whole.startsWith('urn:')) return ofUrn(whole);
  if (base !== '' && name !== '') return { device: trimEnd(base) || fallback, part: name };
  const trimmed = trimEnd(whole);
  const cut = Math.max(...SEPARATORS.map((one) => trimmed.lastIndexOf(one)));
  if (cut > 0) return { device: trimEnd(trimmed.slice(0, cut)) || fallback, part: trimmed.slice(cut + 1) };
  // A base name without a separator is the device. A name without a base name is a quantity of the fallback device.
  return base !== '' ? { device: trimmed || fallback, part: '' } : { device: fallback, part: trimmed };
}

/**
 * Splits a name such as `urn:dev:mac:0024befffe804ff1/energy` after the id of the device. The id ends at the next `:`, `/`, `_` or `;` (RFC
 * 9039).
 */
function ofUrn(whole: string): SenmlName {
  const words = whole.split(':');
  const start = words.slice(0, words[1] === 'dev' ? 3 : 2).join(':').length + 1;
  const length = whole.slice(start).search(/[:/_;]/);
  const end = length < 0 ? whole.length : start + length;
  return { device: whole.slice(0, end), part: whole.slice(end + 1) };
}

/**
 * Returns the channel of an energy or power by the quantity part of its SenML name; null if the name means a quantity that contributes to
 * no total.
 */
export function getChannelOfEnergyName(part: string, kind: 'energy_total_kwh' | 'power_w'): ChannelAssignment | null {
  const unit = kind === 'power_w' ? 'W' : 'kWh';
  const what = classifySingleRegister({ names: [part], unit });
  if (what.is === 'not counted') return null;
  if (what.is === 'unknown') return { channel: `unknown/${normaliseChannelWord(part)}`, asks: { unit } };
  const channel = findSenmlChannel(part, kind);
  const [, medium, direction] = /^(?:(gas|heat)\/)?(?:.*\/)?(import|export)/.exec(what.channel) ?? [];
  const directed = channel.replace(/(^|\/)(?:import|export)(?=$|\/)/, `$1${direction}`);
  const isNamed = medium === undefined || directed.split('/').includes(medium);
  return { channel: isNamed ? directed : `${medium}/${directed}` };
}

/** Matches words in names of volumes that carry no further information. */
const PLAIN_VOLUME = /^(?:volume|volumen|total|meter|counter|reading|register|consumption|consumed|usage|m3|value)$/;

/** Returns the channel of a volume by its SenML name; null if the name does not mean a gas, heat or water meter. */
export function getChannelOfVolumeName({ device, part }: SenmlName): ChannelAssignment | null {
  const commodity = findVolumeCommodity([part]) ?? findVolumeCommodity([part, device]);
  if (commodity === null) return null;
  const circuit = wordsOf(part).filter((word) => !PLAIN_VOLUME.test(word) && !MEDIA.has(word) && !QUANTITIES.has(word));
  return { channel: getVolumeChannel(commodity, circuit.join('/')) };
}

const SETPOINT = new Set(['setpoint', 'set', 'point', 'target', 'wanted', 'desired']);

/** Whether a temperature's name means a set-point: `setpoint`, `kitchen_target`. */
export const isSetpointName = (part: string): boolean =>
  /(?:^|[^a-z])(?:set[_-]?point|target|desired)(?![a-z])|[sS]et[pP]oint$/.test(part);

/**
 * Returns the channel for the quantity part of a SenML name. Parts that differ only in a word for the quantity (`energy`, `power`) get the
 * same channel; other parts get different channels.
 */
export function findSenmlChannel(part: string, kind: string): string {
  const words = wordsOf(part);
  const rest = words.filter((word) => !QUANTITIES.has(word));
  if (kind === 'temperature_c') return ['room', ...rest].join('/');
  if (kind === 'setpoint_c') return ['room', ...rest.filter((word) => !SETPOINT.has(word))].join('/');
  const isPart = (word: string) => /^[tl]\d+$/.test(word);
  const isDirection = (word: string) => EXPORT.has(word) || IMPORT.has(word);
  return [
    ...rest.filter((word) => !isPart(word) && !isDirection(word) && !MEDIA.has(word)),
    ...rest.filter((word) => MEDIA.has(word)),
    rest.some((word) => EXPORT.has(word)) ? 'export' : 'import',
    ...rest.filter(isPart),
  ].join('/');
}

const wordsOf = (part: string): string[] =>
  part
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map(normaliseChannelWord);

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && SEPARATORS.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end);
}
