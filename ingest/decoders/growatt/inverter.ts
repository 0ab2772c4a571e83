import { readNumber } from '../read/number.ts';
import { getMember, type Json } from '../read/payload.ts';
import type { ValueCollector } from '../read/value-collector.ts';

/** Source of an inverter's numbers: the device, the time of the measurement, and the divisor that converts the numbers to kWh and W. */
export interface InverterSource {
  collector: ValueCollector;
  device: string;
  atMs: number | null;
  per: number;
}

/** Names that a bridge uses for the values of an inverter. Of each list, the first name that occurs in the message is used. */
export interface InverterMemberNames {
  /** Energy and power at the inverter's output. */
  made: readonly string[];
  output: readonly string[];
  /** Energy and power of the solar panels. */
  panels: readonly string[];
  input: readonly string[];
  battery: readonly string[];
  grid: readonly string[];
}

const first = (body: Json, names: readonly string[]): string | undefined =>
  names.find((name) => Object.hasOwn(body, name));
const isAboveZero = (body: Json) => (name: string) => (readNumber(getMember(body, name)) ?? 0) > 0;

/**
 * Decodes the values of an inverter. Once its battery has been charged or discharged, the inverter's output no longer equals the
 * production. From then on, the power and energy of the panels count as the production, on a channel of their own, and the owner is asked
 * about the registers of battery and grid.
 */
export function decodeInverter(
  { collector, device, atMs, per }: InverterSource,
  body: Json,
  names: InverterMemberNames,
): void {
  const hasBattery = names.battery.some(isAboveZero(body));
  const [made, power] = hasBattery ? [names.panels, names.input] : [names.made, names.output];
  const circuit = hasBattery ? 'pv/' : '';
  const [energyName, powerName] = [first(body, made), first(body, power)];
  if (energyName !== undefined) {
    const value = getMember(body, energyName);
    collector.add({
      device,
      channel: `${circuit}export`,
      kind: 'energy_total_kwh',
      value,
      per,
      atMs,
      name: energyName,
    });
  }
  if (powerName !== undefined) {
    const value = getMember(body, powerName);
    collector.add({ device, channel: `${circuit}export`, kind: 'power_w', value, per, atMs, name: powerName });
  }
  for (const [part, registers] of [['battery', names.battery] as const, ['grid', names.grid] as const]) {
    // A register that is still 0 belongs to a component that is not installed, so it is ignored.
    for (const name of registers.filter(isAboveZero(body))) {
      const channel = `${part}/unknown/${name.toLowerCase()}`;
      const said = {
        device,
        channel,
        kind: 'energy_total_kwh',
        value: getMember(body, name),
        per,
        atMs,
        name,
      } as const;
      collector.add({ ...said, asks: { unit: 'kWh' } });
    }
  }
}
