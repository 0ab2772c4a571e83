import { milliwattHoursToKwh } from '#src/core/units.ts';
import type { HomeMeasures } from './home/sums.ts';

/** What an answer about a home's usage can tell beside `kwh_used`, in the order of its members. */
export const HOME_INCLUDES = [
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
/** And an answer about one device. */
export const DEVICE_INCLUDES = [...HOME_INCLUDES, 'export'] as const;
export type Include = (typeof DEVICE_INCLUDES)[number];

/** Names of energies in answers, by what asks for them. */
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
} as const satisfies Partial<Record<Include, keyof HomeMeasures>>;

/** Members of a row that were asked for: `…_kwh`, shares from 0 to 1. Null: not known, or not to be known in this home. */
export type Included = { [Name in keyof typeof ENERGIES as `${Name}_kwh`]?: number | null } & {
  autarky?: number | null;
  coverage?: number | null;
  complete?: boolean | null;
};

/** The members of `include`, in order. Pure. */
export function included(measures: HomeMeasures, include: ReadonlySet<Include>): Included {
  const members: Record<string, number | boolean | null> = {};
  for (const name of DEVICE_INCLUDES) {
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

/** Names of the members of `include`, in order. */
export const membersOf = (include: ReadonlySet<Include>): string[] =>
  DEVICE_INCLUDES.filter((name) => include.has(name)).flatMap((name) =>
    name === 'autarky' ? [name] : name === 'coverage' ? ['coverage', 'complete'] : [`${name}_kwh`],
  );

/** Whether anything that was asked for is known of a bucket: else it is left out. How much is known is not something that is. */
export const isAnythingKnown = (measures: HomeMeasures, include: ReadonlySet<Include>): boolean =>
  measures.used !== null ||
  [...include].some((name) => name !== 'coverage' && name !== 'autarky' && measures[ENERGIES[name]] !== null);
