import { sql } from 'kysely';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { getNativeQuantityName } from '../channel-name.ts';
import { ENERGY_AND_POWER_SERIES_KINDS } from '../channels.ts';
import { assertMayManageDevice } from '../management.ts';
import { PREVIOUS_COUNTING_SETTINGS } from '../store.ts';
import { CLOCK_STEP_AUTHOR } from './edit.ts';

/**
 * Maximum numbers of edits per device. `MAX_IN_FORCE`: edits in force, which are loaded for each batch. `MAX_EDITS`: all edits, including
 * revoked ones.
 */
const MAX_IN_FORCE = 1_000;
const MAX_EDITS = 10_000;

const COLUMNS = [
  'edit_id',
  'e.device_id',
  'e.channel',
  'e.kind',
  'from_at',
  'to_at',
  'value',
  'reason',
  'author',
  'e.created_at',
  'revoker',
  'revoked_at',
  'is_counted',
  'counted_to',
] as const;

/** A stored edit. `native_name`: the device's name for the edited quantity; null: all quantities. `value`: in mWh. */
export type EditRow = Awaited<ReturnType<typeof rowsOf>>[number];

/** A new edit, which excludes the readings in `[from, to)`. A `value` (mWh) adds a reading of the register at `from`. */
export interface NewEdit {
  nativeName: string | null;
  from: Date;
  to: Date;
  value: number | null;
  reason: string;
}

/** The author and the time of a change of edits. `oldest`: start of the retention period; earlier readings are no longer stored. */
export interface EditAuthorAndTime {
  author: string;
  now: Date;
  oldest: Date;
}

/**
 * Adds an edit to a device. Null if the caller can access no such device. Ingest then recomputes the consumption within seconds. Throws 422
 * if the device has no such quantity, or if readings in the time range have been deleted by retention. Throws 409 if there are too many
 * edits, or already a reading by hand at this time.
 */
export async function createEdit(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  wanted: NewEdit,
  { author, now, oldest }: EditAuthorAndTime,
): Promise<EditRow | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Writers wait for the lock on the device's row, so later batches include the edit.
    if (!(await computeAnew(trx, reach, deviceId))) return null;
    const { nativeName, from, to, value, reason } = wanted;
    const series = nativeName === null ? null : await seriesOf(trx, deviceId, nativeName, value === null ? null : from);
    await mustBeKept(trx, deviceId, series, { from, oldest, field: value === null ? 'start' : 'at' });
    // Raw SQL: one statement counts all edits and the edits in force.
    const { rows } = await sql<{ all: number; in_force: number; twice: boolean }>`
      SELECT count(*)::int AS all, count(*) FILTER (WHERE revoked_at IS NULL)::int AS in_force,
        coalesce(bool_or(revoked_at IS NULL AND value IS NOT NULL AND channel = ${series?.channel ?? null} AND from_at = ${from}), false) AS twice
      FROM reading_edits WHERE device_id = ${deviceId} AND author IS DISTINCT FROM ${CLOCK_STEP_AUTHOR}`.execute(trx);
    const [found] = rows;
    if (value !== null && found?.twice) throw new AppError('readByHandTwice');
    if ((found?.in_force ?? 0) >= MAX_IN_FORCE || (found?.all ?? 0) >= MAX_EDITS) throw new AppError('tooManyEdits');
    const editId = createId('edt');
    await trx
      .insertInto('reading_edits')
      .values({
        edit_id: editId,
        device_id: deviceId,
        channel: series?.channel ?? null,
        kind: series?.kind ?? null,
        from_at: from,
        to_at: to,
        value,
        reason,
        author,
        created_at: now,
        revoker: null,
        revoked_at: null,
      })
      .execute();
    return findEdit(trx, reach, deviceId, editId);
  });
}

/**
 * Revokes an edit, which remains in the list. Consumption is recomputed without it. Null if the caller can access no such edit. Throws 409
 * if retention has deleted readings that the recomputation needs.
 */
export async function revokeEdit(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  editId: string,
  { author, now, oldest }: EditAuthorAndTime,
): Promise<EditRow | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const found = await findEdit(trx, reach, deviceId, editId);
    if (!found || found.revoked_at) return found;
    if (!(await computeAnew(trx, reach, deviceId))) return null;
    const newest = await newestClosed(trx, deviceId, found);
    if (found.from_at < oldest || (newest && found.from_at <= newest)) throw new AppError('editTooOld');
    await trx
      .updateTable('reading_edits')
      .set({ revoker: author, revoked_at: now })
      .where('edit_id', '=', editId)
      .where('revoked_at', 'is', null)
      .execute();
    return findEdit(trx, reach, deviceId, editId);
  });
}

/** Returns at most `limit` edits of a device, including revoked ones, after `cursor`, in order of creation. */
export async function listEdits(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  page: { limit: number; cursor?: string },
): Promise<EditRow[]> {
  return rowsOf(db, reach, deviceId, page);
}

