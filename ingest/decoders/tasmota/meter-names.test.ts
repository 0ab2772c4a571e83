import { expect, test } from 'vitest';
import { readMeterName } from './meter-names.ts';

const shown = (name: string): string => {
  const what = readMeterName(name);
  return 'channel' in what ? `${what.is} ${what.channel}` : what.is;
};

// Names in the scripts of ottelo9/tasmota-sml-script, and in the descriptors of Tasmota's manual.
test.each([
  ['ImportActive', 'register import'],
  ['ExportActive', 'register export'],
  ['Total_in', 'register import'],
  ['E_outNT', 'register export/t2'],
  ['kWh_IN_T1', 'register import/t1'],
  ['counter_neg', 'register export'],
  ['ELZ_PV_1.8.0', 'register import'],
  ['eto280', 'register export'],
  ['enrg_exp_t2', 'register export/t2'],
  ['Gesamteinspeisung', 'register export'],
  ['+A', 'register import'],
  ['total_kwh', 'register import'],
  ['Power', 'power import'],
  ['power_l3', 'power import/l3'],
  ['total_30d', 'other'],
  ['energy_reactive_total', 'other'],
  ['BL_Bezug', 'other'],
  ['36-7-0', 'other'],
  ['P_L1', 'other'],
  ['Spannung_L2', 'other'],
  ['Meter_id', 'other'],
  ['SMid', 'other'],
  ['Pi', 'other'],
  ['Po', 'other'],
  ['current_consumption', 'other'],
  // Names with an ambiguous unit (Wh or kWh), direction (import or export) or quantity (energy or volume).
  ['import', 'unknown'],
  ['Total_Consumption', 'unknown'],
  ['Real_energy_delivered', 'unknown'],
  ['Power_total_in', 'unknown'],
  ['total', 'unknown'],
  ['energy_supply', 'unknown'],
  ['Wert', 'unknown'],
  ['Ei', 'unknown'],
  ['Eo1', 'unknown'],
])('classifies %s as %s', (name, wanted) => {
  expect(shown(name)).toBe(wanted);
});
