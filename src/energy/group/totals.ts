import { castToMilliwattHours } from '#src/core/units.ts';
import { computeUsageWithGridMeter, type HomeMeasures, type HomeSums, roundDownRatio } from '../home/sums.ts';
import type { BucketPartUsage } from './part.ts';

/** Measures that are added up over homes. A sum is null if no home has a known value. */
const ADDED = [
  'used',
  'gridImport',
  'gridExport',
  'production',
  'charged',
  'discharged',
  'consumption',
  'untracked',
  'selfConsumed',
  'estimated',
] as const satisfies readonly (keyof HomeMeasures)[];
type Added = (typeof ADDED)[number];

interface Total {
  sums: Partial<Record<Added, number>>;
  /** `beside`: usage while the homes had a grid meter. `besideImport`: grid import in the same time. */
  beside: number;
  besideImport: number;
  knownMs: number;
  expectedMs: number;
  isComplete: boolean;
  parts: Map<number, { used: number; estimated: number }>;
}

/** Adds up the measures of a group's homes, row by row. */
export class GroupTotalsAccumulator {
  private readonly buckets = new Map<string, Total>();

  /**
   * Adds the combined usage of homes. `isAll`: also adds it to the totals of the rows; otherwise `addHome` adds each home to the totals.
   */
  addParts(parts: readonly BucketPartUsage[], isAll: boolean): void {
    for (const { bucket, part, used, estimated } of parts) {
      const total = this.at(bucket);
      const known = total.parts.get(part);
      total.parts.set(part, { used: used + (known?.used ?? 0), estimated: estimated + (known?.estimated ?? 0) });
      if (!isAll) continue;
      total.sums.used = (total.sums.used ?? 0) + used;
      total.sums.estimated = (total.sums.estimated ?? 0) + estimated;
    }
  }

  /** `sums`: null if the home has no known data. */
  addHome(bucket: string, measures: HomeMeasures, sums: HomeSums | null, expectedMs: number): void {
    const total = this.at(bucket);
    for (const name of ADDED) {
      const value = measures[name];
      if (value !== null) total.sums[name] = (total.sums[name] ?? 0) + value;
    }
    const beside = sums && computeUsageWithGridMeter(sums);
    if (beside !== null) {
      total.beside += beside;
      total.besideImport += sums?.gridImport ?? 0;
    }
    total.knownMs += sums?.countedMs ?? 0;
    total.expectedMs += expectedMs;
    if (expectedMs > 0 && measures.isComplete !== true) total.isComplete = false;
  }

  names(): string[] {
    return [...this.buckets.keys()].sort();
  }

  /** Returns the sums of a row, and ratios of such sums. */
  measures(bucket: string): HomeMeasures {
    const { sums, beside, besideImport, knownMs, expectedMs, isComplete } = this.at(bucket);
    const of = (name: Added) => {
      const sum = sums[name];
      return sum === undefined ? null : castToMilliwattHours(sum);
    };
    return {
      ...(Object.fromEntries(ADDED.map((name) => [name, of(name)])) as Record<Added, HomeMeasures[Added]>),
      exported: null,
      autarky: beside > 0 ? roundDownRatio(Math.max(0, beside - besideImport), beside) : null,
      coverage: expectedMs > 0 ? Math.min(1, roundDownRatio(knownMs, expectedMs)) : null,
      isComplete: expectedMs > 0 ? isComplete : null,
    };
  }

  /** Returns the part of a row with the highest combined usage, or null. Parts with mostly estimated usage are left out. */
  peak(bucket: string): number | null {
    let best: { part: number; used: number } | null = null;
    for (const [part, { used, estimated }] of this.at(bucket).parts) {
      if (used <= 0 || 2 * estimated > used) continue;
      if (!best || used > best.used || (used === best.used && part < best.part)) best = { part, used };
    }
    return best?.part ?? null;
  }

  private at(bucket: string): Total {
    const known = this.buckets.get(bucket);
    if (known) return known;
    const total: Total = {
      sums: {},
      beside: 0,
      besideImport: 0,
      knownMs: 0,
      expectedMs: 0,
      isComplete: true,
      parts: new Map(),
    };
    this.buckets.set(bucket, total);
    return total;
  }
}
