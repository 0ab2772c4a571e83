import { sql } from 'kysely';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { DAY_MS } from '#src/core/units.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import type { StoredPriceSeries } from '../price-series.ts';
import { getEndOfUtcDay, MAX_FETCHES_A_DAY } from './fetch-times.ts';
import { findSourceErrors, getSharedFetchKey, getSourceHost } from './read-source.ts';
import { getSeriesUnitAndResolution, type SeriesSource, type SourceSecrets } from './source.ts';

/** Maximum number of sources of an account. */
const MAX_SOURCES = 20;
/** Maximum number of times that an account may set or check a source on a UTC day, because each causes a fetch. */
const MAX_CHECKS_A_DAY = 100;

/** A source as shown to its owner. */
export interface SourceState {
  source: SeriesSource;
  next_fetch_at: Date;
  last_fetched_at: Date | null;
  last_error: string | null;
}

/** A source with its secrets, as set by its owner. */
export interface SourceWithSecrets {
  source: SeriesSource;
  secrets: SourceSecrets;
}

/** Returns the sources of the series that the caller can access, by series. */
export async function readSeriesSources(
  db: Database,
  reach: AccessibleAccounts,
  seriesIds: readonly string[],
): Promise<ReadonlyMap<string, SourceState>> {
  if (seriesIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('series_sources')
    .innerJoin('price_series', 'price_series.series_id', 'series_sources.series_id')
    .select(['series_sources.series_id', 'settings', 'next_fetch_at', 'last_fetched_at', 'last_error'])
    .where('series_sources.series_id', 'in', [...seriesIds])
    .where(isAccountAccessibleSql(reach, 'price_series.user_id'))
    .execute();
  return new Map(
    rows.map(({ series_id, settings, ...state }) => [series_id, { ...state, source: settings as SeriesSource }]),
  );
}

/**
 * Sets the source of a series, in the caller's transaction. The source is due at once, unless the day's fetches are used up. Omitted tokens
 * and headers are taken from the stored source with the same host. Throws 422 if the source does not fit the series, 409 if the account has
 * too many sources, and 429 if it sets sources too often.
 */
export async function setSeriesSource(
  trx: Database,
  box: SecretEncrypter,
  series: StoredPriceSeries,
  given: SourceWithSecrets,
  now: Date,
): Promise<void> {
  const { series_id, user_id } = series;
  // Raw SQL: the advisory lock prevents concurrent transactions from exceeding the maximum number of sources.
  await sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('price series of', user_id)}::bigint)`.execute(trx);
  const before = await trx
    .selectFrom('series_sources')
    .select(['settings', 'secrets_sealed', 'fetches', 'fetches_on'])
    .where('series_id', '=', series_id)
    .forUpdate()
    .executeTakeFirst();
  const { source } = given;
  const sealed = before?.secrets_sealed;
  const known =
    before && sealed ? { source: before.settings as SeriesSource, secrets: decryptSourceSecrets(box, sealed) } : null;
  const secrets = known ? mergeSecrets(known, given) : given.secrets;
  const [first, ...rest] = findSourceErrors(source, secrets, getSeriesUnitAndResolution(series));
  if (first) throw createUnprocessableError(first, ...rest);
  if (!before && (await countSources(trx, user_id)) >= MAX_SOURCES) throw new AppError('tooManySources');
  await recordSourceCheck(trx, user_id, now);
  const isSpent =
    before &&
    before.fetches >= MAX_FETCHES_A_DAY &&
    before.fetches_on.getTime() === getEndOfUtcDay(now).getTime() - DAY_MS;
  const settings = {
    settings: JSON.stringify(source),
    secrets_sealed: hasSecrets(secrets) ? box.seal(JSON.stringify(secrets)) : null,
    fetch_key: getSharedFetchKey(series_id, source, secrets),
    host: getSourceHost(source),
    next_fetch_at: isSpent ? getEndOfUtcDay(now) : now,
  };
  const fresh = { lease_id: null, leased_until: null, retries: 0, tells_tomorrow: false, is_notified: false };
  const none = { last_fetched_at: null, last_error: null, failing_since: null };
  await trx
    .insertInto('series_sources')
    .values({ series_id, ...settings })
    .onConflict((conflict) => conflict.column('series_id').doUpdateSet({ ...settings, ...fresh, ...none }))
    .execute();
}

/** Removes the source of a series, if it has one. Fetched values remain. */
export async function deleteSeriesSource(trx: Database, seriesId: string): Promise<void> {
  await trx.deleteFrom('series_sources').where('series_id', '=', seriesId).execute();
}

/** Records that an account sets or checks a source. Throws 429 if it has done so too often on this UTC day. */
export async function recordSourceCheck(db: Database, userId: string, now: Date): Promise<void> {
  const end = getEndOfUtcDay(now);
  const day = new Date(end.getTime() - DAY_MS);
  // Raw SQL: one statement increments the number and compares it with the maximum.
  const { rows } = await sql`INSERT INTO source_checks (user_id, day, checks) VALUES (${userId}, ${day}, 1)
    ON CONFLICT (user_id) DO UPDATE SET day = excluded.day,
      checks = CASE WHEN source_checks.day = excluded.day THEN source_checks.checks + 1 ELSE 1 END
    WHERE source_checks.day <> excluded.day OR source_checks.checks < ${MAX_CHECKS_A_DAY} RETURNING checks`.execute(db);
  if (rows.length > 0) return;
  throw new AppError('tooManyRequests', { retryAfterSeconds: Math.ceil((end.getTime() - now.getTime()) / 1_000) });
}

async function countSources(trx: Database, userId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('series_sources')
    .innerJoin('price_series', 'price_series.series_id', 'series_sources.series_id')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

const hasSecrets = ({ token, headers }: SourceSecrets): boolean =>
  token !== undefined || (headers !== undefined && Object.keys(headers).length > 0);

/** Returns the secrets of a stored source. Throws if the secrets were encrypted with another key. */
export const decryptSourceSecrets = (box: SecretEncrypter, sealed: Buffer | null): SourceSecrets =>
  sealed ? (JSON.parse(box.open(sealed)) as SourceSecrets) : {};

/**
 * Returns the secrets of a changed source: those that the owner sent, otherwise the stored ones. Throws 422 if stored headers would be sent
 * to another host.
 */
function mergeSecrets(known: SourceWithSecrets, { source, secrets }: SourceWithSecrets): SourceSecrets {
  const name = 'preset' in source ? 'token' : 'headers';
  const stored = known.secrets[name];
  if (secrets[name] !== undefined || stored === undefined) return secrets;
  if (getSourceHost(known.source) === safeHostOf(source)) return { [name]: stored };
  if (name === 'token') return secrets;
  const message = 'must be sent again, or as {}, because the address is of another host';
  throw createUnprocessableError({ field: 'source.headers', message });
}

/** Returns the host of a source, or null if the preset is unknown. */
function safeHostOf(source: SeriesSource): string | null {
  try {
    return getSourceHost(source);
  } catch {
    return null;
  }
}
