/**
 * SQLSTATE classes of errors caused by a statement's input: invalid data (22), a violated constraint (23), a row or statement that is too
 * large (54).
 */
const OF_THE_DATA = /^(22|23|54)[0-9A-Z]{3}$/;
/**
 * Classes of errors that only JavaScript itself throws. The database, its driver and the network throw plain Errors, with or without a
 * code.
 */
const OF_THE_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** An error during the decoding of a message. Decoding does no I/O, so the cause is the message or the decoder. */
export class MessageDecodingError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Classifies why a batch could not be written. `data`: PostgreSQL rejected a value and will reject it again. `code`: the service's own code
 * failed. `database`: every other error. An unavailable database causes many different errors (SQLSTATE 08, 53, 57, …, ECONNREFUSED, or
 * only "Connection terminated"), so an unknown error counts as `database`. A batch that is retried without limit is visible in the log and
 * loses nothing; a batch that is rejected by mistake is acknowledged and lost.
 */
export function classifyWriteError(error: unknown): 'data' | 'code' | 'database' {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && OF_THE_DATA.test(code)) return 'data';
  if (error instanceof MessageDecodingError || OF_THE_LANGUAGE.some((type) => error instanceof type)) return 'code';
  return 'database';
}
