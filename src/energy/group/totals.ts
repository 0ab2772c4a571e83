import { asMilliwattHours } from '#src/core/units.ts';
import { type HomeMeasures, type HomeSums, shareOf, usedBesideGrid } from '../home/sums.ts';
import type { Part } from './part.ts';

/** Measures that are sums over homes: null where no home knows them. */
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

/** A bucket of a group while its homes are added up. */
interface Total {
  sums: Partial<Record<Added, number>>;
  /** While a grid device was there, and what came in by it. */
  beside: number;
  besideImport: number;
  knownMs: number;
  expectedMs: number;
  isComplete: boolean;
  parts: Map<number, { used: number; estimated: number }>;
}

/** What homes of a group come to together, bucket by bucket. */
export class GroupTotals {
  private readonly buckets = new Map<string, Total>();

  /** Adds what homes used together in parts of buckets. `isAll`: it is all that is told of them; else their buckets are added by themselves. */
  addParts(parts: readonly Part[], isAll: boolean): void {
    for (const { bucket, part, used, estimated } of parts) {
      const total = this.at(bucket);
      const known = total.parts.get(part);
      total.parts.set(part, { used: used + (known?.used ?? 0), estimated: estimated + (known?.estimated ?? 0) });
      if (!isAll) continue;
      total.sums.used = (total.sums.used ?? 0) + used;
      total.sums.estimated = (total.sums.estimated ?? 0) + estimated;
    }
  }

  /** Adds what one home came to in a bucket. `sums`: null where nothing of it is known. */
  addHome(bucket: string, measures: HomeMeasures, sums: HomeSums | null, expectedMs: number): void {
    const total = this.at(bucket);
    for (const name of ADDED) {
      const value = measures[name];
      if (value !== null) total.sums[name] = (total.sums[name] ?? 0) + value;
    }
    const beside = sums && usedBesideGrid(sums);
    if (beside !== null) {
      total.beside += beside;
      total.besideImport += sums?.gridImport ?? 0;
    }
    total.knownMs += sums?.countedMs ?? 0;
    total.expectedMs += expectedMs;
    if (expectedMs > 0 && measures.isComplete !== true) total.isComplete = false;
  }

  /** Buckets of which anything was added, in order of their names. */
  names(): string[] {
    return [...this.buckets.keys()].sort();
  }

  /** The measures of a bucket: sums over homes, and shares of such sums. */
  measures(bucket: string): HomeMeasures {
    const { sums, beside, besideImport, knownMs, expectedMs, isComplete } = this.at(bucket);
    const of = (name: Added) => {
      const sum = sums[name];
      return sum === undefined ? null : asMilliwattHours(sum);
    };
    return {
      ...(Object.fromEntries(ADDED.map((name) => [name, of(name)])) as Record<Added, HomeMeasures[Added]>),
      exported: null,
      autarky: beside > 0 ? shareOf(Math.max(0, beside - besideImport), beside) : null,
      coverage: expectedMs > 0 ? Math.min(1, shareOf(knownMs, expectedMs)) : null,
      isComplete: expectedMs > 0 ? isComplete : null,
    };
  }

  /** The part of a bucket in which the homes used most together, of those at most half estimated: the earliest of equals; null: there is none. */
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
