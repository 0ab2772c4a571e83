import { type Json, member } from '../read/payload.ts';
import { addParts, addPhases, block, type Source } from './source.ts';

/**
 * Reads the block `ENERGY` of a device that measures by itself. `Today`, `Yesterday` and `TodaySum…` start again each
 * midnight, and `Period` does not say how long it was: none of them is read.
 */
export function readEnergy(source: Source, energy: Json): void {
  const kind = 'energy_total_kwh';
  // The driver of Modbus meters: `Total` is what flowed either way where it says the import by itself.
  const imported = member(energy, 'ImportActive');
  if (imported === undefined) addPhases(source, member(energy, 'Total'), 'import', kind, 'ENERGY.Total');
  else addPhases(source, imported, 'import', kind, 'ENERGY.ImportActive');
  addPhases(source, member(energy, 'ExportActive'), 'export', kind, 'ENERGY.ExportActive');
  for (const [name, channel] of [
    ['TotalTariff', 'import'],
    ['ExportTariff', 'export'],
  ] as const) {
    const list = member(energy, name);
    if (Array.isArray(list)) addParts(source, list, { channel, part: 't', kind, name: `ENERGY.${name}` });
    else if (list !== undefined && list !== null) source.heard.refuse(`ENERGY.${name} is not a list`);
  }
}

/** Reads the power in `ENERGY`, W, signed: negative while there is more generated than used. */
export const readPower = (source: Source, energy: Json): void =>
  addPhases(source, member(energy, 'Power'), 'import', 'power_w', 'ENERGY.Power');

/** Reads current clamps on analogue inputs: `ANALOG.CTEnergy`, on an ESP32 `CTEnergy1` …; each is a circuit of its own. */
export function readClamps(source: Source, analog: Json): void {
  const { heard, device, atMs } = source;
  for (const [name, value] of Object.entries(analog)) {
    if (!/^CTEnergy\d{0,2}$/.test(name)) continue;
    const clamp = block(source, value, `ANALOG.${name}`);
    const channel = `${name.toLowerCase()}/import`;
    const [total, power] = [member(clamp, 'Energy'), member(clamp, 'Power')];
    heard.add({ device, channel, kind: 'energy_total_kwh', value: total, atMs, name: `${name}.Energy` });
    heard.add({ device, channel, kind: 'power_w', value: power, atMs, name: `${name}.Power` });
  }
}
