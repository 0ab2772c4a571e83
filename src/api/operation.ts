import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { getAccessibleAccounts, getActor } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { findCallerInHome, type HomeIdsInRequest } from '#src/auth/homes.ts';
import { reloadCaller, runAsCaller } from '#src/auth/run-as-caller.ts';
import type { Scope } from '#src/auth/scopes.ts';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { describeValidationIssue } from '#src/core/validation-messages.ts';
import type { Database } from '#src/database/connect.ts';
import type { AccessibleAccounts } from '#src/database/reach.ts';
import { isDatabaseUnavailable } from '#src/database/unavailable.ts';
import { type AuditRecord, findOwnerOfObject, recordAuditedAction } from '#src/users/audit.ts';
import {
  addCsvParser,
  addExactNumberJsonParser,
  addSenmlParser,
  type CsvBody,
  formatRowPosition,
  isNestedTooDeeply,
  SenmlPack,
} from './bodies.ts';
import type { ApiContext } from './context.ts';
import { isLongResponse, streamRows } from './long-responses.ts';
import { fetchListPage, type ItemIdentifier, type ListPageRequest } from './pages.ts';
import { runIdempotently } from './plugins/idempotency.ts';
import { negotiateResponseFormat, type ResponseFormat } from './tables/accept.ts';
import { listFieldErrors } from './validation-errors.ts';

type OtherFormat = Exclude<ResponseFormat, 'json'>;

/** A request as a handler receives it, after its key, scopes and values have been checked. */
export interface OperationCall<Params, Query, Body, Formats extends OtherFormat = never> {
  context: ApiContext;
  db: Database;
  caller: Caller;
  /** The accounts that the caller may access. */
  reach: AccessibleAccounts;
  /** The ids in the path. */
  params: Params;
  query: Query;
  body: Body;
  /** Length of the body in bytes, as it was sent. */
  bodyBytes: number;
  /** Network address of the client, for the audit log. */
  address: string;
  /** Returns the name of a row for error messages, if the body is a list. */
  rowName(index: number): string;
  /** Returns the requested page of a list, and adds a Link header for the next page. */
  page<Item extends object>(
    id: ItemIdentifier<Item>,
    find: (page: ListPageRequest) => Promise<Item[]>,
  ): Promise<Item[]>;
  reply: FastifyReply;
  /** The format that the client prefers: one of the operation's `formats`, or JSON. */
  format: Formats | 'json';
  /** Value of the request's header `Accept-Language`. */
  languages: string;
  /**
   * Runs one part of a change in a transaction that locks the caller's account, and its key or session. Throws if the caller has lost
   * access. For operations with `changes: 'piece by piece'`.
   */
  whileAllowed<T>(piece: (caller: Caller) => Promise<T>): Promise<T>;
  /** Reads the caller again from the database during a long read. Throws if the caller has lost access. */
  stillAllowed(): Promise<Caller>;
  /**
   * Reads the caller again and locks its account and its key or session, in a transaction that the operation has opened for a change.
   * Throws if the caller has lost access.
   */
  allowedIn(trx: Database): Promise<Caller>;
}

type Shape = z.ZodObject | z.ZodType;

/** Announces the removal of an operation in the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of each of its responses. */
interface Deprecation {
  since: Date;
  /** Time after which the operation may be removed. */
  sunset?: Date;
  /** Page of the documentation that describes the replacement of the operation. */
  see: string;
}

/** Type of the ids in a path such as `/v1/alerts/{alert_id}`. */
type IdsIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [One in Name | keyof IdsIn<Rest>]: string }
  : unknown;

export const listPathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Definition of an operation of the API, with the schemas of its requests. */
interface OperationDefinition<
  Path extends string,
  Q extends z.ZodObject,
  B extends Shape,
  A extends z.ZodType,
  F extends OtherFormat,
