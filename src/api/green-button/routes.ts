import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DateTime } from 'luxon';
import type { ApiContext } from '#src/api/context.ts';
import { awaitFirstPage, limitConcurrentPages } from '#src/api/long-responses.ts';
import { MEDIA_TYPES } from '#src/api/tables/accept.ts';
import { findOauthClientApp, type OauthClientApp } from '#src/auth/apps.ts';
import { type Caller, getRequestCounterName } from '#src/auth/authenticate.ts';
import { ESPI_RESOURCE_PATH, GREEN_BUTTON_REQUIRED_SCOPE, parseGreenButtonTerms } from '#src/auth/green-button.ts';
import {
  findAppAuthorization,
  findGreenButtonSubscription,
  type GreenButtonAuthorization,
  listAppAuthorizations,
} from '#src/auth/green-button-resources.ts';
import { reloadCaller } from '#src/auth/run-as-caller.ts';
import { AppError, createUnprocessableError, requireFound } from '#src/core/errors.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { createEntryFormatter } from '#src/export/green-button/entry.ts';
import { formatUsagePointEntry, streamSubscriptionXml } from '#src/export/green-button/feed.ts';
import { streamIntervalsByMonth } from '#src/export/green-button/intervals.ts';
import {
  createUsagePointId,
  formatApplicationEntry,
  formatAuthorizationEntry,
  formatEntryAsDocument,
  formatServiceStatusXml,
  streamFeedXml,
} from '#src/export/green-button/resources.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Number of authorizations that one query reads. */
const PAGE = 500;
/** Query parameters that limit the readings of a feed by time. */
const BOUNDS = ['published-min', 'published-max'] as const;
/** Matches a time with its UTC offset (RFC 3339). */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

type Params = Record<string, string>;

/**
 * Adds the resources of Green Button Connect My Data (the ESPI standard of NAESB) for apps. A token for a home gives access to
 * its usage point and subscription. A token for the app itself gives access to its ApplicationInformation and Authorizations.
 */
