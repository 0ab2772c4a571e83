import { booleanArray, int8Array, textArray } from './binary-array.ts';
import type { NextHead } from './head.ts';
import type { Step } from './step.ts';

/** Thrown inside a transaction that was planned on heads that are no longer so; the writer forgets them and begins again. */
export class StaleHeads extends Error {
  readonly count: number;
  constructor(count: number) {
    super('heads were changed meanwhile');
    this.count = count;
  }
}

/**
 * Stores heads, each in the place of the one that it was planned on: lock, check and write in one statement. Throws StaleHeads
 * where any of those is no longer there.
 */
export function saveHeads(next: readonly NextHead[]): Step[] {
  if (next.length === 0) return [];
  // Neighbours in the index, and mostly in the table, one after the other.
  const sorted = next.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  const values = [
    textArray(sorted.map(({ deviceId }) => deviceId)),
    int8Array(sorted.map(({ was }) => was)),
    int8Array(sorted.map(({ head }) => head.version)),
    textArray(sorted.map(({ laws }) => laws)),
    textArray(sorted.map(({ head }) => head.open)),
    booleanArray(sorted.map(({ isHeard }) => isHeard)),
  ];
  return [update(values, sorted.length)];
}

const update =
  (values: Buffer[], count: number): Step =>
  async (client) => {
    // Raw SQL: the hot path of ingest: one prepared statement over arrays.
    const { rowCount } = await client.query({
      name: 'save-heads',
      text: `UPDATE device_heads h SET version = n.version, laws = n.laws, open = n.open,
             seen_at = CASE WHEN n.is_heard THEN now() ELSE h.seen_at END
           FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::boolean[])
             n (device_id, was, version, laws, open, is_heard)
           WHERE h.device_id = n.device_id AND h.version = n.was`,
      values,
    });
    if (rowCount !== count) throw new StaleHeads(count - (rowCount ?? 0));
  };
