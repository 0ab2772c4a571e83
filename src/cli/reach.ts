import { isDatabaseUrl } from '#src/config/database-url.ts';
import { shownUrl } from '#src/config/shown-url.ts';
import { createPool } from '#src/database/connect.ts';

/** What to do about it, by the code of what went wrong: of the network's, or SQLSTATE. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host: check its name',
  EAI_AGAIN: 'the host cannot be looked up: check its name, and DNS',
  ECONNREFUSED: 'nothing listens there: check host and port, and that PostgreSQL runs',
  ETIMEDOUT: 'no answer: check host and port, and firewalls in between',
  '28P01': 'the password is wrong',
  '28000': 'this user may not log in from here: see pg_hba.conf of the server',
  '3D000': 'the server has no such database: create it first',
};

/**
 * Throws, in one line and without any password, where what an option names is no URL of a PostgreSQL, or where nobody can be logged in there. `option`: its
 * name, with dashes.
 */
export async function mustReachDatabase(option: string, url: string): Promise<void> {
  if (!isDatabaseUrl(url))
    throw new Error(
      `${option}: must be a URL that begins with postgres:// or postgresql://, such as postgres://USER:PASSWORD@HOST:5432/DATABASE`,
    );
  const pool = createPool(url, { max: 1, applicationName: 'energy command' });
  try {
    // Raw SQL: whether it answers.
    await pool.query('SELECT 1');
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    const advice = ADVICE[code] ?? 'check host, port, user, password and database';
    throw new Error(
      `${option}: ${shownUrl(url)} cannot be reached, ${advice} (${message || code}). Nothing was changed.`,
      {
        cause: error,
      },
    );
  } finally {
    await pool.end();
  }
}
