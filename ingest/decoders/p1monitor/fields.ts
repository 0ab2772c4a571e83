import type { SaidKind } from '../family.ts';
import { volumeChannel } from '../read/volume.ts';

export interface Field {
  channel: string;
  kind: SaidKind;
  times: number;
  /** A device of its own beside the meter: `powerproduction`. */
  part: string;
}

const field = (channel: string, kind: SaidKind, times = 1, part = ''): Field => ({ channel, kind, times, part });
const phases = ['l1', 'l2', 'l3'].flatMap((phase): [string, Field][] => [
  [`phase/consumption_${phase}_w`, field(`import/${phase}`, 'power_w')],
  [`phase/production_${phase}_w`, field(`export/${phase}`, 'power_w')],
]);
const PRODUCTION = 'powerproduction';

/** What is read. Low is 1-0:1.8.1 (`import/t1`), high 1-0:1.8.2, as `apiconst.py` says. */
export const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['smartmeter/consumption_kwh_low', field('import/t1', 'energy_total_kwh')],
  ['smartmeter/consumption_kwh_high', field('import/t2', 'energy_total_kwh')],
  ['smartmeter/production_kwh_low', field('export/t1', 'energy_total_kwh')],
  ['smartmeter/production_kwh_high', field('export/t2', 'energy_total_kwh')],
  ['smartmeter/consumption_kw', field('import', 'power_w', 1_000)],
  ['smartmeter/production_kw', field('export', 'power_w', 1_000)],
  ['smartmeter/consumption_gas_m3', field(volumeChannel('gas'), 'volume_total_m3')],
  ...phases,
  ['powerproduction/minute/production_kwh_low_total', field('export/t1', 'energy_total_kwh', 1, PRODUCTION)],
  ['powerproduction/minute/production_kwh_high_total', field('export/t2', 'energy_total_kwh', 1, PRODUCTION)],
  ['powerproduction/minute/production_kwh_total', field('export', 'energy_total_kwh', 1, PRODUCTION)],
  ['watermeter/minute/watermeter_consumption_total_m3', field(volumeChannel('water'), 'volume_total_m3')],
  [
    'watermeterdigital/minute/watermeter_consumption_total_m3',
    field(volumeChannel('water', 'digital'), 'volume_total_m3'),
  ],
]);
