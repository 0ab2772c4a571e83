import type { SaidKind } from '../family.ts';

/** By the third number of `1-0:C.D.E`: direction, and phase where it is of one. */
const FLOWS: Record<string, string> = {
  1: 'import',
  2: 'export',
  21: 'import/l1',
  41: 'import/l2',
  61: 'import/l3',
  22: 'export/l1',
  42: 'export/l2',
  62: 'export/l3',
};
const ELECTRICITY = /^1-0:(\d{1,2})\.([78])\.([0-4])$/;

/** Units as they stand in a telegram, and what makes them kWh or W. */
type Units = Record<string, { times: number; per: number }>;
const ENERGY: Units = { kWh: { times: 1, per: 1 }, Wh: { times: 1, per: 1_000 }, MWh: { times: 1_000, per: 1 } };
const POWER: Units = { kW: { times: 1_000, per: 1 }, W: { times: 1, per: 1 } };

export interface Register {
  channel: string;
  kind: SaidKind;
  units: Units;
}

/** Meaning of an OBIS code; null for everything but active energy and power (voltages, failures, demands, reactive energy). */
export function registerOf(code: string): Register | null {
  const [, flow = '', what, tariff] = ELECTRICITY.exec(code) ?? [];
  const channel = Object.hasOwn(FLOWS, flow) ? FLOWS[flow] : undefined;
  if (!channel) return null;
  if (what === '7') return tariff === '0' ? { channel, kind: 'power_w', units: POWER } : null;
  const suffix = tariff === '0' ? '' : `/t${tariff}`;
  return { channel: channel + suffix, kind: 'energy_total_kwh', units: ENERGY };
}
