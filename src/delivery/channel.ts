import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#src/database/connect.ts';

/** One attempt of one delivery. */
export interface Sending {
  deliveryId: string;
  /** The webhook_id, or email, or sms. */
  target: string;
  /** Until when it is this worker's: it is known by that, too. */
  leasedUntil: Date;
  event: { id: string; type: string; createdAt: Date; userId: string; data: Record<string, unknown> };
}

/** Outcome of an attempt. */
export interface Outcome {
  succeeded: boolean;
  /** Of the receiver: an HTTP status, or the reply code of an SMTP server. Null where there was no answer. */
  responseStatus: number | null;
  /** What went wrong, for the log that the owner reads; null where nothing did. */
  error: string | null;
  /** The beginning of what a webhook's receiver answered. */
  responseBody?: string;
}

/** A way to reach somebody. Never throws: a failure is an outcome. */
export interface Channel {
  send(sending: Sending): Promise<Outcome>;
}

/**
 * Whether a delivery may be another worker's by now: this one hung between taking it and sending it. A channel that asks something
 * before it sends looks once more.
 */
export const isOver = ({ leasedUntil }: Sending, now: Date): boolean => now >= leasedUntil;

/** What then comes of the try; it is recorded only if no other worker took the delivery. */
export const TOO_LATE: Outcome = { succeeded: false, responseStatus: null, error: 'not sent: the service was held up' };

/** Folders of the data directory in which messages are kept that would have been sent. */
const FOLDERS = ['mail', 'sms'] as const;
/** How long they are kept: as long as the log of deliveries. */
const KEPT_MS = 30 * 86_400_000;

/** Name of such a file: whose it is, so that it goes with the account, and which message. */
export const capturedName = (userId: string, message: string): string => `${userId}.${message}`;
const ownerOf = (name: string): string | undefined => /^(usr_\w+)\./.exec(name)?.[1];

/** Writes a message that would have been sent to a file, whole or not at all; its owner alone reads it. */
export async function keepWhole(folder: string, name: string, content: string | Buffer): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // One that an earlier version made was open to all; somebody else's stays as it is.
  await chmod(folder, 0o700).catch(() => {});
  const unfinished = join(folder, `.${name}.${process.pid}`);
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, join(folder, name));
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Messages to one account that are kept in the data directory: their paths below it. */
export async function capturedOf(dataDir: string, userId: string): Promise<string[]> {
  const found = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await namesIn(join(dataDir, folder));
      return names.filter((name) => ownerOf(name) === userId).map((name) => `${folder}/${name}`);
    }),
  );
  return found.flat().sort();
}

/** One of them; nothing where it has gone meanwhile. */
export async function* readCaptured(dataDir: string, path: string): AsyncGenerator<Buffer> {
  const content = await readFile(join(dataDir, path)).catch(() => null);
  if (content) yield content;
}

/** Removes messages to accounts that are gone, and those that are older than a month. */
export async function forgetCaptured(db: Database, dataDir: string, now: Date): Promise<void> {
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
