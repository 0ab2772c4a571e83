import { getMember, type Json } from '../read/payload.ts';
import { addNumberedValues, addTotalOrPhaseValues, getSensorObject, type TasmotaMessageSource } from './source.ts';

/**
 * Reads the block `ENERGY` of a device with a built-in meter. Ignores `Today`, `Yesterday` and `TodaySum…`, which reset at midnight, and
 * `Period`, because the message does not state its length.
 */
export function readEnergy(source: TasmotaMessageSource, energy: Json): void {
  const kind = 'energy_total_kwh';
  // If the driver of a Modbus meter sends `ImportActive`, `Total` is the sum of both directions.
  const imported = getMember(energy, 'ImportActive');
  if (imported === undefined) addTotalOrPhaseValues(source, getMember(energy, 'Total'), 'import', kind, 'ENERGY.Total');
  else addTotalOrPhaseValues(source, imported, 'import', kind, 'ENERGY.ImportActive');
  addTotalOrPhaseValues(source, getMember(energy, 'ExportActive'), 'export', kind, 'ENERGY.ExportActive');
  for (const [name, channel] of [
    ['TotalTariff', 'import'],
    ['ExportTariff', 'export'],
  ] as const) {
    const list = getMember(energy, name);
    if (Array.isArray(list)) addNumberedValues(source, list, { channel, part: 't', kind, name: `ENERGY.${name}` });
    else if (list !== undefined && list !== null) source.collector.refuse(`ENERGY.${name} is not a list`);
  }
}

/** Reads the signed power in W in the block `ENERGY`. A negative power means that generation exceeds consumption. */
export const readPower = (source: TasmotaMessageSource, energy: Json): void =>
  addTotalOrPhaseValues(source, getMember(energy, 'Power'), 'import', 'power_w', 'ENERGY.Power');

/** Reads current clamps on analogue inputs: `ANALOG.CTEnergy`, or on an ESP32 `CTEnergy1` …. Each clamp is a separate circuit. */
export function readCurrentClamps(source: TasmotaMessageSource, analog: Json): void {
  const { collector, device, atMs } = source;
  for (const [name, value] of Object.entries(analog)) {
    if (!/^CTEnergy\d{0,2}$/.test(name)) continue;
    const clamp = getSensorObject(source, value, `ANALOG.${name}`);
    const channel = `${name.toLowerCase()}/import`;
    const [total, power] = [getMember(clamp, 'Energy'), getMember(clamp, 'Power')];
    collector.add({ device, channel, kind: 'energy_total_kwh', value: total, atMs, name: `${name}.Energy` });
    collector.add({ device, channel, kind: 'power_w', value: power, atMs, name: `${name}.Power` });
  }
}

/** Channels of a French meter's indexes, which are in Wh. Each contract has its own tariffs, and no two tariffs share a number. */
const INDEXES = [
  ['BASE', 'import'],
  ['EAIT', 'export'],
  ['HCHC', 'import/t1'],
  ['HCHP', 'import/t2'],
  ['EJPHN', 'import/t3'],
  ['EJPHPM', 'import/t4'],
  ['BBRHCJB', 'import/t5'],
  ['BBRHPJB', 'import/t6'],
  ['BBRHCJW', 'import/t7'],
  ['BBRHPJW', 'import/t8'],
  ['BBRHCJR', 'import/t9'],
  ['BBRHPJR', 'import/t10'],
] as const;

/**
 * Reads the indexes of a French meter in the block `TIC`. An index may be a text with leading zeros. `PAPP` is ignored, because it is in
 * volt-amperes. `ADCO` and `ADSC` are not stored, because they contain the meter number of the household.
 */
export function readTeleinfo({ collector, device, atMs }: TasmotaMessageSource, tic: Json): void {
  const add = (label: string, channel: string) =>
    collector.add({
      device,
      channel,
      kind: 'energy_total_kwh',
      value: getMember(tic, label),
      per: 1_000,
      atMs,
      name: `TIC.${label}`,
    });
  for (const [label, channel] of INDEXES) add(label, channel);
  // EAST is the index BASE in the newer mode of French meters.
  if (getMember(tic, 'BASE') === undefined) add('EAST', 'import');
}
