/** What a field is of: without its medium. */
export interface Field {
  /** `import`, `export`, `import/t1`, `import/l2`, `cooling/import`; of a volume its tariff alone. */
  channel: string;
  kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3';
}

type Groups = (string | undefined)[];
const direction = (word = '') => (/^(production|negative)$/.test(word) ? 'export' : 'import');
const part = (letter: string, number: string | undefined) => (number ? `/${letter}${number}` : '');

/**
 * Names of registers in kWh, the usual ones first. They begin and end here: `due_…`, `target_…`, `prev_…`, `last_…`, `max_…`,
 * `…_at_set_date_…`, `…_last_month_…` are snapshots, `partial_…`, `…_period_…` can be reset, `reactive`, `apparent` is no energy.
 */
const REGISTERS: [RegExp, (groups: Groups) => string][] = [
  [
    /^total_energy_(consumption|production)(?:_tariff_?(\d{1,2})|_(?:l|phase_?)([123]))?_kwh$/,
    ([, flow, tariff, phase]) => direction(flow) + part('t', tariff) + part('l', phase),
  ],
  [/^total(?:_tariff_?(\d{1,2}))?_kwh$/, ([, tariff]) => `import${part('t', tariff)}`],
  [/^total_(?:energy|heat_energy|heating)_kwh$/, () => 'import'],
  [/^heat_kwh$/, () => 'import'],
  [/^total_(?:cooling_energy|cooling_consumption|cooling|energy_cooling|energy_backward)_kwh$/, () => 'cooling/import'],
  [
    /^(positive|negative)_(?:total|tariff(\d))_active_energy_kwh$/,
    ([, sign, tariff]) => direction(sign) + part('t', tariff),
  ],
  [/^total_active_(positive|negative)_3phase_kwh$/, ([, sign]) => direction(sign)],
];

/** Names of powers in kW. */
const POWERS: [RegExp, (groups: Groups) => string][] = [
  [
    /^current_power_(consumption|production)(?:_(?:l|phase_?)?([123]))?_kw$/,
    ([, flow, phase]) => direction(flow) + part('l', phase),
  ],
  [/^active_(consumption|production)(?:_l([123]))?_kw$/, ([, flow, phase]) => direction(flow) + part('l', phase)],
  [/^active_power(?:_overall|_(?:l|at_phase_)([123]))?_kw$/, ([, phase]) => `import${part('l', phase)}`],
  [/^power(?:_(?:l|phase_?)([123]))?_kw$/, ([, phase]) => `import${part('l', phase)}`],
  [/^active_(positive|negative)_3phase_kw$/, ([, sign]) => direction(sign)],
  [/^(?:current_power|current|three_phase_total_active_power)_kw$/, () => 'import'],
];

/** Names of registers in m³. `…_subunit1_m3`, `c1_…`, `input1_…` are of pulse inputs, on which anything may be. */
const VOLUMES: [RegExp, (groups: Groups) => string][] = [
  [/^total(?:_volume)?_m3$/, () => ''],
  [/^total_(?:water|heating)_m3$/, () => ''],
  [/^(?:volume|totalitator)_m3$/, () => ''],
  [/^total(?:_volume)?_tariff_?(\d{1,2})_m3$/, ([, tariff]) => part('t', tariff)],
];
const UNITS: [unit: string, kind: Field['kind'], names: [RegExp, (groups: Groups) => string][]][] = [
  ['_kwh', 'energy_total_kwh', REGISTERS],
  ['_kw', 'power_w', POWERS],
  ['_m3', 'volume_total_m3', VOLUMES],
];
const MAX_NAME_CHARACTERS = 64;

/** What the name of a field says; null where it is nothing of the kind, or nothing that lasts. Also gives its precedence. */
export function parseField(name: string): (Field & { rank: number }) | null {
  if (name.length > MAX_NAME_CHARACTERS) return null;
  const found = UNITS.find(([unit]) => name.endsWith(unit));
  if (!found) return null;
  const [, kind, names] = found;
  for (const [rank, [pattern, channelOf]] of names.entries()) {
    const groups = pattern.exec(name);
    if (groups) return { channel: channelOf(groups), kind, rank };
  }
  return null;
}
