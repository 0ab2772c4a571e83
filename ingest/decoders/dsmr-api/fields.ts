import type { SaidKind } from '../family.ts';
import { volumeChannel } from '../read/volume.ts';

/** Units as they stand beside values, and what makes them kWh, W or m³. */
type Units = Record<string, { times: number; per: number }>;
const ENERGY: Units = { kWh: { times: 1, per: 1 }, Wh: { times: 1, per: 1_000 }, MWh: { times: 1_000, per: 1 } };
const POWER: Units = { kW: { times: 1_000, per: 1 }, W: { times: 1, per: 1 }, Watt: { times: 1, per: 1 } };
const HEAT: Units = { GJ: { times: 1_000_000, per: 3_600 } };
const VOLUME: Units = { m3: { times: 1, per: 1 }, 'm³': { times: 1, per: 1 } };

export interface Field {
  channel: string;
  kind: SaidKind;
  units: Units;
  /** The unit where none is told: newer firmware publishes bare numbers. */
  bare: string;
  /** The field with its own time, on `all`. */
  time?: string;
  /** A word that anybody may have in a topic and a body. */
  isCommon?: true;
}

const register = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', units: ENERGY, bare: 'kWh' });
const power = (channel: string): Field => ({ channel, kind: 'power_w', units: POWER, bare: 'kW' });
const heat = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', units: HEAT, bare: 'GJ' });
const volume = (channel: string, rest: Pick<Field, 'time' | 'isCommon'>): Field => ({
  channel,
  kind: 'volume_total_m3',
  units: VOLUME,
  bare: 'm3',
  ...rest,
});

/** Delivered is to the client, returned is to the grid. */
export const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['energy_delivered_tariff1', register('import/t1')],
  ['energy_delivered_tariff2', register('import/t2')],
  ['energy_returned_tariff1', register('export/t1')],
  ['energy_returned_tariff2', register('export/t2')],
  ['power_delivered', power('import')],
  ['power_returned', power('export')],
  ['power_delivered_l1', power('import/l1')],
  ['power_delivered_l2', power('import/l2')],
  ['power_delivered_l3', power('import/l3')],
  ['power_returned_l1', power('export/l1')],
  ['power_returned_l2', power('export/l2')],
  ['power_returned_l3', power('export/l3')],
  ['heat_delivered', heat('heat/import')],
  ['thermal_delivered', heat('thermal/heat/import')],
  ['gas_delivered', volume(volumeChannel('gas'), { time: 'gas_delivered_timestamp' })],
  ['water_delivered', volume(volumeChannel('water'), { time: 'water_delivered_ts' })],
  // Of its own pulse input, and of a meter on the M-Bus in older firmware.
  ['water', volume(volumeChannel('water'), { time: 'water_ts', isCommon: true })],
]);
