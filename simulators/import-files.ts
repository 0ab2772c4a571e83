import type { Database } from '#src/database/connect.ts';
import { withTemporarySecret } from './credentials.ts';
import { type CsvCounts, type CsvElement, type CsvOptions, csvReadings } from './csv-readings.ts';
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
  /**
   * Readings of the imported time that nothing is counted of, by the law's verdict: an interval that overlaps another one, a glitch, one
   * that is held until later ones say what it was. `uncounted`: all that was sent, where the channel counts by another quantity or by none.
   */
  left_out: Record<string, number>;
  seconds: number;
}

/** Replays files over MQTT as the device would have sent them. */
export async function importFiles(db: Database, options: ImportOptions): Promise<ImportResult> {
  const { deviceId, files, csv, mqttUrl, signal, onBytes } = options;
  const began = performance.now();
  const span: Span = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY };
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
        sent += await sendReadings(publisher, deviceId, within(elements, span));
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
  const left_out = sent > 0 ? await leftOut(db, options, span, sent) : {};
  const seconds = Math.round(performance.now() - began) / 1000;
  return { device_id: deviceId, ...counts, sent, rejected, left_out, seconds };
}

/** Times of the first and the last reading that was sent. */
interface Span {
  fromMs: number;
  toMs: number;
}

async function* within(elements: AsyncIterable<CsvElement>, span: Span): AsyncGenerator<CsvElement> {
  for await (const element of elements) {
    const atMs = Date.parse(element.ts);
    span.fromMs = Math.min(span.fromMs, atMs);
    span.toMs = Math.max(span.toMs, atMs);
    yield element;
  }
}

/** Whether what was imported counts at all. Behind an external broker it may not have come yet: that is not held against it. */
async function isCounted(db: Database, { deviceId, csv }: ImportOptions): Promise<boolean> {
  const series = await db
    .selectFrom('series')
    .select(['counts_import', 'counts_export'])
    .where('device_id', '=', deviceId)
    .where('channel', '=', csv.channel ?? 'import')
    .where('kind', '=', csv.kind)
    .executeTakeFirst();
  return !series || series.counts_import || series.counts_export;
}

/** Verdicts by which nothing of a reading is counted. */
const LEFT_OUT = ['overlap', 'glitch', 'held', 'confirming'];

async function leftOut(
  db: Database,
  options: ImportOptions,
  span: Span,
  sent: number,
): Promise<ImportResult['left_out']> {
  if (!(await isCounted(db, options))) return { uncounted: sent };
  const { deviceId, csv } = options;
  const rows = await db
    .selectFrom('reading_notes')
    .innerJoin('series', 'series.series_id', 'reading_notes.series_id')
    .select(({ fn }) => ['verdict', fn.countAll<number>().as('count')])
    .where('device_id', '=', deviceId)
    .where('channel', '=', csv.channel ?? 'import')
    .where('kind', '=', csv.kind)
    .where('read_at', '>=', new Date(span.fromMs))
    .where('read_at', '<=', new Date(span.toMs))
    .where('verdict', 'in', LEFT_OUT)
    .groupBy('verdict')
    .orderBy('verdict')
    .execute();
  return Object.fromEntries(rows.map(({ verdict, count }) => [verdict, count]));
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
