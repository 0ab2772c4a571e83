import type { Database } from '#src/database/connect.ts';
import { withTemporarySecret } from './credentials.ts';
import { type CsvCounts, type CsvOptions, csvReadings } from './csv-readings.ts';
import { createPublisher } from './publisher.ts';
import { sendReadings } from './send.ts';

export interface ImportOptions {
  deviceId: string;
  files: readonly string[];
  csv: CsvOptions;
  /** Broker. One that names a user in its URL is logged in to as that user, else as the device itself. */
  mqttUrl: string;
  /** Ends the import early; what the broker has acknowledged stays. */
  signal?: AbortSignal;
  /** Bytes read of each file so far. */
  onBytes?: (file: string, bytes: number) => void;
}

/** What became of the rows, and how many readings the broker acknowledged. */
export interface ImportResult extends CsvCounts {
  device_id: string;
  sent: number;
  /** Readings of this import that the service refused, by reason. Behind an external broker they may come later. */
  rejected: Record<string, number>;
  seconds: number;
}

/** Replays files over MQTT as the device would have sent them. */
export async function importFiles(db: Database, options: ImportOptions): Promise<ImportResult> {
  const { deviceId, files, csv, mqttUrl, signal, onBytes } = options;
  const began = performance.now();
  const counts: CsvCounts = { rows: 0, skipped: 0, empty: 0, unreadable: 0 };
  const play = async (username: string, secret: string) => {
    const publisher = await createPublisher({ url: mqttUrl, deviceId: username, secret });
    // Closing fails what is under way, so that an end by Ctrl-C never waits for a broker that is gone.
    const abort = () => void publisher.close();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      let sent = 0;
      for (const file of files) {
        signal?.throwIfAborted();
        const elements = csvReadings(file, csv, counts, (bytes) => onBytes?.(file, bytes));
        sent += await sendReadings(publisher, deviceId, elements);
      }
      return sent;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      await publisher.close();
    }
  };
  const rejectedBefore = await lastRejection(db);
  const { username, password } = new URL(mqttUrl);
  const sent = username
    ? await play(decodeURIComponent(username), decodeURIComponent(password))
    : await withTemporarySecret(db, deviceId, (secret) => play(deviceId, secret));
  const rejected = await rejections(db, deviceId, rejectedBefore);
  return { device_id: deviceId, ...counts, sent, rejected, seconds: Math.round(performance.now() - began) / 1000 };
}

async function lastRejection(db: Database): Promise<number> {
  const row = await db
    .selectFrom('rejected_messages')
    .select(({ fn }) => fn.max('rejected_id').as('last'))
    .executeTakeFirst();
  return row?.last ?? 0;
}

async function rejections(db: Database, deviceId: string, after: number): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('rejected_messages')
    .select(({ fn }) => ['reason', fn.countAll<number>().as('count')])
    .where('device_id', '=', deviceId)
    .where('rejected_id', '>', after)
    .groupBy('reason')
    .orderBy('count', 'desc')
    .execute();
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}
