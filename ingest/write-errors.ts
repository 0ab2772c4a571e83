/**
 * SQLSTATE classes of errors that the input of a statement causes: invalid data (22), a violated constraint (23), a row or statement that
 * is too large (54).
 */
const OF_THE_DATA = /^(22|23|54)[0-9A-Z]{3}$/;
/**
 * Classes of errors that only JavaScript itself throws. The database, its driver and the network throw objects of the class Error, with or
 * without a code.
 */
const OF_THE_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** An error while a message was being decoded. Decoding does no I/O, so the message or the decoder is the cause. */
export class MessageDecodingError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Classifies why a batch could not be written. `data`: PostgreSQL rejected a value, and will always reject it. `code`: code of the service
 * failed. `database`: any other error. An unavailable database causes many different errors (SQLSTATE 08, 53, 57, …, ECONNREFUSED, or only
 * "Connection terminated"), so an unknown error is classified as `database`. If a batch is retried without limit, operators see this in the
 * log, and nothing is lost. If a batch is rejected by mistake, it is acknowledged and lost.
 */
export function classifyWriteError(error: unknown): 'data' | 'code' | 'database' {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && OF_THE_DATA.test(code)) return 'data';
  if (error instanceof MessageDecodingError || OF_THE_LANGUAGE.some((type) => error instanceof type)) return 'code';
  return 'database';
}
