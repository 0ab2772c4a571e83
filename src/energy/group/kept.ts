import { DateTime } from 'luxon';
import { asMilliwattHours } from '#src/core/units.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import type { GroupBy } from '../insights.ts';
import type { Range } from '../ranges.ts';
import { openHoursBefore } from '../usage/groups.ts';
import { addedUp, NOTHING_KNOWN, type Told } from './add-up.ts';
import type { Begun } from './begun.ts';
import { compositionOf } from './composition.ts';
import { type GroupOfHomes, isToldByImports } from './homes.ts';
import type { Part } from './part.ts';

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
export interface KeptSums {
  groupId: string;
  /** Stored sums by day or, for months, by the first day of the month. */
  sums: ReadonlyMap<string, Told>;
  /** Stored sums of the current month's first days; null if months are not requested. */
  begun: Begun | null;
}

/**
 * Returns the sums of a group by day or month in a range that a worker has stored, as far as they equal newly computed sums. A sum is valid if the
 * composition of the group is unchanged, no closed hour of a home in it has changed since, and none of its hours is still open. Only usage
 * that is the sum of imports, and its estimated part, is stored.
 */
export async function keptSums(
  db: Database,
  groupId: string,
  group: GroupOfHomes,
  { range, groupBy }: { range: Range; groupBy: GroupBy },
): Promise<KeptSums> {
  const nothing = { groupId, sums: new Map<string, Told>(), begun: null };
  if (groupBy === 'hour' || !isToldByImports(group.include)) return nothing;
  // Raw SQL: a single statement, because a change committed between two statements would be missed by both.
  const { rows } = await queryOf(db)<Row>(
    `WITH kept AS MATERIALIZED (
       SELECT group_id, composition, before FROM kept_groups k WHERE group_id = $1 AND composition IS NOT NULL
         AND homes = (SELECT count(*) FROM kept_group_homes h WHERE h.group_id = k.group_id)),
     changed AS MATERIALIZED (
       SELECT DISTINCT c.day FROM changed_home_days c WHERE c.user_id IN (SELECT user_id FROM kept_group_homes WHERE group_id = $1)),
     open AS MATERIALIZED (${openHoursBefore('SELECT user_id FROM kept_group_homes WHERE group_id = $1', '(SELECT before FROM kept)')})
     SELECT kept.composition, kept.before, s.bucket::text AS bucket, s.used_milliwatt_hours AS used, s.estimated_milliwatt_hours AS estimated, s.peak,
       s.unit = 'begun' AS "isBegun", s.ends_at, s.hours_of_day AS hours, s.used_by_hour AS "usedByHour", s.estimated_by_hour AS "estimatedByHour"
     FROM kept JOIN kept_group_sums s USING (group_id)
     WHERE s.zone = $2 AND (s.unit = $3 OR s.unit = 'begun' AND $3 = 'month') AND s.bucket BETWEEN $4 AND $5 AND s.ends_at <= kept.before
       AND NOT EXISTS (SELECT FROM changed c WHERE c.day = '-infinity' OR c.day < s.ends_at AND c.day + interval '24 hours' > s.starts_at)
       AND NOT EXISTS (SELECT FROM open o WHERE o.hour < s.ends_at AND o.hour + interval '1 hour' > s.starts_at)`,
    [groupId, range.zone, groupBy, range.start, range.end],
  );
  const [first] = rows;
  if (!first?.composition.equals(await compositionOf(group, first.before))) return nothing;
  const begun = rows.find(({ isBegun }) => isBegun);
  return {
    groupId,
    sums: new Map(rows.filter(({ isBegun }) => !isBegun).map((row) => [row.bucket, toldOf(row)])),
    begun: begun ? begunOf(groupId, range.zone, begun) : null,
  };
}

/** Computes a month from the stored sums of its first days and the rest of its days, in one snapshot. */
export async function goneOn(db: Database, groupId: string, group: GroupOfHomes, month: Range): Promise<Told[]> {
  // The transaction of a command may read several snapshots, and stored sums may be replaced in between.
  if (db.isTransaction) return addedUp(db, group, month, 'month');
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const { begun } = await keptSums(trx, groupId, group, { range: month, groupBy: 'month' });
      return addedUp(trx, group, month, 'month', begun);
    });
}

function begunOf(groupId: string, zone: string, row: Row): Begun {
  const { bucket, hours, usedByHour, estimatedByHour } = row;
  const parts = (hours ?? []).map((part, index): Part => {
    return { bucket, part, used: Number(usedByHour?.[index]), estimated: Number(estimatedByHour?.[index]) };
  });
  const end = DateTime.fromMillis(row.ends_at.getTime() - 1, { zone }).toISODate() ?? '';
  return { groupId, zone, month: bucket, end, parts };
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
