import type { SaidKind } from '../family.ts';

/** What a value of a meter is, by its MeterValueID. */
export interface ValueMeaning {
  channel: string;
  kind: SaidKind;
  name: string;
  /** Its owner is asked. */
  asked?: boolean;
}

const register = (channel: string, name: string): ValueMeaning => ({ channel, kind: 'energy_total_kwh', name });
const power = (channel: string, name: string): ValueMeaning => ({ channel, kind: 'power_w', name });
const asked = (channel: string, name: string): ValueMeaning => ({
  ...register(`unknown/${channel}`, name),
  asked: true,
});

/**
 * Lifetime registers and the power of now. Each register has a neighbour of the next number that the owner can set to 0
 * (`Resettable`), which is left alone.
 */
const MEANINGS = new Map<number, ValueMeaning>([
  [39, power('import/l1', 'PowerActiveL1ImExDiff')],
  [48, power('import/l2', 'PowerActiveL2ImExDiff')],
  [57, power('import/l3', 'PowerActiveL3ImExDiff')],
  [74, power('import', 'PowerActiveLSumImExDiff')],
  [161, register('import/l1', 'EnergyActiveL1Import')],
  [163, register('export/l1', 'EnergyActiveL1Export')],
  [177, register('import/l2', 'EnergyActiveL2Import')],
  [179, register('export/l2', 'EnergyActiveL2Export')],
  [193, register('import/l3', 'EnergyActiveL3Import')],
  [195, register('export/l3', 'EnergyActiveL3Export')],
  [209, register('import', 'EnergyActiveLSumImport')],
  [211, register('export', 'EnergyActiveLSumExport')],
  // Of which side of an inverter or a battery, nobody can tell here.
  [405, asked('dc_import', 'EnergyDCImport')],
  [407, asked('dc_export', 'EnergyDCExport')],
  [413, asked('dc_charge', 'EnergyDCCharge')],
  [415, asked('dc_discharge', 'EnergyDCDischarge')],
  [472, asked('pv_sum_export', 'EnergyPVSumExport')],
]);
/** Import and export added up: where the meter has no register of its own for import it is asked about. */
const BOTH_WAYS = 213;
const IMPORT = 209;

/** What a value means; null: nothing that is read. `ids`: all that this meter tells. */
export function meaningOfId(id: number, ids: readonly number[]): ValueMeaning | null {
  if (id === BOTH_WAYS && !ids.includes(IMPORT)) return asked('both_ways', 'EnergyActiveLSumImExSum');
  return MEANINGS.get(id) ?? null;
}
