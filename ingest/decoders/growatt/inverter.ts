import type { Hearing } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { type Json, member } from '../read/payload.ts';

/** Whose numbers they are: the device, their time, and what they have to be divided by. */
export interface Source {
  heard: Hearing;
  device: string;
  atMs: number | null;
  per: number;
}

/** How a bridge calls what an inverter tells; the first name that the message has is taken. */
export interface Names {
  /** Energy and power at its output. */
  made: readonly string[];
  output: readonly string[];
  /** Energy and power of its panels. */
  panels: readonly string[];
  input: readonly string[];
  battery: readonly string[];
  grid: readonly string[];
}

const first = (body: Json, names: readonly string[]): string | undefined =>
  names.find((name) => Object.hasOwn(body, name));
const isAboveZero = (body: Json) => (name: string) => (readNumber(member(body, name)) ?? 0) > 0;

/**
 * What an inverter tells. Once its battery has been charged or discharged, what leaves the inverter is no production any more: its panels
 * are, on a circuit of their own, and the registers of battery and grid are asked about.
 */
export function readInverter({ heard, device, atMs, per }: Source, body: Json, names: Names): void {
  const hasBattery = names.battery.some(isAboveZero(body));
  const [made, power] = hasBattery ? [names.panels, names.input] : [names.made, names.output];
  const circuit = hasBattery ? 'pv/' : '';
  const [energyName, powerName] = [first(body, made), first(body, power)];
  if (energyName !== undefined) {
    const value = member(body, energyName);
    heard.add({ device, channel: `${circuit}export`, kind: 'energy_total_kwh', value, per, atMs, name: energyName });
  }
  if (powerName !== undefined) {
    const value = member(body, powerName);
    heard.add({ device, channel: `${circuit}export`, kind: 'power_w', value, per, atMs, name: powerName });
  }
  for (const [part, registers] of [['battery', names.battery] as const, ['grid', names.grid] as const]) {
    // A register that never counted is of something that is not there.
    for (const name of registers.filter(isAboveZero(body))) {
      const channel = `${part}/unknown/${name.toLowerCase()}`;
      const said = { device, channel, kind: 'energy_total_kwh', value: member(body, name), per, atMs, name } as const;
      heard.add({ ...said, asks: { unit: 'kWh' } });
    }
  }
}
