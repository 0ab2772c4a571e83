import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { installationName, takeBaseCopy } from '#src/backup/base.ts';
import { readBackupPlan } from '#src/backup/plan.ts';
import { restoreCopy } from '#src/backup/restore.ts';
import { createSealingKey, writeKeyFile } from '#src/backup/seal.ts';
import { type Verified, verifyCopy } from '#src/backup/verify.ts';
import { loadConfig } from '#src/config/load.ts';
import { databaseUrl } from '#src/database/locate.ts';
import { releaseHeld } from '#src/delivery/hold.ts';
import { loadConfigBeside } from '#src/start/ports.ts';
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
const AT = ['--at <time>', 'a time such as 2026-11-27T08:30:00Z (default: the last state)'] as const;
const JSON_OPTION = ['--json', 'print one JSON object'] as const;

/** Registers `energy backup` with its commands and `energy restore`, for the embedded database. */
export function register(program: Command): void {
  const backup = program
    .command('backup')
    .option('--to <folder>', 'folder for the copy, on another disk; several copies may share it')
    .option(PASSPHRASE[0], `${PASSPHRASE[1]}, which seals the whole copy`)
    .option(...JSON_OPTION)
    .action(copy);
  backup
    .command('verify')
    .description('restore a copy aside, check it, and remove it again; exits 1 if anything is wrong')
    .requiredOption('--from <folder>', 'folder of the copy')
    .option(...PASSPHRASE)
    .option(...AT)
    .option(...JSON_OPTION)
    // The command above takes the options that both have.
    .action((_options: Options, command: Command) => verify(command.optsWithGlobals()));
  backup
    .command('init')
    .description(
      'make a key file of a passphrase: BACKUP_KEY_FILE seals nightly copies with it, and only the passphrase opens them',
    )
    .option(...PASSPHRASE)
    .requiredOption('--key-file <file>', 'file to make; it must not exist')
    .option(...JSON_OPTION)
    .action((_options: Options, command: Command) => init(command.optsWithGlobals()));
  backup
    .command('release')
    .description('after a restore: send what fell due before the first start, and was held back')
    .option('--drop', 'give it up instead: the lost installation sent it')
    .option(...JSON_OPTION)
    .action((_options: Options, command: Command) => release(command.optsWithGlobals()));
  program
    .command('restore')
    .requiredOption('--from <folder>', 'folder of the copy')
    .requiredOption('--data-dir <folder>', 'folder to make; it must not exist or be empty')
    .option(...PASSPHRASE)
    .option(...AT)
    .option('--without-endings', 'do not end again what ended later: to undo a deletion by mistake')
    .option(...JSON_OPTION)
    .action(restore);
}

async function copy({ to, passphraseFile, json }: Options): Promise<void> {
  if (to === undefined) throw new Error('Name the folder for the copy, on another disk: energy backup --to FOLDER.');
  const config = loadConfigBeside();
  if (config.database.url)
    throw new Error(
      'DATABASE_URL names a database that is not embedded: back it up with pgBackRest (deploy/backup/README.md) or your own way.',
    );
  // Throws, with what to do, if the service does not run.
  await databaseUrl(config);
  const key = passphraseFile === undefined ? null : await createSealingKey(await passphraseIn(passphraseFile));
  const installation = await installationName(config.dataDir);
  const made = await takeBaseCopy({ dataDir: config.dataDir, target: to, installation, key, now: new Date() });
  const { folder, manifest, packedBytes } = made;
  const result = { folder, packed_bytes: packedBytes, ...manifest };
  const lines = [
    `The copy is in ${folder} (${mib(packedBytes)}; unpacked ${mib(manifest.bytes)}).`,
    ...(key
      ? []
      : [
          'It is not sealed: whoever reads it has all data. The secret key and the key of the certificate are not in it:',
        ]),
    ...(key ? [] : [`copy ${config.dataDir}/secret.key to a safe place, or seal the copy with --passphrase-file.`]),
    ...(config.secretKey === undefined ? [] : ['SECRET_KEY is set, and is in no copy: note it in a safe place.']),
    `Check it: energy backup verify --from ${to}`,
  ];
  printResult(json, result, lines.join('\n'));
}

