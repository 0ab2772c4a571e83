import { link, open, readFile, rm } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { Database } from '#src/database/connect.ts';
import type { ImportCredential } from '#src/onboarding/imports.ts';

const COLUMNS = ['row', 'external_id', 'device_id', 'username', 'password', 'topic'] as const;

/** A file of passwords that an import makes: there as a whole once the import is committed, and else not at all. */
export interface CredentialsFile {
  path: string;
  /**
   * Looks at what an import that was killed left: its passwords, where it was committed, else nothing, and what it left is removed. While
   * no other import goes on.
   */
  recover(db: Database): Promise<ImportCredential[]>;
  /** Writes what is about to be committed. Throws where the file is there already. */
  prepare(credentials: readonly ImportCredential[]): Promise<void>;
  /** Puts the file in its place, after the commit. */
  keep(): Promise<void>;
  /** Removes what was prepared: it was not committed, or was shown in another way. */
  discard(): Promise<void>;
}

/**
 * The passwords of an import are written beside their place before it is committed, and put there afterwards: whoever is killed in
 * between loses none of them. The next import finds out by the database which of both it was. Only its owner may read the file (0600).
 */
export function credentialsFile(path: string): CredentialsFile {
  const part = `${path}.part`;
  const discard = () => rm(part, { force: true });
  return {
    path,
    discard,
    async recover(db) {
      const left = await readIfThere(part);
      if (left === null) return [];
      const credentials = credentialsIn(left);
      const ids = credentials.map(({ device_id }) => device_id);
      const [there] = await db
        .selectFrom('devices')
        .select('device_id')
        .where('device_id', 'in', ids.length > 0 ? ids.slice(0, 1) : [''])
        .execute();
      if (there) return credentials;
      await discard();
      return [];
    },
    async prepare(credentials) {
      if (credentials.length === 0) return;
      if ((await readIfThere(path)) !== null)
        throw new Error(`${path} is there already, with passwords of before: name another file with --credentials`);
      const file = await open(part, 'wx', 0o600);
      try {
        await file.writeFile(stringify([...credentials], { header: true, columns: [...COLUMNS] }));
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async keep() {
      // A link, not a renaming: that would replace a file that came to be there meanwhile.
      await link(part, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return;
        throw new Error(`${path} came to be there meanwhile; the passwords are in ${part}`, { cause: error });
      });
      await discard();
    },
  };
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Of a file that was not written to its end nothing was committed. */
function credentialsIn(text: string): ImportCredential[] {
  try {
    const rows = parse(text, { columns: true }) as Record<keyof ImportCredential, string>[];
    return rows.map((row) => ({ ...row, external_id: row.external_id || null }));
  } catch {
    return [];
  }
}
