import { sql } from 'kysely';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, accessibleAccountsSql, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import { isDiscoveredDeviceListedSql } from '#src/devices/gateways.ts';
import { findManagersOfNewDevices } from '#src/devices/management.ts';
import { createDeviceRow, pairDiscoveredDevice } from '#src/devices/store.ts';
import { addEvents } from '#src/events/outbox.ts';
import { type AuditRecord, recordAuditedActions } from '#src/users/audit.ts';
import { USER_COLUMNS } from '#src/users/store.ts';
import {
  type DeviceImportRow,
  type ExistingAccountsAndDevices,
  getImportedRowKey,
  type ImportPlan,
  planImport,
} from './plan.ts';

/** Number of rows that one SQL statement inserts. */
const ROWS = 500;
const UNIQUE_VIOLATION = '23505';

/** The account that imports devices, with its rights and the options of the import. */
export interface DeviceImporter {
  reach: AccessibleAccounts;
  /** Owner of the devices of rows that name no user. Null if every row must name one. */
  ownId: string | null;
  /**
   * If set, the import creates a homeowner for each unknown e-mail address. `enrolledBy`: the utility that enrols these homeowners; null:
   * none. If null, the import creates no accounts.
   */
  newOwners: { enrolledBy: string | null } | null;
  /** Option that would create missing accounts, for error messages. */
  toMakeOwners?: string;
  /** Actor that the audit log records for the import. */
  by: Pick<AuditRecord, 'actor' | 'address'>;
}

interface ImportedDevice {
  row: DeviceImportRow;
  deviceId: string;
  userId: string;
  /** The device's MQTT password, which is stored nowhere else. Null if the device's gateway logs in instead. */
  secret: string | null;
}

export interface DeviceImportResult {
  created: ImportedDevice[];
  existing: ImportPlan['existing'];
  usersCreated: number;
}

/**
 * Imports the devices of all rows in one transaction. Throws 422 with every error, and imports none, if any row has an error. Importing the
 * same rows again changes nothing. `beforeCommit` receives the result before the commit; if it throws, nothing is imported. Throws 409
 * while another import of the account is in progress.
 */
export async function importDevices(
  db: Database,
  importer: DeviceImporter,
  rows: readonly DeviceImportRow[],
  { onProgress = () => {}, begin, beforeCommit }: ImportHooks = {},
): Promise<DeviceImportResult> {
  try {
    return await joinOrBeginTransaction(db, async (trx) => {
      await lockImports(trx, importer);
      await begin?.(trx);
      const known = await lookUp(trx, importer, rows);
      const plan = planImport(rows, known);
      if (plan.errors.length > 0) throw createUnprocessableError(...plan.errors);
      const owners = await createOwners(trx, importer, plan.create.filter(known.isNewOwner));
      const ownerOf = (row: DeviceImportRow) => known.ownerOf(row) ?? (owners.get(addressOf(row)) as string);
      const created: ImportedDevice[] = [];
      for (let from = 0; from < plan.create.length; from += ROWS) {
        created.push(...(await createSome(trx, importer, plan.create.slice(from, from + ROWS), ownerOf)));
        onProgress(created.length, plan.create.length);
      }
      const imported = { created, existing: plan.existing, usersCreated: owners.size };
      await beforeCommit?.(imported);
      return imported;
    });
  } catch (error) {
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) throw new AppError('importOvertaken');
    throw error;
  }
}

/** Returns the plan of an import with all its errors, without importing. `newUsers`: number of accounts that the import would create. */
export async function previewDeviceImport(
  db: Database,
  importer: DeviceImporter,
  rows: readonly DeviceImportRow[],
): Promise<{ plan: ImportPlan; newUsers: number }> {
  const known = await lookUp(db, importer, rows);
  const plan = planImport(rows, known);
  return { plan, newUsers: new Set(plan.create.filter(known.isNewOwner).map(addressOf)).size };
}

