import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { getInstallationFolderName, takeBaseBackup } from '#src/backup/base.ts';
import { readBackupPlan } from '#src/backup/plan.ts';
import { restoreBackup } from '#src/backup/restore.ts';
import { createEncryptionKey, formatKeyFile } from '#src/backup/seal.ts';
import { type VerificationReport, verifyBackup } from '#src/backup/verify.ts';
import { loadConfig } from '#src/config/load.ts';
import { findDatabaseUrl } from '#src/database/locate.ts';
import { releaseHeldDeliveries } from '#src/delivery/hold.ts';
import { loadConfigOfRunningService } from '#src/start/ports.ts';
import { readFirstLine } from './option-values.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

interface Options {
  to?: string;
  from: string;
  at?: string;
  dataDir: string;
  passphraseFile?: string;
  withoutEndings?: boolean;
  json?: boolean;
}

const PASSPHRASE = ['--passphrase-file <file>', 'file whose first line is the passphrase'] as const;
const AT = [
  '--at <time>',
  'time of the state to restore, such as 2026-11-27T08:30:00Z (default: the latest state)',
] as const;
const JSON_OPTION = ['--json', 'print one JSON object'] as const;

/** Registers `energy backup` with its subcommands, and `energy restore`. Both are for the embedded database. */
export function registerCommands(program: Command): void {
  const backup = program
    .command('backup')
    .option('--to <folder>', 'folder for the copy, on another disk; several copies may share it')
    .option(PASSPHRASE[0], `${PASSPHRASE[1]}, which encrypts the whole copy`)
    .option(...JSON_OPTION)
    .action(copy);
  backup
    .command('verify')
    .description('restore a copy into a temporary folder and check it; exits 1 if an error is found')
    .requiredOption('--from <folder>', 'folder of the copy')
    .option(...PASSPHRASE)
    .option(...AT)
    .option(...JSON_OPTION)
    // If the command and its subcommand have an option of the same name, commander assigns the value to the command.
    .action((_options: Options, command: Command) => verify(command.optsWithGlobals()));
  backup
    .command('init')
    .description(
      'create a key file for BACKUP_KEY_FILE: it encrypts the nightly copies, and only the passphrase decrypts them',
    )
    .option(...PASSPHRASE)
    .requiredOption('--key-file <file>', 'file to create; it must not exist')
    .option(...JSON_OPTION)
    .action((_options: Options, command: Command) => init(command.optsWithGlobals()));
  backup
    .command('release')
    .description('after a restore: send the notifications that were due before the first start and were held back')
    .option('--drop', 'discard them instead, because the lost installation sent them')
    .option(...JSON_OPTION)
    .action((_options: Options, command: Command) => release(command.optsWithGlobals()));
  program
    .command('restore')
    .requiredOption('--from <folder>', 'folder of the copy')
    .requiredOption('--data-dir <folder>', 'folder to create; it must not exist or be empty')
    .option(...PASSPHRASE)
    .option(...AT)
    .option(
      '--without-endings',
      'do not repeat later deletions and revocations, for example to undo an accidental deletion',
    )
    .option(...JSON_OPTION)
    .action(restore);
}

async function copy({ to, passphraseFile, json }: Options): Promise<void> {
  if (to === undefined) throw new Error('Name the folder for the copy, on another disk: energy backup --to FOLDER.');
  const config = loadConfigOfRunningService();
  if (config.database.url)
    throw new Error(
      'DATABASE_URL names an external database: back it up with pgBackRest (deploy/backup/README.md) or another tool.',
    );
  // Throws if the service is not running; the error states how to start it.
  await findDatabaseUrl(config);
  const key = passphraseFile === undefined ? null : await createEncryptionKey(await passphraseIn(passphraseFile));
  const installation = await getInstallationFolderName(config.dataDir);
  const made = await takeBaseBackup({ dataDir: config.dataDir, target: to, installation, key, now: new Date() });
  const { folder, manifest, packedBytes } = made;
  const result = { folder, packed_bytes: packedBytes, ...manifest };
  const lines = [
    `The copy is in ${folder} (${mib(packedBytes)}; unpacked ${mib(manifest.bytes)}).`,
    ...(key
      ? []
      : [
          'The copy is not encrypted: it contains all data, readable by anybody. It does not contain the secret key and the key of the certificate:',
        ]),
    ...(key ? [] : [`copy ${config.dataDir}/secret.key to a safe place, or encrypt the copy with --passphrase-file.`]),
    ...(config.secretKey === undefined
      ? []
      : ['SECRET_KEY is set, and no copy contains it: store it in a safe place.']),
    `Check it: energy backup verify --from ${to}${key ? ` --passphrase-file ${passphraseFile}` : ''}`,
  ];
  printResult(json, result, lines.join('\n'));
}