async function init({ passphraseFile, keyFile, json }: Options & { keyFile: string }): Promise<void> {
  if (passphraseFile === undefined) throw new Error('Name the file with the passphrase: --passphrase-file F.');
  const key = await createSealingKey(await passphraseIn(passphraseFile));
  await writeFile(keyFile, writeKeyFile(key), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new Error(`${keyFile} exists, and copies may have been sealed with it. Name another file.`);
  });
  const lines = [
    `Made ${keyFile}. Set BACKUP_KEY_FILE=${keyFile} and start the service again: its copies are sealed from then on.`,
    'The key file opens nothing. Keep the passphrase away from this machine: without it no copy can be restored.',
  ];
  printResult(json, { key_file: keyFile, public_key: key.half.public_key }, lines.join('\n'));
}

const release = ({ drop: isDropped = false, json }: Options & { drop?: boolean }): Promise<void> =>
  runOnServiceDatabase(async (db) => {
    const released = await releaseHeld(db, { isDropped });
    if (released === null) throw new Error('Nothing is held back: this installation was not restored, or released it.');
    const number = (value: number) => value.toLocaleString('en');
    const what = `${number(released.deliveries)} deliveries and the alerts of ${number(released.changes)} changes`;
    printResult(json, { ...released, dropped: isDropped }, isDropped ? `Given up: ${what}.` : `Sending now: ${what}.`);
  });

/** Targets of this environment: BACKUP_TO, or the nightly copies of DATA_DIR. Without a usable configuration: none. */
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
  const restored = await restoreCopy({ from, at: timeIn(at), dataDir, passphrase, targets });
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
          `The copy has no secret key. Put the old one into ${dataDir}/secret.key or SECRET_KEY. If it is lost: energy secrets forget.`,
        ]),
    hasEnded
      ? `${number(endings)} accounts, apps, authorizations, devices, gateways, keys, memberships, passkeys, sessions and webhooks ended later (ended.jsonl). The first start ends them again before it listens.`
      : withoutEndings
        ? 'Keys, sessions and accounts that ended after that time are valid again. End those that you do not want: docs/backup.md.'
        : 'There is no ended.jsonl with this copy: keys, sessions and accounts that ended after that time are valid again. End them: docs/backup.md.',
    ...(tornLines === 0
      ? []
      : [`${number(tornLines)} lines of ended.jsonl are torn: compare it with energy audit of the old installation.`]),
    'Nothing that fell due before the first start is sent until you release it: energy backup release, or energy backup release --drop.',
    `Start the service: DATA_DIR=${dataDir} npm start`,
  ];
  printResult(json, result, lines.join('\n'));
}

async function verify({ from, at, passphraseFile, json }: Options): Promise<void> {
  const passphrase = passphraseFile === undefined ? null : await passphraseIn(passphraseFile);
  const { retentionMonths } = loadConfig();
  const found = await verifyCopy({ from, at: timeIn(at), passphrase, retentionMonths, now: new Date() });
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
}: Verified): string {
  const number = (value: number) => value.toLocaleString('en');
  return [
    `Restored aside: the state of ${until}, from version ${service}, with ${number(wal_segments)} archived WAL segments.`,
    `${number(counts.users)} users, ${number(counts.devices)} devices, ${number(counts.readings)} readings, ${number(counts.api_keys)} API keys.`,
    rollups_differing === 0
      ? 'Every aggregate is what the load profile says.'
      : `${number(rollups_differing)} rows of the aggregates differ: energy rollups rebuild repairs them after a restore.`,
    checksums === null
      ? 'The database has no checksums of pages.'
      : `${number(checksums.pages)} pages, ${number(checksums.damaged.length)} of them damaged.`,
    ...(checksums?.damaged ?? []).map(({ file, page }) => `  page ${page} of ${file}`),
    has_secret_key ? 'The secret key is in the copy.' : 'The secret key is not in the copy.',
    ok ? 'The copy is good.' : 'The copy is NOT good: make another one.',
  ].join('\n');
}

function timeIn(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const isWithZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/.test(text);
  const time = new Date(text);
  if (!isWithZone || Number.isNaN(time.getTime()))
    throw new Error(`--at ${text}: give a time with its zone, such as 2026-11-27T08:30:00Z.`);
  return time;
}

/** Reads the first line of a passphrase file. */
async function passphraseIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new Error(`The passphrase cannot be read: ${error.message}`);
  });
  const [passphrase = ''] = text.split(/\r?\n/, 1);
  if (passphrase.length < 8)
    throw new Error(`The first line of ${file} is no passphrase: it must have 8 characters or more.`);
  return passphrase;
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toLocaleString('en', { maximumFractionDigits: 1 })} MiB`;
