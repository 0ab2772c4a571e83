import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';

/**
 * Records to which ingest process each login is connected (`login_places`). If a login moves to another process, the previous process ends
 * its own connections of the login within a second. `processId`: a UUID that no other process has.
 */
export function createLoginProcessRegistry(db: Database, processId: string) {
  const usernamesOf = ({ rows }: { rows: { username: string }[] }) => rows.map(({ username }) => username);
  return {
    /**
     * Records that a login is connected to this process. Returns true if it was connected to another process before; this process's state
     * of the login is then outdated.
     */
    async claim(username: string): Promise<boolean> {
      // Raw SQL: an upsert that neither writes nor locks if the login already belongs to this process.
      const { rows } = await sql`
        INSERT INTO login_places AS l (username, process_id)
        SELECT ${username}, ${processId}::uuid
        WHERE NOT EXISTS (SELECT FROM login_places WHERE username = ${username} AND process_id = ${processId}::uuid)
        ON CONFLICT (username) DO UPDATE SET process_id = excluded.process_id, left_process_id = l.process_id
        WHERE l.process_id <> excluded.process_id RETURNING username`.execute(db);
      return rows.length > 0;
    },
    /** Returns logins that have moved to another process. Omits those for which `confirm` was called. */
    moved: async () =>
      usernamesOf(
        await sql<{ username: string }>`
          SELECT username FROM login_places WHERE left_process_id = ${processId}::uuid`.execute(db),
      ),
    /** Records that this process has ended its connections and sessions of these logins. */
    async confirm(usernames: readonly string[]): Promise<void> {
      await sql`
        UPDATE login_places SET left_process_id = NULL
        WHERE left_process_id = ${processId}::uuid AND username = ANY (${[...usernames]}::text[])`.execute(db);
    },
    /** Returns the given logins that are connected to another process. */
    elsewhere: async (usernames: readonly string[]) =>
      usernamesOf(
        await sql<{ username: string }>`
          SELECT username FROM login_places
          WHERE username = ANY (${[...usernames]}::text[]) AND process_id <> ${processId}::uuid`.execute(db),
      ),
  };
}

export type LoginProcessRegistry = ReturnType<typeof createLoginProcessRegistry>;
