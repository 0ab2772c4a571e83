import { constants, existsSync } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type BackupPlan, readBackupPlan } from '#src/backup/plan.ts';
import { readBackupState } from '#src/backup/state.ts';
import { type Config, ConfigError } from '#src/config/load.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { isEmbeddedDatabaseUrl } from '#src/database/embedded-postgres.ts';
import { verifySmtp } from '#src/delivery/email/send.ts';
import { readDiskSpace } from '#src/jobs/disk-watch.ts';
import { findServiceProcessId } from '#src/start/data-dir-lock.ts';
import { loadConfigOfRunningService } from '#src/start/ports.ts';
import { canDecrypt } from '#src/start/secret-key.ts';
import type { FileFacts, InstallationFacts, SecretKeyFacts } from '../facts.ts';
import { gatherDatabaseFacts } from './database.ts';
import {
  fetchLatestVersion,
  gatherBrokerFacts,
  gatherCertificateFacts,
  gatherPortFacts,
  PROBE_TIMEOUT_MS,
  probeWithTimeout,
} from './network.ts';

/**
 * Gathers all facts about the installation concurrently, in at most about 12 s, without changing anything. `releases`: URL of the latest
 * version; if omitted, no request is sent.
 */
export async function gatherFacts(releases?: URL): Promise<InstallationFacts> {
  const config = readConfig();
  const asked = releases === undefined ? null : fetchLatestVersion(releases);
  if (!('valid' in config)) {
    const [descriptors, latest] = await Promise.all([gatherDescriptors(null), asked]);
    return { ...NOTHING, nowMs: Date.now(), config, descriptors, latest };
  }
  const { valid } = config;
  const pid = findServiceProcessId(valid.dataDir);
  const [{ facts: database, sealed }, broker, mail, disk, certificate, ports, files, descriptors, backup, latest] =
    await Promise.all([
      gatherDatabaseFacts(valid),
      gatherBrokerFacts(valid),
      gatherMail(valid),
      gatherDisk(valid.dataDir),
      gatherCertificateFacts(valid),
      gatherPortFacts(valid),
      gatherFiles(valid),
      gatherDescriptors(pid),
      gatherBackup(valid),
      asked,
    ]);
  const secretKey = await gatherSecretKey(valid, sealed);
  const service = pid === null ? null : { pid };
  const nowMs = Date.now();
  return {
    nowMs,
    config,
    service,
    database,
    disk,
    broker,
    certificate,
    mail,
    secretKey,
    ports,
    files,
    descriptors,
    backup,
    latest,
  };
}

const NOTHING = {
  service: null,
  database: null,
  disk: null,
  broker: null,
  certificate: null,
  mail: null,
  secretKey: null,
  ports: null,
  files: null,
  backup: null,
};

function readConfig(): InstallationFacts['config'] {
  try {
    return { valid: loadConfigOfRunningService() };
  } catch (error) {
    if (error instanceof ConfigError) return { mistakes: error.message.split('\n') };
    throw error;
  }
}

/** Connects to the mail server. Null if the service writes mails to files instead. */
async function gatherMail({ environment, mail }: Config): Promise<InstallationFacts['mail']> {
  const { smtpUrl } = mail;
  if (smtpUrl === undefined || environment !== 'live') return null;
  return probeWithTimeout(async () => {
    await verifySmtp(smtpUrl, PROBE_TIMEOUT_MS);
    return { reached: true as const };
  });
}

/** Reads the state of the installation's backups. Null if the installation uses an external database. */
async function gatherBackup(config: Config): Promise<InstallationFacts['backup']> {
  if (!isEmbeddedDatabaseUrl(config.database.url, config.dataDir)) return null;
  return probeWithTimeout(async () => readBackupState((await readBackupPlan(config)) as BackupPlan));
}

/** Returns the disk space of the file system that contains a folder. The folder need not exist yet. */
function gatherDisk(dataDir: string): Promise<NonNullable<InstallationFacts['disk']>> {
  return probeWithTimeout(async () => {
    let folder = resolve(dataDir);
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder);
    return { folder: dataDir, ...(await readDiskSpace(folder)) };
  });
}

/**
 * Returns the maximum number of open files of the service's process or, if it is not running, of a process of this user. Null if unknown.
 */
async function gatherDescriptors(servicePid: number | null): Promise<InstallationFacts['descriptors']> {
  for (const pid of servicePid === null ? ['self'] : [servicePid, 'self']) {
    const text = await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => '');
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(text) ?? [];
    if (soft)
      return { limit: soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft), ofService: pid !== 'self' };
  }
  return null;
}

async function gatherFiles({ dataDir, tls }: Config): Promise<FileFacts[]> {
  const wanted: { path: string; what: FileFacts['what'] }[] = [
    { path: dataDir, what: 'folder' },
    { path: join(dataDir, 'secret.key'), what: 'secret' },
    // If the operator has provided the key file, a group may be allowed to read it, as is usual on Debian (group ssl-cert).
    tls.keyFile === undefined
      ? { path: join(dataDir, 'tls', 'key.pem'), what: 'secret' }
      : { path: tls.keyFile, what: 'own key' },
    { path: join(dataDir, 'mail'), what: 'messages' },
    { path: join(dataDir, 'sms'), what: 'messages' },
  ];
  const found = await Promise.all(
    wanted.map(async ({ path, what }) => {
      const status = await stat(path).catch(() => null);
      if (status === null) return [];
      const isWritable = await access(path, constants.W_OK).then(
        () => true,
        () => false,
      );
      return [{ path, what, mode: status.mode & 0o777, isWritable }];
    }),
  );
  return found.flat();
}

/**
 * Checks whether the secret key decrypts values in the database. Never creates a key. `sealed`: encrypted values; null if they could not be
 * read.
 */
async function gatherSecretKey(config: Config, sealed: readonly Buffer[] | null): Promise<SecretKeyFacts> {
  const file = join(config.dataDir, 'secret.key');
  const from = config.secretKey === undefined ? file : 'SECRET_KEY';
  const secret = config.secretKey ?? (await readFile(file, 'utf8').catch(() => '')).trim();
  const isThere = secret !== '';
  if (sealed === null) return { from, isThere, sealed: null };
  const opened = isThere ? sealed.filter((one) => canDecrypt(createSecretEncrypter(secret), one)).length : 0;
  return { from, isThere, sealed: { looked: sealed.length, opened } };
}