> {
  /** Purpose of the operation in one or two sentences, for the API reference. */
  summary: string;
  /** Scope that the caller's key must have. If there are several scopes, the key must have all of them. */
  scope: Scope | readonly Scope[];
  /** Set if members of the home and apps may not use the operation. */
  forOwnerOnly?: true;
  query?: Q;
  body?: B;
  /**
   * Members of the body whose numbers keep all their digits as text, because a JavaScript number would round them (`true`: all
   * members).
   */
  exactNumbers?: true | readonly string[];
  /** Columns or parser of the CSV, if clients may also send the list as CSV. */
  csvBody?: readonly string[] | CsvBody;
  /** Whether clients may also send a SenML pack. The schema of the body does not apply to it. */
  senmlBody?: true;
  /** Maximum size of the body in bytes; default 1 MiB. */
  bodyLimitBytes?: number;
  status?: number;
  /**
   * How the operation changes data. Default: in one transaction, which first checks the caller again and locks its account and key.
   * `nothing`: the request changes nothing. `piece by piece`: the operation is too long for one transaction, and calls `whileAllowed` for
   * each part.
   */
  changes?: 'nothing' | 'piece by piece';
  /** Number of requests that one call counts against the account's limits; default 1. */
  countsAs?: number;
  /** Whether the operation may read from a standby server. */
  readsFromStandby?: true;
  /** Returns whether a body requests a dry run, which changes nothing, returns 200, and is not recorded in the audit log. */
  isTrial?(body: unknown): boolean;
  /**
   * Entry in the audit log, required for every operation that changes data. `target`: name of the parameter or member with the id
   * of the changed object. `of`: another path parameter to record. `via`: the interface, if it is not the HTTP API.
   */
  audit?: { action: string; target: string; of?: string; via?: 'mcp' };
  /** Media type of the response if it is not JSON. The response is then a stream. */
  produces?: string;
  /** Other formats besides JSON in which clients can request the response. */
  formats?: readonly F[];
  /** Set if another operation will replace this one. */
  deprecated?: Deprecation;
  /** Schema of the response, for the reference and the types. Only tests check responses against it. */
  answer: A;
  /** Handles a request. Returns an object, a text of another media type, or a stream. */
  handle(call: OperationCall<IdsIn<Path>, z.output<Q>, z.output<B>, F>): Promise<z.output<A> | string | Readable>;
}

/** An operation with its method and path. */
interface Operation<
  Path extends string,
  Q extends z.ZodObject,
  B extends Shape,
  A extends z.ZodType,
  F extends OtherFormat,
> extends OperationDefinition<Path, Q, B, A, F> {
  method: Method;
  path: Path;
}

/** Defines an operation. `address`: method and path of the operation, such as `GET /v1/alerts/{alert_id}`. */
export function defineOperation<
  Path extends string,
  Q extends z.ZodObject,
  B extends Shape,
  A extends z.ZodType,
  F extends OtherFormat = never,
>(address: `${Method} ${Path}`, definition: OperationDefinition<Path, Q, B, A, F>): Operation<Path, Q, B, A, F> {
  const [method, path] = address.split(' ') as [Method, Path];
  return { ...definition, method, path };
}

// biome-ignore lint/suspicious/noExplicitAny: operations in one list have different types of parameters
export type AnyOperation = Operation<string, any, any, any, OtherFormat>;

/**
 * Adds the route of an operation. Checks scope (403), names of query parameters (400) and values (422), in this order. For a
 * change, the key and its scope are checked again in the transaction.
 */
export function addOperation(app: FastifyInstance, context: ApiContext, definition: AnyOperation): void {
  const { method, path, deprecated, countsAs, exactNumbers, csvBody, senmlBody, bodyLimitBytes } = definition;
  const route: RouteOptions = {
    method,
    ...(bodyLimitBytes === undefined ? {} : { bodyLimit: bodyLimitBytes }),
    ...(countsAs === undefined ? {} : { config: { countsAs } }),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    ...(deprecated ? { onSend: async (_request, reply) => tellDeprecation(reply, deprecated) } : {}),
    handler: async (request, reply) => {
      if (!request.caller) throw new AppError('unauthorized');
      const caller = definition.forOwnerOnly
        ? request.caller
        : await findCallerInHome(context.db, request.caller, () => requestIdsOf(request));
      const run = method === 'GET' ? read : change;
      const done = await run(definition, context, caller, request, reply);
      // For HEAD, the router would read the whole response, so the stream is destroyed.
      if (request.method === 'HEAD' && done.answer instanceof Readable) {
        done.answer.destroy();
        return reply.status(done.status).send();
      }
      return send(reply, done);
    },
  };
  if (!exactNumbers && !csvBody && !senmlBody) return void app.route(route);
  void app.register(async (scope) => {
    if (exactNumbers) addExactNumberJsonParser(scope, exactNumbers === true ? undefined : exactNumbers);
    if (csvBody) addCsvParser(scope, csvBody);
    if (senmlBody) addSenmlParser(scope);
    scope.route(route);
  });
}

