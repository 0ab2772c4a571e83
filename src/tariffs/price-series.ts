import { type RawBuilder, type Selectable, sql } from 'kysely';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import type { SERIES_KINDS } from '#src/database/enums.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { Tables } from '#src/database/tables.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';

export type StoredPriceSeries = Selectable<Tables['price_series']>;

/** Kind of a series: prices or emissions. */
export type SeriesKind = (typeof SERIES_KINDS)[number];

const ID_PREFIX = { price: 'prs', emission: 'ems' } as const satisfies Record<SeriesKind, string>;

/** Maximum number of series of an account, of both kinds together. */
const MAX_SERIES = 1_000;

/**
 * SQL condition that an account may use a series: it belongs to the account, to an administrator, or to the utility that enrolled the
 * account.
 */
const usableBy = (userId: string): RawBuilder<boolean> => sql<boolean>`(price_series.user_id = ANY (ARRAY(
  SELECT ${userId}::text UNION ALL SELECT user_id FROM users WHERE role = 'admin' UNION ALL
  SELECT owner.user_id FROM users u JOIN users owner ON owner.user_id = u.enrolled_by
  WHERE u.user_id = ${userId} AND owner.role = 'utility')))`;

/** Creates a series for an account, without values. `currency` is null for emissions. Throws 409 if the account has too many series. */
export async function createSeries(
  db: Database,
  {
    userId,
    ...settings
  }: Pick<StoredPriceSeries, 'kind' | 'name' | 'currency' | 'resolution_minutes'> & { userId: string },
): Promise<StoredPriceSeries> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: the advisory lock prevents concurrent transactions from exceeding the maximum number of series.
    await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('price series of', userId)}::bigint)`.execute(trx);
    const { count } = await trx
      .selectFrom('price_series')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (count >= MAX_SERIES) throw new AppError('tooManySeries');
    return trx
      .insertInto('price_series')
      .values({ ...settings, series_id: createId(ID_PREFIX[settings.kind]), user_id: userId })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** Returns at most `limit` series of a kind that an account may use, in order of their ids, after `cursor`. */
export async function listSeries(
  db: Database,
  kind: SeriesKind,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<StoredPriceSeries[]> {
  return db
    .selectFrom('price_series')
    .selectAll()
    .where('kind', '=', kind)
    .where(usableBy(userId))
    .where('series_id', '>', page.cursor ?? '')
    .orderBy('series_id')
    .limit(page.limit)
    .execute();
}

/** Returns a series of a kind that the caller may change; null if there is none. */
export async function findSeries(
  db: Database,
  kind: SeriesKind,
  reach: AccessibleAccounts,
  seriesId: string,
): Promise<StoredPriceSeries | null> {
  const row = await db
    .selectFrom('price_series')
    .selectAll()
    .where('series_id', '=', seriesId)
    .where('kind', '=', kind)
    .where(isAccountAccessibleSql(reach, 'price_series.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns a series of a kind if the caller can access it, or if the account `userId` may use it; otherwise null. For a key that is limited
 * to a group, returns only series that the key can access.
 */
export async function findSeriesUsableByAccount(
  db: Database,
  kind: SeriesKind,
  { reach, userId }: { reach: AccessibleAccounts; userId: string },
  seriesId: string,
): Promise<StoredPriceSeries | null> {
  const row = await db
    .selectFrom('price_series')
    .selectAll()
    .where('series_id', '=', seriesId)
    .where('kind', '=', kind)
    .where(({ or }) =>
      or([isAccountAccessibleSql(reach, 'price_series.user_id'), ...('inGroup' in reach ? [] : [usableBy(userId)])]),
    )
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns the price series that an account may use, by id. If the caller's key is limited to a group, returns only series that the key can
 * access.
 */
export async function findPriceSeriesUsableByAccount(
  db: Database,
  { reach, userId }: { reach: AccessibleAccounts; userId: string },
  seriesIds: readonly string[],
): Promise<ReadonlyMap<string, StoredPriceSeries>> {
  if (seriesIds.length === 0) return new Map();
  let query = db
    .selectFrom('price_series')
    .selectAll()
    .where('series_id', 'in', seriesIds)
    .where('kind', '=', 'price')
    .where(usableBy(userId));
  if ('inGroup' in reach) query = query.where(isAccountAccessibleSql(reach, 'price_series.user_id'));
  return new Map((await query.execute()).map((row) => [row.series_id, row]));
}

/**
 * Returns the series of a kind that an account may use, by id. Locks them until the transaction ends, so that they cannot be deleted
 * meanwhile.
 */
export async function lockSeriesUsableByAccount(
  trx: Database,
  kind: SeriesKind,
  userId: string,
  seriesIds: readonly string[],
): Promise<ReadonlyMap<string, StoredPriceSeries>> {
  if (seriesIds.length === 0) return new Map();
  const rows = await trx
    .selectFrom('price_series')
    .selectAll()
    .where('series_id', 'in', seriesIds)
    .where('kind', '=', kind)
    .where(usableBy(userId))
    .orderBy('series_id')
    .forKeyShare()
    .execute();
  return new Map(rows.map((row) => [row.series_id, row]));
}

/** Throws a 422 error if an account may not use an emission series. Locks the series until the transaction ends. */
export async function assertUsableEmissionSeries(trx: Database, userId: string, seriesId: string): Promise<void> {
  const message = 'must be an emission series of the user, of its utility or of an administrator';
  if (!(await lockSeriesUsableByAccount(trx, 'emission', userId, [seriesId])).has(seriesId))
    throw createUnprocessableError({ field: 'emission_series_id', message });
}

/** Renames a series of `kind` if the caller can access this series, and locks its row until the transaction ends. Returns the series, or null. */
export async function updateSeries(
  trx: Database,
  kind: SeriesKind,
  reach: AccessibleAccounts,
  seriesId: string,
  { name }: { name?: string | undefined },
): Promise<StoredPriceSeries | null> {
  const row = await trx
    .updateTable('price_series')
    // Without a new name, the statement assigns the unchanged kind, so that it locks and returns the row.
    .set({ kind, ...omitUndefined({ name }) })
    .where('series_id', '=', seriesId)
    .where('kind', '=', kind)
    .where(isAccountAccessibleSql(reach, 'price_series.user_id'))
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Deletes a series of a kind that the caller can access, with its values. Returns false if there is none. Throws 409 if any account uses
 * it.
 */
export async function deleteSeries(
  db: Database,
  kind: SeriesKind,
  reach: AccessibleAccounts,
  seriesId: string,
): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    const series = await trx
      .selectFrom('price_series')
      .select('series_id')
      .where('series_id', '=', seriesId)
      .where('kind', '=', kind)
      .where(isAccountAccessibleSql(reach, 'price_series.user_id'))
      .forUpdate()
      .executeTakeFirst();
    if (!series) return false;
    if (kind === 'price' && (await isUsedByTariff(trx, seriesId))) throw new AppError('seriesInUse');
    if (kind === 'emission' && (await isUsedByAccount(trx, seriesId))) throw new AppError('emissionSeriesInUse');
    await trx.deleteFrom('price_series').where('series_id', '=', seriesId).execute();
    return true;
  });
}

async function isUsedByTariff(trx: Database, seriesId: string): Promise<boolean> {
  const used = await trx
    .selectFrom('tariffs')
    .select('tariff_id')
    .where(({ eb, or }) =>
      or([
        eb(sql`terms #>> '{import,series_id}'`, '=', seriesId),
        eb(sql`terms #>> '{export,series_id}'`, '=', seriesId),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  return used !== undefined;
}

async function isUsedByAccount(trx: Database, seriesId: string): Promise<boolean> {
  const used = await trx
    .selectFrom('users')
    .select('user_id')
    .where('emission_series_id', '=', seriesId)
    .limit(1)
    .executeTakeFirst();
  return used !== undefined;
}

export async function findEmissionSeries(db: Database, userId: string): Promise<string | null> {
  const row = await db
    .selectFrom('users')
    .select('emission_series_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.emission_series_id ?? null;
}
