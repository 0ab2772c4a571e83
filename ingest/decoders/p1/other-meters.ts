import type { Commodity } from '#src/database/meter.ts';
import type { SaidKind } from '../family.ts';
import { volumeChannel, volumeScale } from '../read/volume.ts';
import type { Telegram } from './telegram.ts';

/** A register of a meter of gas, heat or water that hands its values on to the electricity meter. */
export interface OtherRegister {
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
const VALUE = /^([^*]{0,32})\*([A-Za-z0-9]{1,8})$/;
/** Of `0-1:24.3.0(121030140000)(00)(60)(1)(0-1:24.2.1)(m3)(00001.001)`. */
const OLD = { unit: 5, value: 6 };

/** What a line says of another meter; null: nothing, or nobody can tell of what. */
export function otherRegisterOf(code: string, groups: string[], { lines }: Telegram): OtherRegister | null {
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