/** Runs a request, and returns the status and the body of the response. */
type RunRequest = (
  definition: AnyOperation,
  context: ApiContext,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<{ status: number; answer: unknown }>;

/**
 * Runs a request that changes nothing. If reading from the standby server fails, the request runs again on the primary server.
 */
const read: RunRequest = async (definition, context, caller, request, reply) => {
  const { reads } = context;
  const from = definition.readsFromStandby && reads && (await reads.from(caller.accountId));
  if (!from || from.db === context.db) return answer(definition, context, caller, request, reply);
  try {
    const done = await answer(definition, { ...context, readDb: from.db }, caller, request, reply);
    if (from.ageSeconds !== null) reply.header('Age', from.ageSeconds);
    return done;
  } catch (error) {
    if (!isDatabaseUnavailable(error as Error)) throw error;
    reads.failed();
    return answer(definition, context, caller, request, reply);
  }
};

/** Runs a request that may change data. The operation's `changes` determines whether the whole request runs in one transaction. */
const change: RunRequest = async (definition, context, caller, request, reply) => {
  const { db, clock } = context;
  const changesNothing = definition.changes === 'nothing' || isTrial(definition, request);
  if (changesNothing || definition.changes === 'piece by piece') {
    const anew = await reloadCaller(db, caller, clock(), 'none');
    return (changesNothing ? read : answer)(definition, context, anew, request, reply);
  }
  const named = Object.values(request.params as object);
  return runAsCaller(db, caller, { now: clock(), named }, (trx, anew) =>
    answer(definition, { ...context, db: trx, readDb: trx }, anew, request, reply),
  );
};

/** Handles a request whose caller was checked. */
const answer: RunRequest = async (definition, context, caller, request, reply) => {
  const call = callOf(definition, context, caller, request, reply);
  const { method, status = method === 'POST' ? 201 : 200 } = definition;
  const tries = isTrial(definition, request);
  return runIdempotently(context, request, reply, caller, async () => ({
    status: tries ? 200 : status,
    answer: tries
      ? await definition.handle(call)
      : await runAndAudit(definition, context.db, call, { actor: getActor(caller), address: call.address }),
  }));
};

const isTrial = (definition: AnyOperation, { body }: FastifyRequest): boolean => definition.isTrial?.(body) ?? false;

/** Runs a request. If it changes data, also records it in the audit log. */
export async function runAndAudit(
  { audit, handle }: AnyOperation,
  db: Database,
  call: OperationCall<unknown, unknown, unknown, OtherFormat>,
  by: Pick<AuditRecord, 'actor' | 'address'>,
): Promise<unknown> {
  if (!audit) return handle(call);
  const { params, body } = call;
  const ids = params as Record<string, unknown>;
  const note = (target: unknown) =>
    recordAuditedAction(db, {
      ...by,
      action: audit.action,
      target: typeof target === 'string' ? target : null,
      details: {
        ...tellable(body),
        ...(audit.of && { [audit.of]: ids[audit.of] }),
        ...(audit.via && { via: audit.via }),
      },
    });
  const named = ids[audit.target];
  // The audit entry is written before the change, because a deleted object has no owner afterwards. If the change fails, the
  // entry is rolled back.
  if (db.isTransaction && typeof named === 'string') {
    if (await findOwnerOfObject(db, named)) await note(named);
    return handle(call);
  }
  const answer = await handle(call);
  const found = [params, answer, body].map((one) => (one as Record<string, unknown> | undefined)?.[audit.target]);
  await note(found.find((one) => one !== undefined));
  return answer;
}

/** Members of request bodies that the audit log records with their values, because they contain no personal data. */
const TOLD = [
  'role',
  'plan',
  'scopes',
  'status',
  'placement',
  'event',
  'events',
  'delivery',
  'expires_at',
  'overlap_hours',
  'group_id',
  'device_id',
  'parent_group_id',
  'access',
];

/** Returns what the audit log records of a body: the names of its members, and some values (`TOLD`). */
function tellable(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {};
  if (Array.isArray(body)) return { rows: body.length };
  const recorded = Object.entries(body).filter(([name, value]) => TOLD.includes(name) && value !== undefined);
  return { members: Object.keys(body), ...Object.fromEntries(recorded) };
}

function send(reply: FastifyReply, { status, answer }: { status: number; answer: unknown }) {
  if (reply.request.method !== 'GET' || !isLongResponse(answer)) return reply.status(status).send(answer);
  return reply.status(status).type('application/json; charset=utf-8').send(streamRows(answer));
}

/** Creates the object that a handler receives. */
function callOf(
  definition: AnyOperation,
  context: ApiContext,
  caller: Caller,
  request: FastifyRequest,
  reply: FastifyReply,
): OperationCall<unknown, unknown, unknown, OtherFormat> {
  const { method, query, body } = definition;
  allow(caller, definition);
  const { url } = request;
  const asked = valid(query, queryParametersOf(url, query), 'query');
  const reload = async (db: Database, lock: 'none' | 'share') => {
    const anew = await reloadCaller(db, caller, context.clock(), lock);
    allow(anew, definition);
    return anew;
  };
  return {
    context,
    db: context.db,
    caller,
    reach: getAccessibleAccounts(caller),
    query: asked,
    body: body ? bodyOf(body, request.body) : withoutBody(method, request.body),
    params: storableIds(request.params as Record<string, string>),
    bodyBytes: Number(request.headers['content-length'] ?? 0),
    address: request.ip,
    rowName: (index) => formatRowPosition(request.body, index),
    page: (id, find) => fetchListPage(reply, url, asked as ListPageRequest, id, find),
    reply,
    format: negotiateResponseFormat(request.headers.accept ?? '', definition.formats ?? []),
    languages: request.headers['accept-language'] ?? '',
    whileAllowed: (piece) =>
      runAsCaller(context.db, caller, { now: context.clock() }, (_trx, anew) => {
        allow(anew, definition);
        return piece(anew);
      }),
    stillAllowed: () => reload(context.db, 'none'),
    allowedIn: (trx) => reload(trx, 'share'),
  };
}

/** Returns the ids in a path. The character NUL, which PostgreSQL cannot store, is replaced, so that such an id is unknown. */
const storableIds = (params: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, id]) => [name, id.replaceAll('\0', '\uFFFD')]));

