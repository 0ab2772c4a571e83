/** A mistake in one place of a request. */
export interface FieldError {
  field: string;
  message: string;
}

/** An error that a client of the API is told about. `message` is public. */
export class AppError extends Error {
  override name = 'AppError';
  readonly status: number;
  readonly details: FieldError[] | undefined;
  /** Seconds, for 429. */
  readonly retryAfterS: number | undefined;
  constructor(status: number, message: string, details?: FieldError[], retryAfterS?: number) {
    super(message);
    this.status = status;
    this.details = details;
    this.retryAfterS = retryAfterS;
  }
}

/** The request was not understood: syntax, parameters, JSON. */
export const badRequest = (message = 'Bad Request', details?: FieldError[]) => new AppError(400, message, details);
/** No API key, or not a valid one. */
export const unauthorized = () => new AppError(401, 'Unauthorized');
/** The key lacks the permission, or its owner's role does. */
export const forbidden = (message = 'Forbidden') => new AppError(403, message);
/** There is no such thing, or the caller may not know of it. */
export const notFound = (message = 'Not Found') => new AppError(404, message);
/** The request conflicts with what is there. */
export const conflict = (message = 'Conflict') => new AppError(409, message);
/** Understood, but values are missing or not valid. */
export const unprocessable = (details: FieldError[], message = 'Unprocessable Entity') =>
  new AppError(422, message, details);
/** The account's limits are used up, or it is suspended, for so many seconds. */
export const tooManyRequests = (retryAfterS: number) => new AppError(429, 'Too Many Requests', undefined, retryAfterS);
/** The service cannot answer now and will again. */
export const unavailable = () => new AppError(503, 'Service Unavailable');

/** What was found, or 404. */
export function orNotFound<T>(found: T | null): T {
  if (found === null) throw notFound();
  return found;
}
