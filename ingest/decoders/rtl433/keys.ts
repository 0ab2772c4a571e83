import type { Quantity } from '../read/heard.ts';
import { celsius } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';

/** Keys of counts without a unit (ERT meters). */
const COUNTS = new Set(['consumption_data', 'Consumption', 'LastConsumptionCount']);

/** Water meters (Neptune), whose count has a name of its own. */
const NEPTUNE = /^Neptune-R900/;
const NEPTUNE_COUNTS = new Set(['consumption']);

/** The keys of counts without a unit that a model can have, and whether the model says that they are of water. */
export const countsOf = (model: string): { keys: ReadonlySet<string>; isWater: boolean } =>
  NEPTUNE.test(model) ? { keys: NEPTUNE_COUNTS, isWater: true } : { keys: COUNTS, isWater: false };

/** Registers by name: `pulses_per_kWh`, which a meter has too, is none. */
const ENERGY = /^(?:energy|cumulative)_?(\d{0,2})_(kWh|Wh)$/;
const POWER = /^(?:power|effect)_?(\d{0,2})_(kW|W)$/;
const TEMPERATURE = /^(?:temperature|temp)_?(\d{0,2})_(C|F)$/;
const SETPOINT = /^setpoint_(C|F)$/;

/** What a key of a device is: its unit is the end of its name. Null: nothing that is kept, or a lossy register. */
export function quantityOf(key: string, value: unknown): Omit<Quantity, 'device' | 'atMs'> | null {
  const [, meter, energy] = ENERGY.exec(key) ?? [];
  const circuit = (number = '') => (number === '' ? 'import' : `ct${Number(number)}/import`);
  if (energy) {
    const per = energy === 'Wh' ? 1_000 : 1;
    return { channel: circuit(meter), kind: 'energy_total_kwh', value, per, name: key };
  }
  const [, clamp, power] = POWER.exec(key) ?? [];
  if (power) return { channel: circuit(clamp), kind: 'power_w', value, times: power === 'kW' ? 1_000 : 1, name: key };
  const [, probe = '', degrees] = TEMPERATURE.exec(key) ?? [];
  const room = probe === '' ? 'room' : `probe${Number(probe)}`;
  if (degrees) return { channel: room, kind: 'temperature_c', value: celsius(value, degrees as 'C' | 'F'), name: key };
  const setpoint = SETPOINT.exec(key)?.[1];
  if (setpoint) {
    return { channel: 'room', kind: 'setpoint_c', value: celsius(value, setpoint as 'C' | 'F'), name: key };
  }
  return null;
}

/**
 * Whether a register may have lost its digits: above 1e7 rtl_433 prints six of them (`%g`), in topics and in JSON alike,
 * so that 12345678.9 comes as 1.23457e+07 and stands still for a hundred units.
 */
export function isLossy(value: unknown): boolean {
  const number = readNumber(value);
  return typeof number === 'number' && number > 1e7 && Number(number.toPrecision(6)) === number;
}
