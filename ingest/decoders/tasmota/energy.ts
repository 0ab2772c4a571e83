import { getMember, type Json } from '../read/payload.ts';
import { addNumberedValues, addTotalOrPhaseValues, getSensorObject, type TasmotaMessageSource } from './source.ts';

/**
 * Reads the block `ENERGY` of a device with its own meter. Does not read `Today`, `Yesterday` and `TodaySum…`, which reset at midnight, or
 * `Period`, whose length the message does not state.
 */
export function readEnergy(source: TasmotaMessageSource, energy: Json): void {
  const kind = 'energy_total_kwh';
  // If `ImportActive` exists (driver of Modbus meters), `Total` is the sum of both directions.
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

/** Reads the signed power in W in the block `ENERGY`. Negative: generation exceeds consumption. */
export const readPower = (source: TasmotaMessageSource, energy: Json): void =>
  addTotalOrPhaseValues(source, getMember(energy, 'Power'), 'import', 'power_w', 'ENERGY.Power');

/** Reads current clamps on analogue inputs: `ANALOG.CTEnergy`, on an ESP32 `CTEnergy1` …; each is a separate circuit. */
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

/**
 * Channels of the indexes of French meters, which are in Wh. Each contract has tariffs of its own, so each tariff number is used only once.
 */
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
 * Reads the indexes in the block `TIC` of a French meter. An index may be a text with leading zeros. `PAPP` is in volt-amperes and is not
 * read. `ADCO` and `ADSC` contain the household's meter number and are not stored.
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
  // EAST is the same index as BASE, in the newer mode of French meters.
  if (getMember(tic, 'BASE') === undefined) add('EAST', 'import');
}