interface ImportHooks {
  /** Called before any look-up, after the imports of the account have been locked. */
  begin?: (trx: Database) => Promise<void>;
  onProgress?: (done: number, total: number) => void;
  beforeCommit?: (imported: DeviceImportResult) => Promise<void> | void;
}

/** Locks the imports of an account, because two concurrent imports would create the same devices twice. */
async function lockImports(trx: Database, { by }: DeviceImporter): Promise<void> {
  // Raw SQL: the statement tries to take an advisory lock, and reads no table.
  const { rows } = await sql<{ isMine: boolean }>`
    SELECT pg_try_advisory_xact_lock(${getAdvisoryLockId('imports of', by.actor?.userId ?? '')}::bigint) AS "isMine"`.execute(
    trx,
  );
  if (!rows[0]?.isMine) throw new AppError('importUnderWay');
}

const addressOf = ({ email = '' }: DeviceImportRow): string => email.toLowerCase();
/** Whether a text is given and PostgreSQL can store it. A text that cannot be stored equals no stored text, so it is not looked up. */
const isStorable = (text: string | undefined): text is string => text !== undefined && !text.includes('\0');

async function lookUp(
  db: Database,
  importer: DeviceImporter,
  rows: readonly DeviceImportRow[],
): Promise<ExistingAccountsAndDevices> {
  const ids = [...new Set(rows.map(({ userId }) => userId ?? importer.ownId ?? undefined).filter(isStorable))];
  const addresses = [...new Set(rows.map(({ email }) => email?.toLowerCase()).filter(isStorable))];
  const users = await db
    .selectFrom('users')
    .select(['user_id', 'email'])
    .where(accessibleAccountsSql(importer.reach))
    .where(sql<boolean>`(user_id = ANY (${ids}::text[]) OR lower(email) = ANY (${addresses}::text[]))`)
    .execute();
  const byId = new Set(users.map(({ user_id }) => user_id));
  const byAddress = new Map(users.map(({ user_id, email }) => [email.toLowerCase(), user_id]));
  const ownerOf = (row: DeviceImportRow) => {
    if (row.email !== undefined) return byAddress.get(addressOf(row));
    const id = row.userId ?? importer.ownId;
    return id !== null && byId.has(id) ? id : undefined;
  };
  const owners = sql<string>`ANY (${[...new Set(rows.map(ownerOf).filter(isStorable))]}::text[])`;
  const devices = await db
    .selectFrom('devices')
    .select([
      'device_id',
      'user_id',
      'type',
      'location',
      'limit_kw',
      'register_max_kwh',
      'max_gap_minutes',
      'timezone',
      'decoder_config',
      'channels',
      'placement',
      'upstream_device_id',
      'external_id',
      'imported_as',
    ])
    .where('user_id', '=', owners)
    .where('deleted_at', 'is', null)
    .orderBy('device_id')
    .execute();
  const strangers = importer.newOwners ? addresses.filter((address) => !byAddress.has(address)) : [];
  const taken = new Set(await findTakenAddresses(db, strangers));
  const isNewOwner = (row: DeviceImportRow) =>
    importer.newOwners !== null && row.email !== undefined && ownerOf(row) === undefined && !isTaken(row);
  const isTaken = (row: DeviceImportRow) => taken.has(addressOf(row));
  return {
    ownerOf,
    isNewOwner,
    isTaken,
    toMakeOwners: importer.newOwners === null ? importer.toMakeOwners : undefined,
    devices: devices as ExistingAccountsAndDevices['devices'],
    discovered: await findDiscovered(db, importer, rows),
  };
}

