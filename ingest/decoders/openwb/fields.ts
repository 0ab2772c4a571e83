import type { SaidKind } from '../family.ts';
import type { OpenWbTopic } from './topic.ts';

export interface Field {
  channel: string;
  kind: SaidKind;
  per: number;
}

const wattHours = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', per: 1_000 });
const kilowattHours = (channel: string): Field => ({ channel, kind: 'energy_total_kwh', per: 1 });
const watts = (channel: string): Field => ({ channel, kind: 'power_w', per: 1 });

/** 2.x. Power has a sign: negative is fed in, produced, or discharged. */
const TWO: ReadonlyMap<string, Field> = new Map([
  ['imported', wattHours('import')],
  ['exported', wattHours('export')],
  ['power', watts('import')],
]);
const ONE: ReadonlyMap<string, Field> = new Map([
  ['WhImported', wattHours('import')],
  ['WhExported', wattHours('export')],
  ['W', watts('import')],
  ['Watt', watts('import')],
  ['WPhase1', watts('import/l1')],
  ['WPhase2', watts('import/l2')],
  ['WPhase3', watts('import/l3')],
]);
/** The counters of a charge point and of all inverters have names of their own, and the former is in kWh. */
const CHARGE_POINT = kilowattHours('import');
const INVERTER = wattHours('export');

/** What a field is; undefined: nothing that is read, a day's energy and one charge's among it. */
export function fieldOf({ version, part, field }: OpenWbTopic): Field | undefined {
  // What an inverter imports is reckoned, not metered.
  if (version === 2) return part === 'pv' && field === 'imported' ? undefined : TWO.get(field);
  if (part === 'chargepoint' && field === 'kWhCounter') return CHARGE_POINT;
  if (part === 'pv' && field === 'WhCounter') return INVERTER;
  return ONE.get(field);
}
