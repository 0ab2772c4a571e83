import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, ERROR_DEFINITIONS, type ErrorName, type FieldError, formatErrorCode } from '#src/core/errors.ts';
import { isDatabaseUnavailable } from '#src/database/unavailable.ts';
import { discardRequestBody } from '../connection.ts';
import { isMcpRequest } from './authentication.ts';

/** Body of every error response (specification, section Errors). */
export interface ErrorBody {
  error: string;
  status: number;
  /** Code of the error, which programs can rely on. */
  code: string;
  /** Page of the reference that explains the error. */
  doc_url: string;
  details?: FieldError[];
  /** Seconds that a client must wait before its next request. Only with status 429. */
  retry_after?: number;
  /** Id of the request, by which an operator finds the error in the log. Only with status 500. */
  incident?: string;
}

const RETRY_AFTER_SECONDS = 5;
const ONE_MEBIBYTE = 1_048_576;
/** Maximum size in MiB of a request body with readings. */
const READINGS_MEBIBYTES = 4;

/** SQLSTATE query_canceled: a statement exceeded its time limit. Clients should retry. */
const STATEMENT_TIMEOUT = '57014';
/** SQLSTATE foreign_key_violation: another process has deleted a row to which the statement refers. */
const GONE = '23503';
/** SQLSTATE class 22: the client sent a value that the database cannot store, although it passed the validation. */
const UNHOLDABLE = /^22/;

/** Code of the error that fastify throws if a body is longer than the limit of its operation. */
const BODY_TOO_LONG = 'FST_ERR_CTP_BODY_TOO_LARGE';

/** Messages for errors that fastify throws about a body, by their code. */
const WRONG_BODIES: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'is not valid JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'is empty, and must be JSON',
};

/**
 * Returns the body of an error response for an error of the catalogue. `publicUrl`: URL at which clients reach the API and its
 * documentation.
 */
export const createErrorBody = (name: ErrorName, publicUrl: string): ErrorBody => ({
  error: ERROR_DEFINITIONS[name].error,
  status: ERROR_DEFINITIONS[name].status,
  code: formatErrorCode(name),
  doc_url: `${publicUrl}/docs/reference/errors#${formatErrorCode(name)}`,
});

/**
 * Adds the handler that turns every thrown error into a response. A response with status 500 contains only the request's id,
 * which is also in the log.
 */
export function addErrorHandler(app: FastifyInstance, publicUrl: () => string): void {
  app.setErrorHandler(async (thrown: FastifyError | AppError | Error, request, reply) => {
    const name = nameOf(thrown, request.routeOptions.bodyLimit);
    const body = createErrorBody(name, publicUrl());
    if ((thrown as FastifyError).code === BODY_TOO_LONG) await discardRequestBody(reply);
    if (name === 'internal') {
      request.log.error({ err: thrown }, 'unexpected error');
      body.incident = request.id;
    }
    // Validation should have refused this value, so the error is logged.
    if (UNHOLDABLE.test((thrown as { code?: string }).code ?? ''))
      request.log.warn({ err: thrown }, 'validation missed an invalid value');
    if (name === 'unavailable') reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
    if (body.status === 401) reply.header('WWW-Authenticate', challenge(request, publicUrl()));
    const message = WRONG_BODIES[(thrown as FastifyError).code];
    if (message) body.details = [{ field: 'body', message }];
    if (thrown instanceof AppError) {
      const { details, retryAfterSeconds } = thrown;
      if (details) body.details = details;
      if (retryAfterSeconds !== undefined) {
        body.retry_after = retryAfterSeconds;
        reply.header('Retry-After', String(retryAfterSeconds));
      }
    }
    return reply.status(body.status).send(body);
  });
}

/** Path of the metadata (RFC 9728) that describe how to access this API. */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Returns the `WWW-Authenticate` header. If the request has a key in the expected form, the header contains the error (RFC 6750, section
 * 3). Otherwise, it states the expected form. It does not reveal which keys exist.
 */
function challenge(request: FastifyRequest, publicUrl: string): string {
  const metadata = isMcpRequest(request) ? `, resource_metadata="${publicUrl}${RESOURCE_METADATA_PATH}/mcp"` : '';
  if (/^Bearer +\S+$/i.test(request.headers.authorization ?? ''))
    return `Bearer error="invalid_token", error_description="The API key is unknown, revoked, expired or of another environment"${metadata}`;
  return `Bearer realm="Send the header Authorization: Bearer API_KEY"${metadata}`;
}

const tooLong = (limitMebibytes: number): ErrorName =>
  limitMebibytes <= 1 ? 'bodyTooLong' : limitMebibytes <= READINGS_MEBIBYTES ? 'readingsTooLong' : 'importTooLong';

function nameOf(thrown: Error & { code?: string; statusCode?: number }, bodyLimit: number | undefined): ErrorName {
  if (thrown instanceof AppError) return thrown.is;
  const code = thrown.code ?? '';
  if (code === STATEMENT_TIMEOUT || isDatabaseUnavailable(thrown)) return 'unavailable';
  if (code === GONE) return 'notFound';
  if (UNHOLDABLE.test(code)) return 'unprocessable';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'contentType';
  if (code === BODY_TOO_LONG) return tooLong((bodyLimit ?? 0) / ONE_MEBIBYTE);
  // fastify refuses some requests before their handler runs. The specification requires status 400 for them.
  if (thrown.statusCode && thrown.statusCode >= 400 && thrown.statusCode < 500) return 'badRequest';
  return 'internal';
}
