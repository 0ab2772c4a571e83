import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import type { DeviceImportResult } from './import.ts';

/** Time for which the passwords of an import are stored, unless they are fetched earlier. */
const CREDENTIALS_RETENTION = '24 hours';

/** The credentials with which a device that an import created logs in. */
export interface ImportCredential {
  /** Name of the row of the import: `line 3`, or its position in the list. */
  row: string;
  external_id: string | null;
  device_id: string;
  username: string;
  password: string;
  topic: string;
}

/** Stored result of a completed import. */
export type ImportRecord = NonNullable<Awaited<ReturnType<typeof findImport>>>;

/** Returns the credentials of the devices that an import created, in the order of its rows. */
export const listCreatedCredentials = ({ created }: DeviceImportResult): ImportCredential[] =>
  created.flatMap(({ row, deviceId, secret }) =>
    secret === null
      ? []
      : {
          row: row.name,
          external_id: row.settings.external_id ?? null,
          device_id: deviceId,
          username: deviceId,
          password: secret,
          topic: getReadingsTopic(deviceId),
        },
  );

/** Returns the rows of an import whose devices already existed with other settings. */
export const findRowsWithDifferentSettings = ({ existing }: Pick<DeviceImportResult, 'existing'>) =>
  existing
    .filter(({ members }) => members.length > 0)
    .map(({ row, deviceId, members }) => ({ row: row.name, device_id: deviceId, members }));

/** Records an import within its transaction. Its passwords are stored encrypted until they are fetched. Returns its id. */
export async function recordImport(
  trx: Database,
  box: SecretEncrypter,
  { userId, rows, imported }: { userId: string; rows: number; imported: DeviceImportResult },
): Promise<string> {
  const importId = createId('imp');
  const credentials = listCreatedCredentials(imported);
  await trx
    .insertInto('imports')
    .values({
      import_id: importId,
      user_id: userId,
      rows,
      created: imported.created.length,
      users_created: imported.usersCreated,
      differing: JSON.stringify(findRowsWithDifferentSettings(imported)),
      credentials_sealed: credentials.length === 0 ? null : box.seal(JSON.stringify(credentials)),
    })
    .execute();
  return importId;
}

const importRows = (db: Database) =>
  db
    .selectFrom('imports')
    .select(['import_id', 'created_at', 'rows', 'created', 'users_created', 'differing'])
    .select(sql<boolean>`credentials_sealed IS NOT NULL`.as('has_credentials'));

/** Returns an import that the caller can access, or null. */
export async function findImport(db: Database, reach: AccessibleAccounts, importId: string) {
  const row = await importRows(db)
    .where('import_id', '=', importId)
    .where(isAccountAccessibleSql(reach, 'imports.user_id'))
    .executeTakeFirst();
  return row ?? null;
}

/** Returns at most `limit` imports of an account whose passwords have not been fetched, newest first. */
export async function findImportsWithUnfetchedPasswords(db: Database, userId: string, limit: number) {
  return importRows(db)
    .where('user_id', '=', userId)
    .where('credentials_sealed', 'is not', null)
    .orderBy('import_id', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Returns the credentials of an import's devices and deletes them. Throws 409 if they were fetched or deleted earlier. Null if there is no
 * such import.
 */
export async function consumeImportCredentials(
  db: Database,
  box: SecretEncrypter,
  reach: AccessibleAccounts,
  importId: string,
): Promise<ImportCredential[] | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const row = await trx
      .selectFrom('imports')
      .select('credentials_sealed')
      .where('import_id', '=', importId)
      .where(isAccountAccessibleSql(reach, 'imports.user_id'))
      .forUpdate()
      .executeTakeFirst();
    if (!row) return null;
    if (row.credentials_sealed === null) throw new AppError('credentialsGone');
    await trx.updateTable('imports').set({ credentials_sealed: null }).where('import_id', '=', importId).execute();
    return JSON.parse(box.open(row.credentials_sealed));
  });
}

/** Deletes passwords that were not fetched within a day. */
export async function deleteExpiredImportCredentials(db: Database, now: Date): Promise<void> {
  await db
    .updateTable('imports')
    .set({ credentials_sealed: null })
    .where('credentials_sealed', 'is not', null)
    .where(sql<boolean>`created_at < ${now}::timestamptz - ${CREDENTIALS_RETENTION}::interval`)
    .execute();
}
