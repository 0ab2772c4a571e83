import type { Commodity } from '#src/database/meter.ts';
import { type DecoderSettings, type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { type Hearing, hearing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { trusted } from '../read/time.ts';
import { volumeChannel, volumeScale } from '../read/volume.ts';
import { fromStamp } from './stamp.ts';
import { parseTelegram, type Telegram } from './telegram.ts';

/** Topics on which a telegram may come; whether one does is seen in the body. */
const LAST = new Set(['raw', 'telegram']);
/** DSMR-reader's own topic: nothing but telegrams come there. */
const CERTAIN = /(^|\/)dsmr\/raw$/;
/** Three letters of the maker and a digit for the baud rate. */
const HEADER = /^\/[A-Za-z]{3}\d/;
const OBIS = /\n\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3}\(/;

/** Whether telegrams may come on a topic: `…/raw`, `…/telegram`, or the word `p1` in it. */
function mayHaveTelegram(topic: string): boolean {
  const words = topic.toLowerCase().split('/');
  return LAST.has(words.at(-1) ?? '') || words.some((word) => /(^|[^a-z0-9])p1([^a-z0-9]|$)/.test(word));
}

/**
 * Whether a message is a telegram: on `dsmr/raw`; or on `…/raw`, `…/telegram`, or a topic with the word `p1`, where the body
 * begins as a telegram and has its lines.
 */
function isTelegram(topic: string, text: string | null): boolean {
  if (CERTAIN.test(topic)) return true;
  if (text === null || !mayHaveTelegram(topic)) return false;
  const start = text.trimStart();
  return HEADER.test(start) && OBIS.test(start);
}

/** By the third number of `1-0:C.D.E`: direction, and phase where it is of one. */
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

/** Units as they stand in a telegram, and what makes them kWh or W. */
type Units = Record<string, { times: number; per: number }>;
const ENERGY: Units = { kWh: { times: 1, per: 1 }, Wh: { times: 1, per: 1_000 }, MWh: { times: 1_000, per: 1 } };
const POWER: Units = { kW: { times: 1_000, per: 1 }, W: { times: 1, per: 1 } };

interface Register {
  channel: string;
  kind: SaidKind;
  units: Units;
}

/** Meaning of an OBIS code; null for everything but active energy and power (voltages, failures, demands, reactive energy). */
function registerOf(code: string): Register | null {
  const [, flow = '', what, tariff] = ELECTRICITY.exec(code) ?? [];
  const channel = Object.hasOwn(FLOWS, flow) ? FLOWS[flow] : undefined;
  if (!channel) return null;
  if (what === '7') return tariff === '0' ? { channel, kind: 'power_w', units: POWER } : null;
  const suffix = tariff === '0' ? '' : `/t${tariff}`;
  return { channel: channel + suffix, kind: 'energy_total_kwh', units: ENERGY };
}

/** A register of a meter of gas, heat or water that hands its values on to the electricity meter. */
interface OtherRegister {
  channel: string;
  kind: SaidKind;
  value: string;
  times: number;
  per: number;
  /** The time of its own: such a meter reports once an hour, or every five minutes. Undefined: that of the telegram. */
  stamp: string | undefined;
}

/** By channel of the M-Bus: the latest value (24.2.1), of gas as it flowed (24.2.3, Belgium), and as DSMR 2 and 3 have it. */
const MBUS = /^0-([1-9]):24\.(2\.1|2\.3|3\.0)$/;
/** Device types (EN 13757-3) of `0-n:24.1.0`: gas, heat by its outlet or inlet, warm, cold and hot water. */
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
/** Codes that say themselves what they are of (IEC 62056-61), of gas the first that is there. */
const GAS = ['7-0:3.0.0', '7-0:3.1.0', '7-0:3.2.0', '7-0:23.2.0', '7-0:23.1.0'];
const DIRECT = new Map<string, string>([
  ...GAS.map((code) => [code, volumeChannel('gas')] as const),
  ['6-0:2.0.0', volumeChannel('heat')],
  ['8-0:1.0.0', volumeChannel('water')],
  ['9-0:1.0.0', volumeChannel('water', 'warm')],
]);
const HEAT: Record<string, { times: number; per: number }> = {
  GJ: { times: 1_000_000, per: 3_600 },
  MJ: { times: 1_000, per: 3_600 },
};
/** A value with its unit. */
const VALUE = /^([^*]{0,32})\*([A-Za-z0-9]{1,8})$/;
/** Of `0-1:24.3.0(121030140000)(00)(60)(1)(0-1:24.2.1)(m3)(00001.001)`. */
const OLD = { unit: 5, value: 6 };

/** What a line says of another meter; null: nothing, or nobody can tell of what. */
function otherRegisterOf(code: string, groups: string[], { lines }: Telegram): OtherRegister | null {
  const [, place, what] = MBUS.exec(code) ?? [];
  const direct = place === undefined ? DIRECT.get(code) : undefined;
  if (place === undefined && direct === undefined) return null;
  const isThere = (other: string) => (lines.get(other)?.at(-1) ?? '') !== '';
  // One meter is read once.
  if (place !== undefined && what !== '2.1' && isThere(`0-${place}:24.2.1`)) return null;
  if (GAS.includes(code) && GAS.find(isThere) !== code) return null;
  const stamp = groups.length > 1 ? groups[0] : undefined;
  const [, last = '', lastUnit = ''] = VALUE.exec(groups.at(-1) ?? '') ?? [];
  const [value, unit] = what === '3.0' ? [groups[OLD.value] ?? '', groups[OLD.unit] ?? ''] : [last, lastUnit];
  if (value === '') return null;
  if (place !== undefined && Object.hasOwn(HEAT, unit)) {
    const scale = HEAT[unit] as { times: number; per: number };
    return { channel: `mbus${place}/heat/import`, kind: 'energy_total_kwh', value, ...scale, stamp };
  }
  const scale = volumeScale(unit);
  const channel = direct ?? channelOf(place as string, lines.get(`0-${place}:24.1.0`)?.[0], what);
  return scale && channel ? { channel, kind: 'volume_total_m3', value, ...scale, stamp } : null;
}

/** Without a type only gas is known: nothing else is told as it flowed, not converted to its temperature. */
function channelOf(place: string, type: string | undefined, what: string | undefined): string | null {
  const commodity =
    type === undefined && what === '2.3' ? 'gas' : TYPES.get(/^\d{1,3}$/.test(type ?? '') ? Number(type) : 0);
  return commodity ? volumeChannel(commodity, `mbus${place}`) : null;
}

/** The meter's number, as Dutch and Belgian, Swedish, and Luxembourgian meters tell it. */
const SERIALS = ['0-0:96.1.1', '0-0:96.1.0', '0-0:42.0.0'];

/** Telegrams of a P1 port (DSMR, eMUCS), whoever publishes them. */
export const p1 = withoutMemory({ name: 'p1', takes: mayHaveTelegram, decode });

function decode({ topic, payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): Heard | null {
  const text = readText(payload);
  if (!isTelegram(topic, text)) return null;
  if (text === null) return refusal('payload is not text');
  const telegram = parseTelegram(text);
  if (typeof telegram === 'string') return refusal(telegram);
  const heard = hearing();
  const device = deviceOf(telegram);
  const timeOf = (stamp: string | undefined) => trusted(fromStamp(stamp, { tz, receivedAtMs }), receivedAtMs);
  const atMs = timeOf(telegram.lines.get('0-0:1.0.0')?.[0]);
  for (const [code, groups] of telegram.lines) {
    const register = registerOf(code);
    if (register) addRegister(heard, { ...register, code, device, atMs, text: groups.at(-1) ?? '' });
    else {
      const other = otherRegisterOf(code, groups, telegram);
      if (!other) continue;
      const { stamp, ...told } = other;
      heard.add({ ...told, device, atMs: stamp === undefined ? atMs : timeOf(stamp), name: code });
    }
  }
  return heard;
}

type Line = NonNullable<ReturnType<typeof registerOf>> & {
  code: string;
  device: string;
  atMs: number | null;
  text: string;
};

function addRegister(heard: Hearing, { code, device, channel, kind, units, atMs, text }: Line): void {
  // Empty parentheses: the meter has no value.
  if (text === '') return;
  const [, value, unit = ''] = VALUE.exec(text) ?? [];
  if (Object.hasOwn(units, unit)) heard.add({ device, channel, kind, value, ...units[unit], atMs, name: code });
  else heard.refuse(`${code} has no unit that is known`);
}

/** The meter's number, as it is printed on it: telegrams have it in hex. Without one, maker and type. */
function deviceOf({ header, lines }: Telegram): string {
  const serial = SERIALS.map((code) => lines.get(code)?.[0]).find((one) => one);
  if (!serial) return header;
  if (!/^([0-9A-Fa-f]{2}){4,48}$/.test(serial)) return serial;
  const printed = Buffer.from(serial, 'hex').toString('latin1');
  return /^[A-Za-z0-9._-]+$/.test(printed) ? printed : serial;
}
