import { DateTime } from 'luxon';
import { castToMilliwattHours } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import type { GroupBy } from '../insights.ts';
import { type DayRange, isSubDayUnit } from '../ranges.ts';
import { openHoursBeforeSql } from '../usage/groups.ts';
import { computeGroupBuckets, type GroupBucket, UNKNOWN_HOME_MEASURES } from './add-up.ts';
import { computeCompositionHash } from './composition.ts';
import { areImportSumsSufficient, type GroupOfHomes } from './homes.ts';
import type { MonthToDate } from './month-to-date.ts';
import type { BucketPartUsage } from './part.ts';

interface Row {
  composition: Buffer;
  before: Date;
  bucket: string;
  used: number | null;
  estimated: number | null;
  peak: number | null;
  isBegun: boolean;
  ends_at: Date;
  hours: number[] | null;
  usedByHour: number[] | null;
  estimatedByHour: number[] | null;
}

/** Stored sums of a group that are still valid. */
export interface StoredGroupSums {
  groupId: string;
  sums: ReadonlyMap<string, GroupBucket>;
  monthToDate: MonthToDate | null;
}

/**
 * Returns the valid stored sums of a group by day or month. A sum is valid if the group has the same homes, and none of their hours has
 * changed since the sum was stored. Only usage that is the sum of imports has stored sums.
 */
export async function loadStoredSums(
  db: Database,
  groupId: string,
  group: GroupOfHomes,
  { range, groupBy }: { range: DayRange; groupBy: GroupBy },
): Promise<StoredGroupSums> {
  const nothing = { groupId, sums: new Map<string, GroupBucket>(), monthToDate: null };
  if (isSubDayUnit(groupBy) || !areImportSumsSufficient(group.include)) return nothing;
  // Raw SQL: with two statements, a change that is committed between them could be missed.
  const { rows } = await createQueryFunction(db)<Row>(
    `WITH kept AS MATERIALIZED (
       SELECT group_id, composition, before FROM kept_groups k WHERE group_id = $1 AND composition IS NOT NULL
         AND homes = (SELECT count(*) FROM kept_group_homes h WHERE h.group_id = k.group_id)),
     changed AS MATERIALIZED (
       SELECT DISTINCT c.day FROM changed_home_days c WHERE c.user_id IN (SELECT user_id FROM kept_group_homes WHERE group_id = $1)),
     open AS MATERIALIZED (${openHoursBeforeSql('SELECT user_id FROM kept_group_homes WHERE group_id = $1', '(SELECT before FROM kept)')})
     SELECT kept.composition, kept.before, s.bucket::text AS bucket, s.used_milliwatt_hours AS used, s.estimated_milliwatt_hours AS estimated, s.peak,
       s.unit = 'begun' AS "isBegun", s.ends_at, s.hours_of_day AS hours, s.used_by_hour AS "usedByHour", s.estimated_by_hour AS "estimatedByHour"
     FROM kept JOIN kept_group_sums s USING (group_id)
     WHERE s.zone = $2 AND (s.unit = $3 OR s.unit = 'begun' AND $3 = 'month') AND s.bucket BETWEEN $4 AND $5 AND s.ends_at <= kept.before
       AND NOT EXISTS (SELECT FROM changed c WHERE c.day = '-infinity' OR c.day < s.ends_at AND c.day + interval '24 hours' > s.starts_at)
       AND NOT EXISTS (SELECT FROM open o WHERE o.hour < s.ends_at AND o.hour + interval '1 hour' > s.starts_at)`,
    [groupId, range.zone, groupBy, range.start, range.end],
  );
  const [first] = rows;
  if (!first?.composition.equals(await computeCompositionHash(group, first.before))) return nothing;
  const begun = rows.find(({ isBegun }) => isBegun);
  return {
    groupId,
    sums: new Map(rows.filter(({ isBegun }) => !isBegun).map((row) => [row.bucket, toldOf(row)])),
    monthToDate: begun ? begunOf(groupId, range.zone, begun) : null,
  };
}

/** Computes the sum of the current month from the stored sum of its first days and the remaining days, in one snapshot. */
export async function computeCurrentMonthSums(
  db: Database,
  groupId: string,
  group: GroupOfHomes,
  month: DayRange,
): Promise<GroupBucket[]> {
  // The caller's transaction may have another isolation level, in which the stored sums could be replaced between two statements.
  if (db.isTransaction) return computeGroupBuckets(db, group, month, 'month');
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const { monthToDate } = await loadStoredSums(trx, groupId, group, { range: month, groupBy: 'month' });
      return computeGroupBuckets(trx, group, month, 'month', monthToDate);
    });
}

function begunOf(groupId: string, zone: string, row: Row): MonthToDate {
  const { bucket, hours, usedByHour, estimatedByHour } = row;
  const parts = (hours ?? []).map((part, index): BucketPartUsage => {
    return { bucket, part, used: Number(usedByHour?.[index]), estimated: Number(estimatedByHour?.[index]) };
  });
  const end = DateTime.fromMillis(row.ends_at.getTime() - 1, { zone }).toISODate() ?? '';
  return { groupId, zone, month: bucket, end, parts };
}

const toldOf = ({ bucket, used, estimated, peak }: Row): GroupBucket => ({
  bucket,
  measures: {
    ...UNKNOWN_HOME_MEASURES,
    used: used === null ? null : castToMilliwattHours(used),
    estimated: estimated === null ? null : castToMilliwattHours(estimated),
  },
  peak,
});
