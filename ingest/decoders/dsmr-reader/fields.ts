import { volumeChannel } from '../read/volume.ts';

/** Where a field of a reading goes; energy is in kWh, power in kW, gas in m³. */
export interface Field {
  channel: string;
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
  /** To the unit of the kind. */
  times: number;
}

const register = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', times: 1 });
const power = (channel: string): Field => ({ channel, kind: 'power_w', times: 1_000 });
const gas: Field = { channel: volumeChannel('gas'), kind: 'volume_total_m3', times: 1 };

/** Delivered is to the client, returned is to the grid; each has a power of its own, which is never negative. */
export const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['electricity_delivered_1', register('import/t1')],
  ['electricity_delivered_2', register('import/t2')],
  ['electricity_returned_1', register('export/t1')],
  ['electricity_returned_2', register('export/t2')],
  ['electricity_currently_delivered', power('import')],
  ['electricity_currently_returned', power('export')],
  ['phase_currently_delivered_l1', power('import/l1')],
  ['phase_currently_delivered_l2', power('import/l2')],
  ['phase_currently_delivered_l3', power('import/l3')],
  ['phase_currently_returned_l1', power('export/l1')],
  ['phase_currently_returned_l2', power('export/l2')],
  ['phase_currently_returned_l3', power('export/l3')],
  ['extra_device_delivered', gas],
]);

/** A field by its name; undefined for voltages, currents and whatever else is neither energy nor gas. */
export const field = (name: string): Field | undefined => FIELDS.get(name);
