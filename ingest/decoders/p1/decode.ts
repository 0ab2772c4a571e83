import type { Commodity } from '#src/database/meter.ts';
import { UNIT_SCALES } from '#src/devices/mapped-quantity.ts';
import {
  createStatelessFamily,
  type DecoderSettings,
  type DeviceMessage,
  type FamilyDecodeResult,
  type ValueKind,
} from '../family.ts';
import { readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { createRefusedResult, createValueCollector, type ValueCollector } from '../read/value-collector.ts';
import { findVolumeScale, getVolumeChannel } from '../read/volume.ts';
import { parseTelegram, type Telegram } from './telegram.ts';

/** Last levels of topics on which telegrams are published. Other messages have such topics, too, so the payload decides. */
const LAST = new Set(['raw', 'telegram']);
/** Matches DSMR-reader's topic for telegrams. All messages on it are telegrams. */
const CERTAIN = /(^|\/)dsmr\/raw$/;
/** Matches the header of a telegram: three letters for the manufacturer and a digit for the baud rate. */
const HEADER = /^\/[A-Za-z]{3}\d/;
const OBIS = /\n\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3}\(/;

/** Whether telegrams may be published on a topic: `…/raw`, `…/telegram`, or a topic with the word `p1`. */
function mayHaveTelegram(topic: string): boolean {
  const words = topic.toLowerCase().split('/');
  return LAST.has(words.at(-1) ?? '') || words.some((word) => /(^|[^a-z0-9])p1([^a-z0-9]|$)/.test(word));
}

/**
 * Whether a message is a telegram. Every message on `dsmr/raw` is one. On `…/raw`, `…/telegram` or a topic with the word `p1`, the body
 * must begin like a telegram and contain a telegram's lines.
 */
function isTelegram(topic: string, text: string | null): boolean {
  if (CERTAIN.test(topic)) return true;
  if (text === null || !mayHaveTelegram(topic)) return false;
  const start = text.trimStart();
  return HEADER.test(start) && OBIS.test(start);
}

/** Flow by the third number (C) of the OBIS code `1-0:C.D.E`: the direction, and the phase if the code is for a single phase. */
const FLOWS: Record<string, string> = {
  1: 'import',
  2: 'export',
  21: 'import/l1',
  41: 'import/l2',
  61: 'import/l3',
  22: 'export/l1',
  42: 'export/l2',
  62: 'export/l3',
};
const ELECTRICITY = /^1-0:(\d{1,2})\.([78])\.([0-4])$/;

interface Register {
  channel: string;
  kind: 'energy_total_kwh' | 'power_w';
}

/** Returns the meaning of an OBIS code of active energy or power; null for all others (voltages, failures, demands, reactive energy). */
function registerOf(code: string): Register | null {
  const [, flow = '', what, tariff] = ELECTRICITY.exec(code) ?? [];
  const channel = Object.hasOwn(FLOWS, flow) ? FLOWS[flow] : undefined;
  if (!channel) return null;
  if (what === '7') return tariff === '0' ? { channel, kind: 'power_w' } : null;
  const suffix = tariff === '0' ? '' : `/t${tariff}`;
  return { channel: channel + suffix, kind: 'energy_total_kwh' };
}

/** A register of a gas, heat or water meter that sends its values to the electricity meter. */
interface OtherRegister {
  channel: string;
  kind: ValueKind;
  value: string;
  times: number;
  per: number;
  /**
   * Time of this register: gas, heat and water meters report only once an hour or every five minutes. Undefined if the time of the telegram
   * applies.
   */
  stamp: string | undefined;
}

/**
 * Matches OBIS codes of the registers on an M-Bus channel: the latest value (24.2.1), gas at flow conditions (24.2.3, Belgium), and the
 * form of DSMR 2 and 3 (24.3.0).
 */
const MBUS = /^0-([1-9]):24\.(2\.1|2\.3|3\.0)$/;
/**
 * Commodities by the M-Bus device type (EN 13757-3), which telegrams state in `0-n:24.1.0`: gas, heat by its outlet or inlet, warm, cold
 * and hot water.
 */
const TYPES = new Map<number, Commodity>([
  [3, 'gas'],
  [4, 'heat'],
  [12, 'heat'],
  [13, 'heat'],
  [6, 'water'],
  [7, 'water'],
  [21, 'water'],
  [22, 'water'],
]);
/** OBIS codes of gas without an M-Bus channel (IEC 62056-61). If a telegram contains several of them, the first in this list is read. */
const GAS = ['7-0:3.0.0', '7-0:3.1.0', '7-0:3.2.0', '7-0:23.2.0', '7-0:23.1.0'];
const DIRECT = new Map<string, string>([
  ...GAS.map((code) => [code, getVolumeChannel('gas')] as const),
  ['6-0:2.0.0', getVolumeChannel('heat')],
  ['8-0:1.0.0', getVolumeChannel('water')],
  ['9-0:1.0.0', getVolumeChannel('water', 'warm')],
]);
/** Matches a value with its unit in a telegram, such as `001234.567*kWh`. */
const VALUE = /^([^*]{0,32})\*([A-Za-z0-9]{1,8})$/;
/**
 * Positions of unit and value among the parentheses of a DSMR 2/3 line: `0-1:24.3.0(121030140000)(00)(60)(1)(0-1:24.2.1)(m3)(00001.001)`.
 */
const OLD = { unit: 5, value: 6 };

/**
 * Returns the gas, heat or water register in a line of a telegram; null if the line contains no such register or if its medium is unknown.
 */
function otherRegisterOf(code: string, groups: string[], { lines }: Telegram): OtherRegister | null {
  const [, place, what] = MBUS.exec(code) ?? [];
  const direct = place === undefined ? DIRECT.get(code) : undefined;
  if (place === undefined && direct === undefined) return null;
  const isThere = (other: string) => (lines.get(other)?.at(-1) ?? '') !== '';
  // If an M-Bus meter has several codes, only the code of its latest value (24.2.1) is read.
  if (place !== undefined && what !== '2.1' && isThere(`0-${place}:24.2.1`)) return null;
  if (GAS.includes(code) && GAS.find(isThere) !== code) return null;
  const stamp = groups.length > 1 ? groups[0] : undefined;
  const [, last = '', lastUnit = ''] = VALUE.exec(groups.at(-1) ?? '') ?? [];
  const [value, unit] = what === '3.0' ? [groups[OLD.value] ?? '', groups[OLD.unit] ?? ''] : [last, lastUnit];
  if (value === '') return null;
  const heat = /^[GM]J$/.test(unit) ? UNIT_SCALES.energy_total_kwh.get(unit) : undefined;
  if (place !== undefined && heat)
    return { channel: `mbus${place}/heat/import`, kind: 'energy_total_kwh', value, ...heat, stamp };
  const scale = findVolumeScale(unit);
  const channel = direct ?? channelOf(place as string, lines.get(`0-${place}:24.1.0`)?.[0], what);
  return scale && channel ? { channel, kind: 'volume_total_m3', value, ...scale, stamp } : null;
}

/**
 * Returns the channel of an M-Bus meter. If the telegram states no device type, only gas is recognised, by the code 24.2.3: no other medium
 * is measured at flow conditions. Returns null for all other meters.
 */
function channelOf(place: string, type: string | undefined, what: string | undefined): string | null {
  const commodity =
    type === undefined && what === '2.3' ? 'gas' : TYPES.get(/^\d{1,3}$/.test(type ?? '') ? Number(type) : 0);
  return commodity ? getVolumeChannel(commodity, `mbus${place}`) : null;
}

/** OBIS codes of the electricity meter's serial number: in the Netherlands and Belgium, in Sweden, and in Luxembourg. */
const SERIALS = ['0-0:96.1.1', '0-0:96.1.0', '0-0:42.0.0'];

/** Decoder of P1 port telegrams (DSMR, eMUCS) from any reading device. */
export const p1Family = createStatelessFamily({ name: 'p1', takes: mayHaveTelegram, decode });

function decode({ topic, payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): FamilyDecodeResult | null {
  const text = readText(payload);
  if (!isTelegram(topic, text)) return null;
  if (text === null) return createRefusedResult('payload is not text');
  const telegram = parseTelegram(text);
  if (typeof telegram === 'string') return createRefusedResult(telegram);
  const collector = createValueCollector();
  const device = deviceOf(telegram);
  const timeOf = (stamp: string | undefined) => parseMessageTime(stamp, 'p1', { tz, receivedAtMs });
  const atMs = timeOf(telegram.lines.get('0-0:1.0.0')?.[0]);
  for (const [code, groups] of telegram.lines) {
    const register = registerOf(code);
    if (register) addRegister(collector, { ...register, code, device, atMs, text: groups.at(-1) ?? '' });
    else {
      const other = otherRegisterOf(code, groups, telegram);
      if (!other) continue;
      const { stamp, ...facts } = other;
      collector.add({ ...facts, device, atMs: stamp === undefined ? atMs : timeOf(stamp), name: code });
    }
  }
  return collector;
}

type Line = NonNullable<ReturnType<typeof registerOf>> & {
  code: string;
  device: string;
  atMs: number | null;
  text: string;
};

function addRegister(collector: ValueCollector, { code, device, channel, kind, atMs, text }: Line): void {
  // Empty parentheses mean that the meter has no value.
  if (text === '') return;
  const [, value, unit = ''] = VALUE.exec(text) ?? [];
  const scale = UNIT_SCALES[kind].get(unit);
  if (scale) collector.add({ device, channel, kind, value, ...scale, atMs, name: code });
  else collector.refuse(`${code} has no unit that is known`);
}

/**
 * Returns the device's id: the meter's serial number, decoded from hex to the text on the meter's label. If the telegram contains no serial
 * number, the id consists of manufacturer and type.
 */
function deviceOf({ header, lines }: Telegram): string {
  const serial = SERIALS.map((code) => lines.get(code)?.[0]).find((one) => one);
  if (!serial) return header;
  if (!/^([0-9A-Fa-f]{2}){4,48}$/.test(serial)) return serial;
  const printed = Buffer.from(serial, 'hex').toString('latin1');
  return /^[A-Za-z0-9._-]+$/.test(printed) ? printed : serial;
}