/** Maximum number and length of the ids in a request that are looked up to find the home. */
const MAX_LOOKED_UP = { ids: 4, characters: 64 };

/**
 * Returns the ids in a request: first those in the path, then in the query and the body. Of a list, only the first row is used.
 */
function requestIdsOf({ params, query, body }: FastifyRequest): HomeIdsInRequest {
  const parts = [params, query, Array.isArray(body) ? body[0] : body];
  const all = parts.flatMap((part) =>
    typeof part === 'object' && part !== null ? Object.entries(part as Record<string, unknown>) : [],
  );
  const ids = all.filter((one): one is [string, string] => one[0].endsWith('_id') && typeof one[1] === 'string');
  const objects = ids.map(([, id]) => id).filter((id) => id.length <= MAX_LOOKED_UP.characters);
  return {
    userId: ids.find(([name]) => name === 'user_id')?.[1],
    objects: objects.slice(0, MAX_LOOKED_UP.ids),
  };
}

export const getOperationScopes = ({ scope }: Pick<AnyOperation, 'scope'>): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope;

function allow({ scopes, memberId, appId }: Caller, definition: AnyOperation): void {
  if ((memberId !== undefined || appId !== undefined) && definition.forOwnerOnly) throw new AppError('forbidden');
  const missing = getOperationScopes(definition).filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  // The error may name the missing scope, because it concerns only the caller's own key.
  throw new AppError('forbidden', { details: [{ field: 'scope', message: `must include ${missing.join(' and ')}` }] });
}

function tellDeprecation(reply: FastifyReply, { since, sunset, see }: Deprecation): void {
  reply.header('Deprecation', `@${Math.floor(since.getTime() / 1_000)}`);
  if (sunset) reply.header('Sunset', sunset.toUTCString());
  // An earlier hook may already have set the header, with the link to the next page.
  const links = [reply.getHeader('Link'), `<${see}>; rel="deprecation"; type="text/html"`];
  reply.header('Link', links.filter(Boolean).join(', '));
}

/** Returns the query parameters by name. Throws 400 for an unknown or repeated parameter. */
function queryParametersOf(url: string, schema: z.ZodObject | undefined): Record<string, string> {
  const query: Record<string, string> = {};
  const mark = url.indexOf('?');
  if (mark < 0) return query;
  for (const [name, value] of new URLSearchParams(url.slice(mark + 1))) {
    if (!schema || !Object.hasOwn(schema.shape, name)) {
      throw new AppError('badRequest', { details: [{ field: name, message: 'unknown query parameter' }] });
    }
    if (Object.hasOwn(query, name))
      throw new AppError('badRequest', { details: [{ field: name, message: 'repeated query parameter' }] });
    query[name] = value;
  }
  return query;
}

function bodyOf(schema: Shape, body: unknown): unknown {
  if (body === undefined && schema.safeParse(undefined).success) return undefined;
  if (body === undefined) throw new AppError('bodyRequired');
  const isPack = body instanceof SenmlPack;
  if (isNestedTooDeeply(isPack ? body.records : body))
    throw createUnprocessableError({ field: 'body', message: 'is nested deeper than 100 levels' });
  return isPack ? body : valid(schema, body, 'body');
}

const NO_MEMBERS = z.strictObject({}).optional();

/**
 * Checks the body of a request for an operation without a body. A POST with members is refused, because the client expects an
 * effect. A body of a GET or DELETE has no meaning (RFC 9110, 9.3) and is ignored.
 */
function withoutBody(method: AnyOperation['method'], body: unknown): undefined {
  if (method === 'POST') valid(NO_MEMBERS, body, 'body');
}

function valid(schema: Shape | undefined, value: unknown, where: string): unknown {
  if (!schema) return {};
  const parsed = schema.safeParse(value, { error: describeValidationIssue });
  if (parsed.success) return parsed.data;
  throw createUnprocessableError(...listFieldErrors(parsed.error, where, (index) => formatRowPosition(value, index)));
}
