import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#src/database/connect.ts';

/** An attempt to deliver an event, as passed to a channel. */
export interface DeliveryAttempt {
  deliveryId: string;
  /** Id of the webhook subscription that receives the event, or `email` or `sms`. */
  target: string;
  /** End of this worker's lease (reservation) of the delivery. It also identifies the lease. */
  leasedUntil: Date;
  event: { id: string; type: string; createdAt: Date; userId: string; data: Record<string, unknown> };
}

export interface DeliveryOutcome {
  succeeded: boolean;
  /** HTTP status of the receiver, or reply code of the SMTP server; null if there was none. */
  responseStatus: number | null;
  /** Error that the owner reads in the delivery log. Null if the attempt succeeded. */
  error: string | null;
  /** First bytes of the webhook receiver's response. */
  responseBody?: string;
}

/** A way to deliver an event to a person or a program: webhook, e-mail or SMS. `send` never throws: an error is part of the outcome. */
export interface DeliveryChannel {
  send(sending: DeliveryAttempt): Promise<DeliveryOutcome>;
}

/**
 * Whether the lease (reservation) of a delivery has ended, because this process did not run for some time. A channel must check this
 * immediately before it sends.
 */
export const isLeaseExpired = ({ leasedUntil }: DeliveryAttempt, now: Date): boolean => now >= leasedUntil;

/** Outcome of an attempt whose lease has ended. */
export const EXPIRED_LEASE_OUTCOME: DeliveryOutcome = {
  succeeded: false,
  responseStatus: null,
  error: 'not sent: the service was too slow',
};

/** Folders of the data directory for captured messages: mails and SMS that are stored instead of being sent. */
const FOLDERS = ['mail', 'sms'] as const;
/** Time in ms for which captured messages are retained. */
const KEPT_MS = 30 * 86_400_000;

/** Returns the file name of a captured message. It begins with the account's id, so that it is deleted with the account. */
export const getCapturedMessageFileName = (userId: string, message: string): string => `${userId}.${message}`;
/** File name ending of a captured mail whose link gives access. Exports omit such mails. */
export const ACCESS_LINK_MAIL_SUFFIX = '.access.eml';
const ownerOf = (name: string): string | undefined => /^(usr_\w+)\./.exec(name)?.[1];

/** Writes a captured message to a file that only the service's system user can read. A failure leaves no partial file. */
export async function writeCapturedMessage(folder: string, name: string, content: string | Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // An earlier version created the folder with permissions for everybody. If it belongs to another system user, chmod fails.
  await chmod(folder, 0o700).catch(() => {});
  const unfinished = join(folder, `.${name}.${process.pid}`);
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, join(folder, name));
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Lists the captured messages to an account, as paths relative to the data directory. Omits mails that give access. */
export async function listCapturedMessages(dataDir: string, userId: string): Promise<string[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await namesIn(join(dataDir, folder));
      const shown = names.filter((name) => ownerOf(name) === userId && !name.endsWith(ACCESS_LINK_MAIL_SUFFIX));
      return shown.map((name) => `${folder}/${name}`);
    }),
  );
  return found.flat().sort();
}

/** Reads a captured message. Yields nothing if the file has been deleted. */
export async function* readCapturedMessage(dataDir: string, path: string): AsyncGenerator<Buffer> {
  const content = await readFile(join(dataDir, path)).catch(() => null);
  if (content) yield content;
}

/** Deletes captured messages to deleted accounts, and messages older than a month. */
export async function deleteExpiredCapturedMessages(db: Database, dataDir: string, now: Date): Promise<void> {
  for (const folder of FOLDERS.map((name) => join(dataDir, name))) {
    const names = await namesIn(folder);
    if (names.length === 0) continue;
    const owners = [...new Set(names.map(ownerOf).filter((owner) => owner !== undefined))];
    const rows = await db
      .selectFrom('users')
      .select('user_id')
      .where('user_id', 'in', [...owners, ''])
      .execute();
    const there = new Set(rows.map(({ user_id }) => user_id));
    for (const name of names) {
      const owner = ownerOf(name);
      const isGone = owner !== undefined && !there.has(owner);
      if (isGone || (await isOld(join(folder, name), now))) await rm(join(folder, name), { force: true });
    }
  }
}

async function isOld(path: string, now: Date): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && found.mtimeMs < now.getTime() - KEPT_MS;
}
