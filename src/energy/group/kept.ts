import { asMilliwattHours } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import type { GroupBy } from '../insights.ts';
import type { Range } from '../ranges.ts';
import { NOTHING_KNOWN, type Told } from './add-up.ts';
import { compositionOf } from './composition.ts';
import { type GroupOfHomes, isToldByImports } from './homes.ts';
import type { KeptSums } from './insights.ts';

interface Row {
  composition: Buffer;
  before: Date;
  bucket: string;
  used: number | null;
  estimated: number | null;
  peak: number | null;
}

/**
 * The sums of a group by day or month of a range that a worker kept (keep.ts), as far as they are what adding up would say now. One holds where the group
 * is made of what it was made of, no closed hour of a home in it has changed since, and none of its hours is still open. For what is told by imports
 * alone (and what of them is estimated): else nothing is kept.
 */
export async function keptSums(
  db: Database,
  groupId: string,
  group: GroupOfHomes,
  { range, groupBy }: { range: Range; groupBy: GroupBy },
): Promise<KeptSums> {
  if (groupBy === 'hour' || !isToldByImports(group.include)) return new Map();
  // Raw SQL: one statement, since a change that is committed between two would be in neither.
  const { rows } = await queryOf(db)<Row>(
    `WITH kept AS MATERIALIZED (
       SELECT group_id, composition, before FROM kept_groups k WHERE group_id = $1 AND composition IS NOT NULL
         AND homes = (SELECT count(*) FROM kept_group_homes h WHERE h.group_id = k.group_id)),
     changed AS MATERIALIZED (
       SELECT DISTINCT c.day FROM changed_home_days c WHERE c.user_id IN (SELECT user_id FROM kept_group_homes WHERE group_id = $1)),
     open AS MATERIALIZED (
       SELECT DISTINCT o.hour FROM kept CROSS JOIN open_hours o
       WHERE o.user_id IN (SELECT user_id FROM kept_group_homes WHERE group_id = $1) AND o.hour < kept.before)
     SELECT kept.composition, kept.before, s.bucket::text AS bucket, s.used_milliwatt_hours AS used, s.estimated_milliwatt_hours AS estimated, s.peak
     FROM kept JOIN kept_group_sums s USING (group_id)
     WHERE s.zone = $2 AND s.unit = $3 AND s.bucket BETWEEN $4 AND $5 AND s.ends_at <= kept.before
       AND NOT EXISTS (SELECT FROM changed c WHERE c.day = '-infinity' OR c.day < s.ends_at AND c.day + interval '24 hours' > s.starts_at)
       AND NOT EXISTS (SELECT FROM open o WHERE o.hour < s.ends_at AND o.hour + interval '1 hour' > s.starts_at)`,
    [groupId, range.zone, groupBy, range.start, range.end],
  );
  const [first] = rows;
  if (!first?.composition.equals(await compositionOf(group, first.before))) return new Map();
  return new Map(rows.map((row) => [row.bucket, toldOf(row)]));
}

const toldOf = ({ bucket, used, estimated, peak }: Row): Told => ({
  bucket,
  measures: {
    ...NOTHING_KNOWN,
    used: used === null ? null : asMilliwattHours(used),
    estimated: estimated === null ? null : asMilliwattHours(estimated),
  },
  peak,
});
