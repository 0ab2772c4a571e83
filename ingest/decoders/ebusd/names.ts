import type { SaidKind } from '../family.ts';

/** What a message's value is. */
interface Measured {
  channel: string;
  kind: SaidKind;
  times?: number;
  asks?: { unit: string | null };
}

/** Registers of electricity in kWh, by the definitions of Vaillant's regulators and heat pumps. */
const REGISTERS = new Map([
  ['PrEnergySumHc', 'hc/import'],
  ['PrEnergySumHwc', 'hwc/import'],
  ['ConsumptionTotal', 'import'],
]);
/** Sums in kWh of which nobody can tell whether they start again, of which fuel, or which of two heats they are. */
const ASKED_KWH = new Set([
  'PrEnergySum',
  'PrFuelSum',
  'PrFuelSumHc',
  'PrFuelSumHwc',
  'SolarYieldTotal',
  'TotalEnergyUsage',
  'YieldTotal',
  'EnergyHc',
  'EnergyCool',
]);
const PERIOD = /(?:this|last)(?:month|year|day)|today|yesterday|currentday|month|year/i;
/** Sums of which the definitions name no unit: `PrEnergySumHwc1`, `YieldSum`. */
const SUM = /^(?:Pr)?(?:Energy|Fuel|Yield|Consumption)(?:Sum|Total)|^(?:Total|Sum)(?:Energy|Fuel|Yield|Consumption)/;

/** What a message of that name says; null where nothing is read of it. */
export function measuredOf(name: string): Measured | null {
  const register = REGISTERS.get(name);
  if (register) return { channel: register, kind: 'energy_total_kwh' };
  if (name === 'CurrentConsumedPower') return { channel: 'import', kind: 'power_w', times: 1_000 };
  const [, zone, target] = /^(?:z([1-3]))?(?:RoomTemp|(ActualRoomTempDesired))$/i.exec(name) ?? [];
  if (zone || /^roomtemp$/i.test(name)) {
    const kind = target ? 'setpoint_c' : 'temperature_c';
    return { channel: zone ? `room/z${zone}` : 'room', kind };
  }
  if (name === 'DisplayedOutsideTemp') return { channel: 'outside', kind: 'temperature_c' };
  if (PERIOD.test(name)) return null;
  const isKwh = ASKED_KWH.has(name);
  if (!isKwh && !SUM.test(name)) return null;
  const channel = `unknown/${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, 40)}`;
  return { channel, kind: 'energy_total_kwh', asks: { unit: isKwh ? 'kWh' : null } };
}

/** Whether a name is told by nobody else. */
export const isKnown = (name: string): boolean =>
  (REGISTERS.has(name) && name !== 'ConsumptionTotal') || /^(?:Pr(?:Energy|Fuel)Sum|z[1-3]ActualRoomTemp)/i.test(name);
