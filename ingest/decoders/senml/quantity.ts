import type { Place, SaidKind } from '../family.ts';
import { volumeChannel, volumeScale } from '../read/volume.ts';
import { channelOf, isSetpoint, placeOf, type SenmlName, volumePlaceOf } from './names.ts';
import type { Resolved } from './resolve.ts';

/** A number of a record, with what makes the unit of its kind of it. */
export interface SenmlQuantity extends Place {
  kind: SaidKind;
  value: number | null;
  times?: number;
  per?: number;
}

const J_PER_KWH = 3_600_000;
const ENERGY = new Map([
  ['J', { per: J_PER_KWH }],
  ['kJ', { per: J_PER_KWH / 1_000 }],
  ['MJ', { per: 3.6 }],
  ['Wh', { per: 1_000 }],
  ['kWh', { per: 1 }],
  ['MWh', { times: 1_000 }],
]);
const POWER = new Map([
  ['W', 1],
  ['kW', 1_000],
]);
const KELVIN_OF_0_CELSIUS = 273.15;
const CELSIUS = new Set(['Cel', '°C', 'C', 'celsius']);

/** Units that resources of IPSO objects have by definition. */
const IPSO_UNITS = new Map([
  [5800, 'W'],
  [5805, 'Wh'],
]);
const IPSO_VALUE = 5700;
const IPSO_SETPOINT = 5900;
/** Power (3328) and energy (3331) are objects of their own, and one circuit. */
const IPSO_POWER = 3328;
const IPSO_ENERGY = 3331;
const WATER_METER = { object: 3424, resource: 1 };

/** What a record says, by its unit. `unitText`: the unit that its IPSO object tells in a record of its own (5701). */
export function quantitiesOf(record: Resolved, of: SenmlName, unitText: string | undefined): SenmlQuantity[] {
  const { part, ipso } = of;
  if (ipso?.object === WATER_METER.object && ipso.resource === WATER_METER.resource) {
    const scale = volumeScale(record.unit ?? 'm3');
    const channel = volumeChannel('water', `${ipso.object}-${ipso.instance}`);
    return scale ? [{ channel, kind: 'volume_total_m3', value: record.value, ...scale }] : [];
  }
  if (ipso && !IPSO_UNITS.has(ipso.resource) && ipso.resource !== IPSO_VALUE && ipso.resource !== IPSO_SETPOINT)
    return [];
  const unit = record.unit ?? (ipso && (IPSO_UNITS.get(ipso.resource) ?? unitText)) ?? '';
  const { value } = record;
  const channel = (kind: SaidKind) => (ipso ? ipsoChannel(ipso, kind) : channelOf(part, kind));
  const place = (kind: 'energy_total_kwh' | 'power_w') =>
    ipso ? { channel: ipsoChannel(ipso, kind) } : placeOf(part, kind);
  const energy = ENERGY.get(unit);
  if (energy) {
    const meter = place('energy_total_kwh');
    return meter ? [{ ...meter, kind: 'energy_total_kwh', value, ...energy }] : [];
  }
  const times = POWER.get(unit);
  if (times !== undefined) {
    const meter = place('power_w');
    if (!meter) return [];
    // W times seconds is J.
    const sum = { ...meter, kind: 'energy_total_kwh', value: record.sum, per: J_PER_KWH / times } as const;
    return [{ ...meter, kind: 'power_w', value, times }, ...(record.sum === null ? [] : [sum])];
  }
  const scale = volumeScale(unit);
  if (scale) {
    const meter = ipso ? null : volumePlaceOf(of);
    return meter ? [{ ...meter, kind: 'volume_total_m3', value, ...scale }] : [];
  }
  const isWanted = ipso ? ipso.resource === IPSO_SETPOINT : isSetpoint(part);
  const kind = isWanted ? 'setpoint_c' : 'temperature_c';
  if (CELSIUS.has(unit)) return [{ channel: channel(kind), kind, value }];
  if (unit !== 'K') return [];
  return [{ channel: channel(kind), kind, value: value === null ? null : value - KELVIN_OF_0_CELSIUS }];
}

function ipsoChannel({ object, instance }: { object: number; instance: number }, kind: SaidKind): string {
  const thing = `${object === IPSO_POWER ? IPSO_ENERGY : object}-${instance}`;
  return kind === 'temperature_c' || kind === 'setpoint_c' ? `room/${thing}` : `${thing}/import`;
}