async function init({ passphraseFile, keyFile, json }: Options & { keyFile: string }): Promise<void> {
  if (passphraseFile === undefined) throw new Error('Name the file with the passphrase: --passphrase-file F.');
  const key = await createEncryptionKey(await passphraseIn(passphraseFile));
  await writeFile(keyFile, formatKeyFile(key), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${keyFile} exists, and copies may have been encrypted with it. Name another file.`);
  });
  const lines = [
    `Created ${keyFile}. Set BACKUP_KEY_FILE=${keyFile} and restart the service: it then encrypts its copies.`,
    'The key file cannot decrypt copies. Store the passphrase away from this machine: without it no copy can be restored.',
  ];
  printResult(json, { key_file: keyFile, public_key: key.half.public_key }, lines.join('\n'));
}

const release = ({ drop: isDropped = false, json }: Options & { drop?: boolean }): Promise<void> =>
  runOnServiceDatabase(async (db) => {
    const released = await releaseHeldDeliveries(db, { isDropped });
    if (released === null)
      throw new Error('Nothing is held back: this installation was not restored, or has already been released.');
    const number = (value: number) => value.toLocaleString('en');
    const what = `${number(released.deliveries)} deliveries and the alerts of ${number(released.changes)} changes`;
    printResult(json, { ...released, dropped: isDropped }, isDropped ? `Discarded: ${what}.` : `Sending now: ${what}.`);
  });

/**
 * Returns the backup targets of this configuration: BACKUP_TO, or the folder of the nightly backups. Empty if the configuration is invalid
 * or disables backups.
 */
async function targetsHere(): Promise<string[]> {
  try {
    const plan = await readBackupPlan(loadConfig());
    return plan ? [plan.target] : [];
  } catch {
    return [];
  }
}

async function restore({ from, at, dataDir, passphraseFile, withoutEndings, json }: Options): Promise<void> {
  const passphrase = passphraseFile === undefined ? null : await passphraseIn(passphraseFile);
  const targets = withoutEndings ? null : await targetsHere();
  const restored = await restoreBackup({ from, at: timeIn(at), dataDir, passphrase, targets });
  const { manifest, segments, until, endings, tornLines, hasEnded } = restored;
  const result = {
    data_dir: dataDir,
    until: until.toISOString(),
    wal_segments: segments,
    service: manifest.service,
    has_secret_key: manifest.has_secret_key,
    endings,
    torn_lines: tornLines,
  };
  const number = (value: number) => value.toLocaleString('en');
  const lines = [
    `Restored into ${dataDir}: the state of ${until.toISOString()}, from version ${manifest.service}.`,
    ...(manifest.has_secret_key
      ? []
      : [
          `The copy has no secret key. Put the old key into ${dataDir}/secret.key or SECRET_KEY. If it is lost: energy secrets forget.`,
        ]),
    hasEnded
      ? `${number(endings)} accounts, apps, authorizations, devices, gateways, keys, memberships, passkeys, sessions and webhooks ended after this state (ended.jsonl). The first start ends them again before it accepts connections.`
      : withoutEndings
        ? 'Keys, sessions and accounts that ended after this state are valid again. End the unwanted ones: docs/backup.md.'
        : 'The copy has no ended.jsonl: keys, sessions and accounts that ended after this state are valid again. End them: docs/backup.md.',
    ...(tornLines === 0
      ? []
      : [
          `${number(tornLines)} lines of ended.jsonl are incomplete: compare it with energy audit of the old installation.`,
        ]),
    'Notifications that were due before the first start are held back until you release them: energy backup release, or energy backup release --drop.',
    `Start the service: DATA_DIR=${dataDir} npm start`,
  ];
  printResult(json, result, lines.join('\n'));
}

async function verify({ from, at, passphraseFile, json }: Options): Promise<void> {
  const passphrase = passphraseFile === undefined ? null : await passphraseIn(passphraseFile);
  const { retentionMonths } = loadConfig();
  const found = await verifyBackup({ from, at: timeIn(at), passphrase, retentionMonths, now: new Date() });
  printResult(json, found, textOf(found));
  process.exitCode = found.ok ? 0 : 1;
}

function textOf({
  until,
  service,
  wal_segments,
  counts,
  rollups_differing,
  checksums,
  has_secret_key,
  ok,
}: VerificationReport): string {
  const number = (value: number) => value.toLocaleString('en');
  return [
    `Restored into a temporary folder: the state of ${until}, from version ${service}, with ${number(wal_segments)} archived WAL segments.`,
    `${number(counts.users)} users, ${number(counts.devices)} devices, ${number(counts.readings)} readings, ${number(counts.api_keys)} API keys.`,
    rollups_differing === 0
      ? 'All aggregates agree with the load profile.'
      : `${number(rollups_differing)} rows of the aggregates differ: energy rollups rebuild repairs them after a restore.`,
    checksums === null
      ? 'The database has no page checksums.'
      : `${number(checksums.pages)} pages checked, ${number(checksums.damaged.length)} damaged.`,
    ...(checksums?.damaged ?? []).map(({ file, page }) => `  page ${page} of ${file}`),
    has_secret_key ? 'The copy contains the secret key.' : 'The copy does not contain the secret key.',
    ok ? 'The copy is good.' : 'The copy is NOT good: make a new copy.',
  ].join('\n');
}

function timeIn(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const isWithZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/.test(text);
  const time = new Date(text);
  if (!isWithZone || Number.isNaN(time.getTime()))
    throw new Error(`--at ${text}: must be a time with its zone, such as 2026-11-27T08:30:00Z.`);
  return time;
}

async function passphraseIn(file: string): Promise<string> {
  const passphrase = await readFirstLine(file, 'passphrase');
  if (passphrase.length < 8)
    throw new Error(`The first line of ${file} is not a valid passphrase: it must have at least 8 characters.`);
  return passphrase;
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`;
