import { DAY_MS } from '#src/core/units.ts';
import type { Pool } from '#src/database/connect.ts';
import { ensurePartitions } from '#src/database/migrate.ts';

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/** Thrown if a batch writes into a month without partitions. The writer creates them and repeats the batch. */
export class MissingPartitionsError extends Error {
  readonly fromMs: number;
  readonly toMs: number;
  constructor(fromMs: number, toMs: number) {
    super('months without partitions');
    this.fromMs = fromMs;
    this.toMs = toMs;
  }
}

export function createPartitionMonthCache(pool: Pool) {
  const known = new Set<number>();
  return {
    /** Throws MissingPartitionsError if a month has no partitions, as far as the cache shows. */
    check(times: Iterable<number>): void {
      let fromMs = Number.POSITIVE_INFINITY;
      let toMs = Number.NEGATIVE_INFINITY;
      // Consecutive times mostly belong to the same day.
      let knownDay = Number.NaN;
      for (const time of times) {
        const day = Math.floor(time / DAY_MS);
        if (day === knownDay) continue;
        if (known.has(monthOf(time))) {
          knownDay = day;
          continue;
        }
        fromMs = Math.min(fromMs, time);
        toMs = Math.max(toMs, time);
      }
      if (fromMs <= toMs) throw new MissingPartitionsError(fromMs, toMs);
    },
    /** Creates the missing partitions. Runs outside of the batch's transaction, because it locks the partitioned table. */
    async make({ fromMs, toMs }: MissingPartitionsError): Promise<void> {
      await ensurePartitions(pool, { from: new Date(fromMs), to: new Date(toMs) });
      for (let month = monthOf(fromMs); month <= monthOf(toMs); month++) known.add(month);
    },
  };
}

export type PartitionMonthCache = ReturnType<typeof createPartitionMonthCache>;
