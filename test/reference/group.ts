import {
  createReferenceHomeSumsCalculator,
  type ReferenceBucket,
  type ReferenceDevice,
  type ReferenceHomeSums,
} from './home.ts';

const ENERGIES = [
  'used',
  'grid_import',
  'grid_export',
  'production',
  'charged',
  'discharged',
  'consumption',
  'untracked',
  'self_consumed',
  'estimated',
] as const;

/** Returns a function that adds up the known values of several homes over a set of quarter-hours. */
export function createReferenceGroupCalculator(
  homes: readonly (readonly ReferenceDevice[])[],
): (quarters: readonly number[]) => ReferenceBucket {
  const tallies = homes.map(createReferenceHomeSumsCalculator);
  return (quarters) => {
    const all = tallies.map((tally) => tally(quarters));
    const sum = (of: (one: ReferenceHomeSums) => number) => all.reduce((total, one) => total + of(one), 0);
    const energies = Object.fromEntries(
      ENERGIES.map((name) => {
        const known = all.flatMap(({ answer }) => answer[name] ?? []);
        return [name, known.length === 0 ? null : known.reduce((total, one) => total + one, 0)];
      }),
    ) as Record<(typeof ENERGIES)[number], number | null>;
    const beside = sum((one) => one.beside ?? 0);
    const imported = sum((one) => (one.beside === null ? 0 : one.besideImport));
    const wantedMs = sum((one) => one.wantedMs);
    const share = (part: number, of: number) => Math.floor((1000 * part) / of) / 1000;
    return {
      ...energies,
      autarky: beside > 0 ? share(Math.max(0, beside - imported), beside) : null,
      coverage:
        wantedMs === 0
          ? null
          : Math.min(
              1,
              share(
                sum((one) => one.knownMs),
                wantedMs,
              ),
            ),
      complete: wantedMs === 0 ? null : all.every((one) => one.wantedMs === 0 || one.answer.complete === true),
    };
  };
}
