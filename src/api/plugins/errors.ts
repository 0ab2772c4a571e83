import type { FastifyError, FastifyInstance } from 'fastify';
import { AppError, ERRORS, type ErrorName, errorCode, type FieldError } from '#src/core/errors.ts';

/** Body of every error answer (specification, section Errors). */
export interface ErrorBody {
  error: string;
  status: number;
  /** Stable word of the error, for programs. */
  code: string;
  /** Where the reference explains the error. */
  doc_url: string;
  details?: FieldError[];
  /** Seconds, with 429. */
  retry_after?: number;
  /** The request's id, with 500. */
  incident?: string;
}

const RETRY_AFTER_SECONDS = 5;
const ONE_MEBIBYTE = 1_048_576;

/**
 * What the database says when it cannot be reached, is going down, has no room or was moved (SQLSTATE 08, 53, 57P, 25006), or
 * when others were in the way (40) or it took too long (57014, a statement's time limit): trying again helps.
 */
const AWAY =
  /^(08|40|53|57P|57014|25006)|^(ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)$/;
const AWAY_MESSAGE =
  /connection (terminated|timeout)|timeout (expired|exceeded when trying to connect)|is not queryable|establishing an SSL connection|pool (has been|is) end/i;
/** A row that the statement refers to (a user, a device) was deleted by another process after it was found. */
const GONE = '23503';
/** A value that the database cannot hold (SQLSTATE 22): the client's mistake, wherever it slipped through. */
const UNHOLDABLE = /^22/;

/** What fastify says of a body, in words. */
const WRONG_BODIES: Record<string, string> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'is not valid JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'is empty, and must be JSON',
};

/** Whether a database could not answer, and another one may. One that took too long for the statement would on another, too. */
export const isAway = ({ code = '', message }: Error & { code?: string }): boolean =>
  code !== '57014' && (AWAY.test(code) || AWAY_MESSAGE.test(message));

/** The answer to an error of the catalogue. `publicUrl`: where clients reach the API, and its documentation. */
export const errorBody = (name: ErrorName, publicUrl: string): ErrorBody => ({
  error: ERRORS[name].error,
  status: ERRORS[name].status,
  code: errorCode(name),
  doc_url: `${publicUrl}/docs/reference/errors#${errorCode(name)}`,
});

/** Turns everything that is thrown into an answer; a 500 shows nothing of the inside but the id that the log has, too. */
export function addErrorHandler(app: FastifyInstance, publicUrl: () => string): void {
  app.setErrorHandler((thrown: FastifyError | AppError | Error, request, reply) => {
    const name = nameOf(thrown, request.routeOptions.bodyLimit);
    const body = errorBody(name, publicUrl());
    if (name === 'internal') {
      request.log.error({ err: thrown }, 'unexpected error');
      body.incident = request.id;
    }
    // Validation should have caught it: that it came so far is worth a look.
    if (UNHOLDABLE.test((thrown as { code?: string }).code ?? ''))
      request.log.warn({ err: thrown }, 'validation missed an invalid value');
    if (name === 'unavailable') reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
    if (body.status === 401) reply.header('WWW-Authenticate', challenge(request.headers.authorization));
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

/** What is expected in the header, and what is wrong with one that was sent (RFC 6750, section 3). It tells nothing of which keys there are. */
function challenge(sent: string | undefined): string {
  if (sent !== undefined && /^Bearer +\S+$/i.test(sent))
    return 'Bearer error="invalid_token", error_description="The API key is unknown, revoked, expired or of another environment"';
  return 'Bearer realm="Send the header Authorization: Bearer API_KEY"';
}

function nameOf(thrown: Error & { code?: string; statusCode?: number }, bodyLimit: number | undefined): ErrorName {
  if (thrown instanceof AppError) return thrown.is;
  const code = thrown.code ?? '';
  if (AWAY.test(code) || AWAY_MESSAGE.test(thrown.message)) return 'unavailable';
  if (code === GONE) return 'notFound';
  if (UNHOLDABLE.test(code)) return 'unprocessable';
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'contentType';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return (bodyLimit ?? 0) > ONE_MEBIBYTE ? 'importTooLong' : 'bodyTooLong';
  // What fastify refuses before a handler sees it (syntax of JSON, lengths, encodings): the specification knows 400.
  if (thrown.statusCode && thrown.statusCode >= 400 && thrown.statusCode < 500) return 'badRequest';
  return 'internal';
}
