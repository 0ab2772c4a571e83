/** SQLSTATE classes of errors that the input causes: invalid data (22), a violated constraint (23), excessive size (54). */
const OF_THE_DATA = /^(22|23|54)[0-9A-Z]{3}$/;
/** Classes of errors that only faulty code causes. Errors of the database or the network do not belong to these classes. */
const OF_THE_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** An error in the decoding of a message. The message or the decoder is the cause. */
export class MessageDecodingError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Classifies why a batch could not be written. `data`: PostgreSQL will always reject a value. `code`: code of the service failed.
 * `database`: any other error. The batch is then repeated, because rejecting it by mistake would lose its messages.
 */
export function classifyWriteError(error: unknown): 'data' | 'code' | 'database' {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && OF_THE_DATA.test(code)) return 'data';
  if (error instanceof MessageDecodingError || OF_THE_LANGUAGE.some((type) => error instanceof type)) return 'code';
  return 'database';
}
