import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { getNativeQuantityName } from '../channel-name.ts';
import { assertMayManageDevice, isLimitedToOwnAccount } from '../management.ts';
import { IS_METER_SWAP_SUSPECTED_SQL } from '../store.ts';
import { createEdit, type EditAuthorAndTime } from './store.ts';

/**
 * A suspected replacement of a meter, which the owner has not confirmed: from a certain reading on, the register seems to belong to another
 * meter. Values are in kWh or m³.
 */
interface SuspectedMeterSwap {
  device_id: string;
  location: string;
  native_name: string;
  is_volume: boolean;
  at: Date;
  before: number;
  after: number;
}

interface Row {
  device_id: string;
  location: string;
  channel: string;
  kind: string;
  native_name: string | null;
  meter: string | null;
  at: Date;
  before: number;
  after: number;
  /** Time of the first later reading that continues from the value before the suspected replacement, or null. */
  back_at: Date | null;
}

/** Number of stored units per kWh (stored in mWh) or per m³ (stored in millilitres). */
const PER_UNIT = 1e6;

/**
 * Lists an account's suspected meter replacements that the owner has neither confirmed nor denied, oldest first. If a utility manages the
 * device, only the utility gets them.
 */
export async function listSuspectedMeterSwaps(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
): Promise<SuspectedMeterSwap[]> {
  return (await rowsOf(db, reach, { userId })).map(({ channel, kind, native_name: nativeName, meter, ...row }) => ({
    device_id: row.device_id,
    location: row.location,
    native_name: getNativeQuantityName({ channel, kind, nativeName }),
    is_volume: meter?.endsWith('_m3') ?? false,
    at: row.at,
    before: row.before / PER_UNIT,
    after: row.after / PER_UNIT,
  }));
}

/**
 * Stores the answer to the question whether a meter was replaced. If it was, earlier suspected replacements are confirmed, too. If not, an
 * edit excludes the readings until one continues from the previous value. Returns false if there is no such question. Throws 403 if a
 * utility manages the device and the caller is the homeowner.
 */
export async function resolveSuspectedMeterSwap(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  answer: { at: Date; nativeName: string; isReplaced: boolean; reason: string },
  editing: EditAuthorAndTime,
): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    await assertMayManageDevice(trx, reach, deviceId);
    const asked = (await rowsOf(trx, reach, { deviceId })).find(
      ({ at, channel, kind, native_name }) =>
        at.getTime() === answer.at.getTime() &&
        getNativeQuantityName({ channel, kind, nativeName: native_name }) === answer.nativeName,
    );
    if (!asked) return false;
    if (answer.isReplaced) {
      const confirmed = sql<Date>`greatest(swaps_confirmed_at, ${answer.at})`;
      await trx
        .updateTable('devices')
        .set({ swaps_confirmed_at: confirmed })
        .where('device_id', '=', deviceId)
        .execute();
      return true;
    }
    const { nativeName, at: from, reason } = answer;
    const wanted = { nativeName, from, to: asked.back_at ?? editing.now, value: null, reason };
    return (await createEdit(trx, reach, deviceId, wanted, editing)) !== null;
  });
}

async function rowsOf(
  db: Database,
  reach: AccessibleAccounts,
  of: { userId?: string; deviceId?: string },
): Promise<Row[]> {
  const whose =
    of.deviceId === undefined ? sql`devices.user_id = ${of.userId}` : sql`devices.device_id = ${of.deviceId}`;
  const managed = isLimitedToOwnAccount(reach) ? sql`devices.managed_by = 'owner'` : sql`true`;
  // Raw SQL: finds the readings before and after a given reading by the index of their series.
  const { rows } = await sql<Row>`
    SELECT devices.device_id, devices.location, s.channel, s.kind, s.native_name, s.meter, n.read_at AS at, a.value AS after, b.value AS before,
      (SELECT r.read_at FROM readings r WHERE r.series_id = s.series_id AND r.read_at > n.read_at AND r.interval_ms = 0
         AND CASE WHEN a.value < b.value THEN r.value >= b.value ELSE r.value < a.value END
       ORDER BY r.read_at LIMIT 1) AS back_at
    FROM devices JOIN series s ON s.device_id = devices.device_id JOIN reading_notes n ON n.series_id = s.series_id
    CROSS JOIN LATERAL (SELECT r.value FROM readings r
      WHERE r.series_id = s.series_id AND r.read_at = n.read_at AND r.interval_ms = n.interval_ms) a
    CROSS JOIN LATERAL (SELECT r.value FROM readings r
      LEFT JOIN reading_notes o ON o.series_id = r.series_id AND o.read_at = r.read_at AND o.interval_ms = r.interval_ms
      WHERE r.series_id = s.series_id AND r.read_at < n.read_at AND coalesce(o.verdict, '') NOT IN ('glitch', 'back', 'excluded')
      ORDER BY r.read_at DESC LIMIT 1) b
    WHERE ${whose} AND ${managed} AND devices.deleted_at IS NULL AND ${isAccountAccessibleSql(reach, 'devices.user_id')} AND ${IS_METER_SWAP_SUSPECTED_SQL}
    ORDER BY n.read_at, s.series_id LIMIT ${MAX_ASKED}`.execute(db);
  return rows;
}

/** Maximum number of questions per account, because the register of a faulty meter may change every hour. */
const MAX_ASKED = 20;
