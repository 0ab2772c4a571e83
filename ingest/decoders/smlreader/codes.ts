import type { SaidKind } from '../family.ts';

export interface Meaning {
  channel: string;
  kind: SaidKind;
  per: number;
  /** Which way it flows is not said. */
  asks: boolean;
}

const ELECTRICITY = /^1-\d{1,3}:(\d{1,3})\.([78])\.(\d{1,2})$/;
/** Third number of a code: import, export, and the same of each phase. */
const FLOWS: Readonly<Record<string, string>> = {
  1: 'import',
  2: 'export',
  21: 'import/l1',
  41: 'import/l2',
  61: 'import/l3',
  22: 'export/l1',
  42: 'export/l2',
  62: 'export/l3',
};
/** Import less export, with a sign: of power only, as a register it is a balance. */
const SIGNED: Readonly<Record<string, string>> = { 16: 'import', 36: 'import/l1', 56: 'import/l2', 76: 'import/l3' };
/** Without a sign: of power, and of energy in either direction together. */
const ABSOLUTE = new Set(['15', '35', '55', '75']);

/** What a code is: registers are in Wh, power is in W, as SML has them. Null: neither, or known not to count (reactive, a balance). */
export function meaningOf(code: string): Meaning | null {
  const [, flow = '', what, digits] = ELECTRICITY.exec(code) ?? [];
  const tariff = Number(digits);
  const kind = what === '8' ? 'energy_total_kwh' : 'power_w';
  const per = what === '8' ? 1_000 : 1;
  if (what === undefined || (what === '7' && tariff !== 0)) return null;
  if (ABSOLUTE.has(flow)) {
    return { channel: `unknown/${code.replaceAll(/[^0-9]/g, '_')}`, kind, per, asks: true };
  }
  const table = what === '7' && Object.hasOwn(SIGNED, flow) ? SIGNED : FLOWS;
  const channel = Object.hasOwn(table, flow) ? table[flow] : undefined;
  if (channel === undefined) return null;
  return { channel: tariff === 0 ? channel : `${channel}/t${tariff}`, kind, per, asks: false };
}