/** Returns those discovered devices that the rows name and the importer can access. */
async function findDiscovered(
  db: Database,
  { reach }: DeviceImporter,
  rows: readonly DeviceImportRow[],
): Promise<ExistingAccountsAndDevices['discovered']> {
  const ids = rows.map(({ discoveryId }) => discoveryId).filter(isStorable);
  if (ids.length === 0) return [];
  return db
    .selectFrom('discovered_devices')
    .innerJoin('gateways', 'gateways.gateway_id', 'discovered_devices.gateway_id')
    .select(['discovery_id', 'gateways.user_id', 'device_id', 'awaits'])
    .where(isDiscoveredDeviceListedSql)
    .where('discovery_id', '=', sql<string>`ANY (${ids}::text[])`)
    .where(isAccountAccessibleSql(reach, 'gateways.user_id'))
    .execute();
}

/** Returns the given e-mail addresses that already have an account. */
async function findTakenAddresses(db: Database, addresses: readonly string[]): Promise<string[]> {
  if (addresses.length === 0) return [];
  const users = await db
    .selectFrom('users')
    .select('email')
    .where(sql<boolean>`lower(email) = ANY (${[...addresses]}::text[])`)
    .execute();
  return users.map(({ email }) => email.toLowerCase());
}

/** Creates the accounts for unknown e-mail addresses and returns their ids by address. */
async function createOwners(
  trx: Database,
  { newOwners, by }: DeviceImporter,
  rows: readonly DeviceImportRow[],
): Promise<Map<string, string>> {
  // The rows are reversed, so that the first row with an address determines its spelling.
  const wanted = new Map(rows.toReversed().map((row) => [addressOf(row), row.email as string]));
  const made = new Map<string, string>();
  const emails = [...wanted.values()];
  for (let from = 0; from < emails.length; from += ROWS) {
    const users = await trx
      .insertInto('users')
      .values(
        emails.slice(from, from + ROWS).map((email) => ({
          user_id: createId('usr'),
          email,
          role: 'homeowner' as const,
          enrolled_by: newOwners?.enrolledBy ?? null,
          is_enrolled: newOwners?.enrolledBy != null,
        })),
      )
      .returning(USER_COLUMNS)
      .execute();
    const events = users.map((user) => ({
      type: 'user.created' as const,
      userId: user.user_id,
      data: { ...user, created_at: user.created_at.toISOString() },
    }));
    await addEvents(createQueryFunction(trx), events, new Date());
    await recordAuditedActions(
      trx,
      by,
      'user.created',
      users.map(({ user_id }) => ({ target: user_id, about: user_id })),
    );
    for (const { user_id, email } of users) made.set(email.toLowerCase(), user_id);
  }
  return made;
}

async function createSome(
  trx: Database,
  { reach, by }: DeviceImporter,
  rows: readonly DeviceImportRow[],
  ownerOf: (row: DeviceImportRow) => string,
): Promise<ImportedDevice[]> {
  const made: ImportedDevice[] = [];
  const inserted: (ReturnType<typeof createDeviceRow>['row'] & { imported_as: string | null })[] = [];
  const managerOf = await findManagersOfNewDevices(trx, reach, rows.map(ownerOf));
  for (const row of rows) {
    const userId = ownerOf(row);
    const managedBy = managerOf(userId);
    const wanted = { ...row.settings, userId, managedBy, ...(row.channels ? { channels: row.channels } : {}) };
    if (row.discoveryId !== undefined) {
      const paired = await pairDiscoveredDevice(trx, reach, row.discoveryId, wanted);
      if (!paired) throw new AppError('importOvertaken');
      made.push({ row, deviceId: paired.device_id, userId, secret: null });
      continue;
    }
    const device = createDeviceRow(wanted);
    inserted.push({
      ...device.row,
      imported_as: row.settings.external_id == null ? getImportedRowKey(row.settings) : null,
    });
    made.push({ row, deviceId: device.row.device_id, userId, secret: device.secret });
  }
  if (inserted.length > 0) await trx.insertInto('devices').values(inserted).execute();
  await recordAuditedActions(
    trx,
    by,
    'device.paired',
    made.map(({ deviceId, userId }) => ({ target: deviceId, about: userId })),
  );
  return made;
}
