import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/**
 * Records to which of several ingest processes each login is connected (`login_places`). A login is at one process,
 * that of its latest connection. The previous process detects the move within a second and ends its connections and
 * sessions of the login.
 */
export interface LoginPlaces {
  /**
   * Records that a login is at this process. Returns whether it was at another process before; this process's stored
   * state of the login is then outdated.
   */
  claim(username: string): Promise<boolean>;
  /** Returns logins that have moved to another process and were not confirmed yet. */
  moved(): Promise<string[]>;
  /** Confirms that this process has ended its connections and sessions of these logins. */
  confirm(usernames: readonly string[]): Promise<void>;
  /** Returns those of the logins that are at another process. */
  elsewhere(usernames: readonly string[]): Promise<string[]>;
}

/** Returns the places as one process sees and changes them. `processId`: a UUID that no other process has. */
export function createLoginPlaces(db: Database, processId: string): LoginPlaces {
  const usernamesOf = ({ rows }: { rows: { username: string }[] }) => rows.map(({ username }) => username);
  return {
    async claim(username) {
      // Raw SQL: an upsert that neither writes nor locks if the login is already at this process, as is usual.
      const { rows } = await sql`
        INSERT INTO login_places AS l (username, process_id)
        SELECT ${username}, ${processId}::uuid
        WHERE NOT EXISTS (SELECT FROM login_places WHERE username = ${username} AND process_id = ${processId}::uuid)
        ON CONFLICT (username) DO UPDATE SET process_id = excluded.process_id, left_process_id = l.process_id
        WHERE l.process_id <> excluded.process_id RETURNING username`.execute(db);
      return rows.length > 0;
    },
    moved: async () =>
      usernamesOf(
        await sql<{ username: string }>`
          SELECT username FROM login_places WHERE left_process_id = ${processId}::uuid`.execute(db),
      ),
    async confirm(usernames) {
      await sql`
        UPDATE login_places SET left_process_id = NULL
        WHERE left_process_id = ${processId}::uuid AND username = ANY (${[...usernames]}::text[])`.execute(db);
    },
    elsewhere: async (usernames) =>
      usernamesOf(
        await sql<{ username: string }>`
          SELECT username FROM login_places
          WHERE username = ANY (${[...usernames]}::text[]) AND process_id <> ${processId}::uuid`.execute(db),
      ),
  };
}
