/**
 * SQLSTATE classes of errors caused by a statement's input: invalid data (22), a violated constraint (23), a row or statement that is too
 * large (54).
 */
const OF_THE_DATA = /^(22|23|54)[0-9A-Z]{3}$/;
/** Errors that JavaScript itself throws. The database, its driver and the network throw plain Errors, with or without a code. */
const OF_THE_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** Error during the decoding of a message, which does no I/O. Its cause is therefore the message or the decoder. */
export class DecodingFault extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Classifies why a batch could not be written. `data`: PostgreSQL rejected a value and will reject it again. `code`: our own code failed.
 * `database`: everything else. An unavailable database reports many errors (SQLSTATE 08, 53, 57, …, ECONNREFUSED, or only "Connection
 * terminated"), so unknown errors count as `database`: a batch that is retried for ever is visible in the log and loses nothing, whereas a
 * batch that is rejected by mistake is acknowledged and lost.
 */
export function classifyFault(error: unknown): 'data' | 'code' | 'database' {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && OF_THE_DATA.test(code)) return 'data';
  if (error instanceof DecodingFault || OF_THE_LANGUAGE.some((type) => error instanceof type)) return 'code';
  return 'database';
}
