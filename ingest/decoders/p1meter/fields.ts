import type { SaidKind } from '../family.ts';
import { volumeChannel } from '../read/volume.ts';

/** Where a field goes. The sketch multiplies what stands in the telegram by 1,000: Wh, W and litres, as whole numbers. */
export interface Field {
  channel: string;
  kind: SaidKind;
  /** To the unit of the kind. */
  per: number;
  /** Spelt as nobody else spells it (`tarif`, `returndelivery`). */
  isDistinct: boolean;
}

const register = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', per: 1_000, isDistinct: true });
const power = (channel: string, isDistinct = true): Field => ({ channel, kind: 'power_w', per: 1, isDistinct });

export const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['consumption_low_tarif', register('import/t1')],
  ['consumption_high_tarif', register('import/t2')],
  ['returndelivery_low_tarif', register('export/t1')],
  ['returndelivery_high_tarif', register('export/t2')],
  ['actual_consumption', power('import', false)],
  ['actual_returndelivery', power('export')],
  // 1-0:21.7.0, the first phase's.
  ['instant_power_usage', power('import/l1', false)],
  ['l1_instant_power_usage', power('import/l1')],
  ['l2_instant_power_usage', power('import/l2')],
  ['l3_instant_power_usage', power('import/l3')],
  ['gas_meter_m3', { channel: volumeChannel('gas'), kind: 'volume_total_m3', per: 1_000, isDistinct: false }],
]);
