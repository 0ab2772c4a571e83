import { asMilliwattHours } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import type { GroupBy } from '../insights.ts';
import { isClockUnit, type Range } from '../ranges.ts';
import { openHoursBeforeSql } from '../usage/groups.ts';
import { type GroupBucket, UNKNOWN_MEASURES } from './add-up.ts';
import { computeCompositionHash } from './composition.ts';
import { type GroupOfHomes, needsOnlyImports } from './homes.ts';

interface Row {
  composition: Buffer;
  before: Date;
  bucket: string;
  used: number | null;
  estimated: number | null;
  peak: number | null;
}

/**
 * Returns the sums of a group in a range that a worker has stored, by day or by the first day of the month, as far as they equal newly
 * computed sums. A sum is valid if the composition of the group is unchanged, no closed hour of a home in it has changed since, and none of
 * its hours is still open. Only usage that is the sum of imports, and its estimated part, is stored.
 */
export async function loadStoredSums(
  db: Database,
  groupId: string,
  group: GroupOfHomes,
  { range, groupBy }: { range: Range; groupBy: GroupBy },
): Promise<ReadonlyMap<string, GroupBucket>> {
  if (isClockUnit(groupBy) || !needsOnlyImports(group.include)) return new Map();
  // Raw SQL: a single statement, because a change committed between two statements would be missed by both.
  const { rows } = await queryOf(db)<Row>(
    `WITH kept AS MATERIALIZED (
       SELECT group_id, composition, before FROM kept_groups k WHERE group_id = $1 AND composition IS NOT NULL
         AND homes = (SELECT count(*) FROM kept_group_homes h WHERE h.group_id = k.group_id)),
     changed AS MATERIALIZED (
       SELECT DISTINCT c.day FROM changed_home_days c WHERE c.user_id IN (SELECT user_id FROM kept_group_homes WHERE group_id = $1)),
     open AS MATERIALIZED (${openHoursBeforeSql('SELECT user_id FROM kept_group_homes WHERE group_id = $1', '(SELECT before FROM kept)')})
     SELECT kept.composition, kept.before, s.bucket::text AS bucket, s.used_milliwatt_hours AS used, s.estimated_milliwatt_hours AS estimated, s.peak
     FROM kept JOIN kept_group_sums s USING (group_id)
     WHERE s.zone = $2 AND s.unit = $3 AND s.bucket BETWEEN $4 AND $5 AND s.ends_at <= kept.before
       AND NOT EXISTS (SELECT FROM changed c WHERE c.day = '-infinity' OR c.day < s.ends_at AND c.day + interval '24 hours' > s.starts_at)
       AND NOT EXISTS (SELECT FROM open o WHERE o.hour < s.ends_at AND o.hour + interval '1 hour' > s.starts_at)`,
    [groupId, range.zone, groupBy, range.start, range.end],
  );
  const [first] = rows;
  if (!first?.composition.equals(await computeCompositionHash(group, first.before))) return new Map();
  return new Map(rows.map((row) => [row.bucket, toldOf(row)]));
}

const toldOf = ({ bucket, used, estimated, peak }: Row): GroupBucket => ({
  bucket,
  measures: {
    ...UNKNOWN_MEASURES,
    used: used === null ? null : asMilliwattHours(used),
    estimated: estimated === null ? null : asMilliwattHours(estimated),
  },
  peak,
});
