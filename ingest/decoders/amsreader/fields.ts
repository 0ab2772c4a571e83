import type { SaidKind } from '../family.ts';

export interface Field {
  channel: string;
  kind: SaidKind;
}

const phases = ['1', '2', '3'];
const directions: readonly [string, string, string][] = [
  ['import', 'P', 'tPI'],
  ['export', 'PO', 'tPO'],
];

/** By path below `meter/` (raw) and by member (JSON). Power is in W, never negative; counters are in kWh. */
const ALL = directions.flatMap(([direction, power, total]): [string, string, Field][] => [
  [`${direction}/active`, power, { channel: direction, kind: 'power_w' }],
  [`${direction}/active/accumulated`, total, { channel: direction, kind: 'energy_total_kwh' }],
  ...['1', '2'].map((tariff): [string, string, Field] => [
    `${direction}/active/accumulated/tariff${tariff}`,
    `${total}T${tariff}`,
    { channel: `${direction}/t${tariff}`, kind: 'energy_total_kwh' },
  ]),
  ...phases.flatMap((phase): [string, string, Field][] => [
    [`${direction}/l${phase}`, `${power}${phase}`, { channel: `${direction}/l${phase}`, kind: 'power_w' }],
    [
      `${direction}/l${phase}/accumulated`,
      `${total}${phase}`,
      { channel: `${direction}/l${phase}`, kind: 'energy_total_kwh' },
    ],
  ]),
]);

export const FIELDS: ReadonlyMap<string, Field> = new Map(ALL.map(([path, , field]) => [path, field]));
export const MEMBERS: ReadonlyMap<string, Field> = new Map(ALL.map(([, name, field]) => [name, field]));