async function findEdit(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  editId: string,
): Promise<EditRow | null> {
  const [row] = await rowsOf(db, reach, deviceId, { limit: 1, editId });
  return row ?? null;
}

async function rowsOf(
  db: Database,
  reach: AccessibleAccounts,
  deviceId: string,
  { limit, cursor = '', editId }: { limit: number; cursor?: string; editId?: string },
) {
  let query = db
    .selectFrom('reading_edits as e')
    .innerJoin('devices', 'devices.device_id', 'e.device_id')
    .leftJoin('series as s', (join) =>
      join.onRef('s.device_id', '=', 'e.device_id').onRef('s.channel', '=', 'e.channel').onRef('s.kind', '=', 'e.kind'),
    )
    .select([...COLUMNS, 's.native_name'])
    .where('e.device_id', '=', deviceId)
    .where('devices.deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .where('edit_id', '>', cursor)
    .orderBy('edit_id')
    .limit(limit);
  if (editId !== undefined) query = query.where('edit_id', '=', editId);
  const rows = await query.execute();
  return rows.map(({ channel, kind, native_name: nativeName, ...row }) => ({
    ...row,
    channel,
    kind,
    native_name: channel === null || kind === null ? null : getNativeQuantityName({ channel, kind, nativeName }),
  }));
}

/**
 * Locks a device, and marks it for a recomputation of its consumption. Returns false if the caller can access no such device. Throws 403 if
 * a utility manages the device and the caller is its owner.
 */
async function computeAnew(trx: Database, reach: AccessibleAccounts, deviceId: string): Promise<boolean> {
  await assertMayManageDevice(trx, reach, deviceId);
  const row = await trx
    .updateTable('devices')
    .set({ computed_with: PREVIOUS_COUNTING_SETTINGS })
    .where('device_id', '=', deviceId)
    .where('deleted_at', 'is', null)
    .where(isAccountAccessibleSql(reach, 'devices.user_id'))
    .returning('device_id')
    .executeTakeFirst();
  return row !== undefined;
}

interface Series {
  channel: string | null;
  kind: string | null;
}

/**
 * Finds a quantity of a device by the device's name for it. If `readAt` is given, the quantity must be a register that contributes to the
 * totals at this time. Throws 422 if there is no such quantity.
 */
async function seriesOf(db: Database, deviceId: string, nativeName: string, readAt: Date | null): Promise<Series> {
  const rows = await db
    .selectFrom('series')
    .select(['series_id', 'channel', 'kind', 'native_name'])
    .where('device_id', '=', deviceId)
    .where('kind', 'in', ENERGY_AND_POWER_SERIES_KINDS)
    .execute();
  const series = rows.find((row) => getNativeQuantityName({ ...row, nativeName: row.native_name }) === nativeName);
  const wrong = (message: string) => createUnprocessableError({ field: 'native_name', message });
  if (!series) throw wrong('must be one of the channels of the device, as GET /v1/devices/{device_id} names them');
  if (readAt === null) return series;
  const counted = await db
    .selectFrom('series_roles')
    .select('series_id')
    .where('series_id', '=', series.series_id)
    .where('counts_from', '<=', readAt)
    .where('counts_until', '>=', readAt)
    .where(({ or, eb }) =>
      or([eb('counts_import', '=', true), eb('counts_export', '=', true), eb('meter', 'is not', null)]),
    )
    .executeTakeFirst();
  if (series.kind !== 'register' || !counted) throw wrong('must be a register of the device that counts at that time');
  return series;
}

/** Throws 422 if readings in the edited time range have been deleted by retention. */
async function mustBeKept(
  db: Database,
  deviceId: string,
  series: Series | null,
  { from, oldest, field }: { from: Date; oldest: Date; field: string },
): Promise<void> {
  const newest = await newestClosed(db, deviceId, series);
  const least = newest && newest >= oldest ? new Date(newest.getTime() + 1) : oldest;
  if (from >= least) return;
  const message = `must not lie before ${least.toISOString()}: older readings are no longer stored, and their energy cannot change`;
  throw createUnprocessableError({ field, message });
}

/** Returns the time of the latest reading that retention has deleted. `series`: null for any series of the device. */
async function newestClosed(db: Database, deviceId: string, series: Series | null): Promise<Date | null> {
  // Raw SQL: the table is not declared for typed queries, because only ingest writes it.
  const { rows } = await sql<{ newest: Date | null }>`
    SELECT max(k.read_at) AS newest FROM closed_readings k JOIN series s USING (series_id)
    WHERE s.device_id = ${deviceId} AND (${series?.channel ?? null}::text IS NULL OR (s.channel = ${series?.channel ?? null} AND s.kind = ${series?.kind ?? null}))`.execute(
    db,
  );
  return rows[0]?.newest ?? null;
}
