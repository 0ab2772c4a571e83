import { DateTime } from 'luxon';
import { compareTariffsOfUser } from '#src/cost/compare.ts';
import type { Database } from '#src/database/connect.ts';
import { type CheaperTariff, findCheaperTariff } from './cheaper-tariff.ts';
import { findRemarksOfProfile, type ProfileRemark } from './decide.ts';
import { type ProfileQuery, readHomeProfile } from './read-profile.ts';
import { createShortLivedCache } from './short-cache.ts';

/** A remark (notice about unusual usage) for the owner of a home. `location`: location of the device; null if it is about the home. */
export type Remark = (ProfileRemark & { location: string | null }) | CheaperTariff;

const cachedRemarks = createShortLivedCache<Remark[]>();

/**
 * Returns the current remarks on a user's home, most urgent first, cached for a minute. The caller must have checked the access to the
 * account `userId`.
 */
export function loadHomeRemarks(db: Database, asked: ProfileQuery): Promise<Remark[]> {
  const { userId, zone, now } = asked;
  return cachedRemarks(`${userId} ${zone} ${Math.floor(now.getTime() / 60_000)}`, async () => {
    const [profile, cheaper] = await Promise.all([readHomeProfile(db, asked), cheaperNow(db, asked)]);
    const found = profile ? await located(db, findRemarksOfProfile(profile)) : [];
    return [...found, ...(cheaper ? [cheaper] : [])];
  });
}

/** Compares the costs of the last twelve whole months under the user's tariffs. */
async function cheaperNow(db: Database, { userId, zone, now }: ProfileQuery): Promise<CheaperTariff | null> {
  const first = DateTime.fromJSDate(now, { zone }).startOf('month');
  const start = first.minus({ months: 12 }).toFormat('yyyy-MM-dd');
  const end = first.minus({ days: 1 }).toFormat('yyyy-MM-dd');
  const compared = await compareTariffsOfUser(db, userId, { start, end, zone, now });
  return compared && findCheaperTariff(compared.paid, compared.others, { start, end });
}

async function located(db: Database, remarks: readonly ProfileRemark[]): Promise<Remark[]> {
  const idOf = (remark: ProfileRemark) => ('deviceId' in remark ? remark.deviceId : null);
  const ids = remarks.map(idOf).filter((id) => id !== null);
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom('devices').select(['device_id', 'location']).where('device_id', 'in', ids).execute();
  const locationOf = new Map(rows.map(({ device_id, location }) => [device_id, location]));
  return remarks.map((remark) => ({ ...remark, location: locationOf.get(idOf(remark) ?? '') ?? null }));
}
