import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '#src/core/clock.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import { DAY_MS } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import type { ACCOUNT_ROLES } from '#src/database/enums.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { addEvents } from '#src/events/outbox.ts';
import { packPrices } from '../packed-days.ts';
import type { StoredPriceSeries } from '../price-series.ts';
import { storeFetchedPrices } from '../prices.ts';
import { type FetchOutcome, type FetchState, getEndOfUtcDay, planNextFetch } from './fetch-times.ts';
import {
  getFetchTimes,
  getSourceHost,
  getSourceRequest,
  hasValuesOfTomorrow,
  parseSourceResponse,
  type SourceFetcher,
  type SourceResponse,
} from './read-source.ts';
import { describeRowProblems, type PriceRowsResult } from './response-rows.ts';
import { getSeriesUnitAndResolution, type SeriesSource } from './source.ts';
import { decryptSourceSecrets } from './store.ts';

/** Time in ms for which a worker has reserved a source. If the worker is killed, another one fetches the source afterwards. */
const LEASE_MS = 120_000;
/** Maximum number of series that a worker reserves at a time. */
const MAX_LEASED = 1_000;

interface FetchDependencies {
  db: Database;
  box: SecretEncrypter;
  fetchAnswer: SourceFetcher;
  clock: Clock;
  /** Aborted when the worker stops. The result of a fetch in progress is then dropped. */
  stopping?: AbortSignal;
}

interface ClaimedSeries extends Pick<StoredPriceSeries, 'series_id' | 'user_id' | 'kind' | 'name' | 'currency'> {
  resolution_minutes: number;
  settings: SeriesSource;
  secrets_sealed: Buffer | null;
  fetches: number;
  fetch_key: string;
  role: (typeof ACCOUNT_ROLES)[number];
}

/**
 * Fetches a source that is due, and stores its values for all due series with this source. Returns the number of these series; 0 if no
 * source is due. Several workers may run this at the same time; together they fetch from a host at most once a second. If the source of a
 * series is changed meanwhile, nothing is stored for it.
 */
export async function fetchDueSource(parts: FetchDependencies): Promise<number> {
  const { db, box, fetchAnswer, clock, stopping } = parts;
  const leaseId = randomUUID();
  const claimed = await claimDue(db, leaseId, clock());
  const [first] = claimed;
  if (!first) return 0;
  const answer = await fetchFor(first, { box, fetchAnswer, now: clock() });
  if (stopping?.aborted) {
    await db
      .updateTable('series_sources')
      .set({ lease_id: null, leased_until: null })
      .where('lease_id', '=', leaseId)
      .execute();
    return 0;
  }
  const read = cachedReader(answer);
  let count = 0;
  for (let leased = claimed; leased.length > 0; ) {
    for (const series of leased) await applyAnswer(parts, leaseId, series, { answer, read: await read(series) });
    count += leased.length;
    const mayBeMore = leased.length === MAX_LEASED && !stopping?.aborted;
    leased = mayBeMore ? await leaseSeries(db, first.fetch_key, leaseId, clock()) : [];
  }
  return count;
}

/**
 * Reserves all due series that share the fetch of a due source. Skips hosts from which a worker has fetched within the last second. The
 * host is locked first. Otherwise, two workers could each reserve a part of the series.
 */
async function claimDue(db: Database, leaseId: string, now: Date): Promise<ClaimedSeries[]> {
  for (;;) {
    // Raw SQL in this file: SKIP LOCKED, and comparisons with the database's clock, because the clocks of workers differ.
    const due = await sql<{ fetch_key: string; host: string }>`SELECT fetch_key, host FROM series_sources s
      WHERE ${isDue(now)} AND NOT EXISTS (SELECT FROM source_hosts h
        WHERE h.host = s.host AND h.fetched_at > clock_timestamp() - interval '1 second')
      ORDER BY next_fetch_at LIMIT 1`.execute(db);
    const [first] = due.rows;
    if (!first) return [];
    const claimed = await joinOrBeginTransaction(db, async (trx) => {
      if (!(await reserveFetchFromHost(trx, first.host))) return [];
      return leaseSeries(trx, first.fetch_key, leaseId, now);
    });
    // If no series was reserved, another worker has just fetched from this host. The next iteration skips the host.
    if (claimed.length > 0) return claimed;
  }
}

const isDue = (now: Date) => sql`next_fetch_at <= ${now} AND (leased_until IS NULL OR leased_until <= ${now})`;

/** Reserves the next due series that share a fetch, and increments their numbers of fetches. */
async function leaseSeries(db: Database, fetchKey: string, leaseId: string, now: Date): Promise<ClaimedSeries[]> {
  const today = new Date(getEndOfUtcDay(now).getTime() - DAY_MS);
  const { rows } = await sql<ClaimedSeries>`UPDATE series_sources s
    SET lease_id = ${leaseId}, leased_until = ${new Date(now.getTime() + LEASE_MS)}, fetches_on = ${today},
      fetches = CASE WHEN fetches_on = ${today} THEN fetches + 1 ELSE 1 END
    FROM price_series p JOIN users u USING (user_id)
    WHERE p.series_id = s.series_id AND s.series_id IN (SELECT series_id FROM series_sources
      WHERE fetch_key = ${fetchKey} AND ${isDue(now)} ORDER BY series_id LIMIT ${MAX_LEASED} FOR UPDATE SKIP LOCKED)
    RETURNING s.series_id, p.user_id, p.kind, p.name, p.currency, p.resolution_minutes, s.settings, s.secrets_sealed,
      s.fetches, s.fetch_key, u.role`.execute(db);
  return rows;
}

