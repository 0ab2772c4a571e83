/** SQLSTATE classes of what a statement was given: its data (22), a constraint (23), the size of a row or of a statement (54). */
const OF_THE_DATA = /^(22|23|54)[0-9A-Z]{3}$/;
/** Errors of the language. The database, its driver and the network fail with plain Errors, with a code or without one. */
const OF_THE_LANGUAGE = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** Thrown where a message was read without any I/O: whatever the cause is, it lies in the message and in how it is read. */
export class ReadingFault extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Why a batch could not be written. `data`: PostgreSQL refused a value of it, and will again. `code`: our own code failed on it.
 * `database`: everything else. That a database is away is told in many ways (SQLSTATE 08, 53, 57, …, ECONNREFUSED, or only by
 * "Connection terminated"), so what is not known is taken for it: a batch that is tried for ever is seen in the log and loses
 * nothing, one that is refused by mistake is acknowledged.
 */
export function faultOf(error: unknown): 'data' | 'code' | 'database' {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && OF_THE_DATA.test(code)) return 'data';
  if (error instanceof ReadingFault || OF_THE_LANGUAGE.some((type) => error instanceof type)) return 'code';
  return 'database';
}
