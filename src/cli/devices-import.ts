import { link, open, readFile, rm, stat } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { parseDeviceTable, validateDeviceRows } from '#src/api/v1/imports/rows.ts';
import { AppError, type FieldError } from '#src/core/errors.ts';
import { returnNullIfFileMissing } from '#src/core/files.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import {
  type DeviceImporter,
  type DeviceImportResult,
  importDevices,
  previewDeviceImport,
} from '#src/onboarding/import.ts';
import {
  findRowsWithDifferentSettings,
  type ImportCredential,
  listCreatedCredentials,
} from '#src/onboarding/imports.ts';
import type { DeviceImportRow } from '#src/onboarding/plan.ts';
import { COMMAND_LINE_ACTOR } from '#src/users/audit.ts';
import { findUser } from '#src/users/store.ts';
import { findUserId } from './named-user.ts';
import { withProgress } from './progress-bar.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

const MAX_ROWS = 100_000;
const MAX_FILE_BYTES = 67_108_864;
/** Maximum number of devices that a terminal lists because they already exist with other settings. */
const MAX_NAMED = 20;

interface ImportOptions {
  json?: boolean;
  credentials?: string;
  createUsers?: boolean;
  utility?: string;
}

/**
 * Runs `energy devices import FILE.csv`, which pairs all devices in a table. If the table has errors, pairs none and sets the exit code 1.
 */
export async function importDeviceTable(file: string, options: ImportOptions): Promise<void> {
  const readTable = await readRows(file);
  await runOnServiceDatabase(async (db) => {
    const importer = await importerOf(db, options);
    if (readTable.errors.length > 0) {
      const { plan } = await previewDeviceImport(db, importer, readTable.rows);
      return refuse(options, [...readTable.errors, ...plan.errors]);
    }
    const passwords = credentialsFile(options.credentials ?? `${file.replace(/\.csv$/i, '')}.credentials.csv`);
    try {
      let recovered: ImportCredential[] = [];
      const imported = await withProgress(({ progress }) =>
        importDevices(db, importer, readTable.rows, {
          onProgress: (done, total) => progress('devices', done, total),
          begin: async (trx) => {
            recovered = await passwords.recover(trx);
          },
          beforeCommit: async (about) => {
            const fresh = listCreatedCredentials(about);
            if (fresh.length === 0) return;
            // Moves the passwords of an interrupted import to the credentials file. Then `prepare` throws because the file exists, and the
            // operator must name another file.
            if (recovered.length > 0) await passwords.keep();
            await passwords.prepare(fresh);
          },
        }),
      );
      await reportImport(options, { imported, recovered, passwords, rows: readTable.rows.length });
    } catch (error) {
      if (!(error instanceof AppError) || !error.details) throw error;
      refuse(options, error.details);
    }
  });
}