/** Records a fetch from a host. Returns false if the last one was less than a second ago. Must be called before each fetch. */
export async function reserveFetchFromHost(db: Database, host: string): Promise<boolean> {
  const { rows } = await sql`INSERT INTO source_hosts VALUES (${host}, clock_timestamp())
    ON CONFLICT (host) DO UPDATE SET fetched_at = clock_timestamp()
    WHERE source_hosts.fetched_at <= clock_timestamp() - interval '1 second' RETURNING host`.execute(db);
  return rows.length > 0;
}

/** Deletes the hosts from which no worker has fetched for a day. */
export async function deleteOldSourceHosts(db: Database, now: Date): Promise<void> {
  await db
    .deleteFrom('source_hosts')
    .where('fetched_at', '<', new Date(now.getTime() - DAY_MS))
    .execute();
}

async function fetchFor(
  { settings, secrets_sealed, role }: ClaimedSeries,
  { box, fetchAnswer, now }: { box: SecretEncrypter; fetchAnswer: SourceFetcher; now: Date },
): Promise<SourceResponse> {
  // A series with its own URL shares its fetch with no other series, so `role` is the role of its only owner.
  if (role === 'homeowner' && 'url' in settings)
    return {
      failure: 'only utilities and administrators can use their own addresses; choose a preset, or remove the source',
    };
  try {
    return await fetchAnswer(getSourceRequest(settings, decryptSourceSecrets(box, secrets_sealed), now));
  } catch {
    return { failure: 'the source cannot be read as it was stored; set it again, with its token or headers' };
  }
}

/** Returns a function that parses the response for a series. Series with the same unit and resolution share the parsed values. */
function cachedReader(answer: SourceResponse) {
  const known = new Map<string, PriceRowsResult>();
  return async (series: ClaimedSeries): Promise<PriceRowsResult> => {
    if ('failure' in answer) return answer;
    const form = getSeriesUnitAndResolution(series);
    const name = `${form.unit} ${form.resolutionMinutes}`;
    const read = known.get(name) ?? (await parseSourceResponse(answer.text, series.settings, form));
    known.set(name, read);
    return read;
  };
}

/** Stores the values of a response for a series, and the time of its next fetch. Does nothing if the source has changed meanwhile. */
async function applyAnswer(
  { db, clock }: FetchDependencies,
  leaseId: string,
  series: ClaimedSeries,
  { answer, read }: { answer: SourceResponse; read: PriceRowsResult },
): Promise<void> {
  const { series_id, settings, resolution_minutes, fetches } = series;
  const now = clock();
  await joinOrBeginTransaction(db, async (trx) => {
    // The series is locked before its source, as in the deletion of a series, to avoid deadlocks.
    await trx.selectFrom('price_series').select('series_id').where('series_id', '=', series_id).forKeyShare().execute();
    const state: FetchState | undefined = await trx
      .selectFrom('series_sources')
      .select(['retries', 'tells_tomorrow', 'last_fetched_at', 'last_error', 'failing_since', 'is_notified'])
      .where('series_id', '=', series_id)
      .where('lease_id', '=', leaseId)
      .forUpdate()
      .executeTakeFirst();
    if (!state) return;
    if ('prices' in read) await storeFetchedPrices(trx, series_id, packPrices(read.prices, resolution_minutes));
    const outcome = outcomeOf(answer, read, { settings, now });
    const plan = planNextFetch(state, outcome, { times: getFetchTimes(settings), now, fetchesToday: fetches });
    await trx
      .updateTable('series_sources')
      .set({ ...plan.state, next_fetch_at: plan.nextAt, lease_id: null, leased_until: null })
      .where('series_id', '=', series_id)
      .execute();
    if (plan.notifies) await addEvents(createQueryFunction(trx), [failingEvent(series, plan.state)], now);
  });
}

/** Maximum length in characters of an error that is shown to the owner. */
const MAX_ERROR = 500;

function outcomeOf(
  answer: SourceResponse,
  read: PriceRowsResult,
  { settings, now }: { settings: SeriesSource; now: Date },
): FetchOutcome {
  if ('failure' in read) {
    const wait = 'failure' in answer ? answer.retryAfterMs : undefined;
    return {
      isRead: false,
      error: read.failure.slice(0, MAX_ERROR),
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    };
  }
  const error = describeRowProblems(read.problems, read.rows)?.slice(0, MAX_ERROR) ?? null;
  return { isRead: true, hasTomorrow: hasValuesOfTomorrow(read, settings, now), error };
}

function failingEvent({ series_id, user_id, kind, name, settings }: ClaimedSeries, state: FetchState) {
  const data = {
    series_id,
    kind,
    name,
    source: 'preset' in settings ? settings.preset : getSourceHost(settings),
    failing_since: state.failing_since?.toISOString(),
    last_error: state.last_error,
  };
  return { type: 'series.source_failing', userId: user_id, data, channel: 'email' } as const;
}
