/** What is wrong with one member of a request. */
export interface FieldError {
  field: string;
  message: string;
}

/** The service answered with an error. Its subclasses tell which; `details` names the members that are wrong. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly status: number;
  /** Stable word of the error, such as `key_revoked`. Null: something before the service answered. */
  readonly code: string | null;
  /** Where the reference explains the error. */
  readonly docUrl: string | null;
  readonly details: readonly FieldError[];
  /** How long to wait before the next request. Null: the service named no time. */
  readonly retryAfterSeconds: number | null;
  /** Under which the service has the request in its log. Null: something before the service answered. */
  readonly requestId: string | null;

  constructor(
    message: string,
    answer: {
      status: number;
      code: string | null;
      docUrl: string | null;
      details: readonly FieldError[];
      retryAfterSeconds: number | null;
      requestId: string | null;
    },
  ) {
    super(message);
    this.status = answer.status;
    this.code = answer.code;
    this.docUrl = answer.docUrl;
    this.details = answer.details;
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.requestId = answer.requestId;
  }
}

/** 400: the request itself is wrong. */
export class BadRequestError extends ServiceError {
  override name = 'BadRequestError';
}
/** 401: there is no valid key. */
export class UnauthorizedError extends ServiceError {
  override name = 'UnauthorizedError';
}
/** 403: the key may not do this. */
export class ForbiddenError extends ServiceError {
  override name = 'ForbiddenError';
}
/** 404: there is no such thing within the key's reach. */
export class NotFoundError extends ServiceError {
  override name = 'NotFoundError';
}
/** 409: it does not go with what there is. */
export class ConflictError extends ServiceError {
  override name = 'ConflictError';
}
/** 422: values are missing or wrong; `details` names them. */
export class UnprocessableError extends ServiceError {
  override name = 'UnprocessableError';
}
/** 429: the plan's requests are used up. */
export class TooManyRequestsError extends ServiceError {
  override name = 'TooManyRequestsError';
}
/** 5xx: the service failed, or is not there at the moment. */
export class ServerError extends ServiceError {
  override name = 'ServerError';
}
/** No answer came. */
export class NetworkError extends Error {
  override name = 'NetworkError';
}
/** No answer came in time. */
export class RequestTimeoutError extends Error {
  override name = 'RequestTimeoutError';
}

const OF_STATUS: Record<number, typeof ServiceError> = {
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableError,
  429: TooManyRequestsError,
};

/** The error that an answer stands for, whatever its body: a proxy's is no JSON. */
export function errorOf(status: number, headers: Headers, text: string): ServiceError {
  let body: { error?: unknown; code?: unknown; doc_url?: unknown; details?: unknown } = {};
  try {
    body = (JSON.parse(text) ?? {}) as typeof body;
  } catch {
    // Not from the service.
  }
  const textOf = (member: unknown) => (typeof member === 'string' ? member : null);
  const title = textOf(body.error) ?? `HTTP ${status}`;
  const details = Array.isArray(body.details) ? (body.details as FieldError[]) : [];
  const why = details.map(({ field, message }) => `${field} ${message}`).join('; ');
  const wait = Number.parseInt(headers.get('retry-after') ?? '', 10);
  const Kind = OF_STATUS[status] ?? (status >= 500 ? ServerError : ServiceError);
  return new Kind(why === '' ? title : `${title}: ${why}`, {
    status,
    code: textOf(body.code),
    docUrl: textOf(body.doc_url),
    details,
    retryAfterSeconds: Number.isNaN(wait) ? null : wait,
    requestId: headers.get('request-id'),
  });
}
