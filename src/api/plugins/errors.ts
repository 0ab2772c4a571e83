import type { FastifyError, FastifyInstance } from 'fastify';
import { AppError, type FieldError } from '#src/core/errors.ts';
import { newId } from '#src/core/ids.ts';

/** Body of every error answer (specification, section Errors). */
export interface ErrorBody {
  error: string;
  status: number;
  details?: FieldError[];
  /** Seconds, with 429. */
  retry_after?: number;
}

const RETRY_AFTER_SECONDS = 5;

/** What the database says when it cannot be reached, is going down, or has no room or was moved (SQLSTATE 08, 53, 57P, 25006). */
const AWAY =
  /^(08|53|57P|25006)|^(ECONNREFUSED|ECONNRESET|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT)$/;
const AWAY_MESSAGE = /connection (terminated|timeout)|timeout exceeded when trying to connect|pool (has been|is) end/i;
/** A value that the database cannot hold (SQLSTATE 22): the client's mistake, wherever it slipped through. */
const UNHOLDABLE = /^22/;

export const errorBody = (status: number, error: string, details?: FieldError[]): ErrorBody => ({
  error,
  status,
  ...(details ? { details } : {}),
});

/** Turns everything that is thrown into an answer; a 500 shows nothing of the inside but an id that the log has, too. */
export function addErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((thrown: FastifyError | AppError | Error, request, reply) => {
    const { status, error, details, retry_after } = answerTo(thrown);
    if (status === 500) {
      const incident = newId('req');
      request.log.error({ err: thrown, incident }, 'unexpected error');
      return reply.status(500).send({ ...errorBody(500, 'Internal Server Error'), incident });
    }
    // Validation should have caught it: that it came so far is worth a look.
    if (UNHOLDABLE.test((thrown as { code?: string }).code ?? ''))
      request.log.warn({ err: thrown }, 'a value got past validation');
    if (status === 503) reply.header('Retry-After', String(RETRY_AFTER_SECONDS));
    if (status === 401) reply.header('WWW-Authenticate', 'Bearer');
    if (retry_after !== undefined) reply.header('Retry-After', String(retry_after));
    const wait = retry_after === undefined ? {} : { retry_after };
    return reply.status(status).send({ ...errorBody(status, error, details), ...wait });
  });
}

function answerTo(thrown: Error & { code?: string; statusCode?: number }): ErrorBody {
  if (thrown instanceof AppError) {
    const { status, message, details, retryAfterS } = thrown;
    return {
      ...errorBody(status, message, details),
      ...(retryAfterS === undefined ? {} : { retry_after: retryAfterS }),
    };
  }
  const code = thrown.code ?? '';
  if (AWAY.test(code) || AWAY_MESSAGE.test(thrown.message)) return errorBody(503, 'Service Unavailable');
  if (UNHOLDABLE.test(code)) return errorBody(422, 'Unprocessable Entity');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return errorBody(400, 'Content-Type must be application/json');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return errorBody(400, 'The body is longer than 1 MiB');
  // What fastify refuses before a handler sees it (syntax of JSON, lengths, encodings): the specification knows 400.
  if (thrown.statusCode && thrown.statusCode >= 400 && thrown.statusCode < 500) return errorBody(400, 'Bad Request');
  return errorBody(500, 'Internal Server Error');
}
