/** Error in one member of a request. */
export interface FieldError {
  field: string;
  message: string;
}

/** Error response of the service. The subclass depends on the status; `details` names the invalid members of the request. */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly status: number;
  /** Stable code of the error, such as `key_revoked`. Null: the response came from a proxy in front of the service. */
  readonly code: string | null;
  /** URL of the error's description in the reference. */
  readonly docUrl: string | null;
  readonly details: readonly FieldError[];
  /** Time to wait before the next request. Null: the service stated no time. */
  readonly retryAfterSeconds: number | null;
  /** Id of the request in the service's log. Null: the response came from a proxy in front of the service. */
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

/** 400: the request is malformed. */
export class BadRequestError extends ServiceError {
  override name = 'BadRequestError';
}
/** 401: there is no valid key. */
export class UnauthorizedError extends ServiceError {
  override name = 'UnauthorizedError';
}
/** 403: the key does not permit the request. */
export class ForbiddenError extends ServiceError {
  override name = 'ForbiddenError';
}
/** 404: the object does not exist, or the key cannot access it. */
export class NotFoundError extends ServiceError {
  override name = 'NotFoundError';
}
/** 409: the request conflicts with the current state. */
export class ConflictError extends ServiceError {
  override name = 'ConflictError';
}
/** 422: values are missing or invalid; `details` names them. */
export class UnprocessableError extends ServiceError {
  override name = 'UnprocessableError';
}
/** 429: the plan's limit of requests is reached. */
export class TooManyRequestsError extends ServiceError {
  override name = 'TooManyRequestsError';
}
/** 5xx: the service failed, or is unavailable at the moment. */
export class ServerError extends ServiceError {
  override name = 'ServerError';
}
/** The request got no response. */
export class NetworkError extends Error {
  override name = 'NetworkError';
}
/** The request got no response in time. */
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

/** Returns the error for a response, whatever its body is: the body of a proxy is not JSON. */
export function errorOf(status: number, headers: Headers, text: string): ServiceError {
  let body: { error?: unknown; code?: unknown; doc_url?: unknown; details?: unknown } = {};
  try {
    body = (JSON.parse(text) ?? {}) as typeof body;
  } catch {
    // The response is not from the service.
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
