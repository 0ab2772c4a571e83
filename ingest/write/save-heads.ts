import type { Stepped } from './fast-path.ts';
import { lawsOf, type NextHead, openOf } from './head.ts';
import { booleanArray, int8Array, type Step, textArray, textArrayOf, textElements } from './statement.ts';

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
 * where any of those is no longer there. `next`: those that were planned, beside those that just follow.
 */
export function saveHeads({ deviceIds, was, versions, laws, opens }: Stepped, next: readonly NextHead[]): Step[] {
  const count = deviceIds.length + next.length;
  if (count === 0) return [];
  // Neighbours in the index, and mostly in the table, one after the other.
  const planned = next.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  const values = [
    textArray([...deviceIds, ...planned.map(({ deviceId }) => deviceId)]),
    int8Array([...was, ...planned.map((one) => one.was)]),
    int8Array([...versions, ...planned.map(({ head }) => head.version)]),
    textArrayOf(laws, textElements(planned.map(({ head }) => lawsOf(head)))),
    textArrayOf(opens, textElements(planned.map(({ head }) => openOf(head)))),
    booleanArray([...deviceIds.map(() => true), ...planned.map(({ isHeard }) => isHeard)]),
  ];
  return [update(values, count)];
}

const update =
  (values: Buffer[], count: number): Step =>
  async (client) => {
    // Raw SQL: the hot path of ingest: one prepared statement over arrays.
    const { rowCount } = await client.query({
      name: 'save-heads',
      text: `UPDATE device_heads h SET version = n.version, laws = n.laws, open = n.open,
             seen_at = CASE WHEN n.is_heard THEN now() ELSE h.seen_at END
           FROM (SELECT unnest($1::text[]) AS device_id, unnest($2::bigint[]) AS was, unnest($3::bigint[]) AS version,
                   unnest($4::text[]) AS laws, unnest($5::text[]) AS open, unnest($6::boolean[]) AS is_heard) n
           WHERE h.device_id = n.device_id AND h.version = n.was`,
      values,
    });
    if (rowCount !== count) throw new StaleHeads(count - (rowCount ?? 0));
  };