async function readRows(file: string): Promise<{ rows: DeviceImportRow[]; errors: FieldError[] }> {
  const { size } = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code === 'ENOENT' ? 'the file does not exist' : error.message}`);
  });
  if (size > MAX_FILE_BYTES) throw new Error(`${file} is larger than 64 MiB: split it`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch {
    throw new Error(`${file} is not UTF-8: save it as CSV UTF-8`);
  }
  try {
    const table = await parseDeviceTable(text, MAX_ROWS);
    const { rows, mistakes } = await validateDeviceRows(table, (index) => `line ${table.lines[index]}`, {
      isOwnerNeeded: true,
    });
    return { rows, errors: mistakes };
  } catch (error) {
    if (!(error instanceof AppError) || !error.details) throw error;
    return { rows: [], errors: error.details };
  }
}

async function importerOf(db: Database, { utility, createUsers }: ImportOptions): Promise<DeviceImporter> {
  const importer = { ownId: null, by: { actor: null, address: COMMAND_LINE_ACTOR }, toMakeOwners: '--create-users' };
  const newOwnersOf = (enrolledBy: string | null) => (createUsers ? { enrolledBy } : null);
  if (utility === undefined) return { ...importer, reach: ALL_ACCOUNTS, newOwners: newOwnersOf(null) };
  const userId = await findUserId(db, utility);
  const user = await findUser(db, ALL_ACCOUNTS, userId);
  if (user?.role !== 'utility') throw new Error(`${utility} is not a utility`);
  return { ...importer, reach: { enrolledBy: userId }, newOwners: newOwnersOf(userId) };
}

/** Splits the name of an invalid field, such as `line 3.type`, into a line number and a member. */
function placeOf(field: string): { line: number; member: string | null } {
  const [, line, member] = /^line (\d+)(?:\.(.+))?$/.exec(field) ?? [];
  return { line: Number(line), member: member ?? null };
}

/** Prints every error with its line number, in the order of the lines. */
function refuse({ json }: ImportOptions, errors: readonly FieldError[]): void {
  const placed = errors
    .map(({ field, message }) => ({ ...placeOf(field), message }))
    .sort((one, other) => one.line - other.line);
  process.exitCode = 1;
  if (json) console.log(JSON.stringify({ imported: false, mistakes: placed }));
  else {
    const lines = placed.map(
      ({ line, member, message }) => `line ${line}: ${member === null ? '' : `${member} `}${message}`,
    );
    console.error(escapeForTerminal([...lines, `Nothing was imported: ${placed.length} errors.`].join('\n')));
  }
}

interface Done {
  imported: DeviceImportResult;
  /** Passwords of an earlier import whose process was killed after its commit. */
  recovered: ImportCredential[];
  passwords: CredentialsFile;
  rows: number;
}

async function reportImport(options: ImportOptions, { imported, recovered, passwords, rows }: Done): Promise<void> {
  const credentials = recovered.length > 0 ? recovered : listCreatedCredentials(imported);
  const byId = new Map(credentials.map((one) => [one.device_id, one]));
  // Without a file name, passwords are printed as part of the JSON.
  const isFile = credentials.length > 0 && (!options.json || options.credentials !== undefined);
  if (isFile) await passwords.keep();
  const differing = findRowsWithDifferentSettings(imported);
  const created = imported.created.length + recovered.length;
  const counts = { rows, created, existing: rows - created, users_created: imported.usersCreated };
  const behindGateway = new Set(imported.created.flatMap(({ secret, deviceId }) => (secret === null ? deviceId : [])));
  const devices = [
    ...imported.created.map(({ row, deviceId }) => ({ row, deviceId })),
    ...imported.existing.map(({ row, deviceId }) => ({ row, deviceId })),
  ]
    .map(({ row, deviceId }) => ({ ...placeOf(row.name), device_id: deviceId }))
    .sort((one, other) => one.line - other.line)
    .map(({ line, device_id }) => {
      const { username, password, topic } = byId.get(device_id) ?? {};
      const isNew = username !== undefined || behindGateway.has(device_id);
      const mqtt = username === undefined || isFile ? {} : { mqtt: { username, password, topic } };
      return { line, device_id, status: isNew ? 'created' : 'existing', ...mqtt };
    });
  const differences = differing.map(({ row, device_id, members }) => ({ line: placeOf(row).line, device_id, members }));
  printResult(
    options.json,
    { imported: true, ...counts, differing: differences, credentials_file: isFile ? passwords.path : null, devices },
    [
      `Paired ${created} devices; ${counts.existing} already existed. Created ${counts.users_created} accounts.`,
      ...(isFile ? [`Their MQTT passwords are stored only in ${passwords.path}.`] : []),
      ...differences
        .slice(0, MAX_NAMED)
        .map(
          ({ line, device_id, members }) =>
            `line ${line}: ${device_id} already exists with a different ${members.join(', ')}; it was not changed`,
        ),
      ...(differences.length > MAX_NAMED ? [`… and ${differences.length - MAX_NAMED} more (--json lists all)`] : []),
    ].join('\n'),
  );
  if (!isFile) await passwords.discard();
}

const COLUMNS = ['row', 'external_id', 'device_id', 'username', 'password', 'topic'] as const;

type CredentialsFile = ReturnType<typeof credentialsFile>;

/**
 * Returns the functions that write an import's passwords to a file with mode 0600. The passwords are written to a temporary file before the
 * commit, and moved to the final path after it, so that none is lost if the process is killed.
 */
function credentialsFile(path: string) {
  const part = `${path}.part`;
  const discard = () => rm(part, { force: true });
  return {
    path,
    /** Removes the temporary password file. */
    discard,
    /**
     * Returns the passwords of a killed import that was committed. Otherwise deletes them and returns an empty list. Must be called while
     * no other import is running.
     */
    async recover(db: Database): Promise<ImportCredential[]> {
      const interruptedText = await readFile(part, 'utf8').catch(returnNullIfFileMissing);
      if (interruptedText === null) return [];
      const credentials = credentialsIn(interruptedText);
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
    /** Writes the passwords to a temporary file before the commit. Throws if the final file already exists. */
    async prepare(credentials: readonly ImportCredential[]): Promise<void> {
      if (credentials.length === 0) return;
      if ((await readFile(path, 'utf8').catch(returnNullIfFileMissing)) !== null)
        throw new Error(`${path} already exists and contains earlier passwords: name another file with --credentials`);
      const file = await open(part, 'wx', 0o600);
      try {
        await file.writeFile(stringify([...credentials], { header: true, columns: [...COLUMNS] }));
        await file.sync();
      } finally {
        await file.close();
      }
    },
    /** Moves the passwords to their final path, after the commit. */
    async keep(): Promise<void> {
      // A rename would replace a file that was created in the meantime, but a hard link does not.
      await link(part, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return;
        throw new Error(`${path} was created by another process during the import; the passwords are in ${part}`, {
          cause: error,
        });
      });
      await discard();
    },
  };
}

/** Parses a credentials file. Returns nothing if the file is incomplete, because its import was then not committed. */
function credentialsIn(text: string): ImportCredential[] {
  try {
    const rows = parse(text, { columns: true }) as Record<keyof ImportCredential, string>[];
    return rows.map((row) => ({ ...row, external_id: row.external_id || null }));
  } catch {
    return [];
  }
}
