import { milliwattHoursToKwh } from '#src/core/units.ts';
import type { HomeMeasures } from './home/sums.ts';

export const INCLUDABLE_HOME_FIELDS = [
  'grid_import',
  'grid_export',
  'production',
  'charged',
  'discharged',
  'consumption',
  'untracked',
  'self_consumed',
  'autarky',
  'estimated',
  'coverage',
] as const;
export const INCLUDABLE_DEVICE_FIELDS = [...INCLUDABLE_HOME_FIELDS, 'export'] as const;
/** Fields that multiply the energy of each quarter-hour by a price or an emission intensity. */
export const INCLUDABLE_COST_AND_EMISSIONS = ['cost', 'emissions'] as const;
export type IncludableCostOrEmissions = (typeof INCLUDABLE_COST_AND_EMISSIONS)[number];
export type IncludableField = (typeof INCLUDABLE_DEVICE_FIELDS)[number];

const ENERGIES = {
  grid_import: 'gridImport',
  grid_export: 'gridExport',
  production: 'production',
  charged: 'charged',
  discharged: 'discharged',
  consumption: 'consumption',
  untracked: 'untracked',
  self_consumed: 'selfConsumed',
  estimated: 'estimated',
  export: 'exported',
} as const satisfies Partial<Record<IncludableField, keyof HomeMeasures>>;

/** Energies (`…_kwh`) and ratios from 0 to 1. Null: unknown, or not applicable to this home. */
export type IncludedFields = { [Name in keyof typeof ENERGIES as `${Name}_kwh`]?: number | null } & {
  autarky?: number | null;
  coverage?: number | null;
  complete?: boolean | null;
};

export function selectIncludedFields(measures: HomeMeasures, include: ReadonlySet<IncludableField>): IncludedFields {
  const members: Record<string, number | boolean | null> = {};
  for (const name of INCLUDABLE_DEVICE_FIELDS) {
    if (!include.has(name)) continue;
    if (name === 'autarky') members.autarky = measures.autarky;
    else if (name === 'coverage')
      Object.assign(members, { coverage: measures.coverage, complete: measures.isComplete });
    else {
      const energy = measures[ENERGIES[name]];
      members[`${name}_kwh`] = energy === null ? null : milliwattHoursToKwh(energy);
    }
  }
  return members;
}

export const listIncludedFields = (include: ReadonlySet<IncludableField>): string[] =>
  INCLUDABLE_DEVICE_FIELDS.filter((name) => include.has(name)).flatMap((name) =>
    name === 'autarky' ? [name] : name === 'coverage' ? ['coverage', 'complete'] : [`${name}_kwh`],
  );

/** Whether any requested field except coverage and autarky is known. If not, the row is omitted. */
export const hasKnownRequestedValue = (measures: HomeMeasures, include: ReadonlySet<IncludableField>): boolean =>
  measures.used !== null ||
  [...include].some((name) => name !== 'coverage' && name !== 'autarky' && measures[ENERGIES[name]] !== null);
