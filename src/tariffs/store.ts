import { sql } from 'kysely';
import { AppError, createUnprocessableError, type FieldError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { findPriceSeriesUsableByAccount, lockSeriesUsableByAccount, type StoredPriceSeries } from './price-series.ts';
import { queueCostRecomputationOfUser } from './queue-costs.ts';
import type { Tariff } from './tariff.ts';
import { listSeriesIdsOfTerms, parseTariff, type StoredTariff, type TariffPriceTerms } from './terms.ts';

type TariffSettings = Omit<StoredTariff, 'tariff_id' | 'user_id'>;

/** Changes to a tariff. In `terms`, null removes a price. */
type TariffPatch = Partial<Omit<TariffSettings, 'terms'>> & {
  terms: { [Term in keyof TariffPriceTerms]?: TariffPriceTerms[Term] | null };
};

/** Maximum number of tariffs of a user, because each cost computation loads all of them. */
const MAX_TARIFFS = 1_000;
const UNIQUE_VIOLATION = '23505';

const COLUMNS = [
  ...(['tariff_id', 'user_id', 'name', 'currency'] as const),
  sql<string>`valid_from::text`.as('valid_from'),
  sql<TariffPriceTerms>`terms`.as('terms'),
] as const;

/**
 * Creates a tariff for an account. Throws 409 if another tariff begins on the same day or there are too many; 422 if a series of the tariff
 * has another currency, or the account may not use it.
 */
export async function createTariff(
  db: Database,
  { userId, ...settings }: TariffSettings & { userId: string },
): Promise<StoredTariff> {
  return joinOrBeginTransaction(db, async (trx) => {
    // Raw SQL: the advisory lock prevents concurrent transactions from exceeding the maximum number of tariffs.
    await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('tariffs of', userId)}::bigint)`.execute(trx);
    await checkSeries(trx, userId, settings);
    const { count } = await trx
      .selectFrom('tariffs')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    if (count >= MAX_TARIFFS) throw new AppError('tooManyTariffs');
    const made = await dayTaken(
      trx
        .insertInto('tariffs')
        .values({ ...settings, terms: JSON.stringify(settings.terms), tariff_id: createId('trf'), user_id: userId })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow(),
    );
    await queueCostRecomputationOfUser(trx, userId);
    return made;
  });
}

/** Returns at most `limit` tariffs of an account whose first day is after `cursor`, in order of their first days. */
export async function listTariffs(
  db: Database,
  reach: AccessibleAccounts,
  userId: string,
  page: { limit: number; cursor?: string },
): Promise<StoredTariff[]> {
  let query = db
    .selectFrom('tariffs')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where(isAccountAccessibleSql(reach, 'tariffs.user_id'))
    .orderBy('tariffs.valid_from')
    .limit(page.limit);
  if (page.cursor !== undefined) query = query.where('tariffs.valid_from', '>', sql<Date>`${page.cursor}::date`);
  return query.execute();
}

/** Returns all tariffs of an account, in order of `validFrom`, for cost computations. */
export async function loadAllTariffs(db: Database, userId: string): Promise<Tariff[]> {
  const rows = await db
    .selectFrom('tariffs')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .orderBy('tariffs.valid_from')
    .execute();
  return rows.map(parseTariff);
}

/** Whether an account has any tariff, even one that is not valid yet. */
export async function hasTariff(db: Database, userId: string): Promise<boolean> {
  const row = await db.selectFrom('tariffs').select('tariff_id').where('user_id', '=', userId).executeTakeFirst();
  return row !== undefined;
}

/** Returns a tariff that the caller can access, or null. */
export async function findTariff(
  db: Database,
  reach: AccessibleAccounts,
  tariffId: string,
): Promise<StoredTariff | null> {
  const row = await db
    .selectFrom('tariffs')
    .select(COLUMNS)
    .where('tariff_id', '=', tariffId)
    .where(isAccountAccessibleSql(reach, 'tariffs.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/** Updates a tariff that the caller can access, or returns null. Throws the errors of `createTariff`. */
export async function updateTariff(
  db: Database,
  reach: AccessibleAccounts,
  tariffId: string,
  { terms: changed, ...patch }: TariffPatch,
): Promise<StoredTariff | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const before = await trx
      .selectFrom('tariffs')
      .select(COLUMNS)
      .where('tariff_id', '=', tariffId)
      .where(isAccountAccessibleSql(reach, 'tariffs.user_id'))
      .forUpdate()
      .executeTakeFirst();
    if (!before) return null;
    const terms = changedTerms(before.terms, changed);
    const after = { ...before, ...patch, terms };
    // With an unchanged currency, unchanged rates are not checked, because their price series may have been deleted.
    const isAnew = after.currency !== before.currency;
    await checkSeries(trx, before.user_id, {
      currency: after.currency,
      terms: isAnew ? terms : { import: changed.import ?? { per_kwh: '0' }, export: changed.export ?? undefined },
    });
    const set = { name: after.name, valid_from: after.valid_from, currency: after.currency };
    const stored = await dayTaken(
      trx
        .updateTable('tariffs')
        .set({ ...set, terms: JSON.stringify(terms) })
        .where('tariff_id', '=', tariffId)
        .returning(COLUMNS)
        .executeTakeFirstOrThrow(),
    );
    await queueCostRecomputationOfUser(trx, before.user_id);
    return stored;
  });
}

/** Deletes a tariff that the caller can access. Returns false if there is none. */
export async function deleteTariff(db: Database, reach: AccessibleAccounts, tariffId: string): Promise<boolean> {
  return joinOrBeginTransaction(db, async (trx) => {
    const removed = await trx
      .deleteFrom('tariffs')
      .where('tariff_id', '=', tariffId)
      .where(isAccountAccessibleSql(reach, 'tariffs.user_id'))
      .returning('user_id')
      .executeTakeFirst();
    if (!removed) return false;
    await queueCostRecomputationOfUser(trx, removed.user_id);
    return true;
  });
}

function changedTerms(before: TariffPriceTerms, changed: TariffPatch['terms']): TariffPriceTerms {
  const merged: TariffPatch['terms'] = { ...before, ...changed };
  for (const term of Object.keys(merged) as (keyof TariffPriceTerms)[])
    if (merged[term] === null || merged[term] === undefined) delete merged[term];
  return merged as TariffPriceTerms;
}

/**
 * Throws 422 if the rates use a series of another currency, or one that the account may not use. Locks the series until the transaction
 * ends.
 */
async function checkSeries(
  trx: Database,
  userId: string,
  { currency, terms }: { currency: string; terms: Pick<TariffPriceTerms, 'import' | 'export'> },
): Promise<void> {
  const held = await lockSeriesUsableByAccount(trx, 'price', userId, listSeriesIdsOfTerms(terms));
  const errors = findSeriesMistakes(held, { currency, terms });
  if (errors.length > 0) throw createUnprocessableError(...errors);
}

/**
 * Throws 422 if the rates of an offer (a tariff that is not stored) use a series of another currency, or a series that the account or the
 * caller's key may not use.
 */
export async function assertOfferSeriesUsable(
  db: Database,
  by: { reach: AccessibleAccounts; userId: string },
  offers: readonly { currency: string; terms: Pick<TariffPriceTerms, 'import' | 'export'> }[],
): Promise<void> {
  const usable = await findPriceSeriesUsableByAccount(db, by, [
    ...new Set(offers.flatMap(({ terms }) => listSeriesIdsOfTerms(terms))),
  ]);
  const errors = offers.flatMap((offer, index) =>
    findSeriesMistakes(usable, offer).map(({ field, message }) => ({ field: `tariffs.${index}.${field}`, message })),
  );
  if (errors.length > 0) throw createUnprocessableError(...errors);
}

/**
 * Returns an error for each series in a tariff's rates that has another currency or that the account may not use. `usable`: the series that
 * the account may use, by id.
 */
function findSeriesMistakes(
  usable: ReadonlyMap<string, StoredPriceSeries>,
  { currency, terms }: { currency: string; terms: Pick<TariffPriceTerms, 'import' | 'export'> },
): FieldError[] {
  return (['import', 'export'] as const).flatMap((member) => {
    const rates = terms[member];
    if (!rates || !('series_id' in rates)) return [];
    const series = usable.get(rates.series_id);
    const message = series
      ? `is of ${series.currency}, the tariff of ${currency}`
      : 'must be a price series of the user, of its utility or of an administrator';
    return series?.currency === currency ? [] : [{ field: `${member}.series_id`, message }];
  });
}

async function dayTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw new AppError('tariffOfDay');
    throw error;
  }
}