export function addGreenButtonRoutes(app: FastifyInstance, context: ApiContext, publicUrl: () => string): void {
  const { db, clock } = context;
  const get = (path: string, parameters: readonly string[], answer: (request: FastifyRequest) => unknown) =>
    app.get(`${ESPI_RESOURCE_PATH}${path}`, { exposeHeadRoute: false }, async (request, reply) => {
      if (!request.caller) throw new AppError('unauthorized');
      refuseUnknown(request, parameters);
      const body = await answer(request);
      // The media type of the feed is set last, because an error response is JSON.
      reply.type(`${MEDIA_TYPES.greenButton}; charset=utf-8`);
      return body;
    });
  const stream = async (caller: Caller, pieces: AsyncGenerator<string>) =>
    Readable.from(await awaitFirstPage(limitConcurrentPages(getRequestCounterName(caller), pieces)), {
      objectMode: false,
    });

  const batch = async (request: FastifyRequest) => {
    const home = await subscriptionOf(context, request);
    return stream(home.caller, batchXml(context, home, request));
  };
  get('/Batch/Subscription/:subscription', BOUNDS, batch);
  get('/Batch/Subscription/:subscription/UsagePoint/:point', BOUNDS, batch);

  for (const folder of ['', '/Subscription/:subscription']) {
    const point = async (request: FastifyRequest) => {
      const { about } = await subscriptionOf(context, request);
      return formatUsagePointEntry(about, createEntryFormatter(about, clock().toISOString()), false);
    };
    get(`${folder}/UsagePoint`, [], async (request) => {
      const head = { self: pathOf(request), type: 'UsagePoint', now: clock() };
      return stream(request.caller as Caller, streamFeedXml(head, [await point(request)]));
    });
    get(`${folder}/UsagePoint/:point`, [], async (request) => formatEntryAsDocument(await point(request)));
  }

  const information = async (request: FastifyRequest) => {
    const found = requireFound(await findOauthClientApp(db, clientOf(request).appId));
    checkId(request, 'application', found.resource_id);
    return formatApplicationEntry(shownApp(found), publicUrl(), clock());
  };
  get('/ApplicationInformation', [], async (request) => {
    const entry = await information(request);
    const head = { self: pathOf(request), type: 'ApplicationInformation', now: clock() };
    return stream(request.caller as Caller, streamFeedXml(head, [entry]));
  });
  get('/ApplicationInformation/:application', [], async (request) => formatEntryAsDocument(await information(request)));

  get('/Authorization', [], (request) => {
    const { caller, appId } = clientOf(request);
    const entries = authorizationEntries(context, appId, publicUrl());
    return stream(caller, streamFeedXml({ self: pathOf(request), type: 'Authorization', now: clock() }, entries));
  });
  get('/Authorization/:authorization', [], async (request) => {
    const { appId } = clientOf(request);
    const { authorization = '' } = request.params as Params;
    if (!UUID.test(authorization)) throw new AppError('notFound');
    const found = requireFound(await findAppAuthorization(db, appId, authorization, clock()));
    return formatEntryAsDocument(formatAuthorizationEntry(shownAuthorization(found), publicUrl(), clock()));
  });

  get('/ReadServiceStatus', [], () => formatServiceStatusXml());
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

function refuseUnknown({ query }: FastifyRequest, known: readonly string[]): void {
  for (const [name, value] of Object.entries(query as Record<string, unknown>))
    if (!known.includes(name) || typeof value !== 'string') throw new AppError('badRequest');
}

/** Throws 404 if the path has a parameter with the given name, and its value is not the given id. */
function checkId({ params }: FastifyRequest, name: string, id: string): void {
  const requestedId = (params as Params)[name];
  if (requestedId !== undefined && requestedId !== id) throw new AppError('notFound');
}

interface Home {
  caller: Caller;
  subscription: GreenButtonAuthorization;
  /** Id of the usage point. */
  about: string;
}

/**
 * Returns the subscription of the home for which the token was issued. Throws 403 for other tokens, and 404 if the path names
 * another subscription.
 */
async function subscriptionOf({ db, clock }: ApiContext, request: FastifyRequest): Promise<Home> {
  const { caller } = request;
  if (caller?.by !== 'app' || !caller.scopes.has(GREEN_BUTTON_REQUIRED_SCOPE)) throw new AppError('forbidden');
  const subscription = requireFound(await findGreenButtonSubscription(db, caller.keyId, clock()));
  const about = createUsagePointId(subscription.app_resource_id, subscription.user_id);
  checkId(request, 'subscription', subscription.resource_id);
  checkId(request, 'point', about);
  return { caller, subscription, about };
}

/** Returns the app whose own token was sent. Throws 403 for a token of a home. */
function clientOf({ caller }: FastifyRequest): { caller: Caller; appId: string } {
  if (caller?.by !== 'client' || caller.appId === undefined) throw new AppError('forbidden');
  return { caller, appId: caller.appId };
}

/**
 * Returns the feed of a subscription, in whole days of the home's time zone. Before it reads each month, checks again whether the app still
 * has access.
 */
function batchXml(
  { db, readDb, clock }: ApiContext,
  { caller, subscription, about }: Home,
  request: FastifyRequest,
): AsyncGenerator<string> {
  const { timezone: zone, user_id: userId, green_button_scope, resource_id } = subscription;
  const { intervalSeconds, historySeconds } = parseGreenButtonTerms(green_button_scope);
  const now = clock();
  const earliest = new Date(now.getTime() - historySeconds * 1_000);
  const [min = earliest, max = now] = BOUNDS.map((name) => instantOf(request, name));
  if (max < min)
    throw createUnprocessableError({ field: 'published-max', message: 'must not be before published-min' });
  const dayOf = (at: Date) => DateTime.fromJSDate(at, { zone }).toISODate() as string;
  const [start, end] = [dayOf(min < earliest ? earliest : min), dayOf(max > now ? now : max)];
  const range = createDayRange(start, end, zone);
  const unit = intervalSeconds === 900 ? 'quarter_hour' : 'hour';
  const confirm = async () => {
    const { scopes } = await reloadCaller(db, caller, clock(), 'none');
    if (!scopes.has(GREEN_BUTTON_REQUIRED_SCOPE)) throw new AppError('forbidden');
  };
  const months = streamIntervalsByMonth(readDb, { userId, range, now, unit }, confirm);
  return streamSubscriptionXml({
    about,
    self: `${ESPI_RESOURCE_PATH}/Batch/Subscription/${resource_id}`,
    range,
    now,
    unit,
    months,
  });
}

/** Returns the time in a query parameter, if given. Throws 422 if it is not a time. */
function instantOf({ query }: FastifyRequest, field: (typeof BOUNDS)[number]): Date | undefined {
  const text = (query as Params)[field];
  if (text === undefined) return undefined;
  const at = new Date(text);
  if (!INSTANT.test(text) || Number.isNaN(at.getTime()))
    throw createUnprocessableError({ field, message: 'must be a time with its zone, such as 2026-11-01T00:00:00Z' });
  return at;
}

async function* authorizationEntries(
  { db, clock }: ApiContext,
  appId: string,
  publicUrl: string,
): AsyncGenerator<string> {
  for (let cursor = ''; ; ) {
    const page = await listAppAuthorizations(db, appId, clock(), { limit: PAGE, cursor });
    for (const one of page) yield formatAuthorizationEntry(shownAuthorization(one), publicUrl, clock());
    if (page.length < PAGE) return;
    cursor = page.at(-1)?.authorization_id ?? '';
  }
}

const shownApp = (row: OauthClientApp) => ({
  id: row.resource_id,
  clientId: row.app_id,
  name: row.name,
  website: row.website,
  redirectUris: row.redirect_uris,
  notificationUrl: row.notification_url,
  createdAt: row.created_at,
});

const shownAuthorization = (row: GreenButtonAuthorization) => ({
  id: row.resource_id,
  scope: row.green_button_scope,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});
